import Bytes
import ISOBMFF
import MP4

/// Video properties as records.
extension TrackSummary.Video: Record {
  package static let summary = "The video format."
  package static let members: [RecordMember<Self>] = [
    RecordMember("width", "the width of the coded pictures in pixels") { $0.codedSize.width },
    RecordMember("height", "the height of the coded pictures in pixels") { $0.codedSize.height },
    RecordMember("display_width", "the display width, with square pixels, after cropping and rotation") {
      ($0.displaySize ?? $0.codedSize).width
    },
    RecordMember("display_height", "the display height, with square pixels, after cropping and rotation") {
      ($0.displaySize ?? $0.codedSize).height
    },
    RecordMember("pixel_aspect", "the pixel aspect ratio; missing if pixels are square") {
      $0.pixelAspect
    },
    RecordMember("rotation", "the clockwise rotation in degrees; missing if the matrix is not a rotation") {
      $0.rotation
    },
    RecordMember("frame_rate", "the average frame rate as a fraction; missing if unknown") {
      $0.frameRate?.fraction
    },
    RecordMember(
      "lowest_frame_rate",
      "the lowest frame rate between two pictures; missing if the frame rate is constant"
    ) {
      $0.frameRates?.lowerBound.fraction
    },
    RecordMember(
      "highest_frame_rate",
      "the highest frame rate between two pictures; missing if the frame rate is constant"
    ) {
      $0.frameRates?.upperBound.fraction
    },
    RecordMember(
      "long_frames",
      "the number of frames that last more than 1.5 times as long as the others, if the frame rate is constant"
    ) {
      $0.longCount
    },
    RecordMember("scan", "the coding of interlaced pictures, as text; missing if video is progressive") { $0.scan },
    RecordMember(
      "first_field", "the field that is presented first, `top` or `bottom`; missing if unknown or progressive"
    ) { $0.firstField },
    RecordMember("reference_frames", "the maximum number of reference frames; only for H.264") { $0.referenceFrames },
    RecordMember("encoder", "the encoder that an SEI message names; missing if there is none") { $0.encoder },
    RecordMember("encoder_settings", "the settings that the encoder lists there; missing if there are none") {
      $0.encoderSettings
    },
    RecordMember("bit_depth", "the number of bits per component; missing if unknown") { $0.bitDepth },
    RecordMember("chroma", "the chroma subsampling; missing if unknown") { $0.chroma },
    RecordMember(
      "dynamic_range",
      "`SDR`, `HLG`, `PQ` or `HDR10`; missing if unknown. If not declared, `SDR` is assumed for 8-bit video and for "
        + "BT.709 and BT.601 primaries"
    ) { $0.dynamicRange },
    RecordMember("colors", "the colors; missing if not declared") { $0.colors },
    RecordMember("dolby_vision", "the Dolby Vision profile; missing if there is none") { $0.dolbyVision },
    RecordMember("has_dolby_vision_rpu", "whether the first sync sample contains dynamic metadata of Dolby Vision") {
      $0.hasDolbyVisionMetadata
    },
    RecordMember("has_hdr10_plus", "whether the first sync sample contains dynamic metadata of HDR10+") {
      $0.hasHDR10Plus
    },
    RecordMember("mastering_display", "the mastering display; missing if unknown") {
      $0.masteringDisplay
    },
    RecordMember("light_level", "the light level in candela per square meter; missing if unknown") {
      $0.lightLevel
    },
    RecordMember("is_stereoscopic", "whether there is one view per eye") { $0.isStereoscopic },
  ]
}

extension TrackSummary.Video.Colors: Record {
  package static let summary = "The color description: codes of ISO/IEC 23091-2 and their names."
  package static let members: [RecordMember<Self>] = [
    RecordMember("primaries", "the name of the primaries") { $0.primariesName },
    RecordMember("primaries_code", "the code of the primaries") { $0.primaries },
    RecordMember("transfer", "the name of the transfer characteristics") { $0.transferName },
    RecordMember("transfer_code", "the code of the transfer characteristics") { $0.transfer },
    RecordMember("matrix", "the name of the matrix coefficients") { $0.matrixName },
    RecordMember("matrix_code", "the code of the matrix coefficients") { $0.matrix },
    RecordMember("full_range", "whether values use the full range") { $0.isFullRange },
  ]
}

extension TrackSummary.Video.DolbyVision: Record {
  package static let summary = "The Dolby Vision profile."
  package static let members: [RecordMember<Self>] = [
    RecordMember("profile", "the profile, such as 5 or 8") { $0.profile },
    RecordMember("level", "the level") { $0.level },
    RecordMember("compatibility", "the number after the profile: 0 none, 1 HDR10, 2 SDR, 4 HLG") {
      $0.compatibility
    },
    RecordMember("compatible_with", "the format that other decoders see; missing if there is none") {
      $0.compatibleFormat
    },
    RecordMember("enhancement_layer", "whether there is an enhancement layer") { $0.hasEnhancementLayer },
  ]
}

extension TrackSummary.Video.MasteringDisplay: Record {
  package static let summary = "The display on which the video was graded."
  package static let members: [RecordMember<Self>] = [
    RecordMember("red", "the red primary") { $0.red },
    RecordMember("green", "the green primary") { $0.green },
    RecordMember("blue", "the blue primary") { $0.blue },
    RecordMember("white", "the white point") { $0.white },
    RecordMember("min_luminance", "the minimum luminance in candela per square meter") {
      Decimal($0.minimumLuminance, 4)
    },
    RecordMember("max_luminance", "the maximum luminance in candela per square meter") {
      Decimal($0.maximumLuminance, 4)
    },
  ]
}

extension TrackSummary.Video.MasteringDisplay.Chromaticity: Record {
  package static let summary = "A point in the CIE 1931 chromaticity diagram."
  package static let members: [RecordMember<Self>] = [
    RecordMember("x", "the coordinate x") { Decimal($0.x, 5) },
    RecordMember("y", "the coordinate y") { Decimal($0.y, 5) },
  ]
}

extension TrackSummary.Video.LightLevel: Record {
  package static let summary = "The light level of the video in candela per square meter."
  package static let members: [RecordMember<Self>] = [
    RecordMember("max_content", "the maximum of any pixel") { $0.content },
    RecordMember("max_average", "the maximum of the average of a picture") { $0.average },
  ]
}

extension FrameRate {
  /// A fraction such as `30000/1001`; a whole number without a denominator.
  fileprivate var fraction: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}
