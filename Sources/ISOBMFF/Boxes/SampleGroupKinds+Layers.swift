/// Which group each NAL unit of a sample belongs to.
public struct NALUMapGroup: BoxTableRow {
  /// The group of a NAL unit, or of several from it on.
  public struct Entry: BoxTableRow {
    /// The first NAL unit, counted from 1; only with `rle`.
    public var startNumber: UInt16 = 0
    /// The group.
    public var groupID: UInt16 = 0
    /// Group 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape flags: UInt32) throws(BoxError) {
      if c.includes(flags & 1 != 0) {
        if flags & 2 != 0 {
          try c.uint16("NALU_start_number", &startNumber)
        } else {
          try c.narrow("NALU_start_number", &startNumber, as: UInt8.self)
        }
      }
      try c.uint16("groupID", &groupID)
    }
  }
  /// Whether counts and numbers have 16 bits.
  public var largeSize: Bool = false
  /// Whether an entry stands for all NAL units up to that of the next one.
  public var rle: Bool = false
  /// The NAL units.
  public var entries = BoxTable<Entry>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No NAL units.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.reserved(&reserved, bits: 6)
    try c.flag("large_size", &largeSize)
    try c.flag("rle", &rle)
    var count = UInt16(clamping: entries.count)
    if largeSize {
      try c.uint16("entry_count", &count)
    } else {
      try c.narrow("entry_count", &count, as: UInt8.self)
    }
    try c.table("entries", &entries, count: count, shape: (largeSize ? 2 : 0) | (rle ? 1 : 0))
  }
}

/// The layers of L-HEVC or VVC that a track has.
public struct LayerInformationGroup: BoxTableRow {
  /// One layer.
  public struct Layer: BoxTableRow {
    /// Whether the layer has only pictures at which decoding can start, or soon can be right.
    public var isRandomAccessOnly = false
    /// Whether all samples of the layer are in the track.
    public var isComplete = false
    /// The layer.
    public var layerID: UInt8 = 0
    /// The lowest temporal layer of it that is there.
    public var minTemporalID: UInt8 = 0
    /// The highest temporal layer of it that is there.
    public var maxTemporalID: UInt8 = 0
    /// A bit for each temporal layer that is there.
    public var subLayerPresenceFlags: UInt8 = 0
    /// What is in the reserved fields.
    public var reserved = ReservedBits()
    /// The layer 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.reserved(&reserved, bits: 2)
      try c.flag("irap_gdr_pics_in_layer_only_flag", &isRandomAccessOnly)
      try c.flag("completeness_flag", &isComplete)
      try c.bits("layer_id", &layerID, 6)
      try c.bits("min_TemporalId", &minTemporalID, 3)
      try c.bits("max_TemporalId", &maxTemporalID, 3)
      try c.reserved(&reserved, bits: 1)
      try c.bits("sub_layer_presence_flags", &subLayerPresenceFlags, 7, as: .hexadecimal)
    }
  }
  /// The layers.
  public var layers: [Layer] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No layer.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var count = UInt8(clamping: layers.count)
    try c.reserved(&reserved, bits: 2)
    try c.bits("num_layers_in_track", &count, 6)
    try c.rows("layers", &layers, count: count)
  }
}

/// A sequence of pictures of AVC that can be left out as a whole.
public struct AVCSubSequenceGroup: BoxTableRow {
  /// A sequence that it needs.
  public struct Dependency: BoxTableRow {
    /// 0: the one before in time; 1: the one after.
    public var subSeqDirectionFlag: UInt8 = 0
    /// Its layer.
    public var layerNumber: UInt8 = 0
    /// Its number.
    public var subSequenceIdentifier: UInt16 = 0
    /// The sequence 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("subSeqDirectionFlag", &subSeqDirectionFlag)
      try c.uint8("layerNumber", &layerNumber)
      try c.uint16("subSequenceIdentifier", &subSequenceIdentifier)
    }
  }
  /// Its number.
  public var subSequenceIdentifier: UInt16 = 0
  /// Its layer.
  public var layerNumber: UInt8 = 0
  /// Whether the duration is there.
  public var durationFlag: Bool = false
  /// Whether the rates are there.
  public var avgRateFlag: Bool = false
  /// How long it lasts, in the timescale of the media.
  public var duration: UInt32 = 0
  /// Whether the rates are exact.
  public var accurateStatisticsFlag = false
  /// The average rate in kbit a second.
  public var avgBitRate: UInt16 = 0
  /// Pictures in 256 seconds.
  public var avgFrameRate: UInt16 = 0
  /// The sequences that it needs.
  public var references = BoxTable<Dependency>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The sequence 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint16("subSequenceIdentifier", &subSequenceIdentifier)
    try c.uint8("layerNumber", &layerNumber)
    try c.flag("durationFlag", &durationFlag)
    try c.flag("avgRateFlag", &avgRateFlag)
    try c.reserved(&reserved, bits: 6)
    if c.includes(durationFlag) { try c.uint32("duration", &duration) }
    if c.includes(avgRateFlag) {
      try c.reserved(&reserved, bits: 7)
      try c.flag("accurateStatisticsFlag", &accurateStatisticsFlag)
      try c.uint16("avgBitRate", &avgBitRate)
      try c.uint16("avgFrameRate", &avgFrameRate)
    }
    var count = UInt8(clamping: references.count)
    try c.uint8("numReferences", &count)
    try c.table("references", &references, count: count)
  }
}
