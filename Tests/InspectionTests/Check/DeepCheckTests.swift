import MP4
import MP4Bytes
import MP4Inspection
import Support
import Testing

@Suite("Checks of all media")
struct DeepCheckTests {
  private static func check(_ bytes: [UInt8], _ depth: Check.Depth = .media, name: String = "a.mp4") throws
    -> CheckResult
  {
    var check = Check()
    check.depth = depth
    return try check.run([MemorySource(bytes, name: name)])
  }

  /// Undamaged files.
  private static let files = [
    "progressive.mp4", "fragmented.mp4", "hevc-fragmented.mp4", "progressive.mov", "pcm.mov", "hybrid.mp4",
    "negative-cts.mp4", "separate-moof.mp4", "encrypted-cenc.mp4",
  ]

  @Test("Undamaged media has no findings at any depth", arguments: files, [Check.Depth.media, .decode])
  func undamaged(file: String, depth: Check.Depth) throws {
    let result = try Self.check(readFile(vectorPath("files/\(file)")), depth)
    #expect(result.findings.filter { $0.sample != nil }.isEmpty, "\(result.findings)")
    #expect(result.isVerified && (result.examinedSampleCount == result.sampleCount || file.hasPrefix("encrypted")))
  }

  @Test("The result says what was not looked for")
  func limits() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    #expect(try Self.check(bytes, .headers).limits.isEmpty && !Self.check(bytes, .headers).isVerified)
    #expect(try Self.check(bytes).limits == ["damage inside coded pictures (H.264)"])
    #expect(try Self.check(bytes, .decode).limits.isEmpty)
    let encrypted = try Self.check(readFile(vectorPath("files/encrypted-cenc.mp4")))
    #expect(encrypted.limits == ["damage in encrypted samples"])
  }

  /// Damage of the sample at an offset with a size.
  struct Damage: Sendable, CustomStringConvertible {
    let description: String
    let file: String
    let track: Int
    let depth: Check.Depth
    let change: @Sendable (inout [UInt8], Int, Int) -> Void

    init(
      _ description: String, _ file: String = "progressive.mp4", track: Int = 0, _ depth: Check.Depth = .media,
      _ change: @escaping @Sendable (inout [UInt8], Int, Int) -> Void
    ) {
      (self.description, self.file, self.track, self.depth) = (description, file, track, depth)
      self.change = change
    }
  }
  private static let hevc = "hevc-fragmented.mp4"
  private static let damages: [Damage] = [
    Damage("length + 1") { bytes, at, _ in bytes[at + 3] &+= 1 },
    Damage("length - 1") { bytes, at, _ in bytes[at + 3] &-= 1 },
    Damage("length huge") { bytes, at, _ in bytes[at] = 0x7f },
    Damage("length 0") { bytes, at, _ in for index in 0..<4 { bytes[at + index] = 0 } },
    Damage("forbidden bit") { bytes, at, _ in bytes[at + 4] |= 0x80 },
    Damage("reserved type") { bytes, at, _ in bytes[at + 4] = bytes[at + 4] & 0xe0 | 23 },
    Damage("no slice") { bytes, at, _ in bytes[at + 4] = bytes[at + 4] & 0xe0 | 13 },
    Damage("first macroblock") { bytes, at, _ in bytes[at + 5] &= 0x7f },
    Damage("slice type") { bytes, at, _ in
      bytes[at + 5] = 0x8b
      bytes[at + 6] |= 0x80
    },
    Damage("parameter set") { bytes, at, _ in (bytes[at + 5], bytes[at + 6]) = (0x99, 0) },
    Damage("frame number") { bytes, at, _ in bytes[at + 6] ^= 0x40 },
    Damage("start code") { bytes, at, size in
      for (index, byte) in [0, 0, 1].enumerated() { bytes[at + size / 2 + index] = UInt8(byte) }
    },
    Damage("zeros") { bytes, at, size in for index in size / 2..<size { bytes[at + index] = 0 } },
    Damage("all zeros") { bytes, at, size in for index in 0..<size { bytes[at + index] = 0 } },
    Damage("bits inside", "progressive.mp4", .decode) { bytes, at, size in
      for index in size / 4..<size / 2 { bytes[at + index] ^= 0x55 }
    },
    Damage("HEVC: length + 1", hevc) { bytes, at, _ in bytes[at + 3] &+= 1 },
    Damage("HEVC: forbidden bit", hevc) { bytes, at, _ in bytes[at + 4] |= 0x80 },
    Damage("HEVC: temporal ID", hevc) { bytes, at, _ in bytes[at + 5] &= 0xf8 },
    Damage("HEVC: reserved type", hevc) { bytes, at, _ in bytes[at + 4] = 41 << 1 },
    Damage("HEVC: first slice", hevc) { bytes, at, _ in bytes[at + 6] &= 0x7f },
    Damage("HEVC: bits inside", hevc, .decode) { bytes, at, size in
      for index in size / 2..<size * 3 / 4 { bytes[at + index] ^= 0x55 }
    },
    Damage("AAC: element", track: 1) { bytes, at, _ in bytes[at] ^= 0xa0 },
    Damage("AAC: window", track: 1) { bytes, at, _ in bytes[at + 2] ^= 0xff },
    Damage("AAC: spectrum", track: 1) { bytes, at, size in
      for index in size / 3..<size { bytes[at + index] ^= 0xff }
    },
    Damage("AAC: zeros", track: 1) { bytes, at, size in for index in 0..<size { bytes[at + index] = 0 } },
  ]

  @Test("Damage is found at its sample, or by a reference to it", arguments: damages)
  func damage(_ damage: Damage) throws {
    let bytes = try readFile(vectorPath("files/\(damage.file)"))
    let track = try Movie(reading: [MemorySource(bytes, name: "a.mp4")]).tracks[damage.track]
    // Predicted pictures with one slice, which is the first unit, and frames of audio.
    let samples = track.samples.dropFirst().filter { ($0.size > 60 && !$0.isSync || damage.track == 1) && $0.size > 8 }
    let count = Effort.count(short: 2, all: 8)
    var found = 0
    for sample in samples.prefix(count) {
      var damaged = bytes
      damage.change(&damaged, sample.offset, sample.size)
      let places = try Self.check(damaged, damage.depth).findings.compactMap(\.sample)
      if places.contains(where: { $0.number == sample.index + 1 && $0.track == track.id }) { found += 1 }
      for place in places { #expect(place.number > sample.index, "\(sample.index + 1): \(place)") }
    }
    #expect(found == min(count, samples.count), "\(found) of \(samples.count)")
  }

  @Test("Any bytes can be verified", arguments: 0..<4)
  func anything(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    for file in Self.files.prefix(Effort.count(short: 3, all: 20)) {
      let bytes = try readFile(vectorPath("files/\(file)"))
      for _ in 0..<Effort.count(short: 1, all: 40) {
        var damaged = bytes
        for _ in 0..<8 {
          let place = Int.random(in: bytes.count / 8..<bytes.count - 16, using: &random)
          for index in 0..<Int.random(in: 1...16, using: &random) {
            damaged[place + index] = .random(in: .min ... .max, using: &random)
          }
        }
        _ = try Self.check(damaged, .decode)
      }
    }
  }
}
