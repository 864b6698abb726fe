import Bytes
import ISOBMFF

/// Makes the lines of one definition ready to run.
struct DefinitionCompiler {
  private var lines: Lines
  private let lists: ValueLists
  /// The numbers that expressions can name, the innermost last.
  private var names: [(name: StaticText, value: Int)] = []
  private var slots: [Int: Int] = [:]
  private var valueCount = 0
  private var depth = 0
  /// How many conditions in a row exclude each other.
  private var choiceCount = 0

  init(_ lines: Lines, _ lists: ValueLists) { (self.lines, self.lists) = (lines, lists) }

  /// Reads everything.
  mutating func compile() throws(DefinitionError) -> CompiledFields {
    let indent = try lines.peek()?.indent ?? 0
    let header = try self.header()
    var row = Row()
    row.fields = try block(indent, &row)
    if let line = try lines.peek() { throw LineScanner(lines.text, line).error(.indentation) }
    return CompiledFields(row, header, valueCount: valueCount)
  }

  /// `version 0 to 1` and `flags 0x1 name`, which open a full box.
  private mutating func header() throws(DefinitionError) -> CompiledFields.Header? {
    guard let first = try lines.peek() else { return nil }
    var line = LineScanner(lines.text, first)
    guard line.take(word: "version"), let low = try line.integer() else { return nil }
    let high = line.take(word: "to") ? try line.integer() : low
    guard let high, low >= 0, high >= low, high < 256 else { throw line.expected("the last version") }
    try line.requireEnd()
    lines.take()
    var flags: ValueNames = ""
    if let second = try lines.peek() {
      var line = LineScanner(lines.text, second)
      if line.take(word: "flags"), line.peek() == UInt8(ascii: "0") || line.peek() == UInt8(ascii: "<") {
        flags = try lists.names(&line)
        lines.take()
      }
    }
    return CompiledFields.Header(versions: UInt8(low)...UInt8(high), flags: flags)
  }

  /// The lines that are indented alike.
  private mutating func block(_ indent: Int, _ row: inout Row) throws(DefinitionError) -> [Field] {
    var fields: [Field] = []
    depth += 1
    defer { depth -= 1 }
    while let next = try lines.peek(), next.indent >= indent {
      var line = LineScanner(lines.text, next)
      guard next.indent == indent else { throw line.error(.indentation) }
      guard depth <= LineScanner.depthLimit else { throw line.error(.tooDeep) }
      lines.take()
      if line.take(word: "when") {
        fields.append(try choice(&line, indent, &row))
      } else if line.take(word: "boxes"), line.isAtEnd {
        fields.append(Field("boxes", .boxes))
        row.isFixed = false
      } else {
        line = LineScanner(lines.text, next)
        fields.append(try field(&line, indent, &row))
      }
    }
    return fields
  }

  /// The indentation of the block after the line that was taken.
  private mutating func innerIndent(_ line: LineScanner, _ indent: Int) throws(DefinitionError) -> Int {
    guard let next = try lines.peek(), next.indent > indent else {
      throw line.expected("lines below it that are indented more")
    }
    return next.indent
  }

  private mutating func choice(_ line: inout LineScanner, _ indent: Int, _ row: inout Row) throws(DefinitionError)
    -> Field
  {
    choiceCount += 1
    defer { choiceCount -= 1 }
    guard choiceCount <= LineScanner.operatorLimit else { throw line.error(.tooLong) }
    let condition = try expression(&line, &row)
    try line.requireEnd()
    let first = try block(try innerIndent(line, indent), &row)
    var second: [Field] = []
    if let next = try lines.peek(), next.indent == indent {
      var line = LineScanner(lines.text, next)
      if line.take(word: "otherwise") {
        lines.take()
        if line.take(word: "when") {
          second = [try choice(&line, indent, &row)]
        } else {
          try line.requireEnd()
          second = try block(try innerIndent(line, indent), &row)
        }
      }
    }
    return Field("", .choice(condition, first, otherwise: second))
  }

