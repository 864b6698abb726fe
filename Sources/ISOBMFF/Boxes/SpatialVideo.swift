import MP4Bytes

/// The views for each eye.
public struct StereoViewInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stri", "Stereo View Information Box", in: ["eyes"], spatial)
  public var header = FullBoxHeader()
  /// Whether the views are in the reverse of their usual order.
  public var eyeViewsReversed = false
  /// Whether there are views in addition to those for the two eyes.
  public var hasAdditionalViews = false
  /// Whether there is a view for the left eye.
  public var hasLeftEyeView = false
  /// Whether there is a view for the right eye.
  public var hasRightEyeView = false
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No views.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 4)
    try c.flag("eye_views_reversed", &eyeViewsReversed)
    try c.flag("has_additional_views", &hasAdditionalViews)
    try c.flag("has_right_eye_view", &hasRightEyeView)
    try c.flag("has_left_eye_view", &hasLeftEyeView)
  }
}

/// The document that defines these boxes.
let spatial: StaticText = "Apple: ISO Base Media File Format and HEVC Stereo Video"
