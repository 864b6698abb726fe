public import MP4Bytes

/// Runs the `fields` declaration of a box: from bytes, to bytes, to a sink that shows the fields, to a description, or
/// to a single field.
///
/// Each method codes one field under its name in the standard. Reading assigns to the variable, and shows the value if
/// there is a sink; writing and measuring only read the variable.
public struct FieldCoder: ~Escapable {
  package enum Mode { case read, write, measure, describe, access }
  package let mode: Mode
  /// Whether fields are read without being shown.
  private let readsOnly: Bool
  var reader: ByteReader
  /// The number of bytes of the box after the available ones.
  private var bytesAfter = 0
  /// The bytes that `reader` reads, kept so that tables can refer to them instead of copying.
  let payload: ArraySlice<UInt8>
  var writer = ByteWriter()
  /// The number of bytes of the fields, for `measure`.
  var measured = 0
  /// Bits that were read or will be written, and their number, which is less than eight between bytes.
  var (pendingBits, pendingCount) = (UInt64(0), 0)
  /// Receives tables, rows and descriptors; fields are passed by `show`.
  let sink: (any FieldSink)?
  /// The fields of the current row, if it is shown in one call.
  var rowFields: [(name: StaticText, value: FieldValue)] = []
  /// Whether fields are collected until the row is complete.
  var keepsRowFields = false
  var rowFieldCount = 0
  /// Information from other boxes.
  public let context: BoxContext
  /// The fields so far, for `describe`.
  var described: [FieldDescription] = []
  /// The number of reserved fields so far.
  var reservedCount = 0
  /// The start of the boxes in this box, counted from the start of the payload.
  private(set) var boxesStart: Int?
  /// The number of descriptors around the next field.
  var descriptorDepth = 0
  /// The known boxes, for showing and accessing fields.
  var registry: BoxRegistry?
  /// The kind of a sample group description, if it ends with boxes.
  var groupingType: FourCC?
  /// The first damage in descriptions of sample groups. The fields after them are shown nevertheless.
  var damage: BoxError?
  /// The version and flags of the box, after they have been coded.
  var header = FullBoxHeader()
  /// The field that `access` looks for.
  var access: FieldAccess?

  @_lifetime(borrow payload)
  init(
    reading payload: borrowing ArraySlice<UInt8>, base: Int, context: BoxContext, sink: (any FieldSink)?,
    bytesAfter: Int = 0
  ) {
    mode = .read
    self.bytesAfter = bytesAfter
    readsOnly = sink == nil
    self.payload = copy payload
    self.context = context
    self.sink = sink
    reader = ByteReader(payload.raw, base: base)
  }

  /// A coder that writes, measures, describes or accesses fields.
  @_lifetime(immortal)
  init(_ mode: Mode, context: BoxContext = BoxContext()) {
    self.mode = mode
    readsOnly = false
    self.context = context
    payload = []
    sink = nil
    reader = ByteReader(RawSpan(), base: 0)
  }

  // MARK: Integers

  /// An unsigned field of 8 bits.
  public mutating func uint8(_ name: StaticText, _ value: inout UInt8, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try integer(name, &value, style) }

  /// An unsigned field of 16 bits.
  public mutating func uint16(_ name: StaticText, _ value: inout UInt16, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try integer(name, &value, style) }

  /// An unsigned field of 24 bits.
  public mutating func uint24(_ name: StaticText, _ value: inout UInt32, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try bits(name, &value, 24, as: style) }

  /// An unsigned field of 32 bits.
  public mutating func uint32(_ name: StaticText, _ value: inout UInt32, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try integer(name, &value, style) }

  /// An unsigned field of 64 bits.
  public mutating func uint64(_ name: StaticText, _ value: inout UInt64, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try integer(name, &value, style) }

  /// A signed field of 8 bits.
  public mutating func int8(_ name: StaticText, _ value: inout Int8, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try integer(name, &value, style) }

  /// A signed field of 16 bits.
  public mutating func int16(_ name: StaticText, _ value: inout Int16, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try integer(name, &value, style) }

  /// A signed field of 32 bits.
  public mutating func int32(_ name: StaticText, _ value: inout Int32, as style: NumberStyle = .decimal)
    throws(BoxError)
  { try integer(name, &value, style) }

