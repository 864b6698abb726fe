import ISOBMFF
import MP4Bytes

/// A field of a definition, or several fields that depend on a condition.
struct Field: Sendable {
  enum Kind: Sendable {
    /// An unsigned or signed number with this many bits.
    case number(bits: Expression, isSigned: Bool, NumberStyle)
    case code, language
    case float(bits: Int)
    /// Bits with a constant value.
    case constant(bits: Int, UInt64)
    /// This many bytes, or all remaining bytes.
    case bytes(Expression?)
    /// Text of this many bytes, or of all remaining bytes.
    case text(Expression?)
    /// Text terminated by a zero byte; with `hasMark`, in UTF-16 after a byte order mark.
    case string(hasMark: Bool)
    /// Text preceded by one byte with its length.
    case countedString
    /// This many rows, or as many as fit in the remaining bytes.
    case rows(Expression?, Row)
    case boxes
    case choice(Condition, [Field], otherwise: [Field])
  }
  /// The condition under which fields are present, and its text in the definition.
  struct Condition: Sendable {
    var expression: Expression
    var text: StaticText

    /// The condition in words, as a phrase that can follow `and`.
    var description: String {
      switch expression {
      case .binary(.or, _, _), .choice: "(\(text))"
      default: "\(text)"
      }
    }
    /// The negated condition in words.
    var opposite: String {
      switch expression {
      case .unary(.not, _): String("\(text)".dropFirst("not".count).drop { $0 == " " })
      case .field, .version, .flags: "not \(text)"
      default: "not (\(text))"
      }
    }
  }
  var name: StaticText
  var kind: Kind
  /// The index of its value in the record.
  var slot = -1
  /// The index of its value among those that expressions can use; only for numbers and codes.
  var value = -1
  /// The allowed numbers, and their text in the definition.
  var possible: (range: ClosedRange<Int64>, text: StaticText)?
  /// The number of fractional bits, if it is not constant.
  var fraction: Expression?
  /// The text of the width in the definition, if it depends on other fields.
  var width: StaticText?

  init(_ name: StaticText, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

  /// The range of numbers that its bits can express; only for numbers.
  var range: ClosedRange<Int64>? {
    guard case .number(let bits, let isSigned, _) = kind else { return nil }
    // The upper half of the 64-bit numbers is written in hexadecimal.
    guard case .number(let width) = bits, width < 64 else { return .min ... .max }
    return isSigned ? -1 << (width - 1)...1 << (width - 1) - 1 : 0...1 << width - 1
  }
}

/// The fields of a row, or of a whole box.
struct Row: Sendable {
  var fields: [Field] = []
  /// The number of values in a record of this row.
  var slotCount = 0
  /// Whether it is a single unnamed value.
  var isPlain = false
  /// Whether it consists only of texts that end with a zero byte.
  var isText: Bool { fields.allSatisfy { if case .string = $0.kind { true } else { false } } }
  /// Whether all rows have the same size, independently of their values.
  var isFixed = true
  /// The numbers that are not zero in a new row.
  var initialNumbers: [(slot: Int, number: UInt64)] = []
  /// The numbers that count other elements of the row and therefore follow from them when it is written.
  var counts: [Count] = []

  /// The index of its first number among the values that expressions can use; `nil` for a whole box.
  var firstValue: Int?

  struct Count: Sendable {
    /// The index of the number among the values that expressions can use, and in the record.
    var value: Int
    var slot: Int
    /// The element that is counted, and the number that is added to its count.
    var counted: Int
    var plus: Int64
  }
}
