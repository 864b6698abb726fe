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
