extension WebVTTDocument {
  /// Reads a WebVTT file according to the W3C's rules for players (WebVTT, 6.1): the only error is a first line without
  /// WEBVTT, and contents that players ignore are in ``findings``. Files are UTF-8 unless their byte order mark or
  /// `encoding` specifies otherwise.
  public init(_ bytes: [UInt8], encoding: TextEncoding? = nil) throws(TimedTextError) {
    try self.init(webVTT: TextLines(bytes, encoding))
  }

  init(webVTT text: TextLines) throws(TimedTextError) {
    let first = text.lines.first ?? ""
    guard first.utf8.starts(with: "WEBVTT".utf8) else { throw TimedTextError(.notWebVTT(first), line: 1) }
    let title = Substring(first.utf8.dropFirst(6))
    guard title.isEmpty || title.utf8.first == 0x20 || title.utf8.first == 0x09 else {
      throw TimedTextError(.notWebVTT(first), line: 1)
    }
    self.init()
    self.title = String(title)
    var parser = WebVTTParser(lines: text.lines)
    parser.readHeader()
    parser.readBlocks()
    blocks = parser.blocks
    (header, timestampMap) = (parser.header, parser.timestampMap)
    findings = (text.findings + parser.findings).sorted { $0.line < $1.line }
  }
}

/// Iterates over the lines of a WebVTT file after the first one.
struct WebVTTParser {
  private let lines: [String]
  private var next = 1
  private(set) var blocks: [WebVTTDocument.Block] = []
  private(set) var header: [String] = []
  private(set) var timestampMap: TimestampMap?
  private(set) var findings: [TextFinding] = []
  private var hasCue = false

  init(lines: [String]) { self.lines = lines }

  /// The lines up to a blank line, or up to a line of times, which then begins the first cue.
  mutating func readHeader() {
    while next < lines.count, !lines[next].isEmpty, !lines[next].hasArrow {
      let line = lines[next]
      next += 1
      guard line.utf8.starts(with: TimestampMap.name.utf8) else {
        header.append(line)
        continue
      }
      let map = TimestampMap(Substring(line.utf8.dropFirst(TimestampMap.name.utf8.count)))
      if map == nil { findings.append(TextFinding(.timestampMap(line), line: next)) }
      timestampMap = map ?? timestampMap
    }
  }

  mutating func readBlocks() {
    while next < lines.count {
      if lines[next].isEmpty { next += 1 } else { readBlock() }
    }
  }

  /// W3C WebVTT, 6.1 "collect a WebVTT block".
  private mutating func readBlock() {
    let first = next
    var cue: Cue?
    var timesLine: Int?
    var text: [String] = []
    while next < lines.count, !lines[next].isEmpty {
      let line = lines[next]
      if line.hasArrow {
        // Times are in the first or the second line. Later ones belong to the next cue, without a blank line before it.
        guard timesLine == nil, next - first < 2 else { break }
        timesLine = next
        cue = self.cue(line, identifier: text.first ?? "")
        if cue != nil { text = [] }
      } else {
        text.append(line)
      }
      next += 1
    }
    if var cue, let timesLine {
      cue.text = text.joined(separator: "\n")
      if cue.endMilliseconds <= cue.startMilliseconds { findings.append(TextFinding(.neverShown, line: timesLine + 1)) }
      blocks.append(.cue(cue))
      hasCue = true
    } else if timesLine == nil {
      readOther(text, line: first + 1)
    }
  }

  /// The times and settings of a cue.
  private mutating func cue(_ line: String, identifier: String) -> Cue? {
    var cursor = LineCursor(line)
    cursor.skipBlanks()
    let start = cursor.time()
    cursor.skipBlanks()
    guard let start, cursor.takeArrow() else { return refused(line) }
    cursor.skipBlanks()
    guard let end = cursor.time() else { return refused(line) }
    var cue = Cue(start: start, end: end, text: "")
    cue.identifier = identifier
    cue.settings = Substring(cursor.rest).withoutBlanks
    findings += CueSettings(cue.settings).ignored.map { TextFinding(.setting($0), line: next + 1) }
    return cue
  }
  private mutating func refused(_ line: String) -> Cue? {
    findings.append(TextFinding(.times(line), line: next + 1))
    return nil
  }

  /// A block without times.
  private mutating func readOther(_ text: [String], line: Int) {
    let first = text[0]
    let rest = text.dropFirst().joined(separator: "\n")
    if let word = ["STYLE", "REGION"].first(where: { isKeyword($0, first) }) {
      guard !hasCue else { return findings.append(TextFinding(.late(word), line: line)) }
      blocks.append(word == "STYLE" ? .style(rest) : .region(rest))
    } else if first.utf8.starts(with: "NOTE".utf8), first.utf8.dropFirst(4).first.map(isBlank) ?? true {
      let comment = String(Substring(first.utf8.dropFirst(first.utf8.count > 4 ? 5 : 4)))
      blocks.append(.comment(text.count > 1 ? comment + "\n" + rest : comment))
    } else {
      findings.append(TextFinding(.strayText(first), line: line))
    }
  }
  private func isKeyword(_ word: String, _ line: String) -> Bool {
    line.utf8.starts(with: word.utf8) && line.utf8.dropFirst(word.utf8.count).allSatisfy(isBlank)
  }
}
