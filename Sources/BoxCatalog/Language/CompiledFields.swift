public import ISOBMFF
import MP4Bytes

/// A compiled definition.
final class CompiledFields: FieldDefinition {
  struct Header: Sendable {
    var versions: ClosedRange<UInt8>
    var flags: ValueNames
  }
  let row: Row
  let header: Header?
  /// The number of values that expressions can use.
  let valueCount: Int

  init(_ row: Row, _ header: Header?, valueCount: Int) {
    (self.row, self.header, self.valueCount) = (row, header, valueCount)
  }

  /// No fields.
  static let none = CompiledFields(Row(), nil, valueCount: 0)

  var isFullBox: Bool { header != nil }
  var holdsBoxes: Bool { if case .boxes? = row.fields.last?.kind { true } else { false } }
  var blank: any BoxPayload { DefinedBox(self) }
  var prepared: any FieldDefinition { self }

  func code(_ c: inout FieldCoder) throws(BoxError) {
    var (header, record) = (FullBoxHeader(), Record(row))
    try code(&header, &record, keeps: false, &c)
  }

  /// Codes a box. The values that are read are stored in the record only if it `keeps` them.
  func code(_ header: inout FullBoxHeader, _ record: inout Record, keeps: Bool, _ c: inout FieldCoder)
    throws(BoxError)
  {
    var run = FieldRun(self, keeps: keeps, c.mode)
    if let its = self.header {
      try c.fullBoxHeader(&header, its.flags)
      if c.isShowing { try c.check(version: header.version, isIn: its.versions) }
      run.values.header = header
    }
    try run.code(row, &record, &c)
    // A field that was set can have required a flag.
    if keeps { header.flags = run.values.header.flags }
    // Tables whose rows are not whole bytes can end within a byte.
    try c.fillByte(&record.reserved)
  }
}

/// A box whose fields a definition lists.
public struct DefinedBox: DefinedPayload {
  /// Empty, because each value has a definition of its own.
  public static let info = BoxInfo("    ", "Defined Box", in: [], "")
  private let definition: CompiledFields
  public var header = FullBoxHeader()
  var record: Record

  /// A box without fields.
  public init() { self.init(.none) }
  init(_ definition: CompiledFields) {
    self.definition = definition
    header.version = definition.header?.versions.lowerBound ?? 0
    record = Record(definition.row)
  }

  /// A box of the same definition with its first version and zeros as values.
  public var blank: DefinedBox { DefinedBox(definition) }
  /// Whether its fields are followed by boxes.
  public var holdsBoxes: Bool { definition.holdsBoxes }
  package var versions: ClosedRange<UInt8>? { definition.header?.versions }
  /// The version, and the versions of the definition.
  public var layoutVersion: (own: UInt8, known: ClosedRange<UInt8>)? { versions.map { (header.version, $0) } }

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try definition.code(&header, &record, keeps: true, &c)
  }

  /// Whether both have the same definition and the same values.
  public static func == (a: DefinedBox, b: DefinedBox) -> Bool {
    a.definition === b.definition && a.header == b.header && a.record == b.record
  }
}

/// The values of a row or of a whole box.
struct Record: Sendable {
  enum Value: Equatable, Sendable {
    /// Nothing was read: zero, as many zeros as required, or a number that follows from what it counts.
    case none
    case number(UInt64)
    case bytes([UInt8])
    case text(BoxString)
    case rows([Record])
    /// Rows of one number each.
    case numbers([UInt64])
  }
  var values: [Value]
  var reserved = ReservedBits()

  init(_ row: Row) {
    values = Array(repeating: .none, count: row.slotCount)
    for (slot, number) in row.initialNumbers { values[slot] = .number(number) }
  }

  /// The number of elements in a slot: rows or bytes.
  func count(_ slot: Int) -> Int? {
    switch values[slot] {
    case .rows(let rows): rows.count
    case .numbers(let numbers): numbers.count
    case .bytes(let bytes): bytes.count
    case .text(let text): text.bytes.count
    case .none, .number: nil
    }
  }
}

extension Record: Equatable {
  /// Whether both have the same values. A value that was not read equals zero.
  static func == (a: Record, b: Record) -> Bool {
    a.reserved == b.reserved && a.values.count == b.values.count && zip(a.values, b.values).allSatisfy { $0.isSame($1) }
  }
}

extension Record.Value {
  fileprivate func isSame(_ other: Record.Value) -> Bool { self == other || isZero && other.isZero }

  private var isZero: Bool {
    switch self {
    case .none, .number(0): true
    case .number: false
    case .bytes(let bytes): bytes.allSatisfy { $0 == 0 }
    case .text(let text): text.bytes.allSatisfy { $0 == 0 }
    case .rows(let rows): rows.allSatisfy { $0.reserved.isEmpty && $0.values.allSatisfy(\.isZero) }
    case .numbers(let numbers): numbers.allSatisfy { $0 == 0 }
    }
  }
}
