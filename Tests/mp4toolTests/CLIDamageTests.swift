import Support
import Testing

/// Interrupted or damaged recordings: existing data is kept, and losses are reported by track and time.
@Suite("Damaged recordings, end to end")
struct CLIDamageTests {
  /// Five fragments of four video samples (512/12800 s) and four audio samples (1024/48000 s); the payload of each
  /// sample is unique.
  private static func recording() -> BuiltFile {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for index: UInt64 in 0..<5 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = index * 2048
          $0.addRun(.samples(4), firstSampleFlags: .sync)
        }
        fragment.addTraf(2) {
          $0.decodeTime = index * 4096
          $0.addRun(.samples(4))
        }
      }
    }
    return file.build()
  }

  /// The damage of a recording, the samples of each track that it loses, and the expected message.
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lost: [UInt32: Range<Int>]
    let messages: [String]
    let change: @Sendable (inout [UInt8], BuiltFile) throws -> Void

    init(
      _ name: String, lost: [UInt32: Range<Int>], _ messages: [String],
      _ change: @escaping @Sendable (inout [UInt8], BuiltFile) throws -> Void
    ) {
      (testDescription, self.lost, self.messages, self.change) = (name, lost, messages, change)
    }
  }

  /// Increases the size of the `number`th box of this type.
  private static func lengthen(_ type: String, _ number: Int, by count: Int, in bytes: inout [UInt8]) throws {
    let at = try start(of: type, number, in: bytes)
    let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    bytes.replaceSubrange(at..<at + 4, with: big(UInt32(size + count)))
  }
  private static func start(of type: String, _ number: Int, in bytes: [UInt8]) throws -> Int {
    let places = bytes.indices.dropLast(8).filter { bytes[$0 + 4..<$0 + 8].elementsEqual(ascii(type)) }
    return try #require(places.dropFirst(number).first)
  }
  private static func place(_ file: BuiltFile, _ track: UInt32, _ sample: Int) throws -> Range<Int> {
    try #require(file.places[track]?[sample])
  }

  private static let damages = [
    Damage(
      "cut in the last mdat", lost: [1: 18..<20, 2: 16..<20],
      ["the file is cut off", "track 1: no data for 2 samples", "track 2: no data for 4 samples"]
    ) { bytes, file in bytes.removeSubrange(try place(file, 1, 18).lowerBound + 3..<bytes.count) },
    Damage("cut in a moof", lost: [1: 12..<20, 2: 12..<20], ["moof", "the file is cut off"]) { bytes, _ in
      bytes.removeSubrange(try start(of: "moof", 3, in: bytes) + 50..<bytes.count)
    },
    Damage(
      "cut in a box header", lost: [1: 12..<20, 2: 12..<20], ["the file is cut off inside the box header at byte"]
    ) { bytes, _ in bytes.removeSubrange(try start(of: "moof", 3, in: bytes) + 4..<bytes.count) },
    Damage("garbage between fragments", lost: [:], ["are not a box"]) { bytes, _ in
      bytes.insert(contentsOf: Array(repeating: 0xfe, count: 777), at: try start(of: "moof", 2, in: bytes))
    },
    Damage(
      "an mdat that is missing", lost: [1: 8..<12, 2: 8..<12],
      ["track 1: no data for 4 samples", "track 2: no data for 4 samples"]
    ) { bytes, _ in
      let mdat = try start(of: "mdat", 2, in: bytes)
      bytes.removeSubrange(mdat..<(try start(of: "moof", 3, in: bytes)))
    },
    Damage("a size of 0 in the middle", lost: [:], ["mdat: size at byte", "the next fragment was found at byte"]) {
      bytes, _ in
      let mdat = try start(of: "mdat", 1, in: bytes)
      bytes.replaceSubrange(mdat..<mdat + 4, with: zeros(4))
    },
    Damage("a size that is too long", lost: [:], ["mdat: size at byte"]) { bytes, _ in
      let mdat = try start(of: "mdat", 1, in: bytes)
      bytes.replaceSubrange(mdat..<mdat + 4, with: big(UInt32(1 << 30)))
    },
    Damage("a size that is too long by less than a fragment", lost: [:], ["mdat: size", "the next fragment was found"])
    { bytes, _ in
      let mdat = try start(of: "mdat", 1, in: bytes)
      let size = bytes[mdat..<mdat + 4].reduce(0) { $0 << 8 | Int($1) }
      bytes.replaceSubrange(mdat..<mdat + 4, with: big(UInt32(size + 100)))
    },
    Damage("a moof that is too long by the header of its mdat", lost: [:], ["moof: size", "the next box was found at"])
    {
      bytes, _ in try lengthen("moof", 1, by: 8, in: &bytes)
    },
    Damage("a moof that is too long by a fragment", lost: [:], ["moof: size", "the next box was found at"]) {
      bytes, _ in
      try lengthen("moof", 1, by: 1200, in: &bytes)
    },
    Damage("a moof that is longer than the file", lost: [:], ["moof: size", "the next box was found at"]) { bytes, _ in
      try lengthen("moof", 2, by: 1 << 30, in: &bytes)
    },
    Damage("a hole of zeros over a moof", lost: [1: 8..<12, 2: 8..<12], []) { bytes, _ in
      let moof = try start(of: "moof", 2, in: bytes)
      bytes.replaceSubrange(moof..<moof + 120, with: zeros(120))
    },
    Damage("a hole of zeros over a whole fragment and more", lost: [1: 8..<12, 2: 8..<12], []) { bytes, _ in
      let (start, end) = (try start(of: "moof", 2, in: bytes), try start(of: "moof", 3, in: bytes))
      bytes.replaceSubrange(start..<end, with: zeros(end - start))
    },
  ]

  @Test(
    "Every sample whose bytes are present is kept, and losses are reported with exit code 1", arguments: damages)
  func saved(damage: Damage) throws {
    let built = Self.recording()
    var bytes = built.bytes
    try damage.change(&bytes, built)
    let shell = try EndToEnd()
    try shell.folder.write("broken.mp4", bytes)
    let result = try shell("mp4tool defrag broken.mp4 -o out.mp4")
    #expect(result.exitCode == 1, "\(result)")
    for message in damage.messages { #expect(result.errorText.contains(message), "\(result)") }
    #expect(result.errorLines.allSatisfy { $0.hasPrefix("mp4tool: ") && $0.contains("broken.mp4: ") })
    // The remaining samples; the previous sample is extended over the gap.
    let kept = built.samples.map { track, samples in
      let lost = damage.lost[track] ?? 0..<0
      return (track, samples.indices.filter { !lost.contains($0) }.map { samples[$0] }.stretched().withSyncOnly())
    }
    let read = try SampleReader.samples(shell.bytes("out.mp4")).mapValues { $0.withSyncOnly() }
    #expect(difference(Dictionary(uniqueKeysWithValues: kept), read) == nil, "\(result)")
    let strict = try shell("mp4tool defrag --strict broken.mp4 -o strict.mp4")
    #expect(strict.exitCode == 65)
    #expect(strict.errorText.hasPrefix(result.errorText))
    #expect(shell.folder.names == ["broken.mp4", "in.mp4", "out.mp4"])
    #expect(try shell.bytes("broken.mp4") == bytes)
  }
}
