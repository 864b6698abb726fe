/// A text that is shown for a time interval.
public struct Cue: Hashable, Sendable {
  /// The line before the times, which identifies the cue for scripts and style sheets; may be empty.
  public var identifier = ""
  /// Its start in milliseconds, the resolution of files.
  package var startMilliseconds: Int64
  /// Its end in milliseconds.
  package var endMilliseconds: Int64
  /// Its position and alignment, as written after the times; see ``CueSettings``.
  public var settings = ""
  /// The text with WebVTT tags, and line feeds between lines.
  public var text: String

  /// A cue shown from `start` to `end`, which are rounded to milliseconds.
  public init(start: Duration, end: Duration, text: String) {
    self.init(start: start.roundedMilliseconds, end: end.roundedMilliseconds, text: text)
  }
  /// A cue shown between these times in milliseconds.
  package init(start: Int64, end: Int64, text: String) {
    (startMilliseconds, endMilliseconds, self.text) = (start, end, text)
  }

  /// Its start; new values are rounded to milliseconds.
  public var start: Duration {
    get { .milliseconds(startMilliseconds) }
    set { startMilliseconds = newValue.roundedMilliseconds }
  }
  /// Its end. A cue that does not end after its start is never shown.
  public var end: Duration {
    get { .milliseconds(endMilliseconds) }
    set { endMilliseconds = newValue.roundedMilliseconds }
  }

  /// Whether it is shown at any time from `start` up to `end`.
  public func isShown(from start: Duration, to end: Duration) -> Bool {
    isShown(from: start.roundedMilliseconds, to: end.roundedMilliseconds)
  }
  /// The same in milliseconds.
  package func isShown(from start: Int64, to end: Int64) -> Bool {
    startMilliseconds < endMilliseconds && startMilliseconds < end && endMilliseconds > start
  }
}

extension Duration {
  /// The nearest number of milliseconds, clamped to the range.
  var roundedMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
    let half: Int64 = attoseconds < 0 ? -500_000_000_000_000 : 500_000_000_000_000
    let (sum, hasNoRoom) = whole.addingReportingOverflow((attoseconds + half) / 1_000_000_000_000_000)
    return isTooLarge || hasNoRoom ? seconds < 0 ? .min : .max : sum
  }
}
