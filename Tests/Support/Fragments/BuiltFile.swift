/// A file of the builder with what has to come out of it.
public struct BuiltFile: Sendable {
  /// The whole file: what joining `initialization` and `segments` gives.
  public var bytes: [UInt8] = []
  /// `ftyp` and `moov`, and the media data of samples in the tables of `moov`.
  public var initialization: [UInt8] = []
  /// The segment files. Offsets in them count from their own start.
  public var segments: [[UInt8]] = []
  /// What a right reader finds, by track.
  public var samples: [UInt32: [SampleRecord]] = [:]
  /// Where the payload of each sample lies in `bytes`.
  public var places: [UInt32: [Range<Int>]] = [:]
  /// When the earliest sample of each track starts on the timeline of the movie, in seconds; negative for what an edit
  /// cuts off.
  public var presentationStart: [UInt32: Seconds] = [:]
  /// Where the moof of each sample ends in `bytes`; 0 for samples of `moov`.
  var described: [UInt32: [Int]] = [:]

  /// The same file, of which boxes that the builder does not know say that samples are in groups described so.
  public func withGroups(_ type: String, of track: UInt32, _ descriptions: [[UInt8]?]) -> BuiltFile {
    var file = self
    for (index, description) in descriptions.enumerated() { file.samples[track]?[index].groups[type] = description }
    return file
  }

  /// The same file, of which boxes that the builder does not know give the samples this auxiliary information.
  public func withAuxiliary(of track: UInt32, _ information: [[UInt8]]) -> BuiltFile {
    var file = self
    for (index, bytes) in information.enumerated() { file.samples[track]?[index].auxiliary = bytes }
    return file
  }

  /// The first `count` bytes, with the samples that are whole in them and whose moof is.
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
  /// Above the line.
  public let numerator: Int
  /// Below the line; positive.
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

  /// What is missing from `b` to `a`.
  public static func - (a: Seconds, b: Seconds) -> Seconds { a + Seconds(-b.numerator, b.denominator) }

  /// Whether `a` is earlier.
  public static func < (a: Seconds, b: Seconds) -> Bool {
    a.numerator * b.denominator < b.numerator * a.denominator
  }

  /// `3/2`.
  public var description: String { "\(numerator)/\(denominator)" }
}

/// When the earliest sample starts on the timeline of the movie.
func presentationStart(
  of samples: [SampleRecord], edits: [EditSpec], timescale: Int, movieTimescale: Int
) -> Seconds? {
  guard let first = samples.map(\.compositionTime).min() else { return nil }
  let empty = edits.prefix { $0.mediaTime < 0 }.reduce(0) { $0 + Int($1.duration) }
  let mediaTime = edits.first { $0.mediaTime >= 0 }.map { Int($0.mediaTime) } ?? 0
  return Seconds(empty, movieTimescale) + Seconds(first - mediaTime, timescale)
}
