import ISOBMFF
import MP4Bytes

/// An expression for a count, a width or a condition.
indirect enum Expression: Sendable {
  case number(Int64)
  /// An earlier field.
  case field(Int)
  case version, flags
  /// The number of remaining bytes in the box.
  case remaining
  case unary(Unary, Expression)
  case binary(Binary, Expression, Expression)
  case choice(Expression, Expression, Expression)

  enum Unary: Sendable {
    case not, minus
    /// The number of bits that are set.
    case ones
  }
  enum Binary: Sendable {
    case or, and, equal, unequal, less, lessOrEqual, greater, greaterOrEqual, has
    case bitOr, bitAnd, shiftLeft, shiftRight, plus, minus, times, divide, modulo
    /// Bits in bytes; negative if they are not whole bytes.
    case bytes
  }

  /// The values that expressions are evaluated with.
  struct Values {
    var fields: [UInt64]
    var header = FullBoxHeader()
    /// The number of remaining bytes; `nil` if no bytes are read.
    var remaining: Int?
    /// Whether fields have values; `false` while a layout is only described.
    var hasFields = true
  }

  /// The value; `nil` if it is unknown. Arithmetic does not overflow: a result that is too large becomes the largest
  /// number.
  func value(_ values: borrowing Values) -> Int64? {
    switch self {
    case .number(let number): return number
    case .field(let index): return values.hasFields ? Int64(truncatingIfNeeded: values.fields[index]) : nil
    case .version: return Int64(values.header.version)
    // A layout is described with each flag, but not with each combination of them.
    case .flags: return values.hasFields ? Int64(values.header.flags) : nil
    case .binary(.has, .flags, .number(let mask)): return Int64(values.header.flags) & mask != 0 ? 1 : 0
    case .remaining: return values.remaining.map { Int64($0) }
    case .unary(.not, let operand): return operand.value(values).map { $0 == 0 ? 1 : 0 }
    case .unary(.minus, let operand):
      return operand.value(values).map { Self.clamped(Int64(0).subtractingReportingOverflow($0), $0 < 0) }
    case .unary(.ones, let operand): return operand.value(values).map { Int64($0.nonzeroBitCount) }
    case .choice(let condition, let first, let second):
      return condition.value(values).flatMap { $0 != 0 ? first.value(values) : second.value(values) }
    case .binary(let operation, let left, let right):
      return Self.value(operation, left.value(values), right.value(values))
    }
  }

  private static func value(_ operation: Binary, _ left: Int64?, _ right: Int64?) -> Int64? {
    // One side may be sufficient to determine the result.
    switch operation {
    case .and where left == 0 || right == 0: return 0
    case .or where left ?? 0 != 0 || right ?? 0 != 0: return 1
    default: break
    }
    guard let left, let right else { return nil }
    switch operation {
    case .or: return 0
    case .and: return 1
    case .equal: return left == right ? 1 : 0
    case .unequal: return left != right ? 1 : 0
    case .less: return left < right ? 1 : 0
    case .lessOrEqual: return left <= right ? 1 : 0
    case .greater: return left > right ? 1 : 0
    case .greaterOrEqual: return left >= right ? 1 : 0
    case .has: return left & right != 0 ? 1 : 0
    case .bitOr: return left | right
    case .bitAnd: return left & right
    case .shiftLeft: return shifted(left, by: right)
    case .shiftRight: return shifted(left, by: -max(right, -.max))
    case .plus: return clamped(left.addingReportingOverflow(right), left > 0)
    case .minus: return clamped(left.subtractingReportingOverflow(right), left > 0)
    case .times: return clamped(left.multipliedReportingOverflow(by: right), (left > 0) == (right > 0))
    case .bytes: return left >= 0 && left % right == 0 ? left / right : -1
    case .divide: return right == 0 ? 0 : clamped(left.dividedReportingOverflow(by: right), true)
    case .modulo: return right == 0 ? 0 : left.remainderReportingOverflow(dividingBy: right).partialValue
    }
  }
  /// Bits shifted to the left, or to the right by a negative number of places.
  private static func shifted(_ bits: Int64, by places: Int64) -> Int64 {
    let result = bits << places
    return clamped((result, places > 0 && result >> places != bits), bits > 0)
  }
  private static func clamped(_ result: (partialValue: Int64, overflow: Bool), _ isPositive: Bool) -> Int64 {
    result.overflow ? (isPositive ? .max : .min) : result.partialValue
  }

  /// The field that this expression consists of, and the number added to it. A choice can have a constant instead.
  var counted: (field: Int, plus: Int64)? {
    switch self {
    case .field(let index): (index, 0)
    case .binary(.plus, .field(let index), .number(let number)): (index, number)
    case .binary(.minus, .field(let index), .number(let number)): (index, 0 - number)
    case .choice(_, .number, let other): other.counted
    default: nil
    }
  }
  /// Converts a number of bits to a number of bytes.
  var inBytes: Expression {
    switch self {
    case .number(let bits): .number(bits / 8)
    case .binary(.times, .number(8), let bytes), .binary(.times, let bytes, .number(8)): bytes
    default: .binary(.bytes, self, .number(8))
    }
  }
  /// The constant number that this expression equals if it does not depend on anything.
  var folded: Expression { isConstant ? .number(value(Values(fields: [])) ?? 0) : self }
  private var isConstant: Bool {
    switch self {
    case .number: true
    case .field, .version, .flags, .remaining: false
    case .unary(_, let operand): operand.isConstant
    case .binary(_, let left, let right): left.isConstant && right.isConstant
    case .choice(let a, let b, let c): a.isConstant && b.isConstant && c.isConstant
    }
  }
  /// Whether it depends on the number of remaining bytes.
  var dependsOnRemaining: Bool { depends { _ in false } }
  /// Whether it depends on a field for which `isMeant` is true, or on the number of remaining bytes.
  func depends(on isMeant: (Int) -> Bool) -> Bool {
    switch self {
    case .number, .version, .flags: false
    case .remaining: true
    case .field(let index): isMeant(index)
    case .unary(_, let operand): operand.depends(on: isMeant)
    case .binary(_, let left, let right): left.depends(on: isMeant) || right.depends(on: isMeant)
    case .choice(let a, let b, let c): a.depends(on: isMeant) || b.depends(on: isMeant) || c.depends(on: isMeant)
    }
  }
}

