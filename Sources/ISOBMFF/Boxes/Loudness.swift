import Bytes

/// The loudness of a track.
public struct LoudnessBaseBox: FullBoxPayload, Equatable {
  /// A measurement method and its result.
  public struct Measurement: BoxTableRow {
    /// What was measured, in the codes of ISO/IEC 23003-4: 1 program loudness, 2 anchor loudness, 3 maximum of a range
    /// …
    public var methodDefinition: UInt8 = 0
    /// The result, in the coding of the method.
    public var methodValue: UInt8 = 0
    /// The measurement standard: 2 ITU-R BS.1770-4, 3 the same with pre-processing, 4 user-defined ...
    public var measurementSystem: UInt8 = 0
    /// 0: unknown; 1: not verified; 2: an upper limit; 3: accurate.
    public var reliability: UInt8 = 0
    /// No measurement.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8(
        "method_definition", &methodDefinition,
        as: .named(
          """
          0 unknown; 1 program; 2 anchor; 3 maximum of range; 4 maximum momentary; 5 maximum short-term; 6 range; \
          7 mixing level; 8 room type; 9 short-term
          """
        ))
      try c.uint8("method_value", &methodValue)
      try c.bits(
        "measurement_system", &measurementSystem, 4,
        as: .named("0 unknown; 1 EBU R128; 2 BS.1770; 3 BS.1770 with preprocessing; 4 user; 5 expert or panel"))
      try c.bits(
        "reliability", &reliability, 4, as: .named("0 unknown; 1 unverified; 2 not to exceed ceiling; 3 measured"))
    }
  }
  /// The loudness for one playback configuration.
  public struct Loudness: BoxTableRow {
    /// The equalization set, from version 1 on.
    public var eqSetID: UInt8 = 0
    /// The downmix; 0 is none.
    public var downmixID: UInt8 = 0
    /// The dynamic range control set; 0 is none.
    public var drcSetID: UInt8 = 0
    /// The sample peak: 20 - value / 32 dBFS; 0 if unknown.
    public var bsSamplePeakLevel: UInt16 = 0
    /// The true peak: 20 - value / 32 dBTP; 0 if unknown.
    public var bsTruePeakLevel: UInt16 = 0
    /// The measurement standard of the true peak.
    public var measurementSystemForTP: UInt8 = 0
    /// The reliability of the true peak.
    public var reliabilityForTP: UInt8 = 0
    /// The measurements.
    public var measurements = BoxTable<Measurement>()
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// No measurement.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape version: UInt32) throws(BoxError) {
      if version != 0 {
        try c.reserved(&reserved, bits: 2)
        try c.bits("EQ_set_ID", &eqSetID, 6)
      }
      try c.reserved(&reserved, bits: 3)
      try c.bits("downmix_ID", &downmixID, 7)
      try c.bits("DRC_set_ID", &drcSetID, 6)
      try c.bits("bs_sample_peak_level", &bsSamplePeakLevel, 12)
      try c.bits("bs_true_peak_level", &bsTruePeakLevel, 12)
      try c.bits(
        "measurement_system_for_TP", &measurementSystemForTP, 4,
        as: .named("0 unknown; 1 EBU R128; 2 BS.1770; 3 BS.1770 with preprocessing; 4 user; 5 expert or panel"))
      try c.bits(
        "reliability_for_TP", &reliabilityForTP, 4,
        as: .named("0 unknown; 1 unverified; 2 not to exceed ceiling; 3 measured"))
      var count = UInt8(clamping: measurements.count)
      try c.uint8("measurement_count", &count)
      try c.table("measurements", &measurements, count: count)
    }
  }
  public static let info = BoxInfo("tlou", "Track Loudness Info", in: ["ludt"], "ISO/IEC 14496-12:2022, 12.2.7")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The same fields for the album of the track.
  static let album = BoxInfo("alou", "Album Loudness Info", in: ["ludt"], info.clause)
  /// The playback configurations; exactly one in version 0.
  public var loudness = [Loudness()]
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No measurement.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: loudness.count)
    if version == 0 {
      count = 1
    } else {
      try c.reserved(&reserved, bits: 2)
      try c.bits("loudness_base_count", &count, 6)
    }
    try c.rows("loudness", &loudness, count: count, shape: UInt32(version))
  }
}

/// The sampling rate of audio, if it does not fit in the sample entry.
public struct SamplingRateBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "srat", "Sampling Rate Box", in: SampleEntries.audioTypes, "ISO/IEC 14496-12:2022, 12.2.3")
  public var header = FullBoxHeader()
  /// Samples per second.
  public var samplingRate: UInt32 = 0
  /// An unknown rate.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("sampling_rate", &samplingRate)
  }
}
