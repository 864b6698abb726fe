import ISOBMFF
import MP4Bytes

/// Compiles the lines of one definition.
struct DefinitionCompiler {
  private var lines: Lines
  private let lists: NamedLists
  /// The fields before the next one, from the outermost row to the innermost, with the values that expressions can use.
  private var names: [(name: StaticText, value: Int?, isShown: Bool)] = []
  /// How many of them are in the row that is being compiled.
  private var rowNames = 0
  /// The field of the row that takes all remaining bytes.
  private var rest: (name: StaticText, isConditional: Bool)?
  private var isFullBox = false
  private var slots: [Int: Int] = [:]
  private var valueCount = 0
  private var depth = 0
  /// The used bits of the current byte; `nil` if that depends on values.
  private var usedBits: Int? = 0
  private var lastLine: LineScanner?
  /// The number of alternative conditions in a row.
  private var choiceCount = 0
  /// The number of inserted lists of fields.
  private var listCount = 0

  init(_ lines: Lines, _ lists: NamedLists) { (self.lines, self.lists) = (lines, lists) }

  /// Compiles the whole definition.
  mutating func compile() throws(DefinitionError) -> CompiledFields {
    let indent = try lines.peek()?.indent ?? 0
    let header = try self.header()
    isFullBox = header != nil
    var row = Row()
    row.fields = try block(indent, &row)
    if let line = try lines.peek() { throw LineScanner(lines.text, line).error(.indentation) }
    if let bits = usedBits, bits > 0, let last = lastLine {
      throw last.expected("fields that fill whole bytes; add `reserved bits(\(8 - bits))`")
    }
    return CompiledFields(row, header, valueCount: valueCount)
  }

  /// `version 0 to 1` and `flags 0x1 name`, which start a full box.
  private mutating func header() throws(DefinitionError) -> CompiledFields.Header? {
    guard let first = try lines.peek() else { return nil }
    var line = LineScanner(lines.text, first)
    guard line.take(word: "version"), let low = try line.integer() else { return nil }
    guard (0..<256).contains(low) else { throw line.expected("a version from 0 to 255") }
    let high = line.take(word: "to") ? try line.number(in: low...255) : low
    try line.requireEnd()
    lines.take()
    var flags: ValueNames = ""
    if let second = try lines.peek() {
      var line = LineScanner(lines.text, second)
      if line.take(word: "flags"), line.startsList {
        flags = try lists.names(&line, in: 0...0xff_ffff)
        lines.take()
      }
    }
    return CompiledFields.Header(versions: UInt8(low)...UInt8(high), flags: flags)
  }

  /// The lines with the same indentation.
  private mutating func block(_ indent: Int, _ row: inout Row) throws(DefinitionError) -> [Field] {
    var fields: [Field] = []
    depth += 1
    defer { depth -= 1 }
    while let next = try lines.peek(), next.indent >= indent {
      var line = LineScanner(lines.text, next)
      guard next.indent == indent else { throw line.error(.indentation) }
      guard depth <= LineScanner.depthLimit else { throw line.error(.tooDeep) }
      lines.take()
      lastLine = line
      if line.take("<") {
        fields += try list(&line, &row)
        continue
      }
      let before = rest
      let field = try member(&line, indent, &row)
      if let before {
        // Bytes that one condition leaves can be read under another.
        let isConditional = if case .choice = field.kind { true } else { false }
        guard before.isConditional, isConditional else {
          throw LineScanner(lines.text, next).error(.afterRest("\(before.name)"))
        }
        if rest == nil { rest = before }
      }
      fields.append(field)
    }
    return fields
  }

  /// The fields of a named list, as if they were here.
  private mutating func list(_ line: inout LineScanner, _ row: inout Row) throws(DefinitionError) -> [Field] {
    listCount += 1
    guard listCount <= LineScanner.operatorLimit else { throw line.error(.tooLong) }
    let body = try lists.fields(&line)
    let outer = lines
    lines = Lines(outer.text, from: body.start, to: body.end, line: body.line)
    defer { lines = outer }
    let fields = try block(try lines.peek()?.indent ?? 0, &row)
    if let line = try lines.peek() { throw LineScanner(lines.text, line).error(.indentation) }
    return fields
  }

