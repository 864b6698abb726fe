/// Pictures of a series of exposures.
public struct AutoExposureBracketingGroup: BoxTableRow {
  /// How the steps of the exposure are counted: so many make one stop.
  public var exposureStep: Int8 = 0
  /// How many steps more than what was measured.
  public var exposureNumerator: Int8 = 0
  /// The exposure that was measured.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.int8("exposure_step", &exposureStep)
    try c.int8("exposure_numerator", &exposureNumerator)
  }
}

/// Pictures of a series of white balances.
public struct WhiteBalanceBracketingGroup: BoxTableRow {
  /// How far to amber, or to blue.
  public var blueAmber: UInt16 = 0
  /// How far to magenta, or to green.
  public var greenMagenta: Int8 = 0
  /// No compensation.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint16("blue_amber", &blueAmber)
    try c.int8("green_magenta", &greenMagenta)
  }
}

/// Pictures of a series of focus distances.
public struct FocusBracketingGroup: BoxTableRow {
  /// The distance in metres: its numerator.
  public var numerator: UInt16 = 0
  /// The distance in metres: its denominator; 0 for infinity.
  public var denominator: UInt16 = 0
  /// No distance.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint16("focus_distance_numerator", &numerator)
    try c.uint16("focus_distance_denominator", &denominator)
  }
}

/// Pictures of a series of flash exposures.
public struct FlashExposureBracketingGroup: BoxTableRow {
  /// The change in stops: its numerator.
  public var numerator: Int8 = 0
  /// The change in stops: its denominator.
  public var denominator: Int8 = 0
  /// No compensation.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.int8("flash_exposure_numerator", &numerator)
    try c.int8("flash_exposure_denominator", &denominator)
  }
}

/// Pictures of a series of apertures.
public struct DepthOfFieldBracketingGroup: BoxTableRow {
  /// The change of the aperture in stops: its numerator.
  public var numerator: Int8 = 0
  /// The change of the aperture in stops: its denominator.
  public var denominator: Int8 = 0
  /// No change.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.int8("f_stop_numerator", &numerator)
    try c.int8("f_stop_denominator", &denominator)
  }
}

/// Pictures of a panorama.
public struct PanoramaGroup: BoxTableRow {
  /// The place in the panorama.
  public var frameNumber: UInt16 = 0
  /// The first picture.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint16("frame_number", &frameNumber)
  }
}

/// Pictures of a track that look as an item or those of another track do.
public struct VisualEquivalenceGroup: BoxTableRow {
  /// How much later than the picture it is like, in the timescale of the media.
  public var timeOffset: Int16 = 0
  /// How far apart the like pictures are: 256 stands for their own times.
  public var timescaleMultiplier: UInt16 = 0
  /// At the same time.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.int16("time_offset", &timeOffset)
    try c.uint16("timescale_multiplier", &timescaleMultiplier)
  }
}

/// Which pictures of a sequence a picture is predicted from.
public struct DirectReferenceSamplesGroup: BoxTableRow {
  /// A number of the picture.
  public var sampleID: UInt32 = 0
  /// The numbers of the pictures that it is predicted from.
  public var references = BoxTable<UInt32>()
  /// A picture that needs no other.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint32("sample_id", &sampleID)
    var count = UInt8(clamping: references.count)
    try c.uint8("num_direct_reference_samples", &count)
    try c.table("direct_reference_sample_id", &references, count: count)
  }
}
