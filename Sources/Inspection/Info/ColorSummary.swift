import BoxCatalog
import ISOBMFF

extension TrackSummary.Video {
  /// Color codes: ISO/IEC 23091-2.
  public struct Colors: Sendable {
    /// The code of the primaries; 2 is unspecified.
    public let primaries: Int
    /// The code of the transfer characteristics; 2 is unspecified.
    public let transfer: Int
    /// The code of the matrix coefficients; 2 is unspecified.
    public let matrix: Int
    /// Whether values use the full range.
    public let isFullRange: Bool
  }

  /// The profile of Dolby Vision.
  public struct DolbyVision: Sendable {
    /// The profile, such as 5 or 8.
    public let profile: Int
    /// The level.
    public let level: Int
    /// The compatibility of the base layer: 0 none, 1 HDR10, 2 SDR, 4 HLG, 6 HDR10 of Blu-ray.
    public let compatibility: Int
    /// Whether there is an enhancement layer.
    public let hasEnhancementLayer: Bool
  }

  /// The display on which the pictures were graded.
  public struct MasteringDisplay: Sendable {
    /// A point in the CIE 1931 diagram, in units of 0.00001.
    public struct Chromaticity: Sendable {
      /// The coordinate x.
      public let x: Int
      /// The coordinate y.
      public let y: Int
    }
    /// The red primary.
    public let red: Chromaticity
    /// The green primary.
    public let green: Chromaticity
    /// The blue primary.
    public let blue: Chromaticity
    /// The white point.
    public let white: Chromaticity
    /// The minimum luminance in units of 0.0001 cd/m².
    public let minimumLuminance: Int
    /// The maximum luminance in units of 0.0001 cd/m².
    public let maximumLuminance: Int
  }

  /// The light level of the content in cd/m².
  public struct LightLevel: Sendable {
    /// The maximum light level of any pixel (MaxCLL).
    public let content: Int
    /// The maximum average light level of a frame (MaxFALL).
    public let average: Int
  }
}

extension TrackSummary.Video.Colors {
  /// `nil` if nothing is specified.
  init?(_ colour: ColourDescription) {
    (primaries, transfer) = (Int(colour.primaries), Int(colour.transferCharacteristics))
    (matrix, isFullRange) = (Int(colour.matrixCoefficients), colour.isFullRange)
    if [primaries, transfer, matrix].allSatisfy({ $0 == 2 }), !isFullRange { return nil }
  }

  private static func name(_ code: Int, _ names: ValueNames) -> String {
    names.name(of: UInt64(code)) ?? "code \(code)"
  }
  /// The name of the primaries.
  var primariesName: String { Self.name(primaries, .colourPrimaries) }
  /// The name of the transfer characteristics.
  var transferName: String { Self.name(transfer, .transferCharacteristics) }
  /// The name of the matrix coefficients.
  var matrixName: String { Self.name(matrix, .matrixCoefficients) }

  /// The name of all three, such as `BT.709`, or `BT.2020/PQ/BT.2020`.
  var name: String {
    let names = [primariesName, transferName, matrixName]
    return Set(names).count == 1 ? names[0] : names.joined(separator: "/")
  }

  /// A description such as `BT.709, limited range`.
  var words: String {
    let range = isFullRange ? "full range" : "limited range"
    if [primaries, transfer, matrix].allSatisfy({ $0 == 2 }) { return range }
    if Set([primariesName, transferName, matrixName]).count == 1 { return "\(primariesName), \(range)" }
    return "primaries \(primariesName), transfer \(transferName), matrix \(matrixName), \(range)"
  }
}

extension TrackSummary.Video.DolbyVision {
  init(_ box: DOVIConfigurationBox) {
    (profile, level) = (Int(box.dvProfile), Int(box.dvLevel))
    (compatibility, hasEnhancementLayer) = (Int(box.dvBlSignalCompatibilityID), box.elPresentFlag)
  }

  /// The format that other decoders show; `nil` if there is none.
  var compatibleFormat: String? { [1: "HDR10", 2: "SDR", 4: "HLG", 6: "Blu-ray HDR10"][compatibility] }

  /// A description such as `profile 8.1, level 6, compatible with HDR10`.
  var words: String {
    let hasVariants = [4, 7, 8, 9, 10].contains(profile)
    let layers = hasEnhancementLayer ? ", with an enhancement layer" : ""
    return "profile \(profile)\(hasVariants ? ".\(compatibility)" : ""), level \(level)\(layers)"
      + (compatibleFormat.map { ", compatible with \($0)" } ?? "")
  }
}

extension TrackSummary.Video.MasteringDisplay {
  /// Converts the values of an SEI message: x and y of green, blue, red and white, then the maximum and minimum
  /// luminance.
  init(_ values: [UInt64]) {
    // SEI messages use units of 0.00002.
    func place(_ index: Int) -> Chromaticity {
      Chromaticity(x: Int(clamping: values[index]) * 2, y: Int(clamping: values[index + 1]) * 2)
    }
    (green, blue, red, white) = (place(0), place(2), place(4), place(6))
    (maximumLuminance, minimumLuminance) = (Int(clamping: values[8]), Int(clamping: values[9]))
  }

  /// A description such as `0.005 to 1000 cd/m², red 0.68, 0.32, …`.
  var words: String {
    func place(_ place: Chromaticity) -> String { "\(Decimal(place.x, 5).text), \(Decimal(place.y, 5).text)" }
    let light = "\(Decimal(minimumLuminance, 4).text) to \(Decimal(maximumLuminance, 4).text) cd/m²"
    return "\(light), red \(place(red)), green \(place(green)), blue \(place(blue)), white \(place(white))"
  }
}

extension TrackSummary.Video.LightLevel {
  /// A description such as `at most 1000, average 400 cd/m²`.
  var words: String { "at most \(content), average \(average) cd/m²" }
}
