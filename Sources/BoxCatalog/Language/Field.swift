import Bytes
import ISOBMFF

/// A field of a definition, or several that depend on a condition.
struct Field: Sendable {
  enum Kind: Sendable {
    /// An unsigned or signed number of so many bits.
    case number(bits: Expression, isSigned: Bool, NumberStyle)
    case code, language
    case float(bits: Int)
    /// Bits that always have this value.
    case constant(bits: Int, UInt64)
    /// So many bytes, or all that are left.
    case bytes(Expression?)
    /// So many bytes of text, or all that are left.
    case text(Expression?)
    /// Text up to a zero byte.
    case string
    /// Text after a byte with its length.
    case countedString
    /// So many rows, or as many as there are bytes for.
    case rows(Expression?, Row)
    case boxes
    case choice(Condition, [Field], otherwise: [Field])
  }
  /// What has to be true for fields to be there, and how the definition says it.
  struct Condition: Sendable {
    var expression: Expression
    var text: StaticText

    /// The condition in words that can follow `and`.
    var description: String {
      switch expression {
      case .binary(.or, _, _), .choice: "(\(text))"
      default: "\(text)"
      }
    }
    /// The opposite of it.
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
  /// Where its value is in the record.
  var slot = -1
  /// Where its value is among those that expressions use; of numbers and codes alone.
  var value = -1
  /// The numbers that it can be, and how the definition says it.
  var possible: (range: ClosedRange<Int64>, text: StaticText)?
  /// The width as the definition says it, where it follows from other fields.
  var width: StaticText?

  init(_ name: StaticText, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

  /// The numbers that its bits can be, of a number alone.
  var range: ClosedRange<Int64>? {
    guard case .number(let bits, let isSigned, _) = kind else { return nil }
    // Of those of 64 bits the upper half is written in hexadecimal digits.
    guard case .number(let width) = bits, width < 64 else { return .min ... .max }
    return isSigned ? -1 << (width - 1)...1 << (width - 1) - 1 : 0...1 << width - 1
  }
}

/// The fields of a row, or of a whole box.
struct Row: Sendable {
  var fields: [Field] = []
  /// How many values a record of it has.
  var slotCount = 0
  /// Whether it is one nameless value.
  var isPlain = false
  /// Whether all of its rows take the same number of bytes, whatever is in them.
  var isFixed = true
  /// The numbers that cannot be zero, and the least that each can be.
  var leastNumbers: [(slot: Int, number: UInt64)] = []
  /// The numbers that count something else in the row, so that they follow from it when it is written.
  var counts: [Count] = []

  /// The first of the numbers in it, among the values that expressions use; `nil` for a whole box.
  var firstValue: Int?

  struct Count: Sendable {
    /// The number, among the values that expressions use, and in the record.
    var value: Int
    var slot: Int
    /// What is counted, and how much is added to the number for it.
    var counted: Int
    var plus: Int64
  }
}
