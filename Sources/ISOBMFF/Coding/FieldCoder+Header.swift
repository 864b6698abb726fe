import MP4Bytes

/// Information about a box as a whole.
extension FieldCoder {
  /// The version and flags at the start of a full box.
  package mutating func fullBoxHeader(_ header: inout FullBoxHeader, _ flags: ValueNames = "") throws(BoxError) {
    // A description applies to one version and its flags.
    if mode == .describe { header = self.header }
    defer { self.header = header }
    guard mode == .read else {
      try uint8("version", &header.version)
      return try uint24("flags", &header.flags, as: .flags(flags))
    }
    let word: UInt32 = try reader.integer("version")
    header = FullBoxHeader(version: UInt8(word >> 24), flags: word & 0xff_ffff)
    sink?.fullBoxHeader(header, flags: flags)
  }

  /// Throws if the layout of this version is unknown. This is only checked for showing: code that decodes a box uses
  /// the fields that later versions share with the known ones.
  package func check(version: UInt8, isIn known: ClosedRange<UInt8>) throws(BoxError) {
    if known.contains(version) { return }
    throw BoxError(.unknownVersion(version, known: known), field: "version", offset: max(0, reader.offset - 4))
  }

  /// Shows a value that the box does not contain but that follows from it and from other boxes, if it is known.
  mutating func derived(_ name: StaticText, _ value: FieldValue?) {
    if mode == .describe { described.append(FieldDescription(name, "derived", bits: nil)) }
    guard let sink, let value else { return }
    sink.derived(name, value)
  }

  /// Shows a time in seconds, if it and its timescale are known.
  mutating func seconds(_ name: StaticText, _ value: UInt64?, timescale: UInt32?) {
    guard let value, let timescale, timescale > 0 else { return derived(name, nil) }
    derived(name, .seconds(value, timescale: timescale))
  }
}
