public import MP4Bytes

/// A bundle of rights for Octopus.
public struct OctopusBundleBox: BoxPayload, Equatable {
  public static let info = BoxInfo("8bdl", "Octopus Bundle Box", in: ["moov", "meta", .file], "Marlin File Formats")
  /// `xml ` for text.
  public var encoding: FourCC = "xml "
  /// The version of the encoding.
  public var encodingVersion: UInt32 = 1
  /// The rights.
  public var bundleData: [UInt8] = []
  /// No rights.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("encoding", &encoding)
    try c.uint32("encoding_version", &encodingVersion)
    if encoding == "xml " { try c.text("bundle_data", &bundleData) } else { try c.bytes("bundle_data", &bundleData) }
  }
}
