import MP4Bytes

/// Samples after which decoding is correct again after some more samples, or which require some earlier samples.
public struct RollRecoveryGroup: BoxPayload {
  public static let info = BoxInfo("roll", "Roll Recovery Group", in: ["sgpd"], "ISO/IEC 14496-12:2022, 10.1")
  /// The same fields for audio pre-roll.
  static let preRoll = BoxInfo("prol", "Audio Preroll Group", in: ["sgpd"], "ISO/IEC 14496-12:2022, 10.1")
  /// The number of samples after this one or, if negative, before it.
  public var rollDistance: Int16 = 0
  /// No distance.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int16("roll_distance", &rollDistance)
  }
}
