import FileIO
import ISOBMFF
import Support
import Testing

/// Bytes that count how many of them are read.
private final class CountingSource: ByteSource {
  let name = "counting"
  private let source: MemorySource
  var byteCount: Int? { source.byteCount }
  private(set) var bytesRead = 0

  init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = try source.read(at: offset, into: &buffer)
    bytesRead += count
    return count
  }
}

@Suite("Boxes behind damaged ones")
struct LostBoxTests {
  private struct Place: Hashable {
    var type: FourCC
    var offset: Int
  }

  @Test(
    "Whatever header is damaged, the boxes behind that box are found",
    arguments: ["fragmented.mp4", "progressive-moov-last.mp4", "encrypted-cenc.mp4"])
  func headers(_ name: String) throws {
    let bytes = try readFile(vectorPath("files/" + name))
    let nodes = try boxes(of: bytes)
    let ends = Set(nodes.map(\.header.end) + nodes.map(\.header.offset))
    var random = SplitMix64(seed: 41)
    for node in nodes where node.type != "mdat" {
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
        // A size that ends where another box does is no damage that could be seen.
        let size: UInt32 = damaged[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
        if size < 2 || ends.contains(at + Int(size)) { continue }
        let found = Set(try boxes(of: damaged).map { Place(type: $0.type, offset: $0.header.offset) })
        // Some writers put `senc` into `stbl`, where nothing says that it belongs.
        let wanted = nodes.filter { $0.header.offset >= node.header.end && $0.type != "senc" }
        let lost = wanted.filter { !found.contains(Place(type: $0.type, offset: $0.header.offset)) }
        #expect(
          lost.isEmpty,
          "\(node.type) at \(at), kind \(kind), size \(size): \(lost.prefix(3).map { "\($0.type) \($0.header.offset)" })"
        )
      }
    }
  }

  private func boxes(of bytes: [UInt8]) throws -> [BoxNode] {
    var parser = BoxParser(MemorySource(bytes))
    var nodes: [BoxNode] = []
    while let node = try parser.next() {
      if case .remainder = node.content { continue }
      nodes.append(node)
    }
    return nodes
  }

  /// Files that make a reader look at the same bytes again and again, if it can be made to.
  static let hostile: [(name: String, bytes: [UInt8])] = {
    func repeated(_ piece: [UInt8], _ count: Int) -> [UInt8] { (0..<count).flatMap { _ in piece } }
    func claims(_ size: Int, _ type: String) -> [UInt8] { big(UInt32(size)) + ascii(type) }
    let mfhd = fullBox("mfhd", zeros(4))
    let mvhd = fullBox("mvhd", zeros(96))
    // Looking at a part of it for each box in it would be many times as much.
    let size = 1 << 17
    return [
      ("free space that ends in garbage", repeated(claims(50_001, "free"), size / 8)),
      ("free space that ends beyond the file", repeated(claims(1 << 30, "free"), size / 8)),
      ("fragments that end beyond the file", repeated(claims(1 << 30, "moof") + mfhd, size / 24)),
      ("fragments that end in garbage", repeated(claims(60_001, "moof") + mfhd, size / 24)),
      (
        "tracks that end beyond the movie",
        claims(size, "moov") + mvhd + repeated(claims(1 << 30, "trak"), size / 8)
      ),
      ("tracks that end in garbage", claims(size, "moov") + mvhd + repeated(claims(40_003, "trak"), size / 8)),
      (
        "media boxes inside each other",
        claims(size, "moov") + mvhd + repeated(claims(1 << 29, "udta") + claims(1 << 29, "trak"), size / 16)
      ),
      (
        "headers in a track that end in garbage",
        claims(size, "moov") + mvhd + claims(size - 500, "trak") + repeated(claims(9_001, "tkhd"), size / 8)
      ),
      ("types without sizes", repeated(ascii("moovmvhdmoofmfhd"), size / 16)),
      ("garbage", claims(size, "moov") + mvhd + repeated([7, 9, 1, 3], size / 4)),
    ]
  }()

  @Test("No file makes the parser read more than a few times its size", arguments: hostile.indices)
  func cost(_ index: Int) throws {
    let bytes = Self.hostile[index].bytes
    let source = CountingSource(bytes)
    var parser = BoxParser(source)
    parser.doubtLimit = 1 << 20
    var count = 0
    while try parser.next() != nil { count += 1 }
    #expect(count <= bytes.count / 4)
    // Of what may be looked at in vain before any of the file is done with, some is read twice.
    #expect(source.bytesRead < 12 * bytes.count + (5 << 20) / 2, "\(Self.hostile[index].name): \(source.bytesRead)")
  }
}