  private mutating func expression(_ line: inout LineScanner, _ row: inout Row) throws(DefinitionError) -> Expression {
    let names = names
    var parser = ExpressionParser { name in names.last { $0.name == name }?.value }
    let expression = try parser.expression(&line)
    if expression.depends(on: { slots[$0] != nil && isIn(row, $0) }) { row.isFixed = false }
    return expression
  }
  /// Whether a number is in the row that is being read.
  private func isIn(_ row: Row, _ value: Int) -> Bool { row.firstValue.map { value >= $0 } ?? true }

  private mutating func field(_ line: inout LineScanner, _ indent: Int, _ row: inout Row) throws(DefinitionError)
    -> Field
  {
    let name = try fieldName(&line)
    var field: Field
    if line.take("[") {
      field = try rows(name, &line, indent, &row)
    } else {
      field = try plainField(name, &line, &row)
    }
    // A condition of a single field.
    guard case .choice = field.kind else { return field }
    field.name = ""
    return field
  }

  private func fieldName(_ line: inout LineScanner) throws(DefinitionError) -> StaticText {
    if let quoted = line.quoted(UInt8(ascii: "'")) { return quoted }
    guard let name = line.name() else { throw line.expected("the name of a field") }
    return name
  }

  /// `entries[count]` with a block or a type after it.
  private mutating func rows(_ name: StaticText, _ line: inout LineScanner, _ indent: Int, _ row: inout Row)
    throws(DefinitionError) -> Field
  {
    let count = line.take("]") ? nil : try expression(&line, &row)
    if count != nil { try line.require("]") }
    var field = Field(name, .boxes)
    field.slot = row.slotCount
    row.slotCount += 1
    if let count { note(count, of: field.slot, &row) }
    var inner = Row()
    inner.firstValue = valueCount
    let outerNames = names.count
    var condition: Expression?
    if line.isAtEnd {
      inner.fields = try block(try innerIndent(line, indent), &inner)
    } else {
      inner.isPlain = true
      var only = try plainField("", &line, &inner)
      if case .choice(let when, let fields, _) = only.kind, let first = fields.first {
        (condition, only) = (when, first)
      }
      inner.fields = [only]
    }
    names.removeLast(names.count - outerNames)
    row.isFixed = false
    field.kind = .rows(count, inner)
    return condition.map { Field("", .choice($0, [field], otherwise: [])) } ?? field
  }

  /// A number that counts what is in `slot` follows from it when it is in the same row.
  private func note(_ count: Expression, of slot: Int, _ row: inout Row) {
    guard let (value, plus) = count.counted, isIn(row, value), let its = slots[value],
      !row.counts.contains(where: { $0.value == value })
    else { return }
    row.counts.append(Row.Count(value: value, slot: its, counted: slot, plus: plus))
  }

  /// A type with what is said of it, and perhaps a condition.
  private mutating func plainField(_ name: StaticText, _ line: inout LineScanner, _ row: inout Row)
    throws(DefinitionError) -> Field
  {
    let start = line.peek().map { _ in line.at } ?? line.at
    guard let word = line.name() else { throw line.expected("a type such as uint(32)") }
    var field = Field(name, .string)
    var width: Expression?
    if line.take("(") {
      let from = line.at
      width = try expression(&line, &row)
      if case .number? = width {} else { field.width = line.text[from..<line.at] }
      try line.require(")")
    }
    field.slot = row.slotCount
    row.slotCount += 1
    switch ("\(word)", width) {
    case ("uint", let width?), ("int", let width?):
      if case .number(let bits) = width, !(1...56).contains(bits), bits != 64 {
        throw line.error(.expected("a width of 1 to 56 or of 64 bits"), at: start)
      }
      field.kind = .number(bits: width, isSigned: word == "int", try style(&line))
    case ("bits", .number(let bits)?) where (1...56).contains(bits):
      var value = Int64(0)
      if line.take("=") {
        guard let number = try line.integer(), number >> bits == 0 else {
          throw line.expected("a number of \(bits) bits")
        }
        value = number
      }
      field.kind = .constant(bits: Int(bits), UInt64(bitPattern: value))
    case ("code", nil), ("code", .number(32)?): field.kind = .code
    case ("float", .number(32)?): field.kind = .float(bits: 32)
    case ("float", .number(64)?): field.kind = .float(bits: 64)
    case ("bytes", let width): field.kind = .bytes(width?.inBytes)
    case ("text", let width): field.kind = .text(width?.inBytes)
    case ("string", nil): field.kind = .string
    case ("string", let width?): field.kind = .text(width.inBytes)
    case ("counted", nil): field.kind = .countedString
    default: throw line.error(.expected("a type such as uint(32)"), at: start)
    }
    return try finish(field, width, &line, &row)
  }