  /// A field, a table, a condition with its fields, or the boxes at the end.
  private mutating func member(_ line: inout LineScanner, _ indent: Int, _ row: inout Row) throws(DefinitionError)
    -> Field
  {
    let start = line
    if line.take(word: "when") { return try choice(&line, indent, &row) }
    if line.take(word: "boxes"), line.isAtEnd {
      guard depth == 1 else { throw start.error(.boxesInside) }
      rest = ("boxes", false)
      row.isFixed = false
      return Field("boxes", .boxes)
    }
    line = start
    if line.take(word: "otherwise"), line.isAtEnd { throw start.expected("`when` before `otherwise`") }
    line = start
    if line.take(word: "version"), try line.integer() != nil {
      throw start.expected("`version` only in the first line")
    }
    line = start
    return try field(&line, indent, &row)
  }

  /// The indentation of the block after the current line.
  private mutating func innerIndent(_ line: LineScanner, _ indent: Int) throws(DefinitionError) -> Int {
    guard let next = try lines.peek(), next.indent > indent else {
      throw line.expected("indented lines below it")
    }
    return next.indent
  }

  private mutating func choice(_ line: inout LineScanner, _ indent: Int, _ row: inout Row) throws(DefinitionError)
    -> Field
  {
    choiceCount += 1
    defer { choiceCount -= 1 }
    guard choiceCount <= LineScanner.operatorLimit else { throw line.error(.tooLong) }
    let condition = try condition(&line, &row)
    try line.requireEnd()
    let (before, namesBefore, bitsBefore) = (rest, names.count, usedBits)
    rest = nil
    let first = try block(try innerIndent(line, indent), &row)
    let (firstRest, firstBits) = (rest, usedBits)
    usedBits = bitsBefore
    // Both branches can have fields with the same names.
    let firstNames = names[namesBefore...]
    names.removeSubrange(namesBefore...)
    rest = nil
    defer {
      names.insert(contentsOf: firstNames, at: namesBefore)
      let isConditional = firstRest?.isConditional != false || rest?.isConditional != false
      rest = (firstRest ?? rest ?? before).map { ($0.name, isConditional) }
    }
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
    if usedBits != firstBits { usedBits = nil }
    return choice(condition, first, otherwise: second, &row)
  }

  /// A choice, which has a value in the record if only reading shows what is chosen.
  private func choice(_ condition: Field.Condition, _ first: [Field], otherwise second: [Field] = [], _ row: inout Row)
    -> Field
  {
    var choice = Field("", .choice(condition, first, otherwise: second))
    if condition.expression.dependsOnRemaining {
      choice.slot = row.slotCount
      row.slotCount += 1
    }
    return choice
  }