  /// A field of 64 bits if `wide`, otherwise 32 bits, such as times and durations.
  public mutating func uint(
    _ name: StaticText, _ value: inout UInt64, wide: Bool, as style: NumberStyle = .decimal
  ) throws(BoxError) {
    value = try code(name, value, NumberForm(bits: wide ? 64 : 32), style)
  }

  /// A field of 32 bits if `wide`, otherwise 16 bits, such as item IDs.
  public mutating func uint(
    _ name: StaticText, _ value: inout UInt32, wide: Bool, as style: NumberStyle = .decimal
  ) throws(BoxError) {
    value = UInt32(truncatingIfNeeded: try code(name, UInt64(value), NumberForm(bits: wide ? 32 : 16), style))
  }

  /// A signed field of 64 bits if `wide`, otherwise 32 bits.
  public mutating func int(_ name: StaticText, _ value: inout Int64, wide: Bool) throws(BoxError) {
    let form = NumberForm(bits: wide ? 64 : 32, isSigned: true)
    value = Int64(bitPattern: try code(name, UInt64(bitPattern: value), form, .decimal))
  }

  /// A field with fewer bits than its variable. Writing fails if the value does not fit.
  mutating func narrow<Wide: FixedWidthInteger, Narrow: FixedWidthInteger>(
    _ name: StaticText, _ value: inout Wide, as _: Narrow.Type, _ style: NumberStyle = .decimal
  ) throws(BoxError) {
    let form = NumberForm(bits: Narrow.bitWidth, isSigned: Narrow.isSigned)
    value = Wide(truncatingIfNeeded: try code(name, UInt64(truncatingIfNeeded: value), form, style))
  }

  // MARK: Codes, text and bytes

  /// A four-character code.
  public mutating func fourCC(_ name: StaticText, _ value: inout FourCC) throws(BoxError) {
    switch mode {
    case .read:
      value.rawValue = try reader.integer(name)
      show(name, .code(value))
    case .write: writer.integer(value.rawValue)
    case .measure: measured += 4
    case .describe: described.append(FieldDescription(name, "code", bits: 32))
    case .access: value.rawValue = UInt32(truncatingIfNeeded: accessed(name, .code(value), UInt64(value.rawValue)))
    }
  }

  /// An ISO 639-2 language in three groups of five bits, after a zero bit.
  public mutating func language(_ name: StaticText, _ value: inout LanguageCode) throws(BoxError) {
    switch mode {
    case .read:
      value.rawValue = try reader.integer(name)
      show(name, .language(value.rawValue))
    case .write, .measure: _ = try code(name, UInt64(value.rawValue), NumberForm(bits: 16), .decimal)
    case .describe:
      var description = FieldDescription(name, "uint", bits: 16)
      description.style = "language"
      described.append(description)
    case .access:
      value.rawValue =
        UInt16(truncatingIfNeeded: accessed(name, .language(value.rawValue), UInt64(value.rawValue)))
    }
  }

  /// `count` bytes, or all remaining ones. Writing a value of another length throws an error.
  public mutating func bytes(_ name: StaticText, _ value: inout [UInt8], count: Int? = nil) throws(BoxError) {
    switch mode {
    case .read:
      value = try reader.bytes(name, count: count ?? reader.remaining)
      show(name, .bytes(value[...]))
    case .write:
      try checkLength(name, value.count, count)
      writer.bytes += value
    case .measure: measured += count ?? value.count
    // An empty box has no such bytes; any other box has the declared number.
    case .describe: described.append(FieldDescription(name, "bytes", bits: count.flatMap { $0 > 0 ? $0 * 8 : nil }))
    case .access: accessed(name, &value)
    }
  }

  /// Text up to a zero byte or the end of the box.
  public mutating func string(_ name: StaticText, _ value: inout BoxString) throws(BoxError) {
    if mode == .read {
      if let length = reader.distanceToZero() {
        value = BoxString(try reader.bytes(name, count: length))
        try reader.skip(1, name)
      } else {
        value = BoxString(try reader.bytes(name, count: reader.remaining), form: .unterminated)
      }
    }
    codeStored(name, &value)
  }

