public import Bytes

/// The boxes that a reader has to know to show a video: for a box around this one.
public struct RequiredBoxTypesBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "must", "Required Box Types Box", in: ["vexu", "eyes", "cams", "cmfy", "proj", "pack"], spatial)
  public var header = FullBoxHeader()
  /// The types.
  public var requiredBoxTypes = BoxTable<FourCC>()
  /// None.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.tableToEnd("required_box_types", &requiredBoxTypes)
  }
}

/// Which eyes have a view.
public struct StereoViewInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stri", "Stereo View Information Box", in: ["eyes"], spatial)
  public var header = FullBoxHeader()
  /// Whether the views are in the reverse of their usual order.
  public var eyeViewsReversed = false
  /// Whether there are more views than for two eyes.
  public var hasAdditionalViews = false
  /// Whether there is a view for the left eye.
  public var hasLeftEyeView = false
  /// Whether there is a view for the right eye.
  public var hasRightEyeView = false
  /// What is in the reserved fields.
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

/// Which view to show where only one can be.
public struct HeroStereoEyeDescriptionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("hero", "Hero Stereo Eye Description Box", in: ["eyes"], spatial)
  public var header = FullBoxHeader()
  /// 0: any; 1: that of the left eye; 2: that of the right eye.
  public var heroEyeIndicator: UInt8 = 0
  /// Any view.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("hero_eye_indicator", &heroEyeIndicator, as: .named("0 none; 1 left; 2 right"))
  }
}

/// How far the lenses were apart.
public struct StereoCameraSystemBaselineBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("blin", "Stereo Camera System Baseline Box", in: ["cams"], spatial)
  public var header = FullBoxHeader()
  /// In micrometres.
  public var baselineValue: UInt32 = 0
  /// At the same place.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("baseline_value", &baselineValue)
  }
}

/// How far the views are moved against each other, so that they are easy to look at.
public struct StereoComfortDisparityAdjustmentBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("dadj", "Stereo Comfort Disparity Adjustment Box", in: ["cmfy"], spatial)
  public var header = FullBoxHeader()
  /// In units of 1/10000 of the width of a picture.
  public var disparityAdjustment: Int32 = 0
  /// Not at all.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int32("disparity_adjustment", &disparityAdjustment)
  }
}

/// How the world is laid out on a picture.
public struct ProjectionInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("prji", "Projection Information Box", in: ["proj"], spatial)
  public var header = FullBoxHeader()
  /// `rect`: as usual; `equi`: all around; `hequ`: half around; `fish`: as a fisheye lens sees it.
  public var projectionKind: FourCC = "rect"
  /// As usual.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("projection_kind", &projectionKind)
  }
}

/// How two views share a picture.
public struct ViewPackingInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("pkin", "View Packing Information Box", in: ["pack"], spatial)
  public var header = FullBoxHeader()
  /// `side`: side by side; `over`: one above the other.
  public var viewPackingKind: FourCC = "side"
  /// Side by side.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("view_packing_kind", &viewPackingKind)
  }
}

/// How much of the world a picture shows.
public struct HorizontalFieldOfViewBox: BoxPayload, Equatable {
  public static let info = BoxInfo("hfov", "Horizontal Field Of View Box", in: SampleEntries.visualTypes, spatial)
  /// In units of 1/1000 of a degree.
  public var fieldOfView: UInt32 = 0
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("field_of_view", &fieldOfView) }
}

/// The document that defines these boxes.
let spatial: StaticText = "Apple: ISO Base Media File Format and HEVC Stereo Video"
