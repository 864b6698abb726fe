import ISOBMFF
import MP4Bytes

/// Runs a definition with a coder.
struct FieldRun {
  var values: Expression.Values
  private let keeps: Bool
  /// Whether a box is read, although the size of its rows is measured.
  private let reads: Bool

  init(_ definition: CompiledFields, keeps: Bool, _ mode: FieldCoder.Mode) {
    values = Expression.Values(fields: Array(repeating: 0, count: definition.valueCount))
    values.hasFields = mode != .describe
    self.keeps = keeps && (mode == .read || mode == .access)
    reads = mode == .read
  }

  /// Codes a row, or a whole box.
  mutating func code(_ row: Row, _ record: inout Record, _ c: inout FieldCoder) throws(BoxError) {
    if c.mode != .read {
      // Counts follow from what they count.
      for count in row.counts {
        guard let number = record.count(count.counted) else { continue }
        record.values[count.slot] = .number(UInt64(bitPattern: Int64(number) - count.plus))
      }
    }
    try code(row.fields, &record, &c)
    if keeps {
      for count in row.counts where record.values[count.counted] != .none { record.values[count.slot] = .none }
    }
  }

  private mutating func code(_ fields: [Field], _ record: inout Record, _ c: inout FieldCoder) throws(BoxError) {
    for field in fields {
      switch field.kind {
      case .number, .code, .language, .float: try number(field, &record, &c)
      case .constant(let bits, let value): try c.constant(field.name, &record.reserved, bits: bits, value)
      case .bytes, .text, .string, .countedString: try bytes(field, &record, &c)
      case .rows(let count, let row): try rows(field, count, row, &record, &c)
      case .boxes: c.boxes()
      case .choice(let condition, let first, let second):
        var value = value(condition.expression, c)
        let describes = c.isDescribing && value == nil
        if field.slot >= 0, !describes { value = chosen(field.slot, first, value, &record, c) ? 1 : 0 }
        if value == 0, case .binary(.has, .flags, .number(let flag)) = condition.expression,
          second.isEmpty, first.contains(where: { c.isAdding($0.name) })
        {
          // Setting a field that depends on a flag sets the flag.
          values.header.flags |= UInt32(truncatingIfNeeded: flag)
          value = 1
        }
        var start = c.describedCount
        if value ?? 1 != 0 { try code(first, &record, &c) }
        if describes { c.describe(from: start, when: condition.description) }
        start = c.describedCount
        if value ?? 0 == 0 { try code(second, &record, &c) }
        if describes { c.describe(from: start, when: condition.opposite) }
      }
    }
  }

  /// Whether the fields `first` are present under a condition on the remaining bytes. If only these decide, and nothing
  /// is read, the record tells whether the fields were present; setting one of them adds them.
  private func chosen(_ slot: Int, _ first: [Field], _ value: Int64?, _ record: inout Record, _ c: borrowing FieldCoder)
    -> Bool
  {
    let wasRead = record.values[slot] == .number(1)
    let isChosen = value.map { $0 != 0 } ?? (wasRead || first.contains { c.isAdding($0.name) })
    if isChosen, keeps { record.values[slot] = .number(1) }
    return isChosen
  }

  private mutating func value(_ expression: Expression, _ c: borrowing FieldCoder) -> Int64? {
    values.remaining = c.mode == .read ? c.remaining : nil
    return expression.value(values)
  }

  // MARK: Numbers

