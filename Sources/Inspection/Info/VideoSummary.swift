import BoxCatalog
public import ISOBMFF
public import MP4
import MP4Bytes
package import MP4Records

extension TrackSummary {
  /// The properties of video.
  public struct Video: Sendable {
    /// The size of the coded pictures in pixels.
    public let codedSize: PictureSize
    /// The size with square pixels, cropped and rotated; `nil` if it equals the coded size.
    public let displaySize: PictureSize?
    /// The pixel aspect ratio, such as `4:3`; `nil` for square pixels.
    public let pixelAspect: String?
    /// The clockwise rotation in degrees; `nil` for any other matrix.
    public let rotation: Int?
    /// The average frame rate; `nil` if it is unknown.
    public let frameRate: FrameRate?
    /// The lowest and the highest frame rate between two pictures, if the frame rate is not constant.
    public let frameRates: ClosedRange<FrameRate>?
    /// The number of pictures that last longer than 1.5 times the usual duration, if the frame rate is constant.
    public let longCount: Int
    /// The number of bits of a component; `nil` if unknown.
    public let bitDepth: Int?
    /// The chroma subsampling, such as `4:2:0`; `nil` if unknown.
    public let chroma: String?
    /// The coding of interlaced pictures, in words; `nil` for progressive or unknown ones.
    public let scan: String?
    /// Whether it is known that all pictures are progressive.
    public let isProgressive: Bool
    /// The field of interlaced pictures that is presented first, `top` or `bottom`; `nil` for progressive pictures, or
    /// if it is unknown.
    public let firstField: String?
    /// The maximum number of reference frames that the parameter sets of H.264 declare; `nil` for other codecs.
    public let referenceFrames: Int?
    /// The encoder, as an SEI message of the first sync sample names it; `nil` if unknown.
    public let encoder: String?
    /// The settings that the encoder lists there; `nil` if there are none.
    public let encoderSettings: String?
    /// The dynamic range: `SDR`, `HLG`, `PQ`, or `HDR10`, which is PQ with 10 bits, the primaries of BT.2020, and
    /// metadata about the mastering display or the light level; `nil` if unknown. If nothing is declared, 8-bit video
    /// and video with the primaries of BT.709 or BT.601 counts as `SDR`, because HDR needs more bits and other
    /// primaries.
    public let dynamicRange: String?
    /// The colors; `nil` if not declared.
    public let colors: Colors?
    /// The Dolby Vision profile and the fallback for other decoders; `nil` without Dolby Vision.
    public let dolbyVision: DolbyVision?
    /// The mastering display; `nil` if not declared.
    public let masteringDisplay: MasteringDisplay?
    /// The maximum and the average light level; `nil` if not declared.
    public let lightLevel: LightLevel?
    /// Whether the first sync sample has dynamic metadata of HDR10+ (SMPTE ST 2094-40).
    public let hasHDR10Plus: Bool
    /// Whether the first sync sample has dynamic metadata of Dolby Vision (RPU).
    public let hasDolbyVisionMetadata: Bool
    /// Whether it has a view for each eye.
    public let isStereoscopic: Bool
  }
}

extension TrackSummary.Video {
  /// `nil` if the samples are not pictures.
  init?(_ track: Track, _ configuration: DecoderConfiguration, _ samples: SampleStatistics) throws(MovieError) {
    guard let pictures = configuration.pictures else { return nil }
    codedSize = PictureSize(width: pictures.width, height: pictures.height)
    displaySize = track.pictureSize.flatMap { [codedSize] in $0 == codedSize ? nil : $0 }
    pixelAspect = pictures.pixelAspect.flatMap {
      $0.numerator == $0.denominator ? nil : "\($0.numerator):\($0.denominator)"
    }
    rotation = track.payload(["tkhd"], as: TrackHeaderBox.self)?.matrix.rotation.flatMap {
      $0 % 100 == 0 ? $0 / 100 : nil
    }
    (frameRate, frameRates, longCount) = Self.frameRates(track, samples)
    let first = track.samples.first(where: \.isSync)
    let start = try first?.bytes(1 << 16)[...] ?? []
    // The parameter sets in samples replace those of the configuration.
    let profile = configuration.sequenceProfile(in: start)
    bitDepth = profile?.bitDepth ?? configuration.bitDepth
    chroma = profile.map { DecoderConfiguration.chromaName($0.chromaFormat) } ?? configuration.chroma
    referenceFrames = (configuration.sequenceParameters(in: start) ?? configuration.sequenceParameters)?.referenceFrames
    let messages = PictureMessages(configuration, sample: start)
    (encoder, encoderSettings) = Self.encoder(messages.encoder)
    let range = try track.videoRange().range
    var (display, light) = (Self.masteringDisplay(configuration), Self.lightLevel(configuration))
    if range != .sdr {
      // Most encoders write SEI messages instead of boxes.
      (display, light) = (display ?? messages.masteringDisplay, light ?? messages.lightLevel)
    }
    hasHDR10Plus = messages.hasHDR10Plus
    let hasUnit = try first?.hasDolbyVisionUnit(configuration)
    hasDolbyVisionMetadata = messages.hasDolbyVision || hasUnit == true
    colors = (configuration.colour ?? ProResHeader(start)?.colour).flatMap(Colors.init)
    let isBT2020 = colors?.primaries ?? 9 == 9
    let isHDR10 = range == .pq && (display != nil || light != nil) && isBT2020 && bitDepth ?? 10 == 10
    dynamicRange = isHDR10 ? "HDR10" : range?.rawValue
    (scan, firstField) = configuration.scan(start)
    isProgressive = scan == nil && configuration.isProgressive(start)
    dolbyVision = configuration.dolbyVision.map(DolbyVision.init)
    masteringDisplay = display.map(MasteringDisplay.init)
    lightLevel = light.map { LightLevel(content: Int(clamping: $0.content), average: Int(clamping: $0.average)) }
    isStereoscopic = configuration.isStereoscopic
  }

