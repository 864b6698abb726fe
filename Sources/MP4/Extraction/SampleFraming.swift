import ISOBMFF
import MP4Bytes

/// How the samples of one sample description are written to an elementary stream.
enum SampleFraming: Sendable, Equatable {
  case unchanged(ElementaryStreamFormat)
  /// Each sample after its size.
  case sized
  case adts(ADTSHeader)
  case annexB(AnnexBFraming)
  /// The header of the file; frames are copied.
  case flac(header: [UInt8])
  case video(VideoFrames)
  case pcm(PCMFile)
  case opus(OpusStream)
  case startCodes(StartCodeVideo)
  case alac(CoreAudioFile)

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

  /// Determines the format from the codec. `format` is one of those that the codec supports, or `nil` for its usual
  /// one.
  init(_ configuration: DecoderConfiguration, as format: ElementaryStreamFormat? = nil)
    throws(Obstacle)
  {
    self = try Self.framing(configuration, format)
    if let format, format != self.format { throw .format("\(format)", codec: configuration.codecs) }
  }

  private static func framing(_ configuration: DecoderConfiguration, _ format: ElementaryStreamFormat?)
    throws(Obstacle) -> Self
  {
    if let framing = AnnexBFraming(configuration) { return .annexB(framing) }
    if let frames = VideoFrames(configuration, isIVF: format != .obu) { return .video(frames) }
    if let video = StartCodeVideo(configuration) { return .startCodes(video) }
    if let pcm = PCMFormat(configuration) { return .pcm(PCMFile(source: pcm, isAIFF: format == .aiff)) }
    switch configuration.codedFormat {
    case "mp4a": return try audio(configuration)
    case "alac":
      guard let file = CoreAudioFile(configuration) else {
        throw Obstacle("no_alac_configuration", "its sample entry has no valid alac box", remedy: .extractRaw)
      }
      return .alac(file)
    case "jpeg", "mjpg": return .unchanged(.jpeg)
    case "png ": return .unchanged(.png)
    case "mp4v" where configuration.box(ESDescriptorBox.self)?.decoderConfig?.objectTypeIndication == 0x6c:
      return .unchanged(.jpeg)
    case "mp4v" where configuration.box(ESDescriptorBox.self)?.decoderConfig?.objectTypeIndication == 0x6d:
      return .unchanged(.png)
    case ".mp3", "ms\u{0}U": return .unchanged(.mp3)
    case "ac-3", "sac3": return .unchanged(.ac3)
    case "ec-3": return .unchanged(.eac3)
    case "fLaC":
      guard let header = flacHeader(configuration) else {
        throw Obstacle(
          "no_flac_header", "dfLa has no complete STREAMINFO, which a FLAC file needs", remedy: .extractRaw)
      }
      return .flac(header: header)
    case "urim" where Self.isID3(configuration): return .unchanged(.id3)
    case "Opus":
      guard let stream = OpusStream(configuration) else {
        throw Obstacle("no_opus_header", "it has no valid dOps", remedy: .extractRaw)
      }
      return .opus(stream)
    default:
      if let format { throw .format("\(format)", codec: configuration.codecs) }
      throw Self.noFormat(configuration.codecs)
    }
  }

  /// The framing of an entry whose descriptor declares the codec: https://mp4ra.org/registered-types/object-types
  private static func audio(_ configuration: DecoderConfiguration) throws(Obstacle) -> Self {
    let descriptor = configuration.box(ESDescriptorBox.self)
    switch descriptor?.decoderConfig?.objectTypeIndication {
    case 0x40, 0x66, 0x67, 0x68:
      do throws(ADTSHeader.Obstacle) {
        return .adts(try ADTSHeader(descriptor?.decoderSpecificInfo ?? []))
      } catch {
        let text = "an ADTS header cannot express its configuration: \(error)"
        throw Obstacle("adts_configuration", text, remedy: .extractRaw)
      }
    case 0x69, 0x6b: return .unchanged(.mp3)
    case 0xa5: return .unchanged(.ac3)
    case 0xa6: return .unchanged(.eac3)
    default: throw Self.noFormat(configuration.codecs)
    }
  }

  private static func noFormat(_ codec: String) -> Obstacle {
    Obstacle("no_stream_format", "there is no elementary stream format for its codec \(codec)", remedy: .extractRaw)
  }

