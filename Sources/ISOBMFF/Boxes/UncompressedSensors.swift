import Bytes

/// Which component each pixel of a sensor with a colour filter takes.
public struct ComponentPatternDefinitionBox: FullBoxPayload, Equatable {
  /// A pixel of the pattern.
  public struct Pixel: BoxTableRow {
    /// Which entry of `cmpd` it is.
    public var componentIndex: UInt32 = 0
    /// By what its values are to be multiplied.
    public var componentGain: Float = 1
    /// The first component.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("component_index", &componentIndex)
      try c.float32("component_gain", &componentGain)
    }
  }
  public static let info = BoxInfo(
    "cpat", "Component Pattern Definition Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1.3")
  public var header = FullBoxHeader()
  /// The width of the pattern.
  public var patternWidth: UInt16 = 0
  /// The height of the pattern.
  public var patternHeight: UInt16 = 0
  /// The pattern, row by row.
  public var pixels = BoxTable<Pixel>()
  /// No pattern.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("pattern_width", &patternWidth)
    try c.uint16("pattern_height", &patternHeight)
    try c.table("pattern", &pixels, count: Int(patternWidth) * Int(patternHeight))
  }
}

/// How each pixel of a sensor is polarized.
public struct PolarizationPatternDefinitionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "splz", "Polarization Pattern Definition Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1.5")
  public var header = FullBoxHeader()
  /// The components that it holds for; all of them when there are none.
  public var componentIndices = BoxTable<UInt32>()
  /// The width of the pattern.
  public var patternWidth: UInt16 = 0
  /// The height of the pattern.
  public var patternHeight: UInt16 = 0
  /// Angles in degrees, row by row; not a number for a pixel without a filter.
  public var polarizationAngles = BoxTable<Float>()
  /// No pattern.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("component_index", &componentIndices, counted: "component_count")
    try c.uint16("pattern_width", &patternWidth)
    try c.uint16("pattern_height", &patternHeight)
    try c.table("polarization_angle", &polarizationAngles, count: Int(patternWidth) * Int(patternHeight))
  }
}

/// Which pixels of a sensor are broken.
public struct SensorBadPixelsMapBox: FullBoxPayload, Equatable {
  /// A broken pixel.
  public struct Pixel: BoxTableRow {
    /// Its row.
    public var row: UInt32 = 0
    /// Its column.
    public var column: UInt32 = 0
    /// The first pixel.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("bad_pixel_row", &row)
      try c.uint32("bad_pixel_column", &column)
    }
  }
  public static let info = BoxInfo(
    "sbpm", "Sensor Bad Pixels Map Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1.7")
  public var header = FullBoxHeader()
  /// The components that it holds for; all of them when there are none.
  public var componentIndices = BoxTable<UInt32>()
  /// Whether the pictures are corrected already.
  public var correctionApplied = false
  /// Rows that are broken as a whole.
  public var badRows = BoxTable<UInt32>()
  /// Columns that are broken as a whole.
  public var badColumns = BoxTable<UInt32>()
  /// Broken pixels.
  public var badPixels = BoxTable<Pixel>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Nothing is broken.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("component_index", &componentIndices, counted: "component_count")
    try c.flag("correction_applied", &correctionApplied)
    try c.reserved(&reserved, bits: 7)
    var rows = UInt32(clamping: badRows.count)
    var columns = UInt32(clamping: badColumns.count)
    var pixels = UInt32(clamping: badPixels.count)
    try c.uint32("num_bad_rows", &rows)
    try c.uint32("num_bad_cols", &columns)
    try c.uint32("num_bad_pixels", &pixels)
    try c.table("bad_row", &badRows, count: rows)
    try c.table("bad_column", &badColumns, count: columns)
    try c.table("bad_pixels", &badPixels, count: pixels)
  }
}

/// How the pixels of a sensor differ from each other.
public struct SensorNonUniformityCorrectionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "snuc", "Sensor Non-Uniformity Correction Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1.6")
  public var header = FullBoxHeader()
  /// The components that it holds for; all of them when there are none.
  public var componentIndices = BoxTable<UInt32>()
  /// Whether the pictures are corrected already.
  public var isApplied = false
  /// The width of the sensor.
  public var imageWidth: UInt32 = 0
  /// The height of the sensor.
  public var imageHeight: UInt32 = 0
  /// By what each pixel is multiplied, row by row.
  public var gains = BoxTable<Float>()
  /// What is added to each pixel, row by row.
  public var offsets = BoxTable<Float>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No sensor.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("component_index", &componentIndices, counted: "component_count")
    try c.flag("nuc_is_applied", &isApplied)
    try c.reserved(&reserved, bits: 7)
    try c.uint32("image_width", &imageWidth)
    try c.uint32("image_height", &imageHeight)
    let count = UInt64(imageWidth) * UInt64(imageHeight)
    try c.table("nuc_gain", &gains, count: count)
    try c.table("nuc_offset", &offsets, count: count)
  }
}

/// Where the colour of subsampled pictures lies.
public struct ChromaSampleLocationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "cloc", "Chroma Location Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1.4")
  public var header = FullBoxHeader()
  /// 0 to 5 as in ISO/IEC 23091-2, 6 for the colours of DV.
  public var chromaLocation: UInt8 = 0
  /// Between the rows.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("chroma_location", &chromaLocation)
  }
}

/// How good the clock was that timed pictures.
public struct TAIClockInfoBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "taic", "TAI Clock Info Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024/Amd 1, 8.1.2")
  public var header = FullBoxHeader()
  /// In nanoseconds; all ones when not known.
  public var timeUncertainty: UInt64 = .max
  /// In nanoseconds.
  public var clockResolution: UInt32 = 0
  /// In picoseconds a second; 0x7fffffff when not known.
  public var clockDriftRate: Int32 = .max
  /// 0: not known; 1: not synchronized; 2: synchronized to TAI.
  public var clockType: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Nothing is known.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint64("time_uncertainty", &timeUncertainty)
    try c.uint32("clock_resolution", &clockResolution)
    try c.int32("clock_drift_rate", &clockDriftRate)
    try c.bits("clock_type", &clockType, 2)
    try c.reserved(&reserved, bits: 6)
  }
}

/// When a picture was taken.
public struct TAITimestampBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("itai", "TAI Timestamp", in: ["ipco"], "ISO/IEC 23001-17:2024/Amd 1, 8.2.2")
  public var header = FullBoxHeader()
  /// In nanoseconds since the start of 1958, TAI.
  public var timestamp: UInt64 = 0
  /// Whether the clock was synchronized.
  public var synchronizationState = false
  /// Whether no time could be taken.
  public var generationFailure = false
  /// Whether the time was changed later.
  public var isModified = false
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The start of 1958.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint64("TAI_timestamp", &timestamp)
    try c.flag("synchronization_state", &synchronizationState)
    try c.flag("timestamp_generation_failure", &generationFailure)
    try c.flag("timestamp_is_modified", &isModified)
    try c.reserved(&reserved, bits: 5)
  }
}