  /// The name of an encoder and its settings, such as those of x264 and x265: "x264 - core 164 - H.264/MPEG-4 AVC codec
  /// - Copyleft 2003-2022 - http://www.videolan.org/x264.html - options: cabac=1".
  private static func encoder(_ text: String?) -> (name: String?, settings: String?) {
    guard let text else { return (nil, nil) }
    func parts(_ text: Substring, before mark: String) -> (Substring, Substring?) {
      let (bytes, mark) = (Array(text.utf8), Array(mark.utf8))
      let place = bytes.indices.first { bytes[$0...].starts(with: mark) }
      return place.map { (text.prefix($0), text.dropFirst($0 + mark.count)) } ?? (text, nil)
    }
    // The text is ASCII, so that bytes and characters are the same.
    let (start, settings) = parts(text[...], before: " - options: ")
    let name = parts(parts(start, before: " - H.26").0, before: ":[").0
    let words = name.split(separator: " ").filter { $0 != "-" }
    return (words.isEmpty ? nil : words.joined(separator: " "), settings.map(String.init))
  }

  /// The common name of the dynamic range: `HDR (PQ)`, `HDR (HLG)`, `HDR10` or `SDR`.
  var dynamicRangeWords: String? {
    dynamicRange.map { ["PQ", "HLG"].contains($0) ? "HDR (\($0))" : $0 }
  }

  /// The frame rate, its range if it is not constant, and the number of long pictures if it is.
  private static func frameRates(_ track: Track, _ samples: SampleStatistics)
    -> (rate: FrameRate?, range: ClosedRange<FrameRate>?, long: Int)
  {
    let scale = Int64(track.timescale)
    // Pictures that last for less than half a millisecond are not to be seen; packagers hide pictures in this way.
    let visible = samples.durations.filter { $0.key > scale / 2000 }
    let durations = visible.isEmpty ? samples.durations : visible
    guard samples.duration.value > 0, let usual = durations.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
      let least = durations.keys.min(), let most = durations.keys.max()
    else { return (nil, nil, 0) }
    // Times that are rounded to the timescale vary by one unit.
    let regular = durations.filter { abs($0.key &- usual) <= 1 }
    let count = regular.values.reduce(0, +)
    let total = durations.values.reduce(0, +)
    if usual > 0, count * 20 >= total * 19 {
      let sum = regular.reduce(Int64(0)) { $0 &+ $1.key &* Int64($1.value) }
      let rate = regular.count == 1 ? FrameRate(scale, usual) : FrameRate(Int64(count) &* scale, max(1, sum))
      let long = durations.reduce(0) { $0 + ($1.key > usual &+ usual / 2 ? $1.value : 0) }
      return (rate.rounded.reduced, nil, long)
    }
    // The last picture counts too, although nothing follows it.
    let shown = samples.count - samples.durations.values.reduce(0, +) + total
    let (units, overflow) = Int64(shown).multipliedReportingOverflow(by: scale)
    let average = FrameRate(overflow ? .max : units, samples.duration.value)
    return (average.rounded.reduced, FrameRate(scale, most).reduced...FrameRate(scale, max(1, least)).reduced, 0)
  }

  /// Converts the values of an SEI message: x and y of green, blue, red and white, then the maximum and minimum
  /// luminance.
  private static func masteringDisplay(_ configuration: DecoderConfiguration) -> [UInt64]? {
    guard let box = configuration.payload(of: "mdcv", registry: .standard) else { return nil }
    let primaries = (1...3).flatMap { row in ["x", "y"].map { "display_primaries[\(row)].display_primaries_\($0)" } }
    let rest = [
      "white_point_x", "white_point_y", "max_display_mastering_luminance", "min_display_mastering_luminance",
    ]
    return (primaries + rest).map { box.value($0) }
  }

