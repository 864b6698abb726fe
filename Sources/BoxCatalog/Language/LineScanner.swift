import ISOBMFF
import MP4Bytes

/// Scans a line of a definition text from left to right.
struct LineScanner {
  let text: StaticText
  /// The position of the next byte in the text.
  private(set) var at: Int
  /// The end of the line.
  let end: Int
  private let start: Int
  /// The number of the line, counted from 1.
  let number: Int

  static let depthLimit = 16
  static let operatorLimit = 256

  init(_ text: StaticText, _ line: Lines.Line) {
    (self.text, start, at, end, number) = (text, line.start, line.start + line.indent, line.end, line.number)
  }

  func error(_ problem: DefinitionError.Problem, at place: Int? = nil) -> DefinitionError {
    DefinitionError(problem: problem, line: number, column: (place ?? at) - start + 1)
  }
  func expected(_ what: String) -> DefinitionError { error(.expected(what)) }

  /// The next byte after spaces; `nil` at the end of the line.
  mutating func peek() -> UInt8? {
    at = text.index(after: UInt8(ascii: " "), from: at, to: end)
    return at < end ? text[at] : nil
  }
  var isAtEnd: Bool { mutating get { peek() == nil } }
  /// Whether a list of values is next, or the name of one.
  var startsList: Bool { mutating get { peek().map { Self.isDigit($0) || $0 == UInt8(ascii: "<") } ?? false } }
  /// Whether the byte before the next one is a space.
  var isAfterSpace: Bool { at > 0 && text[at - 1] == UInt8(ascii: " ") }
  /// The position of the next byte after spaces.
  var place: Int {
    mutating get {
      _ = peek()
      return at
    }
  }

  /// Consumes `symbol` if it is next.
  mutating func take(_ symbol: StaticString) -> Bool {
    _ = peek()
    let symbol = StaticText(stringLiteral: symbol)
    guard end - at >= symbol.count, text[at..<at + symbol.count] == symbol else { return false }
    at += symbol.count
    return true
  }
  mutating func require(_ symbol: StaticString) throws(DefinitionError) {
    if !take(symbol) { throw expected("'\(symbol)'") }
  }

  /// Consumes the next byte.
  mutating func skip() { at = min(at + 1, end) }

  /// Consumes `word` if it is next and not followed by a letter or digit.
  mutating func take(word: StaticString) -> Bool {
    let before = at
    guard take(word), at == end || !Self.isName(text[at]) else {
      at = before
      return false
    }
    return true
  }

  /// Consumes a name of letters, digits, `_` and `.`.
  mutating func name() -> StaticText? {
    guard let first = peek(), Self.isName(first) else { return nil }
    let start = at
    while at < end, Self.isName(text[at]) { at += 1 }
    return text[start..<at]
  }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Consumes the text between two `quote` characters.
  mutating func quoted(_ quote: UInt8) -> StaticText? {
    guard peek() == quote else { return nil }
    let start = at + 1
    let close = text.index(of: quote, from: start, to: end)
    guard close < end else { return nil }
    at = close + 1
    return text[start..<close]
  }

  /// Consumes numbers and their meanings up to the end of the line, such as `0 photo; 1 video`. Flags can have masks,
  /// such as `0x6=0x2 linear; 0xf0=# level`. Every number must be in `range`.
  mutating func valueNames(in range: ClosedRange<Int64>? = nil, areFlags: Bool = true) throws(DefinitionError)
    -> StaticText
  {
    let start = place
    var known: [(number: Int64, under: Int64?)] = []
    repeat {
      let start = place
      guard let first = peek(), first == UInt8(ascii: "-") || Self.isDigit(first) else {
        throw expected("a number and its meaning")
      }
      let number = try number(in: range ?? .min ... .max)
      var under: Int64? = number
      if areFlags, at < end, text[at] == UInt8(ascii: "="), take("=") {
        if !take("#") { under = try self.number(in: .min ... .max) } else { under = nil }
        guard number != 0, (under ?? 0) & ~number == 0 else {
          throw error(.expected("a mask and bits under it"), at: start)
        }
      }
      guard !known.contains(where: { $0 == (number, under) }) else {
        throw error(.repeatedName("\(text[start..<at])"), at: start)
      }
      known.append((number, under))
      guard at < end, text[at] == UInt8(ascii: " "), let next = peek(), next != UInt8(ascii: ";") else {
        throw expected("the meaning of the number")
      }
      at = text.index(of: UInt8(ascii: ";"), from: at, to: end)
    } while take(";")
    return text[start..<end]
  }

