import BoxDump
public import ISOBMFF
import MP4Bytes
package import MP4Records

/// A difference between the boxes of two files.
public struct BoxDifference: Sendable {
  /// The kind of difference.
  public enum Change: Sendable {
    /// Only the first file has the box.
    case removed
    /// Only the other file has the box.
    case added
    /// The position among its siblings differs. The paths of the preceding boxes, such as `free[2]`; `nil` for the
    /// first one.
    case moved(after: BoxPath?, otherAfter: BoxPath?)
    /// A field has a different value; `nil` if the box does not have it. Rows of tables are numbered from 1.
    case field(String, FieldValue?, FieldValue?)
    /// Many rows of a table, counted from 0, that only one of the files has.
    case rows(table: String, Range<Int>?, Range<Int>?)
    /// This number of further rows of a table differ.
    case moreRows(table: String, Int)
    /// A field of this number of rows, out of all rows, is larger by the same value.
    case shift(field: String, rows: Int, of: Int, by: Int64)
    /// The bytes of the payload differ from this offset on.
    case bytes(at: Int)
  }
  /// The difference.
  public let change: Change
  /// The path of the box in the first file; `nil` if it is missing there.
  public let path: BoxPath?
  /// The path of the box in the other file; `nil` if it is missing there.
  public let otherPath: BoxPath?
  /// The range of the box in the first file.
  public let range: Range<Int>?
  /// The range of the box in the other file.
  public let otherRange: Range<Int>?
  /// The contents of an added or removed box: lines for its first fields and boxes. Only present for the first boxes of
  /// each type.
  public internal(set) var contents: [String] = []
}

extension BoxDifference {
  /// The name of the kind of change.
  var kind: StaticText {
    switch change {
    case .removed: "removed"
    case .added: "added"
    case .moved: "moved"
    case .field: "field"
    case .rows: "rows"
    case .moreRows: "more_rows"
    case .shift: "shift"
    case .bytes: "bytes"
    }
  }

  /// The field or table that differs.
  var field: String? {
    switch change {
    case .field(let name, _, _), .rows(let name, _, _), .moreRows(let name, _), .shift(let name, _, _, _): name
    case .removed, .added, .moved, .bytes: nil
    }
  }

  /// The path in the first file, or else in the other one.
  var anyPath: BoxPath { path ?? otherPath ?? BoxPath() }
}

/// A value of a field as a member of a record.
private struct ShownValue: RecordValue {
  let value: FieldValue
  /// Longer byte values are truncated.
  static let longestBytes = 1024

  static var schema: RecordSchema { .oneOf([.type("number"), .type("string")]) }

  func write(to json: inout JSONWriter) {
    if case .bytes(let bytes) = value {
      json.value(.bytes(bytes.prefix(Self.longestBytes)))
    } else {
      json.value(value)
    }
  }
  func writeCell(to text: inout TextBuffer) { value.shortText.writeCell(to: &text) }
}

extension BoxDifference: Record {
  package static let summary = "A difference between the boxes of two files."
  package static let members: [RecordMember<BoxDifference>] = [
    RecordMember(
      "change",
      "the kind of difference: `removed` (the box is only in the first file), `added` (only in the second file), "
        + "`moved` (at a different position), `field` (a value differs), `rows` (rows of a table are only in one of "
        + "the files), `more_rows` (further rows differ), `shift` (a field differs by the same amount in several "
        + "rows), or `bytes` (bytes that are not fields differ)"
    ) { $0.kind.description },
    RecordMember("path", "the path of the box in the first file; missing if the first file does not have the box") {
      $0.path?.description
    },
    RecordMember(
      "other_path", "the path of the box in the second file; missing if the second file does not have the box"
    ) {
      $0.otherPath?.description
    },
    RecordMember("offset", "the offset of the box in the first file") { $0.range?.lowerBound },
    RecordMember("other_offset", "the offset of the box in the second file") { $0.otherRange?.lowerBound },
    RecordMember("size", "the size of the box in the first file, including its header") { $0.range?.count },
    RecordMember("other_size", "the size of the box in the second file") { $0.otherRange?.count },
    RecordMember("field", "the name of the field or table; rows are numbered from 1") { $0.field },
    RecordMember(
      "value", "its value in the first file (for bytes, the first 1024 in hexadecimal); missing if there is none"
    ) { $0.value },
    RecordMember("other_value", "its value in the second file") { $0.otherValue },
    RecordMember("rows", "the number of rows that differ or are only in one of the files") { $0.rowCount },
    RecordMember("first_row", "the number of the first row that is only in one of the files, starting at 1") {
      $0.firstRow
    },
    RecordMember("in_other", "whether these rows are in the second file") { $0.isInOther },
    RecordMember("shift", "the difference between the values of the field") { $0.shift },
    RecordMember(
      "contents",
      "the first fields and child boxes of a box that is only in one of the files, as lines of text"
    ) {
      $0.contents.isEmpty ? nil : $0.contents
    },
    RecordMember("first_byte", "the position of the first byte of the payload that differs, starting at 0") {
      $0.firstByte
    },
    RecordMember("description", "the difference in one line of text") { $0.description },
  ]

  private var value: ShownValue? {
    if case .field(_, let value?, _) = change { ShownValue(value: value) } else { nil }
  }
  private var otherValue: ShownValue? {
    if case .field(_, _, let value?) = change { ShownValue(value: value) } else { nil }
  }
  private var rowCount: Int? {
    switch change {
    case .rows(_, let rows, let otherRows): (rows ?? otherRows)?.count
    case .moreRows(_, let count): count
    case .shift(_, let count, _, _): count
    default: nil
    }
  }
  private var firstRow: Int? {
    guard case .rows(_, let rows, let otherRows) = change else { return nil }
    return (rows ?? otherRows).map { $0.lowerBound + 1 }
  }
  private var isInOther: Bool? {
    if case .rows(_, let rows, _) = change { rows == nil } else { nil }
  }
  private var shift: Int? {
    if case .shift(_, _, _, let number) = change { Int(number) } else { nil }
  }
  private var firstByte: Int? {
    if case .bytes(let offset) = change { offset } else { nil }
  }
}

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
