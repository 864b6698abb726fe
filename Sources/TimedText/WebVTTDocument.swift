/// A WebVTT file as a value, with its blocks in order.
///
/// ```swift
/// let document = try WebVTTDocument(bytes)  // as lenient as the W3C has it for players
/// for finding in document.findings { print(finding) }  // what players will ignore, with line numbers
/// for cue in document.cues { print(cue.start, cue.text) }
/// let written = document.bytes
/// ```
public struct WebVTTDocument: Hashable, Sendable {
  /// A part of a file, surrounded by blank lines.
  public enum Block: Hashable, Sendable {
    /// A text and its times.
    case cue(Cue)
    /// A comment, without the word NOTE.
    case comment(String)
    /// A style sheet, without the line STYLE.
    case style(String)
    /// A region, without the line REGION.
    case region(String)
  }
  /// The text after WEBVTT in the first line, such as ` - English`.
  public var title = ""
  /// The header lines after the first one, except X-TIMESTAMP-MAP.
  public var header: [String] = []
  /// The relation of its times to those of a stream, if declared.
  public var timestampMap: TimestampMap?
  /// The blocks, in order.
  public var blocks: [Block] = []
  /// Problems found while reading; empty for a valid file.
  public internal(set) var findings: [TextFinding] = []

  /// A file of these cues.
  public init(_ cues: [Cue] = []) { blocks = cues.map { .cue($0) } }

  /// The cues in the order of the file.
  public var cues: [Cue] {
    blocks.compactMap { if case .cue(let cue) = $0 { cue } else { nil } }
  }

  /// The same document with other cues: styles and regions are kept, comments are removed.
  public func with(cues: some Sequence<Cue>) -> WebVTTDocument {
    var result = self
    result.findings = []
    result.blocks = blocks.filter { block in
      switch block {
      case .style, .region: true
      case .cue, .comment: false
      }
    }
    result.blocks += cues.map { .cue($0) }
    return result
  }

  /// Reads a file of either format: WebVTT if it begins like WebVTT, otherwise SubRip.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - isSubRip: Its format according to its name; `nil` determines it from the first line.
  ///   - encoding: The encoding of a file without a byte order mark; `nil` is UTF-8.
  public init(_ bytes: [UInt8], isSubRip: Bool?, encoding: TextEncoding? = nil) throws(TimedTextError) {
    let text = try TextLines(bytes, encoding)
    let isWebVTT = text.lines.first?.utf8.starts(with: "WEBVTT".utf8) ?? false
    if isSubRip ?? !isWebVTT { try self.init(subRip: text) } else { try self.init(webVTT: text) }
  }
}

/// Relates a time of a WebVTT file to a timestamp of its stream: `X-TIMESTAMP-MAP`, RFC 8216, 3.5.
public struct TimestampMap: Hashable, Sendable {
  /// A time in the file, in milliseconds.
  package var localMilliseconds: Int64
  /// The same moment in units of 1/90000 s, with 33 bits as in MPEG-2 transport streams.
  public var mpegTS: UInt64

  /// Two times of the same moment; `local` is rounded to milliseconds.
  public init(local: Duration = .zero, mpegTS: UInt64) {
    self.init(localMilliseconds: local.roundedMilliseconds, mpegTS: mpegTS)
  }
  package init(localMilliseconds: Int64, mpegTS: UInt64) {
    (self.localMilliseconds, self.mpegTS) = (localMilliseconds, mpegTS)
  }

  /// A time in the file; new values are rounded to milliseconds.
  public var local: Duration {
    get { .milliseconds(localMilliseconds) }
    set { localMilliseconds = newValue.roundedMilliseconds }
  }

  static let name = "X-TIMESTAMP-MAP="

  /// Reads the text after the equals sign; its two parts may be in any order.
  init?(_ text: some StringProtocol) {
    var (local, mpegTS): (Int64?, UInt64?)
    for part in Substring(text).utf8.split(separator: UInt8(ascii: ",")) {
      let halves = part.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      guard halves.count == 2 else { return nil }
      let (name, value) = (Substring(halves[0]).withoutBlanks, Substring(halves[1]).withoutBlanks)
      switch name {
      case "LOCAL":
        var cursor = LineCursor(value)
        local = cursor.time()
        guard cursor.rest.isEmpty else { return nil }
      case "MPEGTS": mpegTS = value.utf8.first == UInt8(ascii: "+") ? nil : UInt64(value)
      default: return nil
      }
    }
    guard let local, let mpegTS else { return nil }
    self.init(localMilliseconds: local, mpegTS: mpegTS)
  }
}

extension TimestampMap: CustomStringConvertible {
  /// The header line.
  public var description: String { "\(Self.name)LOCAL:\(CueTime.text(localMilliseconds)),MPEGTS:\(mpegTS)" }
}

extension WebVTTDocument {
  /// The cues as a SubRip file: UTF-8, in time order, with tags for bold, italic and underline. Settings, other tags
  /// and cues that are never shown are omitted.
  public var subRip: [UInt8] {
    var (result, number) = ("", 0)
    let shown = cues.enumerated().filter {
      max(0, $0.element.startMilliseconds) < min($0.element.endMilliseconds, CueTime.latest)
    }
    let ordered = shown.sorted { ($0.element.startMilliseconds, $0.offset) < ($1.element.startMilliseconds, $1.offset) }
    for (_, cue) in ordered {
      let text = Self.subRip(CueText(cue.text))
      guard !text.isEmpty else { continue }
      number += 1
      result += "\(number)\n\(Self.time(cue.startMilliseconds)) --> \(Self.time(cue.endMilliseconds))\n\(text)\n\n"
    }
    return Array(result.utf8)
  }

  private static func time(_ milliseconds: Int64) -> String {
    var bytes = Array(CueTime.text(milliseconds).utf8)
    if let point = bytes.lastIndex(of: UInt8(ascii: ".")) { bytes[point] = UInt8(ascii: ",") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A text with the tags of its runs, without blank lines, which would end the cue.
  private static func subRip(_ text: CueText) -> String {
    var (result, open, runs) = ("", CueText.Style(), text.runs[...])
    func tags(_ style: CueText.Style, isEnd: Bool) -> String {
      let names = [(CueText.Style.bold, "b"), (.italic, "i"), (.underlined, "u")].filter { style.contains($0.0) }
      return (isEnd ? names.reversed() : names).map { isEnd ? "</\($0.1)>" : "<\($0.1)>" }.joined()
    }
    for (index, scalar) in text.text.unicodeScalars.enumerated() {
      while let run = runs.first, run.scalars.upperBound <= index { runs.removeFirst() }
      let style = runs.first.map { $0.scalars.contains(index) ? $0.style : [] } ?? []
      if style != open {
        result += tags(open, isEnd: true) + tags(style, isEnd: false)
        open = style
      }
      result.unicodeScalars.append(scalar)
    }
    result += tags(open, isEnd: true)
    let lines = result.utf8.split { $0 == 0x0a || $0 == 0x0d }.map { String(Substring($0)) }
    return lines.filter { !$0.withoutBlanks.isEmpty }.joined(separator: "\n")
  }
}

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