/// Parses expressions; `field` looks up the fields that they name.
struct ExpressionParser {
  /// The meaning of a name in an expression.
  enum Name {
    case number(Int)
    case other
  }
  let field: (StaticText) -> Name?
  /// Whether the box has a version and flags.
  let isFullBox: Bool
  private var depth = 0
  /// The number of operators. Each takes some of the stack during evaluation.
  private var operatorCount = 0

  init(isFullBox: Bool, field: @escaping (StaticText) -> Name?) { (self.isFullBox, self.field) = (isFullBox, field) }

  /// `a ? b : c`, and everything with higher precedence.
  mutating func expression(_ line: inout LineScanner) throws(DefinitionError) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= LineScanner.depthLimit else { throw line.error(.tooDeep) }
    let condition = try binary(&line, 0)
    guard line.take("?") else { return condition }
    let first = try expression(&line)
    try line.require(":")
    return .choice(condition, first, try expression(&line))
  }

  /// The operators from the lowest precedence to the highest. Within a level, an operator comes before its own
  /// prefixes.
  private static let levels: [[(StaticString, Expression.Binary)]] = [
    [("or", .or)], [("and", .and)],
    [
      ("==", .equal), ("!=", .unequal), ("<=", .lessOrEqual), (">=", .greaterOrEqual), ("has", .has), ("<", .less),
      (">", .greater),
    ],
    [("|", .bitOr)], [("&", .bitAnd)], [("<<", .shiftLeft), (">>", .shiftRight)], [("+", .plus), ("-", .minus)],
    [("*", .times), ("/", .divide), ("%", .modulo)],
  ]

  private mutating func binary(_ line: inout LineScanner, _ level: Int) throws(DefinitionError) -> Expression {
    guard level < Self.levels.count else { return try operand(&line) }
    var left = try binary(&line, level + 1)
    while let operation = self.operation(&line, level) {
      operatorCount += 1
      guard operatorCount <= LineScanner.operatorLimit else { throw line.error(.tooLong) }
      left = .binary(operation, left, try binary(&line, level + 1))
    }
    return left
  }

  private func operation(_ line: inout LineScanner, _ level: Int) -> Expression.Binary? {
    for (symbol, operation) in Self.levels[level] {
      let isWord = LineScanner.isName(StaticText(stringLiteral: symbol)[0])
      let before = line
      guard isWord ? line.take(word: symbol) : line.take(symbol) else { continue }
      // Distinguishes `<` from `<<`.
      if level == 2, !isWord, line.take("<") || line.take(">") {
        line = before
        continue
      }
      return operation
    }
    return nil
  }

  private mutating func operand(_ line: inout LineScanner) throws(DefinitionError) -> Expression {
    if line.take("(") {
      let inner = try expression(&line)
      try line.require(")")
      return inner
    }
    if line.take("ones(") {
      let bits = try expression(&line)
      try line.require(")")
      return .unary(.ones, bits)
    }
    if line.take(word: "not") {
      depth += 1
      defer { depth -= 1 }
      guard depth <= LineScanner.depthLimit else { throw line.error(.tooDeep) }
      return .unary(.not, try binary(&line, 2))
    }
    if line.take("-") {
      depth += 1
      defer { depth -= 1 }
      guard depth <= LineScanner.depthLimit else { throw line.error(.tooDeep) }
      return .unary(.minus, try operand(&line))
    }
    if line.peek() == UInt8(ascii: "'") { return .number(Int64(try line.code().rawValue)) }
    if let number = try line.integer() { return .number(number) }
    let start = line.place
    guard let name = line.name() else { throw line.expected("a number, or the name of a preceding field") }
    if name == "remaining" { return .remaining }
    switch field(name) {
    case .number(let index): return .field(index)
    case .other: throw line.error(.notANumber("\(name)"), at: start)
    case nil: break
    }
    guard name == "version" || name == "flags" else { throw line.error(.unknownName("\(name)"), at: start) }
    guard isFullBox else { throw line.error(.notFullBox, at: start) }
    return name == "version" ? .version : .flags
  }
}
