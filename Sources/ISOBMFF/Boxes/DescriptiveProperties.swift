import Bytes

// MARK: Image series

/// The exposure difference of a picture in a bracketing series.
public struct AutoExposureBracketingProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("aebr", "Auto Exposure Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.8.6.2")
  public var header = FullBoxHeader()
  /// The denominator: 1, 2 or 3 for whole, half or third stops.
  public var exposureStep: Int8 = 1
  /// The numerator.
  public var exposureNumerator: Int8 = 0
  /// No difference.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int8("exposure_step", &exposureStep)
    try c.int8("exposure_numerator", &exposureNumerator)
  }
}
