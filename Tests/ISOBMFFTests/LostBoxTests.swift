import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Boxes after damaged ones")
struct LostBoxTests {
  private struct Place: Hashable {
    var type: FourCC
    var offset: Int
  }

  @Test(
    "The boxes after a box with a damaged header are found",
    arguments: ["fragmented.mp4", "progressive-moov-last.mp4", "encrypted-cenc.mp4"])
  func headers(_ name: String) throws {
    let bytes = try readFile(vectorPath("files/" + name))
    let nodes = try boxes(of: bytes)
    let ends = Set(nodes.map(\.header.end) + nodes.map(\.header.offset))
    var random = SplitMix64(seed: 41)
    for node in Effort.some(nodes.filter { $0.type != "mdat" }, short: 20) {
      for kind in 0..<6 {
        var damaged = bytes
        let at = node.header.offset
        switch kind {
        case 0: damaged.replaceSubrange(at..<at + 4, with: big(UInt32(2 + random.next() % 6)))
        case 1: damaged.replaceSubrange(at..<at + 4, with: big(UInt32(truncatingIfNeeded: random.next())))
        case 2: damaged.replaceSubrange(at..<at + 4, with: big(UInt32(node.header.size + Int(random.next() % 3000))))
        case 3: damaged.replaceSubrange(at..<at + 4, with: big(UInt32(8 + Int(random.next() & 0xff))))
        case 4: damaged.replaceSubrange(at..<at + 8, with: random.bytes(8))
        default: damaged.replaceSubrange(at..<at + 4, with: [0xff, 0xff, 0xff, 0xff])
        }
        // A size that ends at the end of another box is not detectable as damage.
        let size: UInt32 = damaged[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
        if size < 2 || ends.contains(at + Int(size)) { continue }
        let found = Set(try boxes(of: damaged).map { Place(type: $0.type, offset: $0.header.offset) })
        // Some writers put `senc` into `stbl`, where it cannot be assigned to a track.
        let wanted = nodes.filter { $0.header.offset >= node.header.end && $0.type != "senc" }
        let lost = wanted.filter { !found.contains(Place(type: $0.type, offset: $0.header.offset)) }
        let first = lost.prefix(3).map { "\($0.type) \($0.header.offset)" }
        #expect(lost.isEmpty, "\(node.type) at \(at), kind \(kind), size \(size): \(first)")
      }
    }
  }

  private func boxes(of bytes: [UInt8]) throws -> [BoxNode] {
    // Like dumps: an unknown type does not count as a box.
    var parser = BoxParser(MemorySource(bytes), registry: .standard)
    var nodes: [BoxNode] = []
    while let node = try parser.next() {
      if case .remainder = node.content { continue }
      nodes.append(node)
    }
    return nodes
  }

  /// A file of about this size that would make a quadratic reader read the same bytes again and again.
  struct Hostile: Sendable, CustomStringConvertible {
    let description: String
    let bytes: @Sendable (Int) -> [UInt8]
    init(_ description: String, _ bytes: @escaping @Sendable (Int) -> [UInt8]) {
      (self.description, self.bytes) = (description, bytes)
    }
  }

  private static func claims(_ size: Int, _ type: String) -> [UInt8] { big(UInt32(size)) + ascii(type) }
  /// As many copies of these bytes as fit in `size`.
  private static func filled(_ size: Int, _ piece: [UInt8]) -> [UInt8] {
    (0..<size / piece.count).flatMap { _ in piece }
  }
  /// A box that declares `size` bytes and contains these.
  private static func open(_ size: Int, _ type: String, _ content: [UInt8]...) -> [UInt8] {
    claims(size, type) + content.flatMap(\.self)
  }
  private static let mfhd = fullBox("mfhd", zeros(4))
  private static let mvhd = fullBox("mvhd", zeros(96))
  private static let far = 1 << 30

  static let hostile = [
    Hostile("free space that ends in garbage") { filled($0, claims($0 / 3 | 1, "free")) },
    Hostile("free space that ends beyond the file") { filled($0, claims(far, "free")) },
    Hostile("fragments that end beyond the file") { filled($0, claims(far, "moof") + mfhd) },
    Hostile("fragments that end in garbage") { filled($0, claims($0 / 2 | 1, "moof") + mfhd) },
    Hostile("tracks that end beyond the movie") { open($0, "moov", mvhd, filled($0, claims(far, "trak"))) },
    Hostile("tracks that end in garbage") { open($0, "moov", mvhd, filled($0, claims($0 / 3 | 1, "trak"))) },
    Hostile("user data and tracks inside each other") {
      open($0, "moov", mvhd, filled($0, claims(far, "udta") + claims(far, "trak")))
    },
    Hostile("headers in a track that end in garbage") {
      open($0 + 200, "moov", mvhd, claims($0, "trak"), filled($0, claims($0 / 5 | 1, "tkhd")))
    },
    Hostile("track fragments that end in the next one") {
      open($0, "moof", mfhd, filled($0, claims(30, "traf") + box("abcd", zeros(4))))
    },
    Hostile("track fragments in many others, which end far behind") {
      open($0 * 2, "moof", mfhd, filled(3200, claims(far, "traf")), filled($0, claims($0 / 2, "traf")))
    },
    Hostile("headers in many fragments, which end beyond the file") {
      open($0 * 2, "moof", mfhd, filled(3200, claims(far, "traf")), filled($0, claims($0 / 7 | 1, "tkhd")))
    },
    Hostile("types without sizes") { filled($0, ascii("moovmvhdmoofmfhd")) },
    Hostile("garbage") { open($0, "moov", mvhd, filled($0, [7, 9, 1, 3])) },
  ]

  /// The number of bytes that are read, moved or searched until all boxes are found.
  private func cost(of source: any ByteSource, in range: Range<Int>? = nil) throws -> Int {
    var parser = BoxParser(source, in: range)
    parser.doubtLimit = 1 << 18
    while try parser.next() != nil {}
    return parser.handled
  }

  /// Whether twice as many bytes cost about twice as much.
  private func isProportional(_ half: Int, _ whole: Int) -> Bool { whole < half * 23 / 10 + 4096 }

  @Test("Twice as many bytes take about twice as long, regardless of their contents", arguments: hostile)
  func cost(_ file: Hostile) throws {
    let (half, whole) = (file.bytes(1 << 12), file.bytes(1 << 13))
    for isStream in [false, true] {
      let first = try cost(of: isStream ? TestStream(half) : MemorySource(half))
      let second = try cost(of: isStream ? TestStream(whole) : MemorySource(whole))
      #expect(isProportional(first, second), "\(file), a stream: \(isStream): \(first), \(second)")
      #expect(second < 40 * whole.count, "\(file), a stream: \(isStream): \(second)")
    }
  }

  @Test("This test detects a reader that searches the rest of the file again for each box")
  func again() throws {
    let file = try #require(Self.hostile.first)
    let costs = try [file.bytes(1 << 9), file.bytes(1 << 10)].map { bytes in
      try stride(from: 0, to: bytes.count, by: 8).reduce(0) {
        try $0 + cost(of: MemorySource(bytes), in: $1..<bytes.count)
      }
    }
    #expect(!isProportional(costs[0], costs[1]), "\(costs)")
  }
}
