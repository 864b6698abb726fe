import Bytes

/// The MVC views of a track or tier, and their dependencies.
public struct ViewIdentifierBox: FullBoxPayload, Equatable {
  /// One view.
  public struct View: BoxTableRow {
    /// A view that it is predicted from.
    public struct Reference: BoxTableRow {
      /// Which parts are predicted.
      public var dependentComponent: UInt8 = 0
      /// The view.
      public var viewID: UInt16 = 0
      /// What is in the reserved fields.
      public var reserved = ReservedBits()
      /// The view 0.
      public init() {}
      public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
        try c.reserved(&reserved, bits: 4)
        try c.bits("dependent_component_idc", &dependentComponent, 2, as: .named("0 texture; 1 depth; 2 both"))
        try c.bits("ref_view_id", &viewID, 10)
      }
    }
    /// The number of the view.
    public var viewID: UInt16 = 0
    /// Its place in the order of decoding.
    public var viewOrderIndex: UInt16 = 0
    /// Whether its pictures are in the stream.
    public var textureInStream: Bool = false
    /// Whether its pictures are in the track.
    public var textureInTrack: Bool = false
    /// Whether its depth is in the stream.
    public var depthInStream: Bool = false
    /// Whether its depth is in the track.
    public var depthInTrack: Bool = false
    /// Whether the view is a base view.
    public var baseViewType: UInt8 = 0
    /// The views that it is predicted from.
    public var references = BoxTable<Reference>()
    /// What is in the reserved fields.
    public var reserved = ReservedBits()
    /// The view 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.reserved(&reserved, bits: 6)
      try c.bits("view_id", &viewID, 10)
      try c.reserved(&reserved, bits: 6)
      try c.bits("view_order_index", &viewOrderIndex, 10)
      try c.flag("texture_in_stream", &textureInStream)
      try c.flag("texture_in_track", &textureInTrack)
      try c.flag("depth_in_stream", &depthInStream)
      try c.flag("depth_in_track", &depthInTrack)
      try c.bits("base_view_type", &baseViewType, 2)
      var count = UInt16(clamping: references.count)
      try c.bits("num_ref_views", &count, 10)
      try c.table("references", &references, count: count)
    }
  }
  public static let info = BoxInfo(
    "vwid", "View Identifier Box",
    in: ["mvif"] + SampleEntries.avc + SampleEntries.mvc + SampleEntries.mvd + SampleEntries.avc3D,
    "ISO/IEC 14496-15:2022, 7")
  public var header = FullBoxHeader()
  /// The lowest temporal layer.
  public var minTemporalID: UInt8 = 0
  /// The highest temporal layer.
  public var maxTemporalID: UInt8 = 0
  /// The views.
  public var views: [View] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No views.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 2)
    try c.bits("min_temporal_id", &minTemporalID, 3)
    try c.bits("max_temporal_id", &maxTemporalID, 3)
    var count = UInt16(clamping: views.count)
    try c.uint16("num_views", &count)
    try c.rows("views", &views, count: count)
  }
}

/// How much views of MVC matter.
public struct ViewPriorityBox: BoxPayload, Equatable {
  /// One view.
  public struct View: BoxTableRow {
    /// The view.
    public var viewID: UInt16 = 0
    /// Its priority.
    public var contentPriorityID: UInt32 = 0
    /// What is in the reserved fields.
    public var reserved = ReservedBits()
    /// The view 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.reserved(&reserved, bits: 6)
      try c.bits("view_id", &viewID, 10)
      try c.uint32("content_priority_id", &contentPriorityID)
    }
  }
  /// In a tier, or in the sample group of the same name.
  public static let info = BoxInfo("vipr", "View Priority Box", in: ["mvif", "vipr"], "ISO/IEC 14496-15:2022, 7")
  /// The views.
  public var views = BoxTable<View>()
  /// No views.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.tableToEnd("views", &views) }
}
