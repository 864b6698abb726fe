import Bytes

/// When a fragment of Smooth Streaming is presented.
public struct SmoothFragmentTimeBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "TfxdBox", in: ["traf"], "MS-SSTR, 2.2.4.4",
    userType: UserType([
      0x6d, 0x1d, 0x9b, 0x05, 0x42, 0xd5, 0x44, 0xe6, 0x80, 0xe2, 0x14, 0x1d, 0xaf, 0xf7, 0x57, 0xb2,
    ]))
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader(version: 1)
  /// In the timescale of the track.
  public var time = SmoothFragmentTime()
  /// At the start.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try time.fields(&c, shape: UInt32(version))
  }
}

/// When the fragments are presented that come after one of Smooth Streaming.
public struct SmoothFragmentReferenceBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "TfrfBox", in: ["traf"], "MS-SSTR, 2.2.4.5",
    userType: UserType([
      0xd4, 0x80, 0x7e, 0xf2, 0xca, 0x39, 0x46, 0x95, 0x8e, 0x54, 0x26, 0xcb, 0x9e, 0x46, 0xa7, 0x9f,
    ]))
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader(version: 1)
  /// In the timescale of the track.
  public var fragments = BoxTable<SmoothFragmentTime>()
  /// No fragments.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: fragments.count)
    try c.uint8("fragment_count", &count)
    try c.table("fragments", &fragments, count: count, shape: UInt32(version))
  }
}

/// When a fragment is presented, and for how long.
public struct SmoothFragmentTime: BoxTableRow {
  /// When it starts.
  public var absoluteTime: UInt64 = 0
  /// How long it is.
  public var duration: UInt64 = 0
  /// Nothing at the start.
  public init() {}
  public mutating func fields(_ c: inout FieldCoder, shape version: UInt32) throws(BoxError) {
    try c.uint("fragment_absolute_time", &absoluteTime, wide: version == 1)
    try c.uint("fragment_duration", &duration, wide: version == 1)
  }
}
