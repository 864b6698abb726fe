import ISOBMFF
import MP4Bytes

/// Records the fields of a box, for comparison with another one.
///
/// Tables, which can have millions of rows, are recorded as hashes of their values; a second pass records the rows that
/// differ.
final class FieldRecorder: FieldSink {
  typealias Field = (name: String, value: FieldValue)

  /// A table that is not nested in another one.
  struct Table {
    let name: String
    /// A hash for each value of each row, and the end of each row.
    fileprivate(set) var values: [Int64] = []
    fileprivate(set) var ends: [Int] = []

    init(name: String) { self.name = name }

    /// The number of rows.
    var count: Int { ends.count }
    /// The hashes of a row.
    subscript(row: Int) -> ArraySlice<Int64> { values[(row == 0 ? 0 : ends[row - 1])..<ends[row]] }
  }

  /// The fields outside of tables, in order.
  private(set) var fields: [Field] = []
  private(set) var tables: [Table] = []
  /// The requested rows, by table and row number.
  private(set) var rows: [[Int: [Field]]] = []

  /// The requested rows of each table; `nil` to record all tables as hashes.
  private let wanted: [Set<Int>]?
  /// The names of fields that are not recorded.
  private let ignored: [String]
  /// Whether any field was not recorded.
  private(set) var hasIgnored = false
  /// The open tables with their current rows, and the open descriptors.
  private var scopes: [(name: String, row: Int?)] = []
  private var tableCount = 0
  private var isWanted = false
  /// The number of uses of each name; the second field of a name is called `name[2]`.
  private var uses: [String: Int] = [:]

  /// A recorder of all fields except the ignored ones; with `wanted`, of these rows of tables.
  init(ignoring ignored: [String], rows wanted: [Set<Int>]? = nil) { (self.ignored, self.wanted) = (ignored, wanted) }

  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    add("version", .unsigned(UInt64(header.version)))
    add("flags", .flags(UInt64(header.flags), flags))
  }

  func field(_ name: StaticText, _ value: FieldValue) {
    if tableCount == 0 { return add(unique(name), value) }
    guard wanted == nil || isWanted else { return }
    if !ignored.isEmpty || isWanted {
      let name = path(name)
      if BoxExclusions.ignores(name, ignored) {
        hasIgnored = true
        return
      }
      if isWanted, let row = scopes.first(where: { $0.row != nil })?.row {
        return rows[rows.count - 1][row, default: []].append((name, value))
      }
    }
    tables[tables.count - 1].values.append(value.digest)
  }

  /// Ignored, because derived values are not in the file.
  func derived(_ name: StaticText, _ value: FieldValue) {}

  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    if tableCount == 0 {
      let name = unique(name)
      tables.append(Table(name: name))
      rows.append([:])
      scopes.append((name, nil))
    } else {
      scopes.append((name.description, nil))
    }
    tableCount += 1
    return true
  }

  func beginRow(_ index: Int) {
    scopes[scopes.count - 1].row = index
    if tableCount == 1, let wanted { isWanted = wanted[tables.count - 1].contains(index) }
  }

  func endRow() {
    scopes[scopes.count - 1].row = nil
    if tableCount > 1 { return }
    isWanted = false
    tables[tables.count - 1].ends.append(tables[tables.count - 1].values.count)
  }

  func endTable() {
    scopes.removeLast()
    tableCount -= 1
  }

  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    scopes.append((tableCount == 0 ? unique(name) : name.description, nil))
  }
  func endDescriptor() { scopes.removeLast() }

  private func add(_ name: String, _ value: FieldValue) {
    if BoxExclusions.ignores(name, ignored) { hasIgnored = true } else { fields.append((name, value)) }
  }

  /// The unique name of a field outside of tables, prefixed by the enclosing descriptors; scopes store full names.
  private func unique(_ name: StaticText) -> String {
    let path = scopes.last.map { "\($0.name).\(name)" } ?? name.description
    let count = uses[path, default: 0] + 1
    uses[path] = count
    return count == 1 ? path : "\(path)[\(count)]"
  }

  /// The name of a field in a row.
  private func path(_ name: StaticText) -> String {
    guard let first = scopes.firstIndex(where: { $0.row != nil }) else { return name.description }
    let words = scopes[first...].map { scope in scope.row.map { "\(scope.name)[\($0 + 1)]" } ?? scope.name }
    return (words + (name.isEmpty ? [] : [name.description])).joined(separator: ".")
  }
}

extension FieldValue {
  /// A number that is equal for values with equal bytes: a number itself, or a hash.
  var digest: Int64 {
    switch self {
    case .float(let value): return Int64(bitPattern: value.bitPattern)
    case .text(let text): return Int64(text.hashValue)
    case .bytes(let bytes): return Int64(bytes.hashValue)
    default: return number ?? 0
    }
  }

  /// Whether both values have the same bytes in the file.
  func isSame(as other: FieldValue) -> Bool { self == other || digest == other.digest }

  /// Whether a constant can be added to it.
  var isCount: Bool {
    switch self {
    case .unsigned, .signed, .hexadecimal, .date, .seconds: true
    default: false
    }
  }
}