  private static func lightLevel(_ configuration: DecoderConfiguration) -> (content: UInt64, average: UInt64)? {
    configuration.payload(of: "clli", registry: .standard).map {
      ($0.value("max_content_light_level"), $0.value("max_pic_average_light_level"))
    }
  }
}

extension DecoderConfiguration {
  /// Whether the configuration or the first sync sample says that pictures are not interlaced.
  fileprivate func isProgressive(_ sample: ArraySlice<UInt8>) -> Bool {
    if let box = payload(of: "fiel", registry: .standard) { return box.value("field_count") == 1 }
    if let header = ProResHeader(sample) { return header.fieldOrder == .progressive }
    if box(AVCConfigurationBox.self) != nil {
      return (sequenceParameters(in: sample) ?? sequenceParameters)?.hasFields == false
    }
    if let flags = box(HEVCConfigurationBox.self)?.generalConstraintIndicatorFlags { return flags >> 46 & 3 == 2 }
    // These have no fields.
    return ["av01", "vp08", "vp09", "jpeg"].contains(codedFormat)
  }

  /// The coding of interlaced pictures, and the first field if it is known; `nil` for progressive or unknown pictures.
  /// `sample` is the start of the first sync sample.
  fileprivate func scan(_ sample: ArraySlice<UInt8>) -> (words: String?, first: String?) {
    if let box = payload(of: "fiel", registry: .standard), box.value("field_count") == 2 {
      let orders: [UInt64: String] = [1: "top", 6: "bottom", 9: "top", 14: "bottom"]
      let first = orders[box.value("field_ordering")]
      return ("interlaced" + (first.map { ", \($0) field first" } ?? ""), first)
    }
    switch ProResHeader(sample)?.fieldOrder {
    case .topFirst: return ("interlaced, top field first", "top")
    case .bottomFirst: return ("interlaced, bottom field first", "bottom")
    case .progressive, nil: break
    }
    if let (codec, lengthSize) = nalUnits, codec == .avc {
      let units = NALUnits(sample, codec, lengthSize: lengthSize).lazy.map(\.bytes)
      if let fields = AVCSliceHeader(parameterSets).fields(of: units) { return fields.words }
    }
    if sequenceParameters?.hasFields == true { return ("interlaced coding: fields, or frames of two fields", nil) }
    // The first two flags describe the source: ISO/IEC 23008-2, 7.4.4.
    guard let flags = box(HEVCConfigurationBox.self)?.generalConstraintIndicatorFlags, flags >> 46 & 1 == 1 else {
      return (nil, nil)
    }
    return (flags >> 47 & 1 == 1 ? "interlaced or progressive, declared per picture" : "interlaced source", nil)
  }
}

extension AVCSliceHeader.Fields {
  /// The coding and the first field.
  fileprivate var words: (words: String?, first: String?) {
    let coding = areSeparate ? "coded as fields" : "coded as frames of two fields"
    return switch order {
    case .topFirst: ("interlaced, top field first, \(coding)", "top")
    case .bottomFirst: ("interlaced, bottom field first, \(coding)", "bottom")
    case .progressive: ("progressive pictures, \(coding)", nil)
    case nil: ("interlaced coding: fields, or frames of two fields", nil)
    }
  }
}

extension Sample {
  /// More units than this are not examined.
  private static let unitLimit = 4096

  /// Whether it contains a NAL unit with dynamic metadata of Dolby Vision: of type 62 in HEVC and of type 28 in AVC
  /// (ETSI TS 103 572 and Dolby Vision Streams within the ISO Base Media File Format). Only the headers of units are
  /// read, because it is usually the last one.
  fileprivate func hasDolbyVisionUnit(_ configuration: DecoderConfiguration) throws(MovieError) -> Bool {
    guard let (codec, lengthSize) = configuration.nalUnits else { return false }
    var (window, place, found) = (ByteWindow(source, readAhead: 0), 0, false)
    for _ in 0..<Self.unitLimit where place < size {
      let bytes: ArraySlice<UInt8>
      do throws(IOError) { bytes = try window.slice(at: offset + place, count: lengthSize + 1) } catch {
        throw .io(error)
      }
      let length = bytes.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      // A sample with other contents, such as an encrypted one, does not consist of such units.
      guard bytes.count >= lengthSize, length <= size - place - lengthSize else { return false }
      let type = length > 0 ? codec.type(bytes.dropFirst(lengthSize)) : nil
      found = found || type == (codec == .avc ? 28 : 62)
      place += lengthSize + length
    }
    return found && place == size
  }
}

extension BoxPayload {
  /// The number in a field; 0 if it is missing.
  fileprivate func value(_ name: String) -> UInt64 { UInt64(self[name]?.number?.magnitude ?? 0) }
}

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
    RecordMember("progressive", "whether it is known that all pictures are progressive") { $0.isProgressive },
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
    RecordMember(
      "name", "the name of all three, or their names in this order with a slash between them if they differ"
    ) { $0.name },
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
