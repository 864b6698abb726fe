import MP4Bytes

/// A transformation of the picture: the rows of a 3 by 3 matrix as a, b, u, c, d, v, x, y, w.
///
/// a, b, c, d, x and y have 16 fractional bits; u, v and w have 30.
public struct Matrix: Hashable, Sendable {
  /// The nine numbers.
  public var values: [Int32]
  /// The identity matrix.
  public static let identity = Matrix([0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000])
  /// A matrix of nine numbers.
  public init(_ values: [Int32]) {
    precondition(values.count == 9, "a matrix has nine numbers")
    self.values = values
  }
}

extension FieldCoder {
  /// A transformation matrix, ISO/IEC 14496-12:2022, 8.2.2.
  mutating func matrix(_ value: inout Matrix) throws(BoxError) {
    try int32("matrix_a", &value.values[0], as: .fixed(16))
    try int32("matrix_b", &value.values[1], as: .fixed(16))
    try int32("matrix_u", &value.values[2], as: .fixed(30))
    try int32("matrix_c", &value.values[3], as: .fixed(16))
    try int32("matrix_d", &value.values[4], as: .fixed(16))
    try int32("matrix_v", &value.values[5], as: .fixed(30))
    try int32("matrix_x", &value.values[6], as: .fixed(16))
    try int32("matrix_y", &value.values[7], as: .fixed(16))
    try int32("matrix_w", &value.values[8], as: .fixed(30))
    rotation(value)
  }
}

/// The properties of the presentation as a whole.
public struct MovieHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mvhd", "Movie Header Box", in: ["moov"], "ISO/IEC 14496-12:2022, 8.2.2")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// Seconds since 1904-01-01 00:00 UTC.
  public var creationTime: UInt64 = 0
  /// Seconds since 1904-01-01 00:00 UTC.
  public var modificationTime: UInt64 = 0
  /// The time units per second of the presentation's durations.
  public var timescale: UInt32 = 1000
  /// The duration of the longest track, in units of `timescale`; all ones if unknown.
  public var duration: UInt64 = 0
  /// The preferred speed, 16.16.
  public var rate: Int32 = 0x1_0000
  /// The preferred volume, 8.8.
  public var volume: Int16 = 0x100
  /// The transformation of the pictures for display.
  public var matrix = Matrix.identity
  /// A track ID larger than any in use.
  public var nextTrackID: UInt32 = 1
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// An empty presentation with a timescale of 1000.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    let wide = version == 1
    try c.uint("creation_time", &creationTime, wide: wide, as: .date)
    try c.uint("modification_time", &modificationTime, wide: wide, as: .date)
    try c.uint32("timescale", &timescale)
    try c.uint("duration", &duration, wide: wide)
    try c.int32("rate", &rate, as: .fixed(16))
    try c.int16("volume", &volume, as: .fixed(8))
    try c.reserved(&reserved, bytes: 10)
    try c.matrix(&matrix)
    try c.reserved(&reserved, bytes: 24)
    try c.uint32("next_track_ID", &nextTrackID)
  }
}