  /// Text that ends with a zero byte or, in QuickTime files, starts with a length byte.
  mutating func countedOrTerminatedString(_ name: StaticText, _ value: inout BoxString) throws(BoxError) {
    if mode == .read, let count = reader.peek(), count > 0, Int(count) == reader.remaining - 1 {
      try reader.skip(1, name)
      value = BoxString(try reader.bytes(name, count: Int(count)), form: .counted)
      return codeStored(name, &value)
    }
    try string(name, &value)
  }

  mutating func codeStored(_ name: StaticText, _ value: inout BoxString) {
    switch mode {
    case .read: show(name, .text(value))
    case .write: writer.bytes += value.stored
    case .measure: measured += value.stored.count
    case .describe: described.append(FieldDescription(name, "string", bits: nil))
    case .access: accessed(name, &value)
    }
  }

  // MARK: Structure

  /// Whether `count` bytes remain to be read; when writing, whether there is something to write. For fields that some
  /// files omit.
  public func hasMore(_ count: Int = 1, or present: Bool) -> Bool {
    switch mode {
    case .read: reader.remaining >= count
    case .write, .measure, .access: present
    case .describe: true
    }
  }
  /// Whether optional fields are present according to a previous value; a description includes them all.
  public func includes(_ isPresent: Bool) -> Bool { isPresent || mode == .describe }
  /// Declares in a description which other fields the previous one depends on, for its width in bits and its presence.
  public mutating func describe(width: StaticText? = nil, when condition: StaticText? = nil) {
    guard mode == .describe, let last = described.indices.last else { return }
    if let width { (described[last].width, described[last].bits) = ("\(width)", nil) }
    if let condition { described[last].condition = "\(condition)" }
  }
  /// Declares in a description the valid values of the previous number.
  package mutating func describe(possible: StaticText) {
    guard mode == .describe, let last = described.indices.last else { return }
    described[last].possible = "\(possible)"
  }
  /// The number of described fields.
  package var describedCount: Int { described.count }
  /// Declares in a description that the fields from the one at `start` on are conditional.
  package mutating func describe(from start: Int, when condition: String) {
    for index in start..<described.count {
      described[index].condition = described[index].condition.map { "\(condition) and \($0)" } ?? condition
    }
  }
  /// Whether the next field starts at a byte boundary.
  package var isAligned: Bool { pendingCount == 0 }
  /// The number of bytes left in the box when reading.
  public var remaining: Int { reader.remaining }
  /// The number of bits left in the box when reading.
  package var remainingBits: Int { reader.remaining * 8 + pendingCount }
  /// Whether the field `name` is being set.
  package func isAdding(_ name: StaticText) -> Bool { access?.adds(name) ?? false }
  /// Whether the next bytes look like a box header: a size that fits, and a type of printable letters.
  var startsWithBox: Bool { startsWithBox(at: 0) }
  /// Whether the bytes `distance` bytes ahead look like a box header.
  func startsWithBox(at distance: Int) -> Bool {
    var size = 0
    for i in distance..<distance + 4 { size = size << 8 | Int(peek(i) ?? 0) }
    let isName = (distance + 4..<distance + 8).allSatisfy { (0x20...0x7e).contains(peek($0) ?? 0) }
    return size >= 8 && size <= remaining - distance + bytesAfter && isName
  }
  /// Whether bytes are being read, not written or described.
  public var isReading: Bool { mode == .read }
  /// Whether the fields are being described.
  package var isDescribing: Bool { mode == .describe }
  /// A byte that has not been read yet, `distance` bytes ahead; `nil` past the end and when not reading.
  public func peek(_ distance: Int = 0) -> UInt8? { reader.peek(distance) }

  /// The rest of the box consists of boxes.
  public mutating func boxes() {
    if mode == .read { boxesStart = reader.position }
    if let groupingType { showBoxes(inside: groupingType) }
    if mode == .describe { described.append(FieldDescription("boxes", "boxes", bits: nil)) }
  }

