/// The header of a frame of ProRes: SMPTE RDD 36, 5.1.1.
package struct ProResHeader: Sendable {
  /// The order of fields; `nil` for a reserved value.
  package let fieldOrder: FieldOrder?
  /// The colors; a code of 0 is 2 here, which is unspecified too.
  package let colour: ColourDescription

  /// The number of bytes that are read.
  package static let byteCount = 28
  /// The place of the three codes of the colors.
  static let colours = 22..<25

  /// Reads the start of a frame; `nil` if it is not one.
  package init?(_ frame: ArraySlice<UInt8>) {
    let bytes = Array(frame.prefix(Self.byteCount))
    guard bytes.count == Self.byteCount, bytes[4..<8].elementsEqual("icpf".utf8) else { return nil }
    let orders: [FieldOrder?] = [.progressive, .topFirst, .bottomFirst, nil]
    fieldOrder = orders[Int(bytes[20] >> 2 & 3)]
    let codes = bytes[Self.colours].map { UInt16($0 == 0 ? 2 : $0) }
    colour = ColourDescription(
      primaries: codes[0], transferCharacteristics: codes[1], matrixCoefficients: codes[2])
  }
}
