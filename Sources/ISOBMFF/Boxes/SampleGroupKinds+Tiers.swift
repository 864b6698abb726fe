import Bytes

/// Samples or NAL units of one tier of SVC, and at the first mention of the tier boxes that say what it is.
public struct ScalableGroup: BoxTableRow {
  /// The number of the group.
  public var groupID: UInt8 = 0
  /// The group that describes the tier; the group itself where the boxes are here.
  public var primaryGroupID: UInt8 = 0
  /// Whether decoding can start at this tier.
  public var isTierIDR = false
  /// Whether nothing is predicted from other layers.
  public var noInterLayerPredFlag = false
  /// Whether the base representation is what other pictures are predicted from.
  public var useRefBasePicFlag = false
  /// Whether the base representation is kept.
  public var storeBaseRepFlag = false
  /// Whether one can change to this temporal layer here.
  public var isTLSwitchingPoint = false
  /// How many samples after one can change to it; 0 says nothing.
  public var tlSwitchingDistance: UInt8 = 0
  /// The boxes, `tiri` first.
  public var boxes: [UInt8] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The group 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint8("groupID", &groupID)
    try c.uint8("primary_groupID", &primaryGroupID)
    try c.flag("is_tier_IDR", &isTierIDR)
    try c.flag("noInterLayerPredFlag", &noInterLayerPredFlag)
    try c.flag("useRefBasePicFlag", &useRefBasePicFlag)
    try c.flag("storeBaseRepFlag", &storeBaseRepFlag)
    try c.flag("is_tl_switching_point", &isTLSwitchingPoint)
    try c.reserved(&reserved, bits: 3)
    try c.uint8("tl_switching_distance", &tlSwitchingDistance)
    try c.boxes(inside: "scif", &boxes)
  }
}

/// Samples or NAL units of one tier of MVC, and at the first mention of the tier boxes that say what it is.
public struct MultiviewGroup: BoxTableRow {
  /// The number of the group.
  public var groupID: UInt8 = 0
  /// The group that describes the tier; the group itself where the boxes are here.
  public var primaryGroupID: UInt8 = 0
  /// Whether one can change to this temporal layer here.
  public var isTLSwitchingPoint = false
  /// How many samples after one can change to it; 0 says nothing.
  public var tlSwitchingDistance: UInt8 = 0
  /// The boxes, `vwid` first.
  public var boxes: [UInt8] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The group 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint8("groupID", &groupID)
    try c.uint8("primary_groupID", &primaryGroupID)
    try c.reserved(&reserved, bits: 4)
    try c.flag("is_tl_switching_point", &isTLSwitchingPoint)
    try c.reserved(&reserved, bits: 3)
    try c.uint8("tl_switching_distance", &tlSwitchingDistance)
    try c.boxes(inside: "mvif", &boxes)
  }
}

/// Samples whose views have the same priorities.
public struct ViewPriorityGroup: BoxTableRow {
  /// One box `vipr`.
  public var boxes: [UInt8] = []
  /// No box.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.boxes(inside: "vipr", &boxes)
  }
}

extension FieldCoder {
  /// The rest are boxes inside a sample group description of this kind: kept as bytes, and shown one by one.
  fileprivate mutating func boxes(inside kind: FourCC, _ boxes: inout [UInt8]) throws(BoxError) {
    guard hasMore(or: !boxes.isEmpty) else { return }
    guard isReading, let sink else { return try bytes("boxes", &boxes) }
    let start = reader.offset
    boxes = try reader.bytes("boxes", count: remaining)
    if sink.beginTable("boxes", count: 0, plain: false) { show(boxes[...], at: start, inside: kind, to: sink) }
    sink.endTable()
  }

  private func show(_ boxes: ArraySlice<UInt8>, at start: Int, inside kind: FourCC, to sink: any FieldSink) {
    var (at, index) = (0, 0)
    // Bytes that are no box end the list; the description shows them as well.
    while let header = BoxHeader(boxes[at...], at: start + at), header.declaredSize >= UInt64(header.headerSize),
      header.declaredSize <= UInt64(boxes.count - at)
    {
      sink.beginRow(index)
      sink.field("box_type", .code(header.type))
      sink.field("box_size", .unsigned(header.declaredSize))
      let end = at + Int(header.declaredSize)
      let context = BoxContext(parent: kind)
      if let type = BoxRegistry.core.definition(of: header.type, in: context)?.payload {
        let payload = boxes[(at + header.headerSize)..<end]
        do throws(BoxError) {
          _ = try type.show(payload, at: start + at + header.headerSize, context: context, to: BoxInRow(sink))
        } catch {}
      }
      sink.endRow()
      (at, index) = (end, index + 1)
    }
  }
}

/// Shows a box as a part of a row: its version and flags are fields like others.
private final class BoxInRow: FieldSink {
  private let sink: any FieldSink
  init(_ sink: any FieldSink) { self.sink = sink }

  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    sink.field("version", .unsigned(UInt64(header.version)))
    sink.field("flags", .flags(UInt64(header.flags), flags))
  }
  func field(_ name: StaticText, _ value: FieldValue) { sink.field(name, value) }
  func derived(_ name: StaticText, _ value: FieldValue) {}
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    sink.beginTable(name, count: count, plain: plain)
  }
  func beginRow(_ index: Int) { sink.beginRow(index) }
  func endRow() { sink.endRow() }
  func endTable() { sink.endTable() }
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {}
  func endDescriptor() {}
}
