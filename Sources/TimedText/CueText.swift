/// The text of a cue without tags, and the styles of its parts.
public struct CueText: Hashable, Sendable {
  /// The style of letters.
  public struct Style: OptionSet, Hashable, Sendable {
    /// The bits of 3GPP text styles.
    public let rawValue: UInt8
    /// The style with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// `<b>`
    public static let bold = Style(rawValue: 1)
    /// `<i>`
    public static let italic = Style(rawValue: 2)
    /// `<u>`
    public static let underlined = Style(rawValue: 4)
  }
  /// A range of letters with the same style, counted in Unicode scalars.
  public struct Run: Hashable, Sendable {
    /// The range of letters.
    public var scalars: Range<Int>
    /// Their style.
    public var style: Style

    /// A range of letters with a style.
    public init(scalars: Range<Int>, style: Style) { (self.scalars, self.style) = (scalars, style) }
  }
  /// The text without tags.
  public private(set) var text = ""
  /// The bold, italic or underlined parts, in order.
  public private(set) var runs: [Run] = []
  private var count = 0
  private var open: [Substring] = []

  /// Parses the text of a cue. Tags follow W3C WebVTT, 6.4; bold, italic and underline are kept.
  public init(_ cueText: String) {
    var rest = cueText[...].utf8
    while let byte = rest.first {
      if byte == UInt8(ascii: "<") {
        // A tag that does not end extends to the end of the text.
        let tag = rest.dropFirst().prefix { $0 != UInt8(ascii: ">") }
        rest = rest[tag.endIndex...].dropFirst()
        read(tag: Substring(tag))
      } else if byte == UInt8(ascii: "&"), let (character, length) = Self.reference(rest) {
        append(character)
        rest = rest.dropFirst(length)
      } else {
        let plain = rest.dropFirst().prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
        append(Substring(rest[..<plain.endIndex]))
        rest = rest[plain.endIndex...]
      }
    }
  }

  private mutating func append(_ piece: Substring) {
    let length = piece.unicodeScalars.count
    let style = open.reduce(into: Style()) { style, name in
      switch name {
      case "b": style.insert(.bold)
      case "i": style.insert(.italic)
      case "u": style.insert(.underlined)
      default: break
      }
    }
    text += piece
    if !style.isEmpty, length > 0 {
      if let last = runs.last, last.style == style, last.scalars.upperBound == count {
        runs[runs.count - 1].scalars = last.scalars.lowerBound..<(count + length)
      } else {
        runs.append(Run(scalars: count..<(count + length), style: style))
      }
    }
    count += length
  }

  /// Only an end tag of the innermost element has an effect.
  private mutating func read(tag: Substring) {
    if tag.utf8.first == UInt8(ascii: "/") {
      if open.last == Substring(tag.utf8.dropFirst()) { open.removeLast() }
      return
    }
    let name = Substring(tag.utf8.prefix { !isBlank($0) && $0 != UInt8(ascii: ".") })
    guard ["b", "i", "u", "c", "v", "lang", "ruby", "rt"].contains(name), open.count < Self.deepest else { return }
    open.append(name)
  }
  /// The maximum nesting depth of tags; real files never reach it. Every piece of text checks all open tags.
  private static let deepest = 64

  /// A character written as a named or numeric entity.
  private static func reference(_ text: Substring.UTF8View) -> (Substring, Int)? {
    let name = text.dropFirst().prefix(10).prefix { $0 != UInt8(ascii: ";") }
    guard name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: ";") else { return nil }
    let length = name.count + 2
    switch Substring(name) {
    case "amp": return ("&", length)
    case "lt": return ("<", length)
    case "gt": return (">", length)
    case "nbsp": return ("\u{a0}", length)
    case "lrm": return ("\u{200e}", length)
    case "rlm": return ("\u{200f}", length)
    case "quot": return ("\"", length)
    default:
      guard name.first == UInt8(ascii: "#") else { return nil }
      let isHexadecimal = name.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
      let digits = Substring(name.dropFirst(isHexadecimal ? 2 : 1))
      guard let code = UInt32(digits, radix: isHexadecimal ? 16 : 10), code > 0 else { return nil }
      return Unicode.Scalar(code).map { (Substring(String($0)), length) }
    }
  }
}