  /// Throws if a value is not valid for the field.
  public func check(_ isPossible: Bool, _ name: StaticText, _ value: some BinaryInteger, _ possible: StaticText)
    throws(BoxError)
  {
    guard mode == .read, !isPossible else { return }
    let problem = BoxError.Problem.invalid(UInt64(truncatingIfNeeded: value), possible: possible)
    throw BoxError(problem, field: name, offset: reader.offset)
  }
  /// Throws if the number of bytes to write is not the required one.
  func checkLength(_ name: StaticText, _ length: Int, _ expected: Int?) throws(BoxError) {
    guard mode == .write, let expected, length != expected else { return }
    throw BoxError(.wrongLength(length, expected: expected), field: name, offset: writer.bytes.count)
  }
  /// The error for a value that does not fit in its field.
  func tooWide(_ name: StaticText, _ value: UInt64, isSigned: Bool, bits: Int) -> BoxError {
    let isNegative = isSigned && value >> 63 == 1
    let problem = BoxError.Problem.tooWide(
      magnitude: isNegative ? 0 &- value : value, isNegative: isNegative, bits: bits)
    return BoxError(problem, field: name, offset: writer.bytes.count)
  }
  /// The error for a negative number of entries or bytes.
  package func negativeCount(_ count: Int64, of unit: StaticText, in name: StaticText) -> BoxError {
    BoxError(.negativeCount(count, of: unit), field: name, offset: reader.offset)
  }
  /// The error for a layout that depends on unavailable information.
  public func missing(_ what: StaticText, for name: StaticText) -> BoxError {
    BoxError(.needs(what), field: name, offset: reader.offset)
  }

  /// A field with the width of its variable. Reading without showing is inlined, because tables have millions of rows.
  /// All other modes share one function for numbers of every width, which keeps the code of the many declarations
  /// small.
  @inline(__always)
  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ name: StaticText, _ value: inout T, _ style: NumberStyle
  ) throws(BoxError) {
    if readsOnly, let next = reader.next(T.self) {
      value = next
    } else {
      let form = NumberForm(bits: T.bitWidth, isSigned: T.isSigned)
      value = T(truncatingIfNeeded: try code(name, UInt64(truncatingIfNeeded: value), form, style))
    }
  }

  /// A number of up to 56 bits, or of 64 bits at a byte boundary, in any mode. Returns the number that was read, or
  /// `value`.
  package mutating func number(
    _ name: StaticText, _ value: UInt64, bits: Int, isSigned: Bool, as style: NumberStyle
  ) throws(BoxError) -> UInt64 {
    let form = NumberForm(bits: bits, isSigned: isSigned)
    if pendingCount == 0, bits == 8 || bits == 16 || bits == 32 || bits == 64 {
      return try code(name, value, form, style)
    }
    return try codeBits(name, value, bits, of: form, style)
  }

  /// Codes a number of whole bytes. Returns the number that was read, or `value`.
  @inline(never)
  mutating func code(_ name: StaticText, _ value: UInt64, _ form: NumberForm, _ style: NumberStyle)
    throws(BoxError) -> UInt64
  {
    assert(pendingCount == 0, "bits before this field do not fill a byte")
    switch mode {
    case .read:
      let raw = try reader.unsigned(name, byteCount: form.bits / 8)
      let read = form.isSigned ? form.extended(raw) : raw
      show(name, FieldValue(read, isSigned: form.isSigned, style))
      return read
    case .write:
      guard form.extended(value) == value else {
        throw tooWide(name, value, isSigned: form.isSigned, bits: form.bits)
      }
      writer.unsigned(value, byteCount: form.bits / 8)
    case .measure: measured &+= form.bits / 8
    case .describe: described.append(FieldDescription(name, form.isSigned ? "int" : "uint", bits: form.bits, style))
    case .access: return accessed(name, FieldValue(value, isSigned: form.isSigned, style), value)
    }
    return value
  }
}

/// The number of bits of a number in the file, and whether it is signed.
struct NumberForm {
  var bits: Int
  var isSigned = false

  /// The number in the low bits of `value`, sign-extended.
  @inline(__always)
  func extended(_ value: UInt64) -> UInt64 {
    let unused = 64 - bits
    if isSigned { return UInt64(bitPattern: Int64(bitPattern: value << UInt64(unused)) >> Int64(unused)) }
    return (value << UInt64(unused)) >> UInt64(unused)
  }
}

/// A type with a default value, from which reading starts.
public protocol EmptyInitializable {
  /// The default value.
  init()
}
