public import Bytes

/// The colours and the brightness of the display on which pictures were graded, as VP9 has them.
public struct SMPTE2086MasteringDisplayBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "SmDm", "SMPTE-2086 Mastering Display Metadata Box", in: ["vp08", "vp09", "encv"], "VP codecs in ISOBMFF 1.0")
  public var header = FullBoxHeader()
  /// The x and y coordinates of red, green, blue and white, 0.16.
  public var chromaticities: [UInt16] = Array(repeating: 0, count: 8)
  /// In candela a square metre, 24.8.
  public var luminanceMax: UInt32 = 0
  /// In candela a square metre, 18.14.
  public var luminanceMin: UInt32 = 0
  /// A black display.
  public init() {}

  private static let names: [StaticText] = [
    "primaryRChromaticity_x", "primaryRChromaticity_y", "primaryGChromaticity_x", "primaryGChromaticity_y",
    "primaryBChromaticity_x", "primaryBChromaticity_y", "whitePointChromaticity_x", "whitePointChromaticity_y",
  ]
  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var values = chromaticities
    while values.count < Self.names.count { values.append(0) }
    for (index, name) in Self.names.enumerated() { try c.uint16(name, &values[index], as: .fixed(16)) }
    chromaticities = values
    try c.uint32("luminanceMax", &luminanceMax, as: .fixed(8))
    try c.uint32("luminanceMin", &luminanceMin, as: .fixed(14))
  }
}

/// How bright pictures are, as VP9 has it.
public struct VPContentLightLevelBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "CoLL", "Content Light Level Box", in: ["vp08", "vp09", "encv"], "VP codecs in ISOBMFF 1.0")
  public var header = FullBoxHeader()
  /// The brightest pixel, in candela a square metre.
  public var maxCLL: UInt16 = 0
  /// The brightest picture on average, in candela a square metre.
  public var maxFALL: UInt16 = 0
  /// Black.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("maxCLL", &maxCLL)
    try c.uint16("maxFALL", &maxFALL)
  }
}

/// The light around the display for which pictures were made.
public struct AmbientViewingEnvironmentBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "amve", "Ambient Viewing Environment Box", in: SampleEntries.visualTypes, "ISO/IEC 14496-12:2022, 12.1.9")
  /// In units of 0.0001 lux.
  public var ambientIlluminance: UInt32 = 0
  /// The x coordinate of its colour, in units of 0.00002.
  public var ambientLightX: UInt16 = 0
  /// The y coordinate of its colour, in units of 0.00002.
  public var ambientLightY: UInt16 = 0
  /// Darkness.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("ambient_illuminance", &ambientIlluminance)
    try c.uint16("ambient_light_x", &ambientLightX)
    try c.uint16("ambient_light_y", &ambientLightY)
  }
}

/// Where samples of chroma lie.
public struct ChromaLocationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "chrm", "Chroma Location", in: SampleEntries.visualTypes, "QuickTime File Format")
  /// In the first field, as a code of ISO/IEC 23091-2.
  public var topField: UInt8 = 0
  /// In the second field, as a code of ISO/IEC 23091-2.
  public var bottomField: UInt8 = 0
  /// Between rows, at the left.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("top_field", &topField, as: .named("0 left; 1 centre; 2 top left; 3 top; 4 bottom left; 5 bottom"))
    try c.uint8(
      "bottom_field", &bottomField, as: .named("0 left; 1 centre; 2 top left; 3 top; 4 bottom left; 5 bottom"))
  }
}

/// How values of colour become light.
public struct GammaBox: BoxPayload, Equatable {
  public static let info = BoxInfo("gama", "Gamma", in: SampleEntries.visualTypes, "QuickTime File Format")
  /// The exponent, 16.16.
  public var gamma: UInt32 = 0x2_3333
  /// 2.2.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("gamma", &gamma, as: .fixed(16)) }
}

/// What a decoder needs before the first sample, in the form of other containers.
public struct GlobalHeaderBox: BoxPayload, Equatable {
  public static let info = BoxInfo("glbl", "Global Header", in: SampleEntries.visualTypes, "MP4 Registration Authority")
  /// The bytes.
  public var data: [UInt8] = []
  /// No bytes.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.bytes("data", &data) }
}

/// What Avid's programs need to know of pictures.
public struct AvidBox: BoxPayload, Equatable {
  public static let info = BoxInfo("ACLR", "Avid Colour Range", in: ["AVdn", "AVdh", "AVup"], "QuickTime File Format")
  /// The same for how lines are stored.
  static let progressive = BoxInfo("APRG", "Avid Field Order", in: info.containers, info.clause)
  /// The same for the size of pictures.
  static let resolution = BoxInfo("ARES", "Avid Resolution", in: info.containers, info.clause)
  /// The type of the box once more.
  public var tag: FourCC = "ACLR"
  /// `0001`.
  public var version: FourCC = "0001"
  /// A number, such as 1 for video range and 2 for full range, and what follows.
  public var values: [UInt8] = []
  /// No values.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("tag", &tag)
    try c.fourCC("version", &version)
    try c.bytes("values", &values)
  }
}

/// Which DNxHR a stream is.
public struct AvidProfileBox: BoxPayload, Equatable {
  public static let info = BoxInfo("ADHR", "Avid DNxHR Profile", in: AvidBox.info.containers, AvidBox.info.clause)
  /// `0001`.
  public var version: FourCC = "0001"
  /// The compression as SMPTE ST 2019-1 numbers it, such as 1273.
  public var compressionID: UInt32 = 0
  /// Numbers without a known meaning.
  public var values: [UInt8] = []
  /// No compression.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("version", &version)
    try c.uint32("compression_id", &compressionID)
    try c.bytes("values", &values)
  }
}
