import ISOBMFF
import MP4Bytes

/// An audio sample that decoders turn into silence.
struct SilentSample {
  let bytes: [UInt8]

  /// A sample of this duration for the sample descriptions of a track; `nil` if the track is encrypted, or if silence
  /// cannot be written for its codec or differs between descriptions.
  init?(_ track: Track, duration: Int64) {
    guard (try? track.readProtectionScheme()) == .some(nil), track.details.auxiliaryKind == nil else { return nil }
    let all = track.decoderConfigurations.map { Self.bytes($0, duration, track.timescale) }
    guard let first = all.first, let bytes = first, all.allSatisfy({ $0 == bytes }) else { return nil }
    self.bytes = bytes
  }

  private static func bytes(_ configuration: DecoderConfiguration, _ duration: Int64, _ timescale: UInt32) -> [UInt8]? {
    if let box = configuration.box(OpusSpecificBox.self) {
      return opus(box, samples: MediaTime(duration, timescale).converted(to: 48_000))
    }
    if let audio = configuration.audioSpecificConfig, let bytes = aac(audio) { return bytes }
    guard configuration.codedFormat == "ac-3", let dolby = configuration.box(AC3SpecificBox.self),
      duration == MediaTime(1536, 48_000).converted(to: timescale).value || dolby.fscod != 0
    else { return nil }
    return AC3Silence(dolby)?.bytes
  }

  // MARK: AAC

  /// The elements of each channel configuration, ISO/IEC 14496-3, table 1.19: 0 is a single channel, 1 a pair, 3 a
  /// low-frequency channel.
  private static let elements: [Int: [UInt8]] = [
    1: [0], 2: [1], 3: [0, 1], 4: [0, 1, 0], 5: [0, 1, 1], 6: [0, 1, 1, 3], 7: [0, 1, 1, 1, 3], 11: [0, 1, 1, 0, 3],
    12: [0, 1, 1, 1, 3], 14: [0, 1, 1, 3, 1],
  ]

  /// A raw data block without spectral data: ISO/IEC 14496-3, 4.4.2.1.
  private static func aac(_ audio: AudioSpecificConfig) -> [UInt8]? {
    guard audio.audioObjectType == 2, let elements = elements[audio.channelConfiguration] else { return nil }
    var bits = BitString()
    var counts: [UInt8: Int] = [:]
    /// An individual channel stream: `global_gain`; a long window with `max_sfb` 0; no pulse, TNS or gain control.
    func channel(_ bits: inout BitString) {
      bits.append(0, 8)
      bits.append(0, 1 + 2 + 1 + 6 + 1)
      bits.append(0, 3)
    }
    for element in elements {
      bits.append(Int(element), 3)
      bits.append(counts[element, default: 0], 4)
      counts[element, default: 0] += 1
      if element == 1 {
        // `common_window`
        bits.append(0, 1)
        channel(&bits)
      }
      channel(&bits)
    }
    bits.append(7, 3)
    return bits.bytes
  }

  // MARK: Opus

  /// A packet of silent CELT frames, RFC 6716, 3; of several streams, all but the last with their lengths, appendix B.
  private static func opus(_ box: OpusSpecificBox, samples: (value: Int64, isExact: Bool)) -> [UInt8]? {
    guard samples.isExact else { return nil }
    // Frames of 2.5, 5, 10 and 20 ms of full bandwidth; longer packets have several of 20 ms.
    let codes: [Int64: (configuration: UInt8, frames: UInt8)] = [
      120: (28, 1), 240: (29, 1), 480: (30, 1), 960: (31, 1), 1920: (31, 2), 2880: (31, 3), 3840: (31, 4),
      4800: (31, 5), 5760: (31, 6),
    ]
    guard let (configuration, frames) = codes[samples.value] else { return nil }
    let table = box.channelMappingTable
    let (streams, coupled) =
      box.channelMappingFamily == 0
      ? (1, box.outputChannelCount == 2 ? 1 : 0) : (Int(table.streamCount), Int(table.coupledCount))
    guard streams > 0, coupled <= streams else { return nil }
    var bytes: [UInt8] = []
    for stream in 0..<streams {
      let isStereo: UInt8 = stream < coupled ? 4 : 0
      bytes.append(configuration << 3 | isStereo | (frames == 1 ? 0 : 3))
      if frames > 1 { bytes.append(frames) }
      // The length of each frame of constant bit rate.
      if stream < streams - 1 { bytes.append(2) }
      for _ in 0..<frames { bytes += [0xff, 0xfe] }
    }
    return bytes
  }
}

/// Bits, the most significant ones first.
struct BitString {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  mutating func append(_ value: Int, _ width: Int) {
    for bit in (0..<width).reversed() {
      if count % 8 == 0 { bytes.append(0) }
      if value >> bit & 1 != 0 { bytes[bytes.count - 1] |= 0x80 >> UInt8(count % 8) }
      count += 1
    }
  }
}
