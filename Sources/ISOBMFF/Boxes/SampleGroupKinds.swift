import Bytes

/// What the bytes of a sample group description say, for the kinds that are known.
enum SampleGroupKinds {
  /// The declaration of a description of this kind, or `nil` for an unknown one.
  static func description(of groupingType: FourCC) -> (any BoxTableRow.Type)? {
    switch groupingType {
    case "roll", "prol": RollRecoveryGroup.self
    case "rap ": RandomAccessPointGroup.self
    case "tele": TemporalLevelGroup.self
    case "alst": AlternativeStartupGroup.self
    case "sap ": StreamAccessPointGroup.self
    case "rash": RateShareGroup.self
    case "seig": EncryptionInformationGroup.self
    case "sync": SyncSampleGroup.self
    case "tscl": TemporalLayerGroup.self
    case "avll": AVCLayerGroup.self
    case "dtrt": DecodeRetimingGroup.self
    case "trif": RectangularRegionGroup.self
    case "nalm": NALUMapGroup.self
    case "avss": AVCSubSequenceGroup.self
    case "linf": LayerInformationGroup.self
    case "oinf": OperatingPointsGroup.self
    case "vopi": VVCOperatingPointsGroup.self
    case "scif": ScalableGroup.self
    case "mvif": MultiviewGroup.self
    case "vipr": ViewPriorityGroup.self
    case "scnm": ScalableNALUMapGroup.self
    case "lbli": ExternalBaseLayerGroup.self
    case "opth": OperatingPointDecodeTimeGroup.self
    default: other(groupingType)
    }
  }

  private static func other(_ groupingType: FourCC) -> (any BoxTableRow.Type)? {
    switch groupingType {
    case "drap": DependentRandomAccessGroup.self
    case "pasr": PixelAspectRatioGroup.self
    case "casg": CleanApertureGroup.self
    case "stmi": SampleToMetadataItemGroup.self
    case "aebr": AutoExposureBracketingGroup.self
    case "wbbr": WhiteBalanceBracketingGroup.self
    case "fobr": FocusBracketingGroup.self
    case "afbr": FlashExposureBracketingGroup.self
    case "dobr": DepthOfFieldBracketingGroup.self
    case "pano": PanoramaGroup.self
    case "eqiv": VisualEquivalenceGroup.self
    case "refs": DirectReferenceSamplesGroup.self
    case "aud ": AccessUnitDelimiterGroup.self
    case "eob ": EndOfBitstreamGroup.self
    case "eos ": EndOfSequenceGroup.self
    case "pase": ParameterSetGroup.self
    case "pss1": ParameterSetPresenceGroup.self
    case "dcfi": DecodingCapabilityGroup.self
    case "spli": SubpictureLevelGroup.self
    case "spid": SubpictureIDGroup.self
    case "spor": SubpictureOrderGroup.self
    case "rror": RectangularRegionOrderGroup.self
    case "sulm": SubpictureLayoutMapGroup.self
    case "minp": MixedNALUnitTypesGroup.self
    case "av1f": AV1ForwardKeyFrameGroup.self
    case "av1M": AV1MetadataGroup.self
    default: nil
    }
  }
}

extension FieldCoder {
  /// Shows what bytes that were just read say as a sample group description of this kind.
  mutating func showGroup(_ bytes: [UInt8], kind: FourCC) {
    guard isReading, let sink, let type = SampleGroupKinds.description(of: kind) else { return }
    let slice = bytes[...]
    var inner = FieldCoder(reading: slice, base: reader.offset - bytes.count, context: context, sink: sink)
    var description = type.init()
    // Damage shows in the fields that are missing; the bytes themselves are shown as well.
    do throws(BoxError) { try description.fields(&inner, shape: 0) } catch {}
  }
}

/// Samples from which a decoder is right again after some more, or needs some before.
public struct RollRecoveryGroup: BoxTableRow {
  /// How many samples later, or when negative how many before.
  public var rollDistance: Int16 = 0
  /// No distance.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.int16("roll_distance", &rollDistance)
  }
}

