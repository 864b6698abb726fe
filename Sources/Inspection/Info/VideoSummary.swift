import BoxCatalog
import Bytes
public import ISOBMFF
public import MP4

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
    (bitDepth, chroma) = (configuration.bitDepth, configuration.chroma)
    let range = try track.videoRange().range
    var (display, light) = (Self.masteringDisplay(configuration), Self.lightLevel(configuration))
    if range != .sdr, display == nil || light == nil {
      // Most encoders write SEI messages instead of boxes.
      let start = try track.samples.first(where: \.isSync)?.bytes(1 << 16) ?? []
      let messages = LightMessages(configuration, sample: start[...])
      (display, light) = (display ?? messages.masteringDisplay, light ?? messages.lightLevel)
    }
    colors = configuration.colour.flatMap(Colors.init)
    let isBT2020 = colors?.primaries ?? 9 == 9
    let isHDR10 = range == .pq && (display != nil || light != nil) && isBT2020 && bitDepth ?? 10 == 10
    dynamicRange = isHDR10 ? "HDR10" : range?.rawValue
    scan = configuration.scan
    dolbyVision = configuration.dolbyVision.map(DolbyVision.init)
    masteringDisplay = display.map(MasteringDisplay.init)
    lightLevel = light.map { LightLevel(content: Int(clamping: $0.content), average: Int(clamping: $0.average)) }
    isStereoscopic = configuration.isStereoscopic
  }

  /// The common name of the dynamic range: `HDR (PQ)`, `HDR (HLG)`, `HDR10` or `SDR`.
  var dynamicRangeWords: String? {
    dynamicRange.map { ["PQ", "HLG"].contains($0) ? "HDR (\($0))" : $0 }
  }

  /// The frame rate, its range if it is not constant, and the number of long pictures if it is.
  private static func frameRates(_ track: Track, _ samples: SampleStatistics)
    -> (rate: FrameRate?, range: ClosedRange<FrameRate>?, long: Int)
  {
    let (durations, scale) = (samples.durations, Int64(track.timescale))
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
    let (units, overflow) = Int64(samples.count).multipliedReportingOverflow(by: scale)
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
  /// The coding of interlaced pictures; `nil` for progressive or unknown ones.
  fileprivate var scan: String? {
    if let box = payload(of: "fiel", registry: .standard), box.value("field_count") == 2 {
      let orders: [UInt64: String] = [
        1: "top field first", 6: "bottom field first", 9: "top field first, bottom field stored first",
        14: "bottom field first, top field stored first",
      ]
      return "interlaced" + (orders[box.value("field_ordering")].map { ", \($0)" } ?? "")
    }
    if sequenceParameters?.hasFields == true { return "interlaced coding: fields, or frames of two fields" }
    // The first two flags describe the source: ISO/IEC 23008-2, 7.4.4.
    guard let flags = box(HEVCConfigurationBox.self)?.generalConstraintIndicatorFlags, flags >> 46 & 1 == 1 else {
      return nil
    }
    return flags >> 47 & 1 == 1 ? "interlaced or progressive, declared per picture" : "interlaced source"
  }
}

extension BoxPayload {
  /// The number in a field; 0 if it is missing.
  fileprivate func value(_ name: String) -> UInt64 { UInt64(self[name]?.number?.magnitude ?? 0) }
}
