/// Damage in the media of a track.
package struct MediaProblem: Sendable {
  /// The kinds of damage.
  package enum Kind: Sendable, CaseIterable {
    /// NAL units, OBUs and frames do not fill their sample, or have invalid headers.
    case units
    /// NAL units contain start codes.
    case startCodes
    /// Parameter sets and sequence headers are invalid or missing.
    case parameterSets
    /// Slice and frame headers have impossible values.
    case headers
    /// Samples do not consist of one picture, from its first slice on.
    case pictures
    /// Reference pictures are missing.
    case references
    /// Pictures at which decoding can start are not marked.
    case sync
    /// Frames of audio, and images, do not have the syntax of their codec.
    case frames
    /// Checksums differ from the data.
    case checksums
    /// Uncompressed audio is interrupted or noise.
    case sound
    /// Text and timecodes are invalid.
    case text
    /// Blocks of zeros replace coded media.
    case zeros
    /// Blocks of coded media occur twice.
    case repeats
    /// The coded data of pictures cannot be decoded.
    case codedData
  }
  /// The kind of damage.
  package let kind: Kind
  /// The problem, as a sentence without a capital letter and a full stop.
  package let text: String
  /// The index of the first sample that has it.
  package let sample: Int
  /// The first damaged byte in the source of the sample.
  package let byte: Int
  /// The number of samples that have it.
  package fileprivate(set) var count = 1
  /// Problems with the same key are the same one.
  fileprivate let key: String
}

/// The problems of a track; the same problem of several samples is one.
package struct MediaProblems: Sendable {
  /// The problems in the order of their first samples.
  package private(set) var list: [MediaProblem] = []
  /// What could not be verified.
  private(set) var limits: Set<MediaLimit> = []
  private var places: [String: Int] = [:]
  private var latest: [Int] = []

  /// Adds a problem at a byte of the source. Texts with different values are the same problem if their keys are equal.
  mutating func add(
    _ kind: MediaProblem.Kind, _ key: StaticString, _ sample: VerifiedSample, at byte: Int,
    _ text: @autoclosure () -> String
  ) {
    let key = "\(kind) \(key)"
    if let place = places[key] {
      if latest[place] != sample.index { list[place].count += 1 }
      latest[place] = sample.index
    } else {
      places[key] = list.count
      list.append(MediaProblem(kind: kind, text: text(), sample: sample.index, byte: byte, key: key))
      latest.append(sample.index)
    }
  }

  /// Notes that something could not be verified.
  mutating func add(_ limit: MediaLimit) { limits.insert(limit) }

  /// Adds the problems of later samples.
  mutating func add(_ other: MediaProblems) {
    limits.formUnion(other.limits)
    for problem in other.list {
      if let place = places[problem.key] {
        list[place].count += problem.count
      } else {
        places[problem.key] = list.count
        list.append(problem)
        latest.append(problem.sample)
      }
    }
  }
}
