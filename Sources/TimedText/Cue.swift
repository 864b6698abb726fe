/// A text that is shown for a time.
public struct Cue: Hashable, Sendable {
  /// The line above the times, by which scripts and style sheets know the cue; empty when there is none.
  public var identifier = ""
  /// When it appears, in milliseconds.
  public var start: Int64
  /// When it disappears, in milliseconds. A cue that ends where it starts or before is never shown.
  public var end: Int64
  /// Where and how it is placed, as it is written after the times; ``CueSettings`` reads it.
  public var settings = ""
  /// The text with the tags of WebVTT, and line feeds between its lines.
  public var text: String

  /// A cue that is shown from `start` to `end`.
  public init(start: Int64, end: Int64, text: String) {
    self.start = start
    self.end = end
    self.text = text
  }

  /// Whether it is shown at some time from `start` to before `end`.
  public func isShown(from start: Int64, to end: Int64) -> Bool {
    self.start < self.end && self.start < end && self.end > start
  }
}