  /// An expression and its text.
  private mutating func condition(_ line: inout LineScanner, _ row: inout Row) throws(DefinitionError)
    -> Field.Condition
  {
    let start = line.place
    let expression = try expression(&line, &row)
    var end = line.at
    while end > start, line.text[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return Field.Condition(expression: expression, text: line.text[start..<end])
  }

  private mutating func expression(_ line: inout LineScanner, _ row: inout Row) throws(DefinitionError) -> Expression {
    let names = names
    var parser = ExpressionParser(isFullBox: isFullBox) { name in
      names.last { $0.name == name }.map { $0.value.map { .number($0) } ?? .other }
    }
    let expression = try parser.expression(&line).folded
    if expression.depends(on: { slots[$0] != nil && isIn(row, $0) }) { row.isFixed = false }
    return expression
  }
  /// Whether a value is in the row that is being compiled.
  private func isIn(_ row: Row, _ value: Int) -> Bool { row.firstValue.map { value >= $0 } ?? true }

  private mutating func field(_ line: inout LineScanner, _ indent: Int, _ row: inout Row) throws(DefinitionError)
    -> Field
  {
    let start = line.place
    let name = try fieldName(&line)
    let isKnown = names[rowNames...].contains { $0.name == name && $0.isShown }
    var field: Field
    if line.take("[") {
      field = try rows(name, &line, indent, &row)
    } else {
      field = try plainField(name, &line, &row)
    }
    var last = field
    if case .choice(_, let only, _) = field.kind { last = only[0] }
    // Bits with a constant value are not shown, so several fields may be named `reserved`.
    let isShown = if case .constant = last.kind { false } else { true }
    if isShown, isKnown { throw line.error(.repeatedName("\(name)"), at: start) }
    names.append((name, last.value < 0 ? nil : last.value, isShown))
    return field
  }

  private static let nameRule = "a space after the name; quote other names, such as 'bit-rate'"

  private func fieldName(_ line: inout LineScanner) throws(DefinitionError) -> StaticText {
    if let quoted = line.quoted(UInt8(ascii: "'")) { return quoted }
    guard let name = line.name() else { throw line.expected("the name of a field") }
    return name
  }

  /// `entries[count]`, followed by a block or a type.
  private mutating func rows(_ name: StaticText, _ line: inout LineScanner, _ indent: Int, _ row: inout Row)
    throws(DefinitionError) -> Field
  {
    let start = line.place
    try requireWholeBytes(line)
    usedBits = 0
    let count = line.take("]") ? nil : try expression(&line, &row)
    if count != nil { try line.require("]") }
    if case .number(let number)? = count, number < 1 {
      throw line.error(.expected("a number of rows, 1 or more"), at: start)
    }
    var field = Field(name, .boxes)
    field.slot = row.slotCount
    row.slotCount += 1
    if let count { note(count, of: field.slot, &row) }
    var inner = Row()
    inner.firstValue = valueCount
    let (outerNames, outerRow) = (names.count, rowNames)
    rowNames = outerNames
    var condition: Field.Condition?
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
    rowNames = outerRow
    if usedBits != 0 {
      guard count != nil || usedBits == nil else {
        throw line.error(.expected("a number of rows, or rows that fill whole bytes"), at: start)
      }
      (inner.isFixed, usedBits) = (false, nil)
    }
    // Such a field would leave no bytes for the rows after the first.
    if let rest { throw line.error(.afterRest("\(rest.name.isEmpty ? name : rest.name)"), at: start) }
    if count == nil { rest = (name, condition != nil) }
    row.isFixed = false
    field.kind = .rows(count, inner)
    return condition.map { choice($0, [field], &row) } ?? field
  }

  /// Records that `count` follows from the number of elements in `slot`, if both are in the same row.
  private func note(_ count: Expression, of slot: Int, _ row: inout Row) {
    guard let (value, plus) = count.counted, isIn(row, value), let its = slots[value],
      !row.counts.contains(where: { $0.value == value })
    else { return }
    row.counts.append(Row.Count(value: value, slot: its, counted: slot, plus: plus))
  }

  /// A type with its properties, and possibly a condition.
  private mutating func plainField(_ name: StaticText, _ line: inout LineScanner, _ row: inout Row)
    throws(DefinitionError) -> Field
  {
    let start = line.place
    guard let word = line.name() else {
      if !name.isEmpty, line.isAtEnd { throw line.expected("a type after the name, such as uint(32)") }
      throw line.expected(name.isEmpty || line.isAfterSpace ? "a type such as uint(32)" : Self.nameRule)
    }
    var field = Field(name, .code)
    var width: Expression?
    if line.take("(") {
      let from = line.at
      width = try expression(&line, &row)
      if case .number? = width {} else { field.width = line.text[from..<line.at] }
      try line.require(")")
    }
    field.slot = row.slotCount
    row.slotCount += 1
    if case .number(let bits)? = width, word == "bytes" || word == "text" || word == "string", bits < 8 || bits % 8 != 0
    {
      throw line.error(.expected("a width in bits that is one or more bytes"), at: start)
    }
    switch ("\(word)", width) {
    case ("uint", let width?), ("int", let width?):
      if case .number(let bits) = width, !(1...56).contains(bits), bits != 64 {
        throw line.error(.expected("a width of 1 to 56 or of 64 bits"), at: start)
      }
      let place = line.place
      let style = try style(&line, &field, &row)
      switch (style, width) {
      case (.date, _) where word == "int": throw line.error(.expected("uint before `date`"), at: place)
      case (.fixed, .number(64)) where word == "uint": throw line.error(.expected("int(64) before `fixed`"), at: place)
      default: field.kind = .number(bits: width, isSigned: word == "int", style)
      }
    case ("bits", .number(let bits)?) where (1...56).contains(bits):
      var value = Int64(0)
      if line.take("=") {
        guard let number = try line.integer(), number >> bits == 0 else {
          throw line.expected("a number of \(bits) bits")
        }
        value = number
      }
      field.kind = .constant(bits: Int(bits), UInt64(bitPattern: value))
    case ("bits", _): throw line.error(.expected("a width of 1 to 56 bits"), at: start)
    case ("code", nil), ("code", .number(32)?): field.kind = .code
    case ("float", .number(32)?): field.kind = .float(bits: 32)
    case ("float", .number(64)?): field.kind = .float(bits: 64)
    case ("bytes", let width): field.kind = .bytes(width?.inBytes)
    case ("text", let width): field.kind = .text(width?.inBytes)
    case ("string", nil), ("unicode", nil): field.kind = .string(hasMark: word == "unicode")
    case ("string", let width?): field.kind = .text(width.inBytes)
    case ("counted", nil): field.kind = .countedString
    default: throw line.error(.expected("a type such as uint(32)"), at: start)
    }
    switch field.kind {
    case .bytes, .text, .string, .countedString: try requireWholeBytes(line)
    default: break
    }
    return try finish(field, width, &line, &row)
  }

  private func requireWholeBytes(_ line: LineScanner) throws(DefinitionError) {
    guard let bits = usedBits, bits > 0 else { return }
    throw line.expected("fields that fill whole bytes before this one; add `reserved bits(\(8 - bits))`")
  }

  /// Counts the bits of a field; only those of a field without a condition are always there.
  private mutating func use(_ field: Field, isConditional: Bool) {
    let bits: Int? =
      switch field.kind {
      case .number(.number(let bits), _, _): Int(bits)
      case .number: nil
      case .constant(let bits, _), .float(let bits): bits
      case .code: 32
      case .language: 16
      default: 0
      }
    guard let bits, !isConditional || bits.isMultiple(of: 8) else { return usedBits = nil }
    usedBits = usedBits.map { ($0 + bits) % 8 }
  }

  /// The style of a number.
  private mutating func style(_ line: inout LineScanner, _ field: inout Field, _ row: inout Row)
    throws(DefinitionError) -> NumberStyle
  {
    if line.take(word: "hex") { return .hexadecimal }
    if line.take(word: "date") { return .date }
    guard line.take(word: "fixed") else { return .decimal }
    try line.require("(")
    let start = line.place
    let fraction = try expression(&line, &row)
    guard case .number(let bits) = fraction else {
      try line.require(")")
      field.fraction = fraction
      return .fixed(0)
    }
    guard (1...63).contains(bits) else { throw line.error(.expected("1 to 63 bits"), at: start) }
    try line.require(")")
    return .fixed(Int(bits))
  }

  /// What follows the type: a language, the initial and the allowed values, a condition, and the names of values.
  private mutating func finish(_ field: Field, _ width: Expression?, _ line: inout LineScanner, _ row: inout Row)
    throws(DefinitionError) -> Field
  {
    var field = field
    let start = line.place
    if line.take(word: "language") {
      guard case .number(.number(16), false, .decimal) = field.kind else {
        throw line.error(.expected("uint(16) before `language`"), at: start)
      }
      field.kind = .language
      row.initialNumbers.append((field.slot, UInt64(("und" as LanguageCode).rawValue)))
    }
    var takesRest = false
    switch field.kind {
    case .string, .countedString: row.isFixed = false
    case .bytes(let count), .text(let count):
      if let count { note(count, of: field.slot, &row) } else { (row.isFixed, takesRest) = (false, true) }
    default: break
    }
    if let range = field.range, line.take(word: "initially") {
      row.initialNumbers.append((field.slot, UInt64(bitPattern: try line.number(in: range))))
    }
    if field.range != nil, line.take(word: "must") {
      guard line.take(word: "be") else { throw line.expected("'be'") }
      let possible = try possible(&line, field.range ?? 0...0)
      field.possible = possible
      if !possible.range.contains(0), row.initialNumbers.last?.slot != field.slot {
        row.initialNumbers.append((field.slot, UInt64(bitPattern: possible.range.lowerBound)))
      }
    }
    var condition: Field.Condition?
    if line.take(word: "when") { condition = try self.condition(&line, &row) }
    use(field, isConditional: condition != nil)
    if takesRest { rest = (field.name, condition != nil) }
    if case .number(let bits, let isSigned, _) = field.kind {
      if line.take(word: "values") {
        field.kind = .number(
          bits: bits, isSigned: isSigned, .named(try lists.names(&line, in: field.range, areFlags: false)))
      } else if line.take(word: "flags") {
        field.kind = .number(bits: bits, isSigned: isSigned, .flags(try lists.names(&line, in: field.range)))
      }
    }
    try line.requireEnd()
    switch field.kind {
    case .number, .code, .language:
      field.value = valueCount
      slots[valueCount] = field.slot
      valueCount += 1
    default: break
    }
    return condition.map { choice($0, [field], &row) } ?? field
  }

  /// `0 to 4`, or `16 or more`.
  private func possible(_ line: inout LineScanner, _ range: ClosedRange<Int64>) throws(DefinitionError) -> (
    range: ClosedRange<Int64>, text: StaticText
  ) {
    let start = line.place
    let low = try line.number(in: range)
    var high = low
    if line.take(word: "to") {
      high = try line.number(in: low...range.upperBound)
    } else if line.take(word: "or") {
      guard line.take(word: "more") else { throw line.expected("'more'") }
      high = .max
    }
    return (low...high, line.text[start..<line.at])
  }
}

/// The named lists of a text: of values that several fields can have, and of fields that several boxes have.
final class NamedLists: Sendable {
  struct Values: Sendable {
    var name: StaticText
    var text: StaticText
  }
  struct Fields: Sendable {
    var name: StaticText
    var body: Body
  }
  private let values: [Values]
  private let fields: [Fields]
  init(_ values: [Values], _ fields: [Fields]) { (self.values, self.fields) = (values, fields) }

