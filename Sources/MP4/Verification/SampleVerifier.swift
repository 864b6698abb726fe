import ISOBMFF
package import MP4Bytes

/// A sample whose bytes are verified.
struct VerifiedSample {
  let index: Int
  /// Its place in its source.
  let offset: Int
  let isSync: Bool
  /// Its duration in the timescale of its track.
  let duration: Int64
  /// Whether it is the last one of its track.
  let isLast: Bool
}

/// Verifies the samples of a track in decoding order: the syntax of its codec, and what samples say about each other.
protocol SampleVerifier {
  /// Verifies a sample. The bytes are valid during the call only.
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems)
}

/// How the samples of a sample description are verified.
struct VerifierChoice {
  /// Where verification can start without the samples before.
  enum Start {
    case anywhere
    /// At sync samples for which the function returns true, given their first bytes.
    case sync(@Sendable (ArraySlice<UInt8>) -> Bool)
  }
  let start: Start
  /// Whether the contents have high entropy, so that blocks of zeros, and repeated blocks, are damage.
  var isCompressed = true
  /// The size of all samples, if the verifier takes many at once.
  var frameSize: Int?
  /// Whether blocks do not occur twice: pictures that are predicted from others.
  var hasUniqueBlocks = false
  /// What is not verified.
  var limits: [MediaLimit] = []
  let make: @Sendable () -> any SampleVerifier

  init(
    _ start: Start, isCompressed: Bool = true, limits: [MediaLimit] = [],
    _ make: @escaping @Sendable () -> any SampleVerifier
  ) {
    (self.start, self.isCompressed, self.limits, self.make) = (start, isCompressed, limits, make)
  }
}

/// Damage that is not looked for.
package enum MediaLimit: Hashable, Sendable {
  /// Damage inside the coded pictures of a codec; decoding finds it if `isDecodable`.
  case pictures(codec: String, isDecodable: Bool)
  /// Damage inside the coded frames of an audio codec.
  case sound(codec: String)
  /// Samples of a format that is not verified.
  case format(FourCC)
  /// Encrypted samples.
  case encrypted
  /// Samples that are too large.
  case large

  /// A phrase.
  package var text: String {
    switch self {
    case .pictures(let codec, _): "damage inside coded pictures (\(codec))"
    case .sound(let codec): "damage inside coded audio (\(codec))"
    case .format(let format): "damage in samples of '\(format)'"
    case .encrypted: "damage in encrypted samples"
    case .large: "damage in samples of more than \(SampleRunReader.largest >> 20) MiB"
    }
  }
}
