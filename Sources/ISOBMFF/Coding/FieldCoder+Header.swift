/// What is said of a box as a whole.
extension FieldCoder {
  /// The version and flags that open a full box.
  mutating func fullBoxHeader(_ header: inout FullBoxHeader, _ flags: ValueNames = "") throws(BoxError) {
    guard mode == .read else {
      try uint8("version", &header.version)
      return try uint24("flags", &header.flags, as: .flags(flags))
    }
    let word: UInt32 = try reader.integer("version")
    header = FullBoxHeader(version: UInt8(word >> 24), flags: word & 0xff_ffff)
    sink?.fullBoxHeader(header, flags: flags)
  }

  /// Shows a time in seconds, where the timescale is known.
  mutating func seconds(_ name: StaticString, _ value: UInt64) {
    if mode == .describe { described.append(FieldDescription(name, "inferred", bits: nil)) }
    guard isShowing, let timescale = context.timescale, timescale > 0 else { return }
    show(name, .seconds(value, timescale: timescale))
  }

  /// Shows a value that other boxes say, where they do.
  mutating func inferred(_ name: StaticString, ifKnown value: UInt32?, as style: NumberStyle = .decimal) {
    if mode == .describe { described.append(FieldDescription(name, "inferred", bits: nil)) }
    guard isShowing, let value else { return }
    show(name, FieldValue(value, style))
  }

  /// Shows a value that the box does not have itself, but that says how its fields were read.
  mutating func inferred(_ name: StaticString, _ value: some FixedWidthInteger) {
    if mode == .describe { described.append(FieldDescription(name, "inferred", bits: nil)) }
    show(name, FieldValue(value, .decimal))
  }
}