  /// Whether samples are ID3 tags: the scheme URI is that of Carriage of ID3 Timed Metadata in CMAF, or Apple's.
  private static func isID3(_ configuration: DecoderConfiguration) -> Bool {
    guard let scheme = configuration.bytes(of: "uri ")?.dropFirst(4) else { return false }
    let text = scheme.prefix { $0 != 0 }.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
    return zip(text, zip(text.dropFirst(), text.dropFirst(2))).contains { $0 == 0x69 && $1.0 == 0x64 && $1.1 == 0x33 }
  }

  /// The start of a FLAC file with the metadata blocks of the sample entry, of which the first must be STREAMINFO.
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
    case .sized: .sizedSamples
    case .adts: .adts
    case .annexB(let framing):
      switch framing.codec {
      case .avc: .h264
      case .hevc: .h265
      case .vvc: .h266
      }
    case .flac: .flac
    case .video(let frames): frames.isIVF ? .ivf : .obu
    case .pcm(let file): file.isAIFF ? .aiff : .wav
    case .opus: .opus
    case .startCodes(let video): video.format
    case .alac: .caf
    }
  }

  /// Whether samples of both can be in one file.
  func isCompatible(with other: SampleFraming) -> Bool {
    switch (self, other) {
    case (.video(let own), .video(let other)): own.isCompatible(with: other)
    case (.flac, _), (.pcm, _), (.opus, _), (.alac, _): self == other
    default: format == other.format
    }
  }

  /// Whether samples are copied unchanged, so that adjacent ones can be copied together.
  var isContinuous: Bool {
    switch self {
    case .unchanged, .flac, .pcm, .alac: true
    case .sized, .adts, .annexB, .video, .opus, .startCodes: false
    }
  }

  /// The bytes before these samples, of which this number with this total size is written.
  func header(_ samples: some Collection<Sample>, sampleCount: Int, byteCount: Int, timescale: UInt32) -> [UInt8] {
    switch self {
    case .alac(let file): file.header(samples)
    case .flac(let header): header
    case .video(let frames): frames.header(timescale: timescale, frameCount: sampleCount)
    case .pcm(let file): file.header(byteCount: byteCount)
    case .unchanged, .sized, .adts, .annexB, .opus, .startCodes: []
    }
  }

  /// The bytes after the samples.
  func trailer(byteCount: Int) -> [UInt8] {
    if case .pcm(let file) = self { return file.trailer(byteCount: byteCount) }
    return []
  }

  /// Calls `body` for each part of a sample in the stream; returns whether the sample can be written. If not, `body`
  /// may have been called for some parts. `origin` is the composition time at which the stream starts.
  func forEachPart(
    of sample: Sample, in window: inout ByteWindow, isStart: Bool, origin: Int64, _ body: (Part) throws(IOError) -> Void
  ) throws(IOError) -> Bool {
    let range = sample.offset..<sample.offset + sample.size
    if case .sized = self {
      guard let size = UInt32(exactly: range.count) else { return false }
      try body(.bytes([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }))
      if !range.isEmpty { try body(.range(range)) }
      return true
    }
    guard !range.isEmpty else { return true }
    switch self {
    case .unchanged, .sized, .flac, .pcm, .opus, .alac: try body(.range(range))
    case .startCodes(let video):
      try video.forEachPart(of: range, in: &window, isStart: isStart || sample.isSync, body)
    case .adts(let header):
      guard range.count <= ADTSHeader.sampleSizeLimit else { return false }
      try body(.bytes(header.bytes(sampleSize: range.count)))
      try body(.range(range))
    case .annexB(let framing):
      return try framing.forEachPart(of: range, in: &window, isStart: isStart || sample.isSync, body)
    case .video(let frames):
      let time = sample.compositionTime.value.subtractingReportingOverflow(origin).partialValue
      return try frames.forEachPart(of: range, in: &window, time: time, body)
    }
    return true
  }

  /// Why samples cannot be written to the stream.
  func omission(of count: Int) -> String {
    let (samples, them) = (counted(count, "sample"), count == 1 ? "it" : "them")
    switch self {
    case .annexB: return "the NAL units of \(samples) do not fit into \(them)"
    case .video: return "the open bitstream units of \(samples) do not fit into \(them)"
    case .opus: return "\(samples) \(count == 1 ? "is no packet" : "are no packets") of Opus"
    case .unchanged, .sized, .adts, .flac, .pcm, .startCodes, .alac:
      return
        "\(samples) \(count == 1 ? "has" : "have") more than the \(ADTSHeader.sampleSizeLimit) bytes of an ADTS frame"
    }
  }
}