  /// A list at the end of a line, or the name of a list.
  func names(_ line: inout LineScanner, in range: ClosedRange<Int64>? = nil, areFlags: Bool = true)
    throws(DefinitionError) -> ValueNames
  {
    guard line.take("<") else { return ValueNames(try line.valueNames(in: range, areFlags: areFlags)) }
    let start = line.place
    let (list, known) = try named(&line) { name -> (StaticText, ValueNames?)? in
      values.first { $0.name == name }.map { ($0.text, nil) }
        ?? ValueNames.list(named: "\(name)").map { ("", $0) }
    }
    if let known { return known }
    func isValid(in range: ClosedRange<Int64>?, areFlags: Bool) -> Bool {
      var numbers = LineScanner(list, Lines.Line(start: 0, end: list.count, indent: 0, number: 1))
      return (try? numbers.valueNames(in: range, areFlags: areFlags)) != nil
    }
    // Mistakes in the list itself are reported at the list.
    guard isValid(in: range, areFlags: areFlags) || !isValid(in: nil, areFlags: true) else {
      throw line.error(.expected("a list of numbers that the field can have"), at: start)
    }
    return ValueNames(list)
  }

  /// The list of fields with this name.
  func fields(_ line: inout LineScanner) throws(DefinitionError) -> Body {
    try named(&line) { name in fields.first { $0.name == name }?.body }
  }

  /// The list whose name is followed by `>` and the end of the line.
  private func named<List>(_ line: inout LineScanner, _ find: (StaticText) -> List?) throws(DefinitionError) -> List {
    let start = line.place
    guard let name = line.name() else { throw line.expected("the name of a list") }
    guard let list = find(name) else { throw line.error(.unknownName("\(name)"), at: start) }
    try line.require(">")
    try line.requireEnd()
    return list
  }
}
