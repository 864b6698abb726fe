public import MP4Bytes

/// Fields that are present if a flag of the box is set; otherwise they are `nil`.
///
/// `flags` are those of the box unless given. Rows receive them as their shape.
extension FieldCoder {
  /// An unsigned 32-bit field that is present with `flag`.
  public mutating func uint32(
    _ name: StaticText, _ value: inout UInt32?, flag: UInt32, of flags: UInt32? = nil,
    as style: NumberStyle = .decimal
  ) throws(BoxError) {
    if try has(name, value != nil, flag, flags) { try uint32(name, &value[orElse: 0], as: style) }
  }

  /// An unsigned 64-bit field that is present with `flag`.
  public mutating func uint64(
    _ name: StaticText, _ value: inout UInt64?, flag: UInt32, as style: NumberStyle = .decimal
  ) throws(BoxError) {
    if try has(name, value != nil, flag, nil) { try uint64(name, &value[orElse: 0], as: style) }
  }

  /// A signed 32-bit field that is present with `flag`.
  public mutating func int32(
    _ name: StaticText, _ value: inout Int32?, flag: UInt32, as style: NumberStyle = .decimal
  ) throws(BoxError) {
    if try has(name, value != nil, flag, nil) { try int32(name, &value[orElse: 0], as: style) }
  }

  /// A 32-bit field that is present with `flag`, and signed from `version` on; see `int32(_:_:signedFrom:)`.
  mutating func int32(
    _ name: StaticText, _ value: inout Int32?, flag: UInt32, of flags: UInt32, signedFrom version: UInt8
  ) throws(BoxError) {
    if try has(name, value != nil, flag, flags) { try int32(name, &value[orElse: 0], signedFrom: version) }
  }

  /// A 32-bit field that is signed from `version` of the box on. In earlier versions, negative numbers are read,
  /// because many files contain them, but not created.
  mutating func int32(_ name: StaticText, _ value: inout Int32, signedFrom version: UInt8) throws(BoxError) {
    guard mode != .write || value >= 0 || header.version >= version else {
      throw tooWide(name, UInt64(bitPattern: Int64(value)), isSigned: true, bits: 32)
    }
    try int32(name, &value)
  }

  /// A four-character code that is present with `flag`.
  public mutating func fourCC(_ name: StaticText, _ value: inout FourCC?, flag: UInt32) throws(BoxError) {
    if try has(name, value != nil, flag, nil) { try fourCC(name, &value[orElse: FourCC()]) }
  }

  /// Text that is present with `flag`, up to a zero byte or the end of the box.
  public mutating func string(_ name: StaticText, _ value: inout BoxString?, flag: UInt32) throws(BoxError) {
    if try has(name, value != nil, flag, nil) { try string(name, &value[orElse: ""]) }
  }

  /// Whether a field that depends on `flag` is coded. When reading, the flag determines that. When writing, the flag
  /// and the value must agree.
  private func has(_ name: StaticText, _ hasValue: Bool, _ flag: UInt32, _ flags: UInt32?) throws(BoxError) -> Bool {
    // A field that is set is present from now on; its flag is set when the box is written.
    if mode == .access { return hasValue || access?.adds(name) == true }
    let hasFlag = (flags ?? header.flags) & flag != 0
    guard mode == .write, hasFlag != hasValue else { return hasFlag }
    throw BoxError(
      hasFlag ? .missingValue(flag: flag) : .missingFlag(flag), field: name, offset: writer.bytes.count)
  }
}

extension Optional {
  /// The value, or another one if it is `nil`. Setting it replaces the value.
  subscript(orElse other: Wrapped) -> Wrapped {
    get { self ?? other }
    set { self = newValue }
  }
}

extension FullBoxHeader {
  /// Whether any of the bits of `flag` is set.
  public subscript(flag: UInt32) -> Bool {
    get { flags & flag != 0 }
    set { flags = newValue ? flags | flag : flags & ~flag }
  }
}