  /// How a number is meant to be read.
  private func style(_ line: inout LineScanner) throws(DefinitionError) -> NumberStyle {
    if line.take(word: "hex") { return .hexadecimal }
    if line.take(word: "date") { return .date }
    if line.take(word: "fixed") {
      try line.require("(")
      guard let bits = try line.integer(), (1...63).contains(bits) else { throw line.expected("1 to 63 bits") }
      try line.require(")")
      return .fixed(Int(bits))
    }
    return .decimal
  }

  /// What comes after the type: a language, what is possible, a condition, and what numbers mean.
  private mutating func finish(_ field: Field, _ width: Expression?, _ line: inout LineScanner, _ row: inout Row)
    throws(DefinitionError) -> Field
  {
    var field = field
    switch field.kind {
    case .number(.number(16), false, _): if line.take(word: "language") { field.kind = .language }
    case .string, .countedString: row.isFixed = false
    case .bytes(let count), .text(let count):
      if let count { note(count, of: field.slot, &row) } else { row.isFixed = false }
    default: break
    }
    if line.take(word: "must"), line.take(word: "be") {
      let possible = try possible(&line)
      field.possible = possible
      if !possible.range.contains(0) {
        row.leastNumbers.append((field.slot, UInt64(bitPattern: possible.range.lowerBound)))
      }
    }
    var condition: Expression?
    if line.take(word: "when") { condition = try expression(&line, &row) }
    if case .number(let bits, let isSigned, _) = field.kind {
      if line.take(word: "values") {
        field.kind = .number(bits: bits, isSigned: isSigned, .named(try lists.names(&line)))
      } else if line.take(word: "flags") {
        field.kind = .number(bits: bits, isSigned: isSigned, .flags(try lists.names(&line)))
      }
    }
    try line.requireEnd()
    switch field.kind {
    case .number, .code, .language:
      field.value = valueCount
      slots[valueCount] = field.slot
      if !field.name.isEmpty { names.append((field.name, valueCount)) }
      valueCount += 1
    default: break
    }
    return condition.map { Field("", .choice($0, [field], otherwise: [])) } ?? field
  }

  /// `0 to 4`, or `16 or more`.
  private func possible(_ line: inout LineScanner) throws(DefinitionError) -> (
    range: ClosedRange<Int64>, text: StaticText
  ) {
    let start = line.peek().map { _ in line.at } ?? line.at
    guard let low = try line.integer() else { throw line.expected("a number") }
    var high = low
    if line.take(word: "to") {
      guard let last = try line.integer(), last >= low else { throw line.expected("the last number") }
      high = last
    } else if line.take(word: "or") {
      guard line.take(word: "more") else { throw line.expected("'more'") }
      high = .max
    }
    return (low...high, line.text[start..<line.at])
  }
}

/// What numbers mean that several fields of a text have, by the names that it gives them.
final class ValueLists: Sendable {
  struct List: Sendable {
    var name: StaticText
    var text: StaticText
  }
  private let lists: [List]
  init(_ lists: [List]) { self.lists = lists }

  /// A list at the end of a line, or the name of one.
  func names(_ line: inout LineScanner) throws(DefinitionError) -> ValueNames {
    guard line.take("<") else {
      guard line.peek() != nil else { throw line.expected("numbers and what they mean") }
      return ValueNames(line.rest())
    }
    let start = line.at
    guard let name = line.name() else { throw line.expected("the name of a list") }
    guard let list = lists.first(where: { $0.name == name })?.text else {
      throw line.error(.unknownName("\(name)"), at: start)
    }
    try line.require(">")
    return ValueNames(list)
  }
}
