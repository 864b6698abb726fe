/// The position and alignment of a cue, as players interpret its settings: W3C WebVTT, 6.3.
public struct CueSettings: Hashable, Sendable {
  /// The direction in which lines progress in vertical writing.
  public enum Vertical: String, Hashable, Sendable { case rightToLeft = "rl", leftToRight = "lr" }
  /// The alignment of lines within the box.
  public enum TextAlignment: String, Hashable, Sendable { case start, center, end, left, right }
  /// The edge of the box to which a position refers.
  public enum LineAlignment: String, Hashable, Sendable { case start, center, end }
  /// The edge of the box to which a position refers.
  public enum PositionAlignment: String, Hashable, Sendable { case left = "line-left", center, right = "line-right" }
  /// The position of the box across the lines.
  public struct Line: Hashable, Sendable {
    /// In thousandths: a percentage, or a line number counted from the top or, if negative, from the bottom.
    public var thousandths: Int
    /// Whether the number is a percentage of the picture.
    public var isPercentage: Bool
    /// The edge at this position.
    public var alignment: LineAlignment?
  }
  /// The position of the box along the lines.
  public struct Position: Hashable, Sendable {
    /// The percentage of the picture, in thousandths.
    public var thousandths: Int
    /// The edge at this position.
    public var alignment: PositionAlignment?
  }
  /// The direction of vertical writing; `nil` for horizontal writing.
  public private(set) var vertical: Vertical?
  /// The position of the box across the lines.
  public private(set) var line: Line?
  /// The position of the box along the lines.
  public private(set) var position: Position?
  /// The size of the box in thousandths of a percent.
  public private(set) var size: Int?
  /// The alignment of lines.
  public private(set) var alignment: TextAlignment?
  /// The name of the region of the cue.
  public private(set) var region: String?
  /// Settings that are unknown or have invalid values.
  public private(set) var ignored: [String] = []

  /// Parses settings separated by spaces; if a name is repeated, the last one applies.
  public init(_ text: String) {
    for word in text.utf8.split(whereSeparator: isBlank).map(Substring.init) where !read(word) {
      ignored.append(String(word))
    }
  }

  private mutating func read(_ word: Substring) -> Bool {
    guard let colon = word.utf8.firstIndex(of: UInt8(ascii: ":")), colon != word.startIndex else { return false }
    let value = Substring(word.utf8[colon...].dropFirst())
    guard !value.isEmpty else { return false }
    switch word[..<colon] {
    case "vertical": return Self.set(&vertical, Vertical(rawValue: String(value)))
    case "line": return Self.set(&line, Self.line(value))
    case "position": return Self.set(&position, Self.position(value))
    case "size": return Self.set(&size, Self.percentage(value))
    case "align": return Self.set(&alignment, TextAlignment(rawValue: String(value)))
    case "region": return Self.set(&region, String(value))
    default: return false
    }
  }
  /// An invalid value leaves the setting unchanged.
  private static func set<Value>(_ property: inout Value?, _ value: Value?) -> Bool {
    guard let value else { return false }
    property = value
    return true
  }

  private static func halves(_ value: Substring) -> (Substring, Substring?) {
    guard let comma = value.utf8.firstIndex(of: UInt8(ascii: ",")) else { return (value, nil) }
    return (value[..<comma], Substring(value.utf8[comma...].dropFirst()))
  }
  private static func line(_ value: Substring) -> Line? {
    let (place, edge) = halves(value)
    let alignment = edge.flatMap { LineAlignment(rawValue: String($0)) }
    guard edge == nil || alignment != nil else { return nil }
    if place.utf8.last == UInt8(ascii: "%") {
      return percentage(place).map { Line(thousandths: $0, isPercentage: true, alignment: alignment) }
    }
    let isNegative = place.utf8.first == UInt8(ascii: "-")
    guard let number = number(Substring(place.utf8.dropFirst(isNegative ? 1 : 0))) else { return nil }
    return Line(thousandths: isNegative ? -number : number, isPercentage: false, alignment: alignment)
  }
  private static func position(_ value: Substring) -> Position? {
    let (place, edge) = halves(value)
    let alignment = edge.flatMap { PositionAlignment(rawValue: String($0)) }
    guard edge == nil || alignment != nil else { return nil }
    return percentage(place).map { Position(thousandths: $0, alignment: alignment) }
  }
  private static func percentage(_ value: Substring) -> Int? {
    guard value.utf8.last == UInt8(ascii: "%") else { return nil }
    return number(Substring(value.utf8.dropLast())).flatMap { $0 <= 100_000 ? $0 : nil }
  }
  /// Digits, optionally with a decimal point followed by digits, in thousandths.
  private static func number(_ text: Substring) -> Int? {
    var cursor = LineCursor(text)
    let whole = cursor.number()
    guard whole.count > 0 else { return nil }
    var thousandths = Int(whole.value) * 1000
    if cursor.take(".") {
      guard !cursor.rest.isEmpty else { return nil }
      for (place, byte) in zip([100, 10, 1], cursor.rest) where byte >= 0x30 && byte <= 0x39 {
        thousandths += Int(byte - 0x30) * place
      }
      _ = cursor.number()
    }
    return cursor.rest.isEmpty ? thousandths : nil
  }
}
