extension WebVTTDocument {
  /// The file as bytes: UTF-8, with a line feed after each line and a blank line after the header and each block, so
  /// that files can be concatenated.
  public var bytes: [UInt8] { Array(text.utf8) }

  /// The file as text. Text that is not allowed somewhere (an arrow or a blank line in a cue) is changed as little as
  /// possible. Cues are sorted by start time, as W3C WebVTT, 4.1, requires; those that are never shown are
  /// omitted.
  public var text: String {
    var result = "WEBVTT\(Self.oneLine(title))\n"
    for line in header where !line.isEmpty { result += Self.oneLine(line) + "\n" }
    if let timestampMap { result += "\(timestampMap)\n" }
    result += "\n"
    for block in writtenBlocks {
      switch block {
      case .cue(let cue): Self.write(cue, to: &result)
      case .comment(let text): result += "NOTE" + (text.isEmpty ? "" : " ") + Self.withoutArrows(text) + "\n"
      case .style(let text): result += "STYLE\n\(Self.withoutArrows(text))\n"
      case .region(let text): result += "REGION\n\(Self.withoutArrows(text))\n"
      }
      result += "\n"
    }
    return result
  }

  /// The blocks in a valid order: styles and regions first, because players ignore them after a cue; comments stay
  /// before the cue that follows them.
  private var writtenBlocks: [Block] {
    var groups: [(start: Int64, number: Int, blocks: [Block])] = []
    var (styles, others, last, isSorted): ([Block], [Block], Int64, Bool) = ([], [], .min, true)
    for block in blocks {
      guard case .cue(let cue) = block else {
        if case .comment = block { others.append(block) } else { styles.append(block) }
        continue
      }
      let start = max(0, cue.startMilliseconds)
      guard start < min(cue.endMilliseconds, CueTime.latest) else {
        isSorted = false
        continue
      }
      if start < last { isSorted = false }
      groups.append((start, groups.count, others + [block]))
      (others, last) = ([], start)
    }
    if isSorted { return blocks }
    groups.sort { ($0.start, $0.number) < ($1.start, $1.number) }
    return styles + groups.flatMap(\.blocks) + others
  }

  private static func write(_ cue: Cue, to result: inout String) {
    let identifier = oneLine(cue.identifier)
    if !identifier.isEmpty { result += identifier + "\n" }
    result += "\(CueTime.text(cue.startMilliseconds)) --> \(CueTime.text(cue.endMilliseconds))"
    // An arrow here is after the one that separates the times.
    let settings = lines(cue.settings).joined(separator: " ")
    if !settings.isEmpty { result += " " + settings }
    result += "\n"
    let text = withoutArrows(cue.text)
    if !text.isEmpty { result += text + "\n" }
  }

  /// A text that fits in one line and is not a line of times.
  private static func oneLine(_ text: String) -> String {
    let line = text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d }) ? lines(text).joined(separator: " ") : text
    return line.hasArrow ? withoutArrows(line) : line
  }
  /// A text without arrows, and without blank lines, which would end the cue.
  private static func withoutArrows(_ text: String) -> String {
    lines(text).map { line in
      guard line.hasArrow else { return String(line) }
      var result: [UInt8] = []
      for byte in line.utf8 {
        if byte == UInt8(ascii: ">"), result.suffix(2).elementsEqual("--".utf8) {
          result += Array("&gt;".utf8)
        } else {
          result.append(byte)
        }
      }
      return String(decoding: result, as: UTF8.self)
    }.joined(separator: "\n")
  }
  private static func lines(_ text: String) -> [Substring] {
    text.utf8.split { $0 == 0x0a || $0 == 0x0d }.map(Substring.init)
  }
}
