extension TTMLDocument {
  /// The text of a document as cues with WebVTT tags, in document order: `nil` if it is not a TTML document. Bold,
  /// italic and underlined text is kept; positions and colors are not.
  ///
  /// Times are media times (W3C TTML2, 12.3); those of wall clocks are unknown, and their text is omitted.
  public static func cues(in bytes: [UInt8]) -> [Cue]? {
    guard let text = try? TextLines(bytes, .utf8).lines.joined(separator: "\n") else { return nil }
    var reader = CueReader()
    return reader.read(TagScanner(text)) ? reader.cues : nil
  }
}

/// Collects the text of a document.
private struct CueReader {
  private(set) var cues: [Cue] = []
  /// The open elements, the innermost one last.
  private var open: [Element] = []
  private var clock = TTMLClock()
  /// The styles that elements refer to.
  private var styles: [String: CueText.Style] = [:]

  /// An element that has begun.
  private struct Element {
    var name: String
    /// Its times in milliseconds; no end means that of the document.
    var begin: Int64 = 0
    var end: Int64?
    /// Where its next child begins if its children follow each other.
    var next: Int64?
    var keepsSpaces = false
    var style: CueText.Style = []
    /// The text of an element with its own times, or of a paragraph.
    var text: String?
  }

  /// Deeper elements are omitted, of which this number is open.
  private static let depthLimit = 100
  private var omitted = 0

  mutating func read(_ document: TagScanner) -> Bool {
    var scanner = document
    guard let root = scanner.next(), root.name == "tt" else { return false }
    clock = TTMLClock(root)
    open = [Element(name: root.name, keepsSpaces: root["space"] == "preserve")]
    while let part = scanner.nextPart() {
      switch part {
      case .start(let tag): begin(tag)
      case .end(let name): end(name)
      case .text(let text): append(text)
      }
    }
    omitted = 0
    while let last = open.last { end(last.name) }
    return true
  }

  private mutating func begin(_ tag: TagScanner.Tag) {
    guard let parent = open.last, open.count < Self.depthLimit else {
      if !tag.isEmpty { omitted += 1 }
      return
    }
    // An end tag follows a line break that is not written as an empty element.
    if tag.name == "br" { add("\n") }
    var element = Element(name: tag.name, keepsSpaces: parent.keepsSpaces, style: parent.style)
    if let space = tag["space"] { element.keepsSpaces = space == "preserve" }
    for id in (tag["style"] ?? "").split(whereSeparator: \.isWhitespace) {
      element.style.formUnion(styles[String(id)] ?? [])
    }
    element.style.apply(tag)
    if tag.name == "style", let id = tag["id"] { styles[id] = element.style }
    let times = clock.times(of: tag)
    let start = parent.next ?? parent.begin
    func later(_ time: Int64, by amount: Int64) -> Int64 { min(time + amount, 1 << 50) }
    element.begin = later(start, by: times.begin ?? 0)
    let ownEnd = times.end.map { later(start, by: $0) }
    let ends = [ownEnd, times.duration.map { later(element.begin, by: $0) }, parent.end].compactMap(\.self)
    element.end = ends.min()
    if tag["timeContainer"] == "seq" { element.next = element.begin }
    let isText = tag.name == "p" || tag.name == "span" && times.isGiven && open.contains { $0.name == "p" }
    if isText, !times.isUnknown { element.text = "" }
    if parent.next != nil { open[open.count - 1].next = element.end ?? element.begin }
    open.append(element)
    if tag.isEmpty { end(tag.name) }
  }

  private mutating func end(_ name: String) {
    if omitted > 0 {
      omitted -= 1
      return
    }
    // An end tag without its start tag has no meaning.
    guard open.contains(where: { $0.name == name }), let element = open.popLast() else { return }
    if element.name != name { end(name) }
    guard let text = element.text else { return }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      element.keepsSpaces ? line : line.trimmingSpaces
    }
    let shown = lines.joined(separator: "\n")
    guard shown.contains(where: { !$0.isWhitespace }), element.end.map({ $0 > element.begin }) ?? true else { return }
    cues.append(Cue(start: element.begin, end: element.end ?? .max, text: shown))
  }

  /// Appends text of the document.
  private mutating func append(_ text: String) {
    guard let element = open.last, let owner = open.lastIndex(where: { $0.text != nil }),
      !["metadata", "title", "desc", "rt", "rp"].contains(element.name)
    else { return }
    var text = text
    if !element.keepsSpaces {
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      guard !text.isEmpty else { return }
      // Spaces at the ends separate words from those of other elements.
      let isFirst = open[owner].text.map { $0.isEmpty || $0.last?.isWhitespace == true } ?? true
      text =
        (text.first?.isWhitespace == true && !isFirst ? " " : "") + words
        + (!words.isEmpty && text.last?.isWhitespace == true ? " " : "")
    }
    add(text.isEmpty ? "" : element.style.tagged(text.withWebVTTReferences))
  }
  private mutating func add(_ text: String) {
    guard let owner = open.lastIndex(where: { $0.text != nil }) else { return }
    open[owner].text? += text
  }
}

