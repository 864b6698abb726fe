/// Converts the text of a SubRip cue to WebVTT: `<i>`, `<b>`, `<u>`, `<font>` colors with a WebVTT name, and `{\an8}`
/// are kept, other tags are removed, and everything else is text.
struct SubRipMarkup {
  /// An open tag: its SubRip name, and the WebVTT tag written for it, if any.
  private struct OpenTag {
    var name: String
    var written: String
    var ending: String { written.isEmpty ? "" : "</\(written.utf8.first == UInt8(ascii: "c") ? "c" : written)>" }
    var beginning: String { written.isEmpty ? "" : "<\(written)>" }
  }
  /// The text with WebVTT tags.
  private(set) var text = ""
  /// The settings for its position.
  private(set) var settings = ""
  /// Markup that WebVTT cannot express, without duplicates.
  private(set) var omitted: [String] = []
  private var rest: Substring.UTF8View
  private var open: [OpenTag] = []

  init(_ lines: ArraySlice<String>) {
    rest = lines.joined(separator: "\n")[...].utf8
    read()
    var written = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).map { String(Substring($0)) }[...]
    while written.first?.withoutBlanks.isEmpty == true { written.removeFirst() }
    while written.last?.withoutBlanks.isEmpty == true { written.removeLast() }
    // A blank line would end the cue; a no-break space looks the same.
    text = written.map { $0.withoutBlanks.isEmpty ? "\u{a0}" : $0 }.joined(separator: "\n")
  }

  private mutating func read() {
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "<"):
        if let inside = inside(until: UInt8(ascii: ">")), readTag(inside) { skip(inside) } else { replace("&lt;") }
      case UInt8(ascii: "{"):
        if let inside = inside(until: UInt8(ascii: "}")), readOverrides(inside) { skip(inside) } else { replace("{") }
      case UInt8(ascii: "&"): replace("&amp;")
      case UInt8(ascii: ">"): replace("&gt;")
      default:
        let plain = rest.prefix { !Self.special.contains($0) }
        text += String(Substring(plain))
        rest = rest[plain.endIndex...]
      }
    }
    for tag in open.reversed() { text += tag.ending }
  }
  private static let special = Array("<{&>".utf8)
  /// The maximum length of a tag.
  private static let longest = 200
  /// The maximum nesting depth of tags; real files never reach it.
  private static let deepest = 32

  private mutating func replace(_ text: String) {
    self.text += text
    rest.removeFirst()
  }
  private func inside(until end: UInt8) -> String? {
    let inside = rest.dropFirst().prefix(Self.longest).prefix { $0 != 0x0a && $0 != end }
    guard inside.endIndex < rest.endIndex, rest[inside.endIndex] == end else { return nil }
    return String(Substring(inside))
  }
  private mutating func skip(_ inside: String) { rest = rest.dropFirst(inside.utf8.count + 2) }

  /// An HTML tag; `false` if it is not a known one.
  private mutating func readTag(_ inside: String) -> Bool {
    let isEnd = inside.utf8.first == UInt8(ascii: "/")
    let words = Substring(inside.utf8.dropFirst(isEnd ? 1 : 0)).lowercased()
      .split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = words.first, !isBlank(inside.utf8.dropFirst(isEnd ? 1 : 0).first ?? 0x20) else { return false }
    switch name {
    case "i", "b", "u":
      if isEnd { close(name) } else { begin(OpenTag(name: name, written: name)) }
    case "font" where isEnd: close(name)
    case "font":
      let colour = words.count > 1 ? Self.colour(in: words[1]) : nil
      if colour == nil { omit("<\(inside)>") }
      begin(OpenTag(name: name, written: colour.map { "c.\($0)" } ?? ""))
    case "br", "br/": text += "\n"
    case "s", "strike", "em", "strong", "p", "span", "c": omit("<\(name)>")
    default: return false
    }
    return true
  }

  private mutating func begin(_ tag: OpenTag) {
    // A tag that ends in the wrong order closes and reopens all tags after it.
    guard open.count < Self.deepest else { return }
    text += tag.beginning
    open.append(tag)
  }
  /// Closes a tag; those opened after it are closed and reopened, because WebVTT tags must nest.
  private mutating func close(_ name: String) {
    guard let index = open.lastIndex(where: { $0.name == name }) else { return }
    for tag in open[index...].reversed() { text += tag.ending }
    open.remove(at: index)
    for tag in open[index...] { text += tag.beginning }
  }
  private mutating func omit(_ what: String) {
    if omitted.count < Self.deepest, !omitted.contains(what) { omitted.append(what) }
  }

  /// The WebVTT name of the color in the attributes of a font; W3C WebVTT, 5.
  private static func colour(in attributes: String) -> String? {
    let words = attributes.split { $0 == "=" || $0 == "\"" || $0 == "'" || $0 == " " }
    guard let index = words.firstIndex(of: "color"), index + 1 < words.count else { return nil }
    let value = words[index + 1]
    return colours.first { value == $0.name || value == $0.code || value.dropFirst() == $0.code }?.name
  }
  private static let colours: [(name: String, code: String)] = [
    ("white", "ffffff"), ("lime", "00ff00"), ("cyan", "00ffff"), ("red", "ff0000"), ("yellow", "ffff00"),
    ("magenta", "ff00ff"), ("blue", "0000ff"), ("black", "000000"),
  ]

  /// Commands of SubStation Alpha, such as `\an8`; `false` for other text in braces.
  private mutating func readOverrides(_ inside: String) -> Bool {
    guard inside.utf8.first == UInt8(ascii: "\\") else { return false }
    for command in inside.utf8.dropFirst().split(separator: UInt8(ascii: "\\")).map({ String(Substring($0)) }) {
      let (name, value) = (command.prefix(while: \.isLetter), command.drop(while: \.isLetter))
      switch (name, Int(value)) {
      case ("an", let place?) where (1...9).contains(place): settings = Self.settings[place - 1]
      case ("i", 0?), ("b", 0?), ("u", 0?): close(String(name))
      case ("i", 1?), ("b", 1?), ("u", 1?): begin(OpenTag(name: String(name), written: String(name)))
      default: omit("{\\\(command)}")
      }
    }
    return true
  }
  /// The positions of a numeric keypad: from bottom to top, from left to right.
  private static let settings = [
    "align:start", "", "align:end", "line:50% align:start", "line:50%", "line:50% align:end", "line:0 align:start",
    "line:0", "line:0 align:end",
  ]
}
