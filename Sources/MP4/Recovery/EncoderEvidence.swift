import Bytes
import ISOBMFF

/// The evidence that sync samples of H.264 or H.265 were encoded with the parameter sets of a configuration: with
/// others, the data of an I slice has impossible values or ends elsewhere.
struct EncoderEvidence {
  private let codec: NALUnits.Codec
  private let lengthSize: Int
  private var avc: AVCSliceHeader
  private var hevc: HEVCParameters
  private(set) var wholeCount = 0
  private(set) var brokenCount = 0

  init?(_ configuration: DecoderConfiguration) {
    guard let (codec, lengthSize) = configuration.nalUnits else { return nil }
    (self.codec, self.lengthSize) = (codec, lengthSize)
    let sets = configuration.parameterSets
    avc = AVCSliceHeader(codec == .avc ? sets : [])
    hevc = HEVCParameters(codec == .hevc ? sets : [])
  }

  /// The number of samples that are examined.
  static let examined = 4
  private static let sizeLimit = 1 << 24

  /// Parses the first slice of a sample. Parameter sets in it take effect.
  mutating func add(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    guard range.count <= Self.sizeLimit else { return }
    let bytes = try source.bytes(in: range)
    for unit in NALUnits(bytes[...], codec, lengthSize: lengthSize) {
      let result: SliceData
      switch codec {
      case .avc:
        avc.note(unit.bytes)
        guard codec.isSlice(unit.type) else { continue }
        result = AVCSliceData.parse(unit.bytes, avc, from: unit.bytes.startIndex)
      case .hevc:
        hevc.note(unit.bytes)
        guard codec.isSlice(unit.type) else { continue }
        result = HEVCSliceData.parse(unit.bytes, hevc, from: unit.bytes.startIndex)
      case .vvc: return
      }
      switch result.outcome {
      case .whole: wholeCount += 1
      case .broken: brokenCount += 1
      case .unknown: break
      }
      return
    }
  }

  /// Whether the pictures of a recovered track do not fit the configuration of the reference track, whose own pictures
  /// do.
  static func refutes(
    _ track: Track, _ recovered: RecoveredTrack, of broken: any ByteSource
  ) throws(IOError) -> Bool {
    guard let configuration = track.decoderConfigurations.first, let empty = EncoderEvidence(configuration) else {
      return false
    }
    var (own, other) = (empty, empty)
    for sample in track.samples.lazy.filter(\.isSync).prefix(examined) {
      let (end, overflow) = sample.offset.addingReportingOverflow(sample.size)
      if !overflow { try own.add(sample.offset..<end, of: sample.source) }
    }
    guard own.wholeCount > 0, own.brokenCount == 0 else { return false }
    var ranges: [Range<Int>] = []
    Recovery.SampleRanges(columns: recovered.columns).forEach { offset, size, isSync, _ in
      if isSync, ranges.count < examined { ranges.append(offset..<offset + size) }
    }
    for range in ranges { try other.add(range, of: broken) }
    return other.brokenCount > 0 && other.wholeCount == 0
  }
}
