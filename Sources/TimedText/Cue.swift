/// A text that is shown for a time.
public struct Cue: Hashable, Sendable {
  /// The line above the times, by which scripts and style sheets know the cue; empty when there is none.
  public var identifier = ""
  /// When it appears, in milliseconds, which is as fine as files have it.
  package var startMilliseconds: Int64
  /// When it disappears, in milliseconds.
  package var endMilliseconds: Int64
  /// Where and how it is placed, as it is written after the times; ``CueSettings`` reads it.
  public var settings = ""
  /// The text with the tags of WebVTT, and line feeds between its lines.
  public var text: String

  /// A cue that is shown from `start` to `end`, which are rounded to milliseconds.
  public init(start: Duration, end: Duration, text: String) {
    self.init(start: start.roundedMilliseconds, end: end.roundedMilliseconds, text: text)
  }
  /// A cue that is shown between these times in milliseconds.
  package init(start: Int64, end: Int64, text: String) {
    (startMilliseconds, endMilliseconds, self.text) = (start, end, text)
  }

  /// When it appears; a new time is rounded to milliseconds.
  public var start: Duration {
    get { .milliseconds(startMilliseconds) }
    set { startMilliseconds = newValue.roundedMilliseconds }
  }
  /// When it disappears. A cue that ends where it starts or before is never shown.
  public var end: Duration {
    get { .milliseconds(endMilliseconds) }
    set { endMilliseconds = newValue.roundedMilliseconds }
  }

  /// Whether it is shown at some time from `start` to before `end`.
  public func isShown(from start: Duration, to end: Duration) -> Bool {
    isShown(from: start.roundedMilliseconds, to: end.roundedMilliseconds)
  }
  /// The same for milliseconds.
  package func isShown(from start: Int64, to end: Int64) -> Bool {
    startMilliseconds < endMilliseconds && startMilliseconds < end && endMilliseconds > start
  }
}

extension Duration {
  /// The nearest number of milliseconds; what has no room is the largest or smallest one.
  var roundedMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
    let half: Int64 = attoseconds < 0 ? -500_000_000_000_000 : 500_000_000_000_000
    let (sum, hasNoRoom) = whole.addingReportingOverflow((attoseconds + half) / 1_000_000_000_000_000)
    return isTooLarge || hasNoRoom ? seconds < 0 ? .min : .max : sum
  }
}
