extension Cue {
  /// The same cue later by so much, with the times in its text; earlier when it is negative.
  public func moved(by duration: Duration) -> Cue { moved(by: duration.roundedMilliseconds) }
  /// The same for milliseconds.
  package func moved(by milliseconds: Int64) -> Cue {
    var result = self
    result.startMilliseconds = Self.sum(startMilliseconds, milliseconds)
    result.endMilliseconds = Self.sum(endMilliseconds, milliseconds)
    if milliseconds != 0 { result.text = Self.moved(text, by: milliseconds) }
    return result
  }

  /// Times are far from the ends of their range, but anybody can make a cue.
  private static func sum(_ time: Int64, _ more: Int64) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(more)
    return overflow ? (more < 0 ? .min : .max) : sum
  }

  /// A text whose tags of times, such as `<00:01.500>`, are moved.
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
  /// Makes all cues later by so much, or earlier when it is negative; there is no X-TIMESTAMP-MAP then.
  public mutating func move(by duration: Duration) { move(by: duration.roundedMilliseconds) }
  /// The same for milliseconds.
  package mutating func move(by milliseconds: Int64) {
    timestampMap = nil
    for index in blocks.indices {
      if case .cue(let cue) = blocks[index] { blocks[index] = .cue(cue.moved(by: milliseconds)) }
    }
  }
}
