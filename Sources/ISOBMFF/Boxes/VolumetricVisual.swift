import MP4Bytes

/// The coding of volumetric samples, such as point clouds.
public struct VolumetricVisualSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "enc3", "Encrypted Volumetric Visual Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.9.3")
  public static let holdsBoxes = true
  /// The same fields for restricted video.
  static let restricted = BoxInfo(
    "res3", "Restricted Volumetric Visual Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.9.3")
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// The name of the encoder; 32 bytes, the first of which is the length.
  public var compressorName = FixedName(length: 32)
  /// Samples in this file.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.fixedName("compressorname", &compressorName)
    c.boxes()
  }
}