  private mutating func number(_ field: Field, _ record: inout Record, _ c: inout FieldCoder) throws(BoxError) {
    var value = UInt64(0)
    if c.mode != .read, case .number(let number) = record.values[field.slot] { value = number }
    let before = value
    switch field.kind {
    case .number(let bits, let isSigned, var style):
      let width = self.value(bits, c)
      guard width != 0 else { return }
      if let fraction = field.fraction { style = .fixed(Int(min(max(0, self.value(fraction, c) ?? 0), 63))) }
      value = try c.number(field.name, value, bits: try possible(width, field, c), isSigned: isSigned, as: style)
      if width == nil, let text = field.width { c.describe(width: text) }
    case .code:
      var code = FourCC(rawValue: UInt32(truncatingIfNeeded: value))
      try c.fourCC(field.name, &code)
      value = UInt64(code.rawValue)
    case .language:
      var language = LanguageCode(rawValue: UInt16(truncatingIfNeeded: value))
      try c.language(field.name, &language)
      value = UInt64(language.rawValue)
    case .float(32):
      var float = Float(bitPattern: UInt32(truncatingIfNeeded: value))
      try c.float32(field.name, &float)
      value = UInt64(float.bitPattern)
    default:
      var float = Double(bitPattern: value)
      try c.float64(field.name, &float)
      value = float.bitPattern
    }
    if let possible = field.possible {
      c.describe(possible: possible.text)
      try c.check(possible.range.contains(Int64(bitPattern: value)), field.name, value, possible.text)
    }
    if field.value >= 0 { values.fields[field.value] = value }
    if keeps, c.mode == .read || value != before { record.values[field.slot] = .number(value) }
  }

  /// A width within the allowed range; 8 in a description, where the width may be unknown.
  private func possible(_ width: Int64?, _ field: Field, _ c: borrowing FieldCoder) throws(BoxError) -> Int {
    guard let width else { return 8 }
    guard (1...56).contains(width) || width == 64 && c.isAligned else {
      throw c.missing("a width of 1 to 56 or of 64 bits", for: field.name)
    }
    return Int(width)
  }

  // MARK: Bytes and text

  private mutating func bytes(_ field: Field, _ record: inout Record, _ c: inout FieldCoder) throws(BoxError) {
    guard c.isAligned else { throw c.missing("bits that fill a byte before it", for: field.name) }
    let old = record.values[field.slot]
    let before: Record.Value
    let new: Record.Value
    switch field.kind {
    case .bytes(let count):
      let length = try length(count, of: field, "bytes", c)
      var bytes = zeros(old, length, c)
      if case .bytes(let known) = old { bytes = known }
      before = .bytes(bytes)
      try c.bytes(field.name, &bytes, count: length)
      new = .bytes(bytes)
    case .text(let count):
      let length = try length(count, of: field, "bytes", c)
      var text = BoxString(zeros(old, length, c), form: .unterminated)
      if case .text(let known) = old { text = known }
      before = .text(text)
      try c.text(field.name, &text, count: length)
      new = .text(text)
    case .string(let hasMark):
      var text: BoxString = ""
      if case .text(let known) = old { text = known }
      before = .text(text)
      if hasMark { try c.markedString(field.name, &text) } else { try c.string(field.name, &text) }
      new = .text(text)
    default:
      var text = BoxString([], form: .counted)
      if case .text(let known) = old { text = known }
      before = .text(text)
      try c.countedString(field.name, &text)
      new = .text(text)
    }
    if let text = field.width { c.describe(width: text) }
    if keeps, c.mode == .read || new != before { record.values[field.slot] = new }
  }

  /// The bytes that are written for an absent value if a length is required.
  private func zeros(_ old: Record.Value, _ length: Int?, _ c: borrowing FieldCoder) -> [UInt8] {
    guard c.mode != .read, let length, case .none = old else { return [] }
    return Array(repeating: 0, count: min(length, 1 << 16))
  }

  /// Larger than any box.
  private static let longest = 1 << 48

  /// A number of bytes or rows; `nil` for all remaining ones. An impossible number is reported as too large when the
  /// rows are measured.
  private mutating func length(_ count: Expression?, of field: Field, _ unit: StaticText, _ c: borrowing FieldCoder)
    throws(BoxError) -> Int?
  {
    guard let count else { return nil }
    // When nothing is read, the number of remaining bytes is unknown, and any length is right.
    guard let value = value(count, c) else { return c.isDescribing ? 0 : nil }
    if case .binary(.bytes, _, _) = count, c.isReading, value < 0 {
      throw c.missing("a width in whole bytes", for: field.name)
    }
    if c.isReading, value < 0 { throw c.negativeCount(value, of: unit, in: field.name) }
    if value < 0, !reads { return 0 }
    return value < 0 || value > Self.longest && !c.isReading ? Self.longest : Int(value)
  }

  // MARK: Rows

