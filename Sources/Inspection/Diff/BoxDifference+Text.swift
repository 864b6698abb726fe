import BoxDump
import Bytes
import ISOBMFF

extension FieldValue {
  /// The maximum number of bytes that are shown.
  private static let longestBytes = 32

  /// The value as in dumps; long byte values are truncated and their size is shown.
  var shortText: String {
    guard case .bytes(let bytes) = self, bytes.count > Self.longestBytes else { return dumpText }
    let start = FieldValue.bytes(bytes.prefix(Self.longestBytes / 2)).dumpText.dropLast()
    return "\(start) ...] (\(bytes.count) bytes)"
  }

  /// The stored form, for different values with the same text.
  fileprivate var storedForm: String {
    switch self {
    case .text(let text):
      switch text.form {
      case .terminated: ", null-terminated"
      case .unterminated: ", up to the end of the box"
      case .counted: ", preceded by a count"
      }
    case .bytes: ""
    default: number.map { ", stored as \($0)" } ?? ""
    }
  }
}

extension BoxDifference: CustomStringConvertible {
  /// One line, without colors.
  public var description: String {
    let words = lines.map { String($0.sign) + $0.text }.joined(separator: " ")
    switch change {
    case .removed, .added: return lines.first.map { String($0.sign) + $0.text } ?? ""
    default: return "\(anyPath): \(words.drop { $0 == " " })"
    }
  }

  /// A line of text, and whether it is about the first file, the other one, or both.
  struct Line {
    enum Sign: Character { case removed = "-", added = "+", both = " " }
    let sign: Character
    let text: String

    init(_ sign: Sign, _ text: String) { (self.sign, self.text) = (sign.rawValue, text) }
  }

  /// The lines of text, as in a unified diff.
  var lines: [Line] {
    switch change {
    case .removed: [Line(.removed, Self.box(path, range))] + contents.map { Line(.removed, "  \($0)") }
    case .added: [Line(.added, Self.box(otherPath, otherRange))] + contents.map { Line(.added, "  \($0)") }
    case .moved(let box, let otherBox):
      [Line(.both, "moved: \(Self.place(after: box)), now \(Self.place(after: otherBox))")]
    case .field(let name, let value, let otherValue): Self.lines(of: name, value, otherValue)
    case .rows(let table, let rows, let otherRows):
      [
        rows.map { Line(.removed, Self.rows($0, of: table)) }, otherRows.map { Line(.added, Self.rows($0, of: table)) },
      ].compactMap(\.self)
    case .moreRows(let table, let count):
      [Line(.both, "\(table): \(counted(count, "more row differs", "more rows differ"))")]
    case .shift(let field, let count, let total, let number):
      [
        Line(
          .both,
          "\(field) is \(number.magnitude) \(number < 0 ? "smaller" : "larger") in "
            + (count == total ? "all \(total) rows" : "\(count) of \(total) rows"))
      ]
    case .bytes(let offset):
      Self.sizes(range, otherRange) + [Line(.both, "differs at byte \(offset) of the payload")]
    }
  }

  private static func box(_ path: BoxPath?, _ range: Range<Int>?) -> String {
    "\(path ?? BoxPath()): \(counted(range?.count ?? 0, "byte"))"
  }
  private static func place(after box: BoxPath?) -> String {
    guard let name = box?.description else { return "first" }
    return "after \(name.isEmpty ? "bytes that are not a box" : name)"
  }

  private static func rows(_ rows: Range<Int>, of table: String) -> String {
    "\(table)[\(rows.lowerBound + 1)..\(rows.upperBound)]: \(rows.count) rows"
  }

  private static func sizes(_ range: Range<Int>?, _ otherRange: Range<Int>?) -> [Line] {
    guard let range, let otherRange, range.count != otherRange.count else { return [] }
    return [
      Line(.removed, counted(range.count, "byte")), Line(.added, counted(otherRange.count, "byte")),
    ]
  }

  private static func lines(of name: String, _ value: FieldValue?, _ otherValue: FieldValue?) -> [Line] {
    let (text, otherText) = (value?.shortText, otherValue?.shortText)
    let isAlike = text == otherText
    var lines: [Line] = []
    if let value, let text { lines.append(Line(.removed, "\(name) \(text)\(isAlike ? value.storedForm : "")")) }
    if let otherValue, let otherText {
      lines.append(Line(.added, "\(name) \(otherText)\(isAlike ? otherValue.storedForm : "")"))
    }
    // The difference may be after the bytes that are shown.
    if isAlike, case .bytes(let bytes)? = value, case .bytes(let otherBytes)? = otherValue {
      let same = zip(bytes, otherBytes).prefix { $0 == $1 }.count
      lines.append(Line(.both, "\(name) differs at byte \(same)"))
    }
    return lines
  }
}
