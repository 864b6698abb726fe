import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Decoder configurations in dumps, and damaged ones")
struct DecoderConfigurationTests {
  /// Sample entries of every kind whose configuration is parsed.
  static let entries: [[UInt8]] = {
    let names =
      CodecStringTests.pictures + CodecStringTests.sounds + CodecStringTests.texts + CodecStringTests.protected
    let others: [[UInt8]] = [EntryBytes.avc1(), EntryBytes.mp4a()]
    return names.map(\.1) + SoundTests.formats.map(\.2) + PictureFormatTests.ranges.map(\.1) + others
  }()

  /// The codecs string of an entry, or `nil` if it is fit for playlists.
  private func unfit(_ entry: [UInt8]) -> String? {
    guard entry.count >= 8 else { return nil }
    // `raw ` can be audio or video.
    let found = configuration(entry, handler: entry[0] & 1 == 0 ? "vide" : "soun")
    let names = found.codecs + (found.supplementalCodecs ?? "")
    let isPlain = names.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x2c }
    if !isPlain { return names }
    if let pictures = found.pictures, pictures.width < 0 || pictures.height < 0 { return "\(pictures)" }
    if let sound = found.sound, sound.channelCount < 0 || sound.sampleRate < 0 { return "\(sound)" }
    return nil
  }

  @Test(
    "Truncated and damaged entries are read without a trap", arguments: entries)
  func damage(_ entry: [UInt8]) {
    for count in Effort.some(Array(entry.indices), short: 20) {
      if let found = unfit(Array(entry.prefix(count))) { Issue.record("cut to \(count): \(found)") }
    }
    var random = SplitMix64(seed: entry.reduce(5) { $0 &* 31 &+ UInt64($1) })
    for number in 0..<Effort.count(short: 20, all: 300) {
      var other = mutated(entry, &random)
      // Damage usually hits the structure of the boxes, so in half of the entries only box contents are changed.
      if number % 2 == 0 { other = Array(entry.prefix(86)) + other.dropFirst(86) }
      if let found = unfit(other) { Issue.record("number \(number): \(found)") }
    }
  }

  @Test("Sequence headers of random bytes are read without a trap")
  func anyBytes() {
    var random = SplitMix64(seed: 26)
    for _ in 0..<20_000 {
      let bytes = (0..<Int(random.next() % 96)).map { _ in
        UInt8(truncatingIfNeeded: random.next()) & UInt8(truncatingIfNeeded: random.next())
      }
      for found in [
        SequenceParameters(avc: bytes[...]), SequenceParameters(hevc: bytes[...]), SequenceParameters(vvc: bytes[...]),
        SequenceParameters(av1: ([0x0a, UInt8(bytes.count)] + bytes)[...]),
      ] {
        if let found, found.width <= 0 || found.height <= 0 { Issue.record("\(found) of \(bytes)") }
      }
      if let config = AudioSpecificConfig(bytes), config.channelCount < 0 || config.samplingFrequency < 0 {
        Issue.record("\(config) of \(bytes)")
      }
    }
  }

  private static let file = fullBox("stsd", big(UInt32(1)), EntryBytes.avc1())

  @Test("At verbosity 3, text shows derived values of an entry after its fields and before its boxes")
  func text() throws {
    let lines = try dumpLines(Self.file, verbosity: 3)
    let start = try #require(lines.firstIndex { $0.hasPrefix("    => codecs") })
    #expect(
      Array(lines[start..<min(start + 4, lines.count)]) == [
        "    => codecs = avc1.64000B", "    => picture_width = 160", "    => picture_height = 90",
        "    [avcC] size=8+49, offset=102",
      ])
    for verbosity in 0...2 {
      #expect(try !dumpLines(Self.file, verbosity: verbosity).contains { $0.contains("codecs") })
    }
  }

  @Test("JSON has derived values apart from the fields, and only for entries")
  func json() throws {
    let json = try JSONValue(dumpJSON(Self.file))[0]
    let expected = #"{"codecs": "avc1.64000B", "picture_width": 160, "picture_height": 90}"#
    #expect(json?["boxes"]?[0]?["derived"] == (try JSONValue(Array(expected.utf8))))
    #expect(json?["boxes"]?[0]?["fields"]?["codecs"] == nil && json?["derived"] == nil)
    #expect(json?["boxes"]?[0]?["boxes"]?[0]?["derived"] == nil)
    let sound = try JSONValue(dumpJSON(fullBox("stsd", big(UInt32(1)), EntryBytes.mp4a())))[0]?["boxes"]?[0]?["derived"]
    #expect(sound?["audio_object_type_name"]?.string == "AAC LC" && sound?["channels"]?.string == "1")
  }

  @Test("Values of compressed audio that the configuration does not declare are not reported")
  func unclaimed() throws {
    func derived(_ entry: [UInt8]) throws -> JSONValue? {
      try JSONValue(dumpJSON(fullBox("stsd", big(UInt32(1)), entry)))[0]?["boxes"]?[0]?["derived"]
    }
    /// A QuickTime sound description, version 2, with this sampling rate as a floating-point number.
    func lpcm(_ rate: Double) -> [UInt8] {
      let start: [UInt8] = zeros(6) + [0, 1, 0, 2] + zeros(6) + [0, 3, 0, 16, 0xff, 0xfe, 0, 0, 0, 1, 0, 0]
      let numbers = big(UInt32(72)) + big(rate.bitPattern) + big(UInt32(6)) + big(UInt32(0x7f00_0000))
      return box("lpcm", start, numbers, big(UInt32(16)) + big(UInt32(12)) + big(UInt32(12)) + big(UInt32(1)))
    }
    let stream = [3, 18] + zeros(3) + [4, 13, 0x6b, 0x15] + zeros(11)
    let mp3 = EntryBytes.audio("mp4a", channels: 2, rate: 44100, fullBox("esds", stream))
    #expect(try derived(mp3) == JSONValue(Array(#"{"codecs": "mp4a.6B"}"#.utf8)))
    let sound = try derived(lpcm(96000))
    #expect(sound?["channels"]?.string == "6" && sound?["sample_rate"]?.number == "96000")
    #expect(try derived(lpcm(.nan))?["sample_rate"] == nil)
    let picture = try derived(box("jpeg", zeros(6), [0, 1], zeros(66), [0, 24, 0xff, 0xff]))
    #expect(picture?["codecs"]?.string == "jpeg" && picture?["picture_width"] == nil && picture?["video_range"] == nil)
  }

  @Test("An entry in a tree is read from its source")
  func tree() throws {
    let source = MemorySource(Self.file)
    let tree = try [Box](reading: source)
    let entry = try #require(tree.first?.first("avc1"))
    #expect(try DecoderConfiguration(entry, from: source).codecs == "avc1.64000B")
    #expect(try DecoderConfiguration(Box("avc1", boxes: []), from: source).codecs == "avc1")
  }
}
