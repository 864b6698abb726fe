import MP4Bytes

/// The fields that the configurations of SVC and MVC have in common.
public struct LayeredAVCConfiguration: Equatable, Sendable {
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The profile, as in the sequence parameter sets.
  public var avcProfileIndication: UInt8
  /// The byte with the constraint flags, as in the sequence parameter sets.
  public var profileCompatibility: UInt8 = 0
  /// Ten times the level, as in the sequence parameter sets.
  public var avcLevelIndication: UInt8 = 10
  /// Whether this track and the tracks it refers to contain the whole stream.
  public var isComplete = true
  /// The number of bytes of the NAL unit lengths in samples, minus 1.
  public var lengthSizeMinusOne: UInt8 = 3
  /// The sequence parameter sets, including subset sequence parameter sets.
  public var sequenceParameterSets: [AVCConfigurationBox.ParameterSet] = []
  /// The picture parameter sets.
  public var pictureParameterSets: [AVCConfigurationBox.ParameterSet] = []

  /// The fields before the bits that differ between SVC and MVC.
  fileprivate mutating func firstFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    try c.uint8("AVCProfileIndication", &avcProfileIndication, as: .named(.avcProfiles))
    try c.uint8("profile_compatibility", &profileCompatibility, as: .flags(.avcConstraints))
    try c.uint8("AVCLevelIndication", &avcLevelIndication, as: .named(.avcLevels))
    try c.flag("complete_representation", &isComplete)
  }

  /// The fields after those bits.
  fileprivate mutating func lastFields(_ c: inout FieldCoder, _ reserved: inout ReservedBits) throws(BoxError) {
    try c.bits("lengthSizeMinusOne", &lengthSizeMinusOne, 2)
    try c.reserved(&reserved, bits: 1)
    var count = UInt8(clamping: min(sequenceParameterSets.count, 127))
    try c.bits("numOfSequenceParameterSets", &count, 7)
    try c.rows("sequenceParameterSets", &sequenceParameterSets, count: count, shape: 7)
    count = UInt8(clamping: pictureParameterSets.count)
    try c.uint8("numOfPictureParameterSets", &count)
    try c.rows("pictureParameterSets", &pictureParameterSets, count: count, shape: 8)
  }
}

/// The decoder configuration of the SVC layers above the base layer.
public struct SVCConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "svcC", "SVC Configuration Box", in: SampleEntries.avc + SampleEntries.svc + ["encv"],
    "ISO/IEC 14496-15:2022, 6.4.2")
  /// The profile and the parameter sets.
  public var configuration = LayeredAVCConfiguration(avcProfileIndication: 83)
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No parameter sets.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try configuration.firstFields(&c)
    try c.reserved(&reserved, bits: 5, ones: true)
    try configuration.lastFields(&c, &reserved)
  }
}

/// The decoder configuration of the MVC views other than the base view.
public struct MVCConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "mvcC", "MVC Configuration Box", in: SampleEntries.avc + SampleEntries.mvc + ["encv"],
    "ISO/IEC 14496-15:2022, 7.5.2")
  /// The profile and the parameter sets.
  public var configuration = LayeredAVCConfiguration(avcProfileIndication: 118)
  /// Whether the samples of tracks are concatenated without examining NAL units.
  public var isExplicitAUTrack: Bool = false
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No parameter sets.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try configuration.firstFields(&c)
    try c.flag("explicit_au_track", &isExplicitAUTrack)
    try c.reserved(&reserved, bits: 4, ones: true)
    try configuration.lastFields(&c, &reserved)
  }
}

/// The decoder configuration of MVC views with depth.
public struct MVCDConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "mvdC", "MVCD Configuration Box", in: SampleEntries.avc + SampleEntries.mvc + SampleEntries.mvd,
    "ISO/IEC 14496-15:2022, 7")
  /// The same fields for 3D-AVC, in another box.
  static let avc3D = BoxInfo(
    "a3dC", "A3D Configuration Box",
    in: SampleEntries.avc + SampleEntries.mvc + SampleEntries.mvd + SampleEntries.avc3D, "ISO/IEC 14496-15:2022, 7")
  public static let holdsBoxes = true
  /// The profile and the parameter sets, as in MVC.
  public var mvc = MVCConfigurationBox()
  /// No parameter sets.
  public init() { mvc.configuration.avcProfileIndication = 138 }

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try mvc.fields(&c)
    c.boxes()
  }
}

extension AVCConfigurationBox {
  /// The enhancement layer of Dolby Vision in the same track.
  static let enhancement = BoxInfo(
    "avcE", "Enhancement Layer AVC Configuration Box", in: ["avc1", "avc3", "dva1", "dvav"],
    "Dolby Vision in ISOBMFF 2.4, 3.4")
}

extension HEVCConfigurationBox {
  /// The enhancement layer of Dolby Vision in the same track.
  static let enhancement = BoxInfo(
    "hvcE", "Enhancement Layer HEVC Configuration Box", in: ["hvc1", "hev1", "dvh1", "dvhe"],
    "Dolby Vision in ISOBMFF 2.4, 3.4")
}