/// Pictures at which decoding can start though some that follow cannot be shown.
public struct RandomAccessPointGroup: BoxTableRow {
  /// Whether the number is known.
  public var numLeadingSamplesKnown: Bool = false
  /// How many samples that follow come before it in time.
  public var numLeadingSamples: UInt8 = 0
  /// None is known.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.flag("num_leading_samples_known", &numLeadingSamplesKnown)
    try c.bits("num_leading_samples", &numLeadingSamples, 7)
  }
}

/// Samples of one temporal level.
public struct TemporalLevelGroup: BoxTableRow {
  /// Whether the level needs no other but those below.
  public var levelIndependentlyDecodable: Bool = false
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Not known to be decodable alone.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.flag("level_independently_decodable", &levelIndependentlyDecodable)
    try c.reserved(&reserved, bits: 7)
  }
}

/// Sync samples with one kind of picture.
public struct SyncSampleGroup: BoxTableRow {
  /// The type of the NAL units of the picture.
  public var nalUnitType: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No kind.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.reserved(&reserved, bits: 2)
    try c.bits("NAL_unit_type", &nalUnitType, 6, as: .named(.hevcNALUnitTypes))
  }
}

/// Samples at which decoding can start.
public struct StreamAccessPointGroup: BoxTableRow {
  /// Whether layers that this one needs have to start here as well.
  public var dependentFlag: Bool = false
  /// 1 to 6, as Annex I has it.
  public var sapType: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Not known.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.flag("dependent_flag", &dependentFlag)
    try c.reserved(&reserved, bits: 3)
    try c.bits("SAP_type", &sapType, 4, as: .named(.sapTypes))
  }
}

/// Samples that can be left out at a start so that the rest is presented earlier.
public struct AlternativeStartupGroup: BoxTableRow {
  /// How many samples are put out.
  public struct Rate: BoxTableRow {
    /// So many of them are put out ...
    public var numOutputSamples: UInt16 = 0
    /// ... of so many.
    public var numTotalSamples: UInt16 = 0
    /// None.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("num_output_samples", &numOutputSamples)
      try c.uint16("num_total_samples", &numTotalSamples)
    }
  }
  /// When each is decoded, in the timescale of the media.
  public var sampleOffsets = BoxTable<UInt32>()
  /// How fast they come.
  public var rates = BoxTable<Rate>()
  /// The first that is put out, counted from 1.
  public var firstOutputSample: UInt16 = 0
  /// No samples.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var count = UInt16(clamping: sampleOffsets.count)
    try c.uint16("roll_count", &count)
    try c.uint16("first_output_sample", &firstOutputSample)
    try c.table("sample_offset", &sampleOffsets, count: count)
    try c.tableToEnd("rates", &rates)
  }
}

/// How tracks share a rate that is too small for all of them.
public struct RateShareGroup: BoxTableRow {
  /// The shares at one rate.
  public struct OperationPoint: BoxTableRow {
    /// The rate of all tracks in kbit a second; only where there are several.
    public var availableBitrate: UInt32 = 0
    /// The share of the track in percent.
    public var targetRateShare: UInt16 = 0
    /// Nothing.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape count: UInt32) throws(BoxError) {
      if c.includes(count > 1) { try c.uint32("available_bitrate", &availableBitrate) }
      try c.uint16("target_rate_share", &targetRateShare)
    }
  }
  /// The rates.
  public var points: [OperationPoint] = []
  /// More than this does not help, in kbit a second.
  public var maximumBitrate: UInt32 = 0
  /// Less than this is not enough, in kbit a second.
  public var minimumBitrate: UInt32 = 0
  /// Tracks with a higher one are left out first.
  public var discardPriority: UInt8 = 0
  /// No share.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var count = UInt16(clamping: points.count)
    try c.uint16("operation_point_count", &count)
    try c.rows("operation_points", &points, count: count, shape: UInt32(count))
    try c.uint32("maximum_bitrate", &maximumBitrate)
    try c.uint32("minimum_bitrate", &minimumBitrate)
    try c.uint8("discard_priority", &discardPriority)
  }
}