  /// Consumes the rest of the line.
  mutating func rest() -> StaticText {
    _ = peek()
    defer { at = end }
    return text[at..<end]
  }

  /// Consumes a decimal number, or a hexadecimal number after `0x`.
  mutating func integer() throws(DefinitionError) -> Int64? {
    guard let first = peek(), Self.isDigit(first) else { return nil }
    let start = at
    guard let word = name() else { return nil }
    let digits = "\(word)"
    let value =
      digits.hasPrefix("0x") ? UInt64(digits.dropFirst(2), radix: 16).map(Int64.init(bitPattern:)) : Int64(digits)
    guard let value else { throw error(.expected("a number"), at: start) }
    return value
  }

  /// Consumes a number in this range; it may be negative.
  mutating func number(in range: ClosedRange<Int64>) throws(DefinitionError) -> Int64 {
    let start = place
    let isNegative = take("-")
    guard let digits = try integer(), range.contains(isNegative ? 0 - digits : digits) else {
      let isAny = range.upperBound == .max
      throw error(.expected(isAny ? "a number" : "a number from \(range.lowerBound) to \(range.upperBound)"), at: start)
    }
    return isNegative ? 0 - digits : digits
  }

  /// Consumes a box code: four letters, any four characters in single quotes, or `0x` and eight digits.
  mutating func code() throws(DefinitionError) -> FourCC {
    _ = peek()
    let start = at
    var word = quoted(UInt8(ascii: "'"))
    if word == nil {
      while at < end, text[at] != UInt8(ascii: " "), text[at] != UInt8(ascii: ","), text[at] != UInt8(ascii: ">") {
        at += 1
      }
      word = text[start..<at]
    }
    guard let word, let code = Self.code(word) else { throw error(.expected("a four-character code"), at: start) }
    return code
  }

  /// The code that a word spells; it may contain Latin-1 letters.
  private static func code(_ word: StaticText) -> FourCC? {
    var (code, count, at) = (UInt32(0), 0, 0)
    if word.count == 10, word[0] == UInt8(ascii: "0"), word[1] == UInt8(ascii: "x") {
      return UInt32("\(word[2..<10])", radix: 16).map { FourCC(rawValue: $0) }
    }
    while at < word.count, count < 5 {
      var byte = word[at]
      at += 1
      if byte & 0xfc == 0xc0, at < word.count {
        byte = byte << 6 | word[at] & 0x3f
        at += 1
      } else if byte >= 0x80 {
        return nil
      }
      code = code << 8 | UInt32(byte)
      count += 1
    }
    return count == 4 ? FourCC(rawValue: code) : nil
  }

  /// Fails unless the line ends here.
  mutating func requireEnd() throws(DefinitionError) {
    if !isAtEnd { throw expected("the end of the line") }
  }
}

/// The lines of a text, without comments and empty lines.
struct Lines {
  struct Line {
    var start: Int
    /// The position of its end, without trailing spaces.
    var end: Int
    /// The number of leading spaces.
    var indent: Int
    /// The line number, counted from 1.
    var number: Int
  }
  let text: StaticText
  private var at: Int
  private let end: Int
  private var number: Int
  /// A line that was peeked at and not consumed.
  private var next: Line?

  /// The lines of `text` from the byte `start` on, which is on line `line`.
  init(_ text: StaticText, from start: Int = 0, to end: Int? = nil, line: Int = 1) {
    (self.text, at, self.end, number) = (text, start, end ?? text.count, line)
  }

  /// The next line, which is not consumed.
  mutating func peek() throws(DefinitionError) -> Line? {
    while next == nil, at < end {
      let start = at
      at = text.index(of: UInt8(ascii: "\n"), from: at, to: end)
      var line = Line(start: start, end: at, indent: 0, number: number)
      at += 1
      number += 1
      while line.end > start, text[line.end - 1] == UInt8(ascii: " ") || text[line.end - 1] == UInt8(ascii: "\r") {
        line.end -= 1
      }
      line.indent = text.index(after: UInt8(ascii: " "), from: start, to: line.end) - start
      guard start + line.indent < line.end else { continue }
      switch text[start + line.indent] {
      case UInt8(ascii: "#"): continue
      case UInt8(ascii: "\t"): throw DefinitionError(problem: .tab, line: line.number, column: line.indent + 1)
      default: next = line
      }
    }
    return next
  }
  mutating func take() { next = nil }

  /// Skips to the next line that is not indented.
  mutating func skipIndented() {
    while true {
      do throws(DefinitionError) {
        guard let line = try peek(), line.indent > 0 else { return }
        take()
      } catch {
        // One mistake is enough for lines that belong together.
        continue
      }
    }
  }
}
