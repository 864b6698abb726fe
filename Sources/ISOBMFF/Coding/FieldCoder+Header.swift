/// What is said of a box as a whole.
extension FieldCoder {
  /// The version and flags that open a full box.
  mutating func fullBoxHeader(_ header: inout FullBoxHeader) throws(BoxError) {
    guard mode == .read else {
      try uint8("version", &header.version)
      return try uint24("flags", &header.flags, as: .hexadecimal)
    }
    let word: UInt32 = try reader.integer("version")
    header = FullBoxHeader(version: UInt8(word >> 24), flags: word & 0xff_ffff)
    sink?.fullBoxHeader(header)
  }

  /// Shows a value that the box does not have itself, but that says how its fields were read.
  mutating func inferred(_ name: StaticString, _ value: some FixedWidthInteger) {
    if mode == .describe { described.append(FieldDescription(name, "inferred", bits: nil)) }
    sink?.field(name, FieldValue(value, .decimal))
  }
}
