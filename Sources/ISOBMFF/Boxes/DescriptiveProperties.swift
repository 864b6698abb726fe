public import Bytes

/// When an item was made.
public struct CreationTimeProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("crtt", "Creation Time", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.18")
  public var header = FullBoxHeader()
  /// In microseconds since the start of 1904, UTC.
  public var creationTime: UInt64 = 0
  /// The start of 1904.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint64("creation_time", &creationTime)
  }
}

/// When an item was last changed.
public struct ModificationTimeProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mdft", "Modification Time", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.19")
  public var header = FullBoxHeader()
  /// In microseconds since the start of 1904, UTC.
  public var modificationTime: UInt64 = 0
  /// The start of 1904.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint64("modification_time", &modificationTime)
  }
}

/// What the user says about an item.
public struct UserDescriptionProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("udes", "User Description", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.20")
  public var header = FullBoxHeader()
  /// A language of RFC 5646; empty when not known.
  public var lang: BoxString = ""
  /// A name.
  public var name: BoxString = ""
  /// A description.
  public var description: BoxString = ""
  /// Tags with commas between them.
  public var tags: BoxString = ""
  /// Nothing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("lang", &lang)
    try c.string("name", &name)
    try c.string("description", &description)
    try c.string("tags", &tags)
  }
}

/// What can be read out instead of an item that cannot be seen.
public struct AccessibilityTextProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("altt", "Accessibility Text", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.21")
  public var header = FullBoxHeader()
  /// The text.
  public var altText: BoxString = ""
  /// Its language of RFC 5646.
  public var altLang: BoxString = ""
  /// No text.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("alt_text", &altText)
    try c.string("alt_lang", &altLang)
  }
}

/// The references that a reader has to know to show an item.
public struct RequiredReferenceTypesProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("rref", "Required Reference Types", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.17")
  public var header = FullBoxHeader()
  /// Types of the boxes in `iref`.
  public var referenceTypes = BoxTable<FourCC>()
  /// None.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: referenceTypes.count)
    try c.uint8("reference_type_count", &count)
    try c.table("reference_type", &referenceTypes, count: count)
  }
}

// MARK: Pictures of a series

/// By how much the exposure of a picture differs in a series.
public struct AutoExposureBracketingProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("aebr", "Auto Exposure Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.8.6.2")
  public var header = FullBoxHeader()
  /// The denominator: 1, 2 or 3 for whole, half or third stops.
  public var exposureStep: Int8 = 1
  /// The numerator.
  public var exposureNumerator: Int8 = 0
  /// By nothing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int8("exposure_step", &exposureStep)
    try c.int8("exposure_numerator", &exposureNumerator)
  }
}

/// By how much the white balance of a picture differs in a series.
public struct WhiteBalanceBracketingProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("wbbr", "White Balance Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.8.6.3")
  public var header = FullBoxHeader()
  /// From blue to amber, in kelvins.
  public var blueAmber: UInt16 = 0
  /// From green to magenta.
  public var greenMagenta: Int8 = 0
  /// By nothing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("blue_amber", &blueAmber)
    try c.int8("green_magenta", &greenMagenta)
  }
}

/// How far a picture of a series is focused.
public struct FocusBracketingProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("fobr", "Focus Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.8.6.4")
  public var header = FullBoxHeader()
  /// In metres: numerator.
  public var focusDistanceNumerator: UInt16 = 0
  /// In metres: denominator; 0 for infinity.
  public var focusDistanceDenominator: UInt16 = 0
  /// To infinity.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("focus_distance_numerator", &focusDistanceNumerator)
    try c.uint16("focus_distance_denominator", &focusDistanceDenominator)
  }
}

/// By how much the flash of a picture differs in a series.
public struct FlashExposureBracketingProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("afbr", "Flash Exposure Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.8.6.5")
  public var header = FullBoxHeader()
  /// In stops: numerator.
  public var flashExposureNumerator: Int8 = 0
  /// In stops: denominator.
  public var flashExposureDenominator: Int8 = 1
  /// By nothing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int8("flash_exposure_numerator", &flashExposureNumerator)
    try c.int8("flash_exposure_denominator", &flashExposureDenominator)
  }
}

/// By how much the aperture of a picture differs in a series.
public struct DepthOfFieldBracketingProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("dobr", "Depth of Field Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.8.6.6")
  public var header = FullBoxHeader()
  /// In stops: numerator.
  public var fStopNumerator: Int8 = 0
  /// In stops: denominator.
  public var fStopDenominator: Int8 = 1
  /// By nothing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int8("f_stop_numerator", &fStopNumerator)
    try c.int8("f_stop_denominator", &fStopDenominator)
  }
}

/// Which picture of a panorama it is.
public struct PanoramaProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("pano", "Panorama Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.8.8")
  public var header = FullBoxHeader()
  /// In the order in which they were taken.
  public var frameNumber: UInt16 = 0
  /// The first.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("frame_number", &frameNumber)
  }
}

/// A checksum of a part of the file, to see whether it was changed.
public struct MD5IntegrityBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("md5i", "MD5 Integrity Box", in: ["meta"], "ISO/IEC 23008-12:2022, 6.12")
  /// With flag 1 a sample grouping has a parameter.
  public var header = FullBoxHeader()
  /// What they stand for.
  public static var flagNames: ValueNames { "0x1 grouping_type_parameter-present" }
  /// The checksum, 16 bytes.
  public var inputMD5 = [UInt8](repeating: 0, count: 16)
  /// What it is of: a type of box, or `sgpd` for samples of groups.
  public var input4CC: FourCC = "meta"
  /// The kind of grouping, with `sgpd`.
  public var groupingType = FourCC()
  /// A kind within the kind, with `sgpd` and flag 1.
  public var groupingTypeParameter: UInt32? { didSet { header[0x1] = groupingTypeParameter != nil } }
  /// The groups, with `sgpd`.
  public var groupDescriptionIndices = BoxTable<UInt32>()
  /// A checksum of zeros.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bytes("input_MD5", &inputMD5, count: 16)
    try c.fourCC("input_4cc", &input4CC)
    guard c.includes(input4CC == "sgpd") else { return }
    try c.fourCC("grouping_type", &groupingType)
    try c.uint32("grouping_type_parameter", &groupingTypeParameter, flag: 0x1)
    try c.table("group_description_index", &groupDescriptionIndices, counted: "num_entries")
  }
}
