import ISOBMFF
import MP4Bytes

/// The evidence that sync samples of H.264 or H.265 were encoded with the parameter sets of a configuration: with
/// others, the data of an I slice has impossible values or ends elsewhere.
struct EncoderEvidence {
  private let codec: NALUnits.Codec
  private let lengthSize: Int
  private var avc: AVCSliceHeader
  private var hevc: HEVCHeaders
  private let configuration: DecoderConfiguration
  private(set) var wholeCount = 0
  private(set) var brokenCount = 0
  /// The settings that the encoder declares in the first sample that has them.
  private(set) var settings: [Substring: Substring] = [:]

  init?(_ configuration: DecoderConfiguration) {
    guard let (codec, lengthSize) = configuration.nalUnits else { return nil }
    (self.codec, self.lengthSize) = (codec, lengthSize)
    self.configuration = configuration
    let sets = configuration.parameterSets
    avc = AVCSliceHeader(codec == .avc ? sets : [])
    hevc = HEVCHeaders(codec == .hevc ? sets : [])
  }

  /// The number of samples that are examined.
  static let examined = 4
  private static let sizeLimit = 1 << 24

  /// Parses the first and the last slice of a sample. Parameter sets in it take effect.
  mutating func add(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    guard range.count <= Self.sizeLimit else { return }
    let bytes = try source.bytes(in: range)
    if settings.isEmpty { settings = Self.settings(PictureMessages(configuration, sample: bytes[...]).encoder ?? "") }
    var slices: [ArraySlice<UInt8>] = []
    for unit in NALUnits(bytes[...], codec, lengthSize: lengthSize) {
      switch codec {
      case .avc: avc.note(unit.bytes)
      case .hevc: hevc.note(unit.bytes)
      case .vvc: return
      }
      if codec.isSlice(unit.type) { slices.append(unit.bytes) }
    }
    guard let first = slices.first, let last = slices.last else { return }
    let start = parse(first)
    let end = slices.count == 1 ? start : parse(last)
    // With the picture size of another recording, the last slice ends elsewhere.
    if start.outcome == .broken || end.outcome == .broken || end.outcome == .whole && !end.endsPicture {
      brokenCount += 1
    } else if start.outcome == .whole {
      wholeCount += 1
    }
  }

  private func parse(_ unit: ArraySlice<UInt8>) -> SliceData {
    codec == .avc
      ? AVCSliceData.parse(unit, avc, from: unit.startIndex) : HEVCSliceData.parse(unit, hevc, from: unit.startIndex)
  }

  /// The settings of x264 and x265 that change parameter sets, so that pictures do not decode with those of others.
  private static let relevant: Set<Substring> = [
    // x264
    "cabac", "ref", "8x8dct", "weightp", "weightb", "chroma_qp_offset", "cqm", "interlaced", "constrained_intra",
    "stitchable", "rc", "crf", "qp", "bframes", "b_pyramid",
    // x265
    "ctu", "min-cu-size", "max-tu-size", "tu-inter-depth", "tu-intra-depth", "amp", "scaling-list", "signhide",
    "cbqpoffs", "crqpoffs", "constrained-intra", "strong-intra-smoothing", "sao", "tskip", "wpp", "lossless",
    "cu-lossless", "b-pyramid", "temporal-layers", "log2-max-poc-lsb", "interlace",
  ]

  /// The relevant settings in a text such as "cabac=1 ref=3" or "wpp no-sao ctu=64".
  private static func settings(_ text: String) -> [Substring: Substring] {
    var result: [Substring: Substring] = [:]
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard let name = parts.first else { continue }
      let (isOff, value) = (name.hasPrefix("no-"), parts.count > 1 ? parts[1] : nil)
      let key = isOff ? name.dropFirst(3) : name
      guard relevant.contains(key) else { continue }
      result[key] = value ?? (isOff ? "0" : "1")
      // Parameter sets only say whether these are used.
      if key == "weightp" || key == "bframes", value != "0" { result[key] = "1" }
    }
    return result
  }

  /// How a recovered track differs from the reference track.
  enum Misfit {
    /// Its pictures do not fit the configuration of the reference track, whose own pictures do.
    case pictures
    /// The encoder declares other settings: their names, with both values.
    case settings([(name: Substring, own: Substring, reference: Substring)])
  }

  /// The misfit of a recovered track and the reference track; `nil` if none is found.
  static func misfit(
    _ track: Track, _ recovered: RecoveredTrack, of broken: any ByteSource
  ) throws(IOError) -> Misfit? {
    guard let configuration = track.decoderConfigurations.first, let empty = EncoderEvidence(configuration) else {
      return nil
    }
    var (reference, own) = (empty, empty)
    for sample in track.samples.lazy.filter(\.isSync).prefix(examined) {
      let (end, overflow) = sample.offset.addingReportingOverflow(sample.size)
      if !overflow { try reference.add(sample.offset..<end, of: sample.source) }
    }
    var ranges: [Range<Int>] = []
    Recovery.SampleRanges(columns: recovered.columns).forEach { offset, size, isSync, _ in
      if isSync, ranges.count < examined { ranges.append(offset..<offset + size) }
    }
    for range in ranges { try own.add(range, of: broken) }
    if reference.wholeCount > 0, reference.brokenCount == 0, own.brokenCount > 0, own.wholeCount == 0 {
      return .pictures
    }
    let others = own.settings.compactMap { [known = reference.settings] name, value in
      known[name].flatMap { $0 == value ? nil : (name, value, $0) }
    }
    return others.isEmpty ? nil : .settings(others.sorted { $0.0 < $1.0 })
  }
}
