import ISOBMFF
import MP4Bytes

/// The differences between the fields of two boxes.
struct FieldDifferences {
  private(set) var changes: [BoxDifference.Change] = []
  /// The maximum number of rows of a table that are listed.
  fileprivate static let rowLimit = 10

  /// Differing rows of one table; an index is `nil` if the side does not have the table.
  fileprivate struct Rows {
    let (table, otherTable): (Int?, Int?)
    let name: String
    let count: Int
    /// The first differing rows, and their total number.
    var listed: [Int] = []
    var differing = 0
    /// The constant difference of all values that differ; `nil` if it is not constant.
    var shift: Int64?
    /// The rows that only one side has.
    var surplus = 0..<0
    var otherSurplus = 0..<0

    var isEmpty: Bool { differing == 0 && surplus.isEmpty && otherSurplus.isEmpty }
    /// The listed rows of each side.
    var wanted: Set<Int> { Set(listed + (surplus.count <= FieldDifferences.rowLimit ? Array(surplus) : [])) }
    var otherWanted: Set<Int> {
      Set(listed + (otherSurplus.count <= FieldDifferences.rowLimit ? Array(otherSurplus) : []))
    }

    /// Whether a single sentence describes all differences.
    var isShift: Bool { shift != nil && differing > 1 && (differing == count || differing > FieldDifferences.rowLimit) }
  }

  /// Compares recorded fields. `read` records the requested rows of each side.
  init(
    _ fields: FieldRecorder, _ others: FieldRecorder,
    read: (_ rows: [Set<Int>], _ otherRows: [Set<Int>]) throws(IOError) -> (FieldRecorder, FieldRecorder)?
  ) throws(IOError) {
    add(fields.fields, others.fields)
    // Names are unique.
    let numbers = Dictionary(fields.tables.enumerated().map { ($1.name, $0) }) { first, _ in first }
    let otherNumbers = Dictionary(others.tables.enumerated().map { ($1.name, $0) }) { first, _ in first }
    var tables: [Rows] = []
    for (number, table) in fields.tables.enumerated() {
      let other = otherNumbers[table.name]
      let empty = FieldRecorder.Table(name: table.name)
      tables.append(Self.compare(table, other.map { others.tables[$0] } ?? empty, number, other))
    }
    for (number, table) in others.tables.enumerated() where numbers[table.name] == nil {
      tables.append(Self.compare(FieldRecorder.Table(name: table.name), table, nil, number))
    }
    try add(tables.filter { !$0.isEmpty }, fields, others, read)
  }

  /// Compares fields with the same names.
  private mutating func add(_ fields: [FieldRecorder.Field], _ others: [FieldRecorder.Field]) {
    let otherValues = Dictionary(others.map { ($0.name, $0.value) }) { first, _ in first }
    var names: Set<String> = []
    for (name, value) in fields where names.insert(name).inserted {
      let other = otherValues[name]
      if other.map({ !$0.isSame(as: value) }) ?? true { changes.append(.field(name, value, other)) }
    }
    for (name, value) in others where names.insert(name).inserted { changes.append(.field(name, nil, value)) }
  }

  /// Compares the rows of two tables by number, after removing equal rows at their ends.
  private static func compare(
    _ table: FieldRecorder.Table, _ other: FieldRecorder.Table, _ number: Int?, _ otherNumber: Int?
  ) -> Rows {
    var rows = Rows(table: number, otherTable: otherNumber, name: table.name, count: table.count)
    let least = min(table.count, other.count)
    var start = 0
    while start < least, table[start] == other[start] { start += 1 }
    var same = 0
    while same < least - start, table[table.count - 1 - same] == other[other.count - 1 - same] { same += 1 }
    let (end, otherEnd) = (table.count - same, other.count - same)
    let both = min(end, otherEnd)
    (rows.surplus, rows.otherSurplus) = (both..<end, both..<otherEnd)
    for row in start..<both where table[row] != other[row] {
      rows.note(row, shift: shift(of: table[row], to: other[row]))
    }
    return rows
  }

  /// The constant difference of the values of a row that differ; `nil` if it is not constant.
  private static func shift(of row: ArraySlice<Int64>, to other: ArraySlice<Int64>) -> Int64? {
    guard row.count == other.count else { return nil }
    var shift: Int64?
    for (value, otherValue) in zip(row, other) where value != otherValue {
      let found = otherValue &- value
      if shift ?? found != found { return nil }
      shift = found
    }
    return shift
  }

  /// Reads the listed rows, and adds their differences.
  private mutating func add(
    _ tables: [Rows], _ fields: FieldRecorder, _ others: FieldRecorder,
    _ read: (_ rows: [Set<Int>], _ otherRows: [Set<Int>]) throws(IOError) -> (FieldRecorder, FieldRecorder)?
  ) throws(IOError) {
    if tables.isEmpty { return }
    var wanted: [Set<Int>] = Array(repeating: [], count: fields.tables.count)
    var otherWanted: [Set<Int>] = Array(repeating: [], count: others.tables.count)
    for rows in tables {
      if let table = rows.table { wanted[table] = rows.wanted }
      if let table = rows.otherTable { otherWanted[table] = rows.otherWanted }
    }
    guard let (values, otherValues) = try read(wanted, otherWanted) else { return }
    for rows in tables {
      let (found, otherFound) = (
        rows.table.map { values.rows[$0] } ?? [:], rows.otherTable.map { otherValues.rows[$0] } ?? [:]
      )
      add(rows, found, otherFound)
      if rows.surplus.count > Self.rowLimit {
        changes.append(.rows(table: rows.name, rows.surplus, nil))
      } else {
        for row in rows.surplus { add(found[row] ?? [], []) }
      }
      if rows.otherSurplus.count > Self.rowLimit {
        changes.append(.rows(table: rows.name, nil, rows.otherSurplus))
      } else {
        for row in rows.otherSurplus { add([], otherFound[row] ?? []) }
      }
    }
  }

  private mutating func add(
    _ rows: Rows, _ values: [Int: [FieldRecorder.Field]], _ otherValues: [Int: [FieldRecorder.Field]]
  ) {
    if rows.isShift, let shift = rows.shift, let first = rows.listed.first {
      let before = changes.count
      add(values[first] ?? [], otherValues[first] ?? [])
      let found = changes[before...]
      if case .field(let name, let value?, .some)? = found.first, value.isCount {
        changes.removeSubrange(before...)
        let name = name.withoutNumbers
        return changes.append(.shift(field: name, rows: rows.differing, of: rows.count, by: shift))
      }
      changes.removeSubrange(before...)
    }
    for row in rows.listed { add(values[row] ?? [], otherValues[row] ?? []) }
    let more = rows.differing - rows.listed.count
    if more > 0 { changes.append(.moreRows(table: rows.name, more)) }
  }
}

extension FieldDifferences.Rows {
  /// Records a row that differs.
  fileprivate mutating func note(_ row: Int, shift: Int64?) {
    self.shift = differing == 0 || self.shift == shift ? shift : nil
    if listed.count < FieldDifferences.rowLimit { listed.append(row) }
    differing += 1
  }
}
