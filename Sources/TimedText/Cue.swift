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

extension Cue {
  /// The same cue, shifted by a duration that may be negative, including the times in its text.
  public func moved(by duration: Duration) -> Cue { moved(by: duration.roundedMilliseconds) }
  /// The same in milliseconds.
  package func moved(by milliseconds: Int64) -> Cue {
    var result = self
    result.startMilliseconds = Self.sum(startMilliseconds, milliseconds)
    result.endMilliseconds = Self.sum(endMilliseconds, milliseconds)
    if milliseconds != 0 { result.text = Self.moved(text, by: milliseconds) }
    return result
  }

  /// Avoids overflow: times in files are far from the limits, but any cue can be created.
  private static func sum(_ time: Int64, _ more: Int64) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(more)
    return overflow ? (more < 0 ? .min : .max) : sum
  }

  /// A text with its timestamp tags, such as `<00:01.500>`, shifted.
  private static func moved(_ text: String, by milliseconds: Int64) -> String {
    var result: [UInt8] = []
    var rest = text[...].utf8
    while let byte = rest.first {
      rest.removeFirst()
      result.append(byte)
      guard byte == UInt8(ascii: "<") else { continue }
      var cursor = LineCursor(Substring(rest))
      guard let time = cursor.time(), cursor.rest.first == UInt8(ascii: ">") else { continue }
      result += Array(CueTime.text(sum(time, milliseconds)).utf8)
      rest = rest.dropFirst(rest.count - cursor.rest.count)
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension WebVTTDocument {
  /// Shifts all cues by a duration that may be negative, and removes X-TIMESTAMP-MAP.
  public mutating func move(by duration: Duration) { move(by: duration.roundedMilliseconds) }
  /// The same in milliseconds.
  package mutating func move(by milliseconds: Int64) {
    timestampMap = nil
    for index in blocks.indices {
      if case .cue(let cue) = blocks[index] { blocks[index] = .cue(cue.moved(by: milliseconds)) }
    }
  }
}