  private mutating func rows(
    _ field: Field, _ count: Expression?, _ row: Row, _ record: inout Record, _ c: inout FieldCoder
  ) throws(BoxError) {
    guard c.isAligned else { throw c.missing("bits that fill a byte before it", for: field.name) }
    do throws(BoxError) { try codeRows(field, count, row, &record, &c) } catch {
      // A value of a plain row has no name.
      throw error.field.isEmpty ? BoxError(error.problem, field: field.name, offset: error.offset) : error
    }
  }

  private mutating func codeRows(
    _ field: Field, _ count: Expression?, _ row: Row, _ record: inout Record, _ c: inout FieldCoder
  ) throws(BoxError) {
    var run = self
    let blank: RowFields = { (c) throws(BoxError) in
      var record = Record(row)
      try run.code(row, &record, &c)
    }
    guard c.mode == .read else {
      var written = record.rows(field.slot)
      let old = record.values[field.slot]
      let expected = try length(count, of: field, "entries", c) ?? written.count
      // Absent values are written as the required number of zero rows.
      if case .none = old {
        written = RecordRows(Array(repeating: Record(row), count: min(expected, 1 << 16)))
      }
      var changed = old
      let keeps = keeps
      try c.codeRows(field.name, written.count, of: expected, blank) { (c, index) throws(BoxError) in
        var record = written.record(index)
        try run.code(row, &record, &c)
        if keeps, record != written.record(index) {
          written.replace(index, by: record)
          changed = written.value
        }
      }
      record.values[field.slot] = changed
      values.header.flags = run.values.header.flags
      return
    }
    var read = RecordRows(isPlain: row.isPlain)
    let keeps = keeps
    let number = try length(count, of: field, "entries", c)
    // Rows with an impossible field are read one by one, up to that field.
    let stride = row.isFixed && !keeps ? FieldCoder.size(of: blank) : Self.longest
    if stride < Self.longest {
      let number = number ?? (stride > 0 ? c.remaining / stride : 0)
      _ = try c.readTable(field.name, count: number, isPlain: row.isPlain, blank)
    } else {
      let number = number ?? c.rowCount(blank)
      try c.readRows(field.name, count: number, isPlain: row.isPlain, blank) { (c, capacity) throws(BoxError) in
        var record = Record(row)
        let before = c.remainingBits
        // An unterminated text would hide that there are fewer texts than declared.
        if before == 0, row.isText { throw c.missing("the end of the text before it", for: row.fields[0].name) }
        try run.code(row, &record, &c)
        if keeps, c.remainingBits < before { read.append(record) }
      }
    }
    if keeps { record.values[field.slot] = read.value }
  }
}

/// The rows of a table: single numbers or records.
struct RecordRows {
  private var records: [Record] = []
  private var numbers: [UInt64] = []
  private let isPlain: Bool

  init(isPlain: Bool) { self.isPlain = isPlain }
  init(_ records: [Record]) { (self.records, isPlain) = (records, false) }
  init(_ numbers: [UInt64]) { (self.numbers, isPlain) = (numbers, true) }

  var count: Int { records.count + numbers.count }
  func record(_ index: Int) -> Record {
    isPlain && records.isEmpty ? Record([.number(numbers[index])]) : records[index]
  }
  mutating func append(_ record: Record) {
    if isPlain, records.isEmpty, case .number(let number)? = record.values.first, record.reserved.isEmpty {
      numbers.append(number)
    } else {
      records.append(record)
    }
  }
  mutating func replace(_ index: Int, by record: Record) {
    if isPlain, records.isEmpty, case .number(let number)? = record.values.first, record.reserved.isEmpty {
      numbers[index] = number
    } else {
      if records.isEmpty { records = (0..<count).map { self.record($0) } }
      numbers = []
      records[index] = record
    }
  }
  var value: Record.Value { isPlain && records.isEmpty ? .numbers(numbers) : .rows(records) }
}

extension Record {
  init(_ values: [Value]) { self.values = values }

  /// The rows in a slot.
  func rows(_ slot: Int) -> RecordRows {
    switch values[slot] {
    case .rows(let rows): RecordRows(rows)
    case .numbers(let numbers): RecordRows(numbers)
    case .none, .number, .bytes, .text: RecordRows([Record]())
    }
  }
}