extension CueText.Style {
  /// Adds the styles of an element.
  fileprivate mutating func apply(_ tag: TagScanner.Tag) {
    func set(_ style: CueText.Style, _ value: String?, _ on: Set<String>, _ off: Set<String>) {
      guard let value else { return }
      if on.contains(value) { insert(style) } else if off.contains(value) { remove(style) }
    }
    set(.italic, tag["fontStyle"], ["italic", "oblique"], ["normal"])
    set(.bold, tag["fontWeight"], ["bold"], ["normal"])
    set(.underlined, tag["textDecoration"], ["underline"], ["none", "noUnderline"])
  }

  /// Text in this style.
  fileprivate func tagged(_ text: String) -> String {
    var result = text
    if contains(.underlined) { result = "<u>\(result)</u>" }
    if contains(.italic) { result = "<i>\(result)</i>" }
    if contains(.bold) { result = "<b>\(result)</b>" }
    return result
  }
}

extension String {
  /// The text with references that WebVTT knows: those of XML for quotation marks and characters are replaced.
  fileprivate var withWebVTTReferences: String {
    guard utf8.contains(UInt8(ascii: "&")) || utf8.contains(UInt8(ascii: ">")) else { return self }
    var (result, rest) = ("", self[...])
    while let first = rest.first {
      guard first == "&", let end = rest.prefix(12).firstIndex(of: ";") else {
        result += first == ">" ? "&gt;" : first == "&" ? "&amp;" : String(first)
        rest = rest.dropFirst()
        continue
      }
      let name = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[end...].dropFirst()
      switch name {
      case "amp", "lt", "gt": result += "&\(name);"
      case "quot": result += "\""
      case "apos": result += "'"
      default:
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        guard name.hasPrefix("#"), let scalar = number.flatMap(Unicode.Scalar.init) else { continue }
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return self[...last].drop(while: \.isWhitespace)
  }
}

/// Converts time expressions of a document: W3C TTML2, 12.3.1.
private struct TTMLClock {
  /// The frames and ticks per second, as a fraction each.
  private var frames = (count: Double(30), isGiven: false)
  private var ticks: Double = 1
  private var isMedia = true

  init() {}

  init(_ root: TagScanner.Tag) {
    isMedia = root["timeBase"].map { $0 != "clock" } ?? true
    if let rate = root["frameRate"].flatMap(Double.init), rate > 0 { frames = (rate, true) }
    let parts = (root["frameRateMultiplier"] ?? "").split { $0.isWhitespace || $0 == ":" }.compactMap { Double($0) }
    if parts.count == 2, parts[0] > 0, parts[1] > 0 { frames.count *= parts[0] / parts[1] }
    if let rate = root["tickRate"].flatMap(Double.init), rate > 0 {
      ticks = rate
    } else if frames.isGiven {
      ticks = frames.count * (root["subFrameRate"].flatMap(Double.init) ?? 1)
    }
  }

  /// The times of an element in milliseconds.
  struct Times {
    var begin, end, duration: Int64?
    /// Whether it has times, and whether one of them cannot be read.
    var (isGiven, isUnknown) = (false, false)
  }

  func times(of tag: TagScanner.Tag) -> Times {
    var times = Times()
    func read(_ name: String) -> Int64? {
      guard let text = tag[name] else { return nil }
      times.isGiven = true
      let value = isMedia ? milliseconds(text) : nil
      if value == nil { times.isUnknown = true }
      return value
    }
    (times.begin, times.end, times.duration) = (read("begin"), read("end"), read("dur"))
    return times
  }

  private func milliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var seconds: Double?
    if parts.count == 3 || parts.count == 4 {
      guard let hours = Double(parts[0]), let minutes = Double(parts[1]), let rest = Double(parts[2]) else {
        return nil
      }
      seconds = hours * 3600 + minutes * 60 + rest
      if parts.count == 4 {
        guard let frame = parts[3].split(separator: ".").first.flatMap({ Double($0) }) else { return nil }
        seconds? += frame / frames.count
      }
    } else if parts.count == 1 {
      let digits = text.prefix { $0.isNumber || $0 == "." }
      let units: [Substring: Double] = [
        "h": 3600, "m": 60, "s": 1, "ms": 0.001, "f": 1 / frames.count, "t": 1 / ticks,
      ]
      if let unit = units[text[digits.endIndex...]] { seconds = Double(digits).map { $0 * unit } }
    }
    // Longer times are not real, and their sums must fit.
    guard let seconds, seconds >= 0, seconds < 1e9 else { return nil }
    return Int64((seconds * 1000).rounded())
  }
}
