extension WebVTTDocument {
  /// Reads a SubRip file (`.srt`) in UTF-8, in the encoding of its byte order mark, or in `encoding`. Numbers may be
  /// missing, and texts may contain blank lines; a text extends to the next line of times, or to its number.
  public init(subRip bytes: [UInt8], encoding: TextEncoding? = nil) throws(TimedTextError) {
    try self.init(subRip: TextLines(bytes, encoding))
  }

  init(subRip text: TextLines) throws(TimedTextError) {
    self.init()
    findings = text.findings
    let lines = text.lines
    // The positions of times, and the starts of the cues that they belong to.
    var places: [(start: Int, times: Int)] = []
    for index in lines.indices where Self.canBeTimes(lines[index]) {
      let hasNumber = index > 0 && places.last?.times != index - 1 && Self.isNumber(lines[index - 1])
      places.append((hasNumber ? index - 1 : index, index))
    }
    guard let first = places.first else { throw TimedTextError(.notSubRip, line: 1) }
    for (index, line) in lines[..<first.start].enumerated() where !line.withoutBlanks.isEmpty {
      findings.append(TextFinding(.strayText(line), line: index + 1))
    }
    var isRead = false
    for (number, place) in places.enumerated() {
      let end = number + 1 < places.count ? places[number + 1].start : lines.count
      guard let times = Self.times(lines[place.times]) else {
        findings.append(TextFinding(.times(lines[place.times]), line: place.times + 1))
        continue
      }
      isRead = true
      let markup = SubRipMarkup(lines[(place.times + 1)..<end])
      findings += markup.omitted.map { TextFinding(.markup($0), line: place.times + 1) }
      if times.end <= times.start { findings.append(TextFinding(.neverShown, line: place.times + 1)) }
      var cue = Cue(start: times.start, end: times.end, text: markup.text)
      cue.settings = markup.settings
      blocks.append(.cue(cue))
    }
    guard isRead else { throw TimedTextError(.notSubRip, line: first.times + 1) }
    findings.sort { $0.line < $1.line }
  }

  /// A digit before an arrow; other arrows are text.
  private static func canBeTimes(_ line: String) -> Bool {
    guard line.hasArrow, let first = line.utf8.first(where: { !isBlank($0) }) else { return false }
    return first >= 0x30 && first <= 0x39
  }
  private static func isNumber(_ line: String) -> Bool {
    let text = line.withoutBlanks
    return !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }

  /// `00:00:01,000 --> 00:00:02,500`; coordinates and other text after it are ignored.
  private static func times(_ line: String) -> (start: Int64, end: Int64)? {
    var cursor = LineCursor(line)
    cursor.skipBlanks()
    guard let start = cursor.subRipTime() else { return nil }
    cursor.skipBlanks()
    guard cursor.takeArrow() else { return nil }
    cursor.skipBlanks()
    return cursor.subRipTime().map { (start, $0) }
  }
}

extension LineCursor {
  /// A time with a comma or point before its decimals, of which there may be fewer than three.
  fileprivate mutating func subRipTime() -> Int64? {
    var numbers: [Int64] = []
    repeat {
      skipBlanks()
      let number = number()
      guard number.count > 0, numbers.count < 3 else { return nil }
      numbers.append(number.value)
    } while take(":")
    guard numbers.count >= 2 else { return nil }
    let hours = numbers.count == 3 ? numbers[0] : 0
    let (minutes, seconds) = (numbers[numbers.count - 2], numbers[numbers.count - 1])
    guard minutes <= 59, seconds <= 59 else { return nil }
    var thousandths: Int64 = 0
    if take(",") || take(".") {
      skipBlanks()
      let decimals = number()
      guard (1...3).contains(decimals.count) else { return nil }
      thousandths = decimals.value * [100, 10, 1][decimals.count - 1]
    }
    return CueTime.milliseconds(hours, minutes, seconds, thousandths)
  }
}
