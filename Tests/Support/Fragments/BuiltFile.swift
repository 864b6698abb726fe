/// A built file with the expected results.
public struct BuiltFile: Sendable {
  /// The whole file: `initialization` followed by `segments`.
  public var bytes: [UInt8] = []
  /// `ftyp` and `moov`, and the media data of the samples in the tables of `moov`.
  public var initialization: [UInt8] = []
  /// The segment files. Their offsets are relative to their own start.
  public var segments: [[UInt8]] = []
  /// The samples that a correct reader finds, by track.
  public var samples: [UInt32: [SampleRecord]] = [:]
  /// The location of the payload of each sample in `bytes`.
  public var places: [UInt32: [Range<Int>]] = [:]
  /// The start of each track's earliest sample on the timeline of the movie, in seconds; negative if an edit cuts it
  /// off.
  public var presentationStart: [UInt32: Seconds] = [:]
  /// The end of each sample's `moof` in `bytes`; 0 for samples of `moov`.
  var described: [UInt32: [Int]] = [:]

  /// The same file, with these group descriptions expected for its samples. Boxes unknown to the builder
  /// declare them.
  public func withGroups(_ type: String, of track: UInt32, _ descriptions: [[UInt8]?]) -> BuiltFile {
    var file = self
    for (index, description) in descriptions.enumerated() { file.samples[track]?[index].groups[type] = description }
    return file
  }

  /// The same file, with this auxiliary information expected for its samples. Boxes unknown to the builder declare it.
  public func withAuxiliary(of track: UInt32, _ information: [[UInt8]]) -> BuiltFile {
    var file = self
    for (index, bytes) in information.enumerated() { file.samples[track]?[index].auxiliary = bytes }
    return file
  }

  /// The first `count` bytes, with the samples that are complete in them and whose `moof` is complete.
  public func truncated(to count: Int) -> BuiltFile {
    var file = self
    file.bytes = Array(bytes.prefix(count))
    for (track, records) in samples {
      let kept = records.indices.filter { index in
        max(places[track]?[index].upperBound ?? 0, described[track]?[index] ?? 0) <= count
      }
      file.samples[track] = kept.map { records[$0] }
      file.places[track] = kept.compactMap { places[track]?[$0] }
      file.described[track] = kept.compactMap { described[track]?[$0] }
    }
    return file
  }
}

/// An exact number of seconds.
public struct Seconds: Equatable, Comparable, Sendable, CustomStringConvertible {
  /// The numerator.
  public let numerator: Int
  /// The denominator; positive.
  public let denominator: Int

  /// The same value in lowest terms.
  public init(_ numerator: Int, _ denominator: Int) {
    precondition(denominator > 0)
    var (a, b) = (abs(numerator), denominator)
    while b != 0 { (a, b) = (b, a % b) }
    self.numerator = numerator / a
    self.denominator = denominator / a
  }

  /// The sum of both.
  public static func + (a: Seconds, b: Seconds) -> Seconds {
    Seconds(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
  }

  /// The difference.
  public static func - (a: Seconds, b: Seconds) -> Seconds { a + Seconds(-b.numerator, b.denominator) }

  /// Whether `a` is earlier.
  public static func < (a: Seconds, b: Seconds) -> Bool {
    a.numerator * b.denominator < b.numerator * a.denominator
  }

  /// `3/2`.
  public var description: String { "\(numerator)/\(denominator)" }
}

/// The start of the earliest sample on the timeline of the movie.
func presentationStart(
  of samples: [SampleRecord], edits: [EditSpec], timescale: Int, movieTimescale: Int
) -> Seconds? {
  guard let first = samples.map(\.compositionTime).min() else { return nil }
  let empty = edits.prefix { $0.mediaTime < 0 }.reduce(0) { $0 + Int($1.duration) }
  let mediaTime = edits.first { $0.mediaTime >= 0 }.map { Int($0.mediaTime) } ?? 0
  return Seconds(empty, movieTimescale) + Seconds(first - mediaTime, timescale)
}
