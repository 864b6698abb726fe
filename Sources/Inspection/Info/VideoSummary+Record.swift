import Bytes
import ISOBMFF
import MP4

/// Video properties as records.
extension TrackSummary.Video: Record {
  package static let summary = "Pictures."
  package static let members: [RecordMember<Self>] = [
    RecordMember("width", "the width of the coded pictures in pixels") { $0.codedSize.width },
    RecordMember("height", "the height of the coded pictures in pixels") { $0.codedSize.height },
    RecordMember("display_width", "the width with square pixels, cropped and rotated") {
      ($0.displaySize ?? $0.codedSize).width
    },
    RecordMember("display_height", "the height with square pixels, cropped and rotated") {
      ($0.displaySize ?? $0.codedSize).height
    },
    RecordMember("pixel_aspect", "the width of a pixel relative to its height; missing for square ones") {
      $0.pixelAspect
    },
    RecordMember("rotation", "the clockwise rotation in degrees; missing for any other matrix") { $0.rotation },
    RecordMember("frame_rate", "the average frame rate as a fraction; missing if it is unknown") {
      $0.frameRate?.fraction
    },
    RecordMember("lowest_frame_rate", "the lowest frame rate between two pictures; missing if it is constant") {
      $0.frameRates?.lowerBound.fraction
    },
    RecordMember("highest_frame_rate", "the highest frame rate between two pictures; missing if it is constant") {
      $0.frameRates?.upperBound.fraction
    },
    RecordMember("long_frames", "how many frames last longer than 1.5 times the others, if the frame rate is constant")
    {
      $0.longCount
    },
    RecordMember("scan", "how interlaced pictures are coded, in words; missing for progressive ones") { $0.scan },
    RecordMember("bit_depth", "the bits of a component; missing if they are unknown") { $0.bitDepth },
    RecordMember("chroma", "the chroma subsampling; missing if it is unknown") { $0.chroma },
    RecordMember(
      "dynamic_range",
      "`SDR`, `HLG`, `PQ` or `HDR10`; missing if it is unknown. If it is not declared, `SDR` is assumed of 8 bits, "
        + "and of the primaries of BT.709 and BT.601"
    ) { $0.dynamicRange },
    RecordMember("colors", "the colors; missing if nothing declares them") { $0.colors },
    RecordMember("dolby_vision", "the profile of Dolby Vision; missing without it") { $0.dolbyVision },
    RecordMember("mastering_display", "the display on which it was graded; missing if it is unknown") {
      $0.masteringDisplay
    },
    RecordMember("light_level", "the light level in candela per square meter; missing if it is unknown") {
      $0.lightLevel
    },
    RecordMember("is_stereoscopic", "whether there is a view for each eye") { $0.isStereoscopic },
  ]
}

extension TrackSummary.Video.Colors: Record {
  package static let summary = "Which colors numbers mean: codes of ISO/IEC 23091-2, and their names."
  package static let members: [RecordMember<Self>] = [
    RecordMember("primaries", "the name of the primaries") { $0.primariesName },
    RecordMember("primaries_code", "the code of the primaries") { $0.primaries },
    RecordMember("transfer", "the name of the transfer characteristics") { $0.transferName },
    RecordMember("transfer_code", "the code of the transfer characteristics") { $0.transfer },
    RecordMember("matrix", "the name of the matrix coefficients") { $0.matrixName },
    RecordMember("matrix_code", "the code of the matrix coefficients") { $0.matrix },
    RecordMember("full_range", "whether numbers take the whole range of their bits") { $0.isFullRange },
  ]
}

extension TrackSummary.Video.DolbyVision: Record {
  package static let summary = "The profile of Dolby Vision."
  package static let members: [RecordMember<Self>] = [
    RecordMember("profile", "the profile, such as 5 or 8") { $0.profile },
    RecordMember("level", "the level") { $0.level },
    RecordMember("compatibility", "the number after the profile: 0 nothing, 1 HDR10, 2 SDR, 4 HLG") {
      $0.compatibility
    },
    RecordMember("compatible_with", "what other decoders see; missing for nothing") { $0.compatibleFormat },
    RecordMember("enhancement_layer", "whether there is an enhancement layer") { $0.hasEnhancementLayer },
  ]
}

extension TrackSummary.Video.MasteringDisplay: Record {
  package static let summary = "The display on which the pictures were graded."
  package static let members: [RecordMember<Self>] = [
    RecordMember("red", "its red") { $0.red },
    RecordMember("green", "its green") { $0.green },
    RecordMember("blue", "its blue") { $0.blue },
    RecordMember("white", "its white") { $0.white },
    RecordMember("min_luminance", "its lowest luminance in candela per square meter") {
      Decimal($0.minimumLuminance, 4)
    },
    RecordMember("max_luminance", "its highest luminance in candela per square meter") {
      Decimal($0.maximumLuminance, 4)
    },
  ]
}

extension TrackSummary.Video.MasteringDisplay.Chromaticity: Record {
  package static let summary = "A place in the diagram of CIE 1931."
  package static let members: [RecordMember<Self>] = [
    RecordMember("x", "the coordinate x") { Decimal($0.x, 5) },
    RecordMember("y", "the coordinate y") { Decimal($0.y, 5) },
  ]
}

extension TrackSummary.Video.LightLevel: Record {
  package static let summary = "The light level of the pictures in candela per square meter."
  package static let members: [RecordMember<Self>] = [
    RecordMember("max_content", "the maximum of any pixel") { $0.content },
    RecordMember("max_average", "the maximum of the average of a picture") { $0.average },
  ]
}

extension FrameRate {
  /// A fraction such as `30000/1001`; a whole number without a denominator.
  fileprivate var fraction: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}
