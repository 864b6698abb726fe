import Bytes
import ISOBMFF

/// How the samples of one sample description become a part of an elementary stream.
enum SampleFraming: Sendable, Equatable {
  case unchanged(ElementaryStreamFormat)
  case adts(ADTSHeader)
  case annexB(AnnexBFraming)
  /// The header of the file; frames do not change.
  case flac(header: [UInt8])

  /// A part of an elementary stream.
  enum Part {
    case bytes([UInt8])
    /// Bytes of the source of a sample.
    case range(Range<Int>)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .range(let range): range.count
      }
    }
  }

  /// Determines the format by how the samples are coded.
  init(_ configuration: DecoderConfiguration) throws(ExtractionObstacle.Reason) {
    if let framing = AnnexBFraming(configuration) {
      self = .annexB(framing)
      return
    }
    switch configuration.codedFormat {
    case "mp4a": self = try Self.audio(configuration)
    case ".mp3", "ms\u{0}U": self = .unchanged(.mp3)
    case "ac-3", "sac3": self = .unchanged(.ac3)
    case "ec-3": self = .unchanged(.eac3)
    case "fLaC":
      guard let header = Self.flacHeader(configuration) else { throw .flac }
      self = .flac(header: header)
    default: throw .codec(configuration.codecs)
    }
  }

  /// The framing of an entry whose descriptor says how the samples are coded:
  /// https://mp4ra.org/registered-types/object-types
  private static func audio(_ configuration: DecoderConfiguration) throws(ExtractionObstacle.Reason) -> Self {
    let descriptor = configuration.box(ESDescriptorBox.self)
    switch descriptor?.decoderConfig?.objectTypeIndication {
    case 0x40, 0x66, 0x67, 0x68:
      do throws(ADTSHeader.Obstacle) {
        return .adts(try ADTSHeader(descriptor?.decoderSpecificInfo ?? []))
      } catch { throw .adts("\(error)") }
    case 0x69, 0x6b: return .unchanged(.mp3)
    case 0xa5: return .unchanged(.ac3)
    case 0xa6: return .unchanged(.eac3)
    default: throw .codec(configuration.codecs)
    }
  }

  /// The start of a FLAC file with the metadata blocks of the sample entry, of which the first has to be STREAMINFO.
  private static func flacHeader(_ configuration: DecoderConfiguration) -> [UInt8]? {
    guard var rest = configuration.bytes(of: "dfLa")?.dropFirst(4) else { return nil }
    var header = Array("fLaC".utf8)
    var last: Int?
    while rest.count >= 4 {
      let size = rest.prefix(4).dropFirst().reduce(0) { $0 << 8 | Int($1) }
      let block = rest.prefix(4 + size)
      guard block.count == 4 + size, last != nil || (block[block.startIndex] & 0x7f == 0 && size == 34) else { break }
      last = header.count
      header += block
      header[header.count - block.count] &= 0x7f
      rest = rest.dropFirst(block.count)
    }
    guard let last else { return nil }
    header[last] |= 0x80
    return header
  }

  /// The format of the output.
  var format: ElementaryStreamFormat {
    switch self {
    case .unchanged(let format): format
    case .adts: .adts
    case .annexB(let framing): framing.codec == .avc ? .h264 : .h265
    case .flac: .flac
    }
  }

  /// The bytes before the first sample.
  var header: [UInt8] {
    if case .flac(let header) = self { return header }
    return []
  }

  /// Calls `body` for each part of the stream of a sample, and returns whether it can be a part of the stream. If not,
  /// `body` may have been called for some.
  func forEachPart(
    of sample: Sample, in window: inout ByteWindow, isStart: Bool, _ body: (Part) throws(IOError) -> Void
  ) throws(IOError) -> Bool {
    let range = sample.offset..<sample.offset + sample.size
    guard !range.isEmpty else { return true }
    switch self {
    case .unchanged, .flac: try body(.range(range))
    case .adts(let header):
      guard range.count <= ADTSHeader.sampleSizeLimit else { return false }
      try body(.bytes(header.bytes(sampleSize: range.count)))
      try body(.range(range))
    case .annexB(let framing):
      return try framing.forEachPart(of: range, in: &window, isStart: isStart || sample.isSync, body)
    }
    return true
  }

  /// Why samples cannot be a part of the stream.
  func omission(of count: Int) -> String {
    let samples = counted(count, "sample")
    if case .annexB = self {
      return "the NAL units of \(samples) do not fit into \(count == 1 ? "it" : "them")"
    }
    return
      "\(samples) \(count == 1 ? "has" : "have") more than the \(ADTSHeader.sampleSizeLimit) bytes of an ADTS frame"
  }
}
