/// Why an operation is impossible: a code that a program can match, and a sentence.
///
/// Equality compares codes and values, not sentences, which may change.
public struct Obstacle: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of obstacle.
  public let code: Code
  /// What a program can use, by its name; most obstacles have none.
  public let values: [String: Value]
  /// A sentence without the name of the file and without the remedy.
  public let description: String
  /// What helps, if something does.
  public let remedy: Remedy?

  package init(_ code: Code, _ sentence: String, _ values: [String: Value] = [:], remedy: Remedy? = nil) {
    (self.code, self.values, description, self.remedy) = (code, values, sentence, remedy)
  }

  /// Whether both have the same code and values.
  public static func == (a: Obstacle, b: Obstacle) -> Bool { a.code == b.code && a.values == b.values }
  /// Hashes the code and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(values)
  }

  /// The same obstacle, which is in a track: the value `track`.
  package func inTrack(_ id: UInt32) -> Obstacle {
    Obstacle(
      code, "track \(id): \(description)", values.merging(["track": .integer(Int(id))]) { $1 }, remedy: remedy)
  }

  /// The kind of an obstacle: a stable identifier such as `no_track`.
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The identifier.
    public let rawValue: String
    /// The code with an identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The code with an identifier.
    public init(stringLiteral identifier: String) { rawValue = identifier }

    /// A selected track does not exist. `tracks`: the IDs of the existing ones.
    public static let noTrack: Code = "no_track"
    /// Samples are encrypted with keys that are not given. `key_ids`: their IDs in hexadecimal digits.
    public static let noKeys: Code = "no_keys"
    /// A key does not decrypt its samples. `key_ids`: its ID in hexadecimal digits.
    public static let wrongKey: Code = "wrong_key"
    /// A segment cannot start at a `time`, because there is no sync sample. `nearest`: the times of those around it.
    public static let noSync: Code = "no_sync"
    /// A part that starts with an open GOP of H.264 cannot follow another. In a cut, its `time`, and `nearest`: the
    /// times of the IDR pictures around it.
    public static let openGOP: Code = "open_gop"
    /// Parts of a cut are not in order, or overlap.
    public static let unorderedParts: Code = "unordered_ranges"
    /// A part of a cut has no length.
    public static let emptyPart: Code = "empty_part"
  }

  /// A value of an obstacle.
  public enum Value: Hashable, Sendable {
    /// A number, such as a track ID.
    case integer(Int)
    /// A text, such as the type of a box.
    case text(String)
    /// A time of the presentation.
    case time(MediaTime)
    /// Several values.
    case list([Value])
  }
}
