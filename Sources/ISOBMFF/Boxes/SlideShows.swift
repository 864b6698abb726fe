import Bytes

/// How a picture of a slide show follows another: by fading in, or by being wiped or split.
public struct TransitionEffectProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("fade", "Fade Transition Effect", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  /// The same fields in another box.
  static let wipe = BoxInfo("wipe", "Wipe Transition Effect", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  /// The same fields in another box.
  static let split = BoxInfo("splt", "Split Transition Effect", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// The way of the effect.
  public var direction: UInt8 = 0
  /// The first way.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("transition_direction", &direction)
  }
}

/// How a picture of a slide show follows another by growing or shrinking.
public struct ZoomTransitionEffectProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("zoom", "Zoom Transition Effect", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// Which of the two ways.
  public var direction: Bool = false
  /// The shape that grows.
  public var shape: UInt8 = 0
  /// Inwards.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.flag("transition_direction", &direction)
    try c.bits("transition_shape", &shape, 7)
  }
}

/// How long the change from one picture of a slide show to the next takes.
public struct SuggestedTransitionPeriodProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "stpe", "Suggested Transition Period", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// In sixteenths of a second.
  public var period: UInt8 = 0
  /// No time.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("transition_period", &period)
  }
}

/// How long a picture of a slide show is shown.
public struct SuggestedDisplayDurationProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "ssld", "Suggested Time Display Duration", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// In seconds.
  public var duration: UInt16 = 0
  /// No time.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.uint16("duration", &duration) }
}
