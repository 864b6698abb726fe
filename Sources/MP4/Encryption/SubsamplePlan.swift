import ISOBMFF
import MP4Bytes

/// Determines which parts of the samples of a track are encrypted: ISO/IEC 23001-7:2023, 9.5 and 10.
///
/// For H.264 and H.265, the lengths and headers of NAL units, parameter sets, SEI messages and slice headers stay
/// clear. Slice headers of H.265 are not parsed: a fixed number of bytes, larger than a slice header, stays clear.
struct SubsamplePlan {
  private let codec: NALUnits.Codec
  private let lengthSize: Int
  private var headers: AVCSliceHeader
  /// Whether encrypted ranges consist of whole blocks.
  private let isAligned: Bool
  /// The maximum number of subsamples: the auxiliary information of a sample has at most 255 bytes.
  private let limit: Int

  /// The number of bytes at the start of a slice that stay clear if its header is not parsed.
  private static let headerLimit = (avc: 64, hevc: 256)
  private static let blockSize = 16

  /// A plan for samples of a configuration; `nil` if they do not consist of NAL units.
  init?(_ configuration: DecoderConfiguration, isAligned: Bool, vectorSize: Int) {
    guard let units = configuration.nalUnits else { return nil }
    (codec, lengthSize) = units
    headers = AVCSliceHeader(codec == .avc ? configuration.parameterSets : [])
    self.isAligned = isAligned
    limit = (255 - vectorSize - 2) / 6
  }

  /// The subsamples as pairs of clear and encrypted byte counts; `nil` if there are too many, or if the NAL units do
  /// not fill the sample.
  mutating func subsamples(of range: Range<Int>, in window: inout ByteWindow) throws(IOError)
    -> [SampleEncryption.Subsample]?
  {
    var (result, clear, at): ([SampleEncryption.Subsample], Int, Int) = ([], 0, range.lowerBound)
    func flush(_ protected: Int) {
      while clear > Int(UInt16.max) {
        result.append(SampleEncryption.Subsample(clearByteCount: Int(UInt16.max), protectedByteCount: 0))
        clear -= Int(UInt16.max)
      }
      if clear + protected > 0 {
        result.append(SampleEncryption.Subsample(clearByteCount: clear, protectedByteCount: protected))
      }
      clear = 0
    }
    while at < range.upperBound {
      guard range.upperBound - at >= lengthSize else { return nil }
      let size = try window.slice(at: at, count: lengthSize).reduce(0) { $0 << 8 | Int($1) }
      at += lengthSize
      guard size <= range.upperBound - at else { return nil }
      let start = try window.slice(at: at, count: min(size, 512))
      let protected = protectedCount(start, size)
      clear += lengthSize + size - protected
      if protected > 0 { flush(protected) }
      at += size
    }
    flush(0)
    return result.count <= limit ? result : nil
  }

  /// The number of encrypted bytes at the end of a unit that starts with these bytes.
  private mutating func protectedCount(_ start: ArraySlice<UInt8>, _ size: Int) -> Int {
    guard let type = codec.type(start) else { return 0 }
    guard codec.isSlice(type) else {
      if codec == .avc { headers.note(start) }
      return 0
    }
    let header = codec == .avc ? headers.header(of: start)?.size ?? Self.headerLimit.avc : Self.headerLimit.hevc
    let rest = max(0, size - header)
    return isAligned ? rest / Self.blockSize * Self.blockSize : rest < Self.blockSize ? 0 : rest
  }
}
