import ISOBMFF
public import MP4Bytes

/// A file with the samples of one track outside MP4, as a movie that can be read like an MP4 file.
///
/// The movie refers to the media in the file, which is not copied: it can be inspected, edited, and written with other
/// movies by a ``Multiplexer``.
public struct ElementaryStream: Sendable {
  /// How streams are read.
  public struct Options: Sendable {
    /// The number of pictures per second of video; `nil` is what the stream declares.
    public var frameRate: FrameRate?

    /// Whether the movie is a QuickTime movie, which has other sample entries for audio, also for 8-bit PCM, A-law and
    /// μ-law. H.264, H.265, AAC and uncompressed audio can become one; other streams become an ISO file.
    public var isQuickTime = false

    /// An ISO file, with the declared frame rate.
    public init() {}
  }

  /// The format of the file.
  public let format: ElementaryStreamFormat
  /// An MP4 file, of which only the boxes are in memory.
  public let movie: any ByteSource
  /// What was omitted.
  public let diagnostics: [Diagnostic]

  /// Reads a file once; `nil` if it has none of the formats: H.264, H.265 and H.266 with start codes, AV1 and VP9 in
  /// IVF, AV1 as open bitstream units, AAC in ADTS and LATM, AC-3, E-AC-3, MP2 and MP3, FLAC, Opus in Ogg, PCM in WAV,
  /// RF64, BW64, Wave64 and AIFF, and PCM, AAC and Apple Lossless in CAF. The contents decide, not the name.
  ///
  /// `onProgress` is called with the number of bytes read, and returns whether to continue.
  ///
  /// - Throws: `MovieError` if the file cannot be read, or has no samples; for example, video that does not declare its
  ///   frame rate.
  public init?(
    _ source: any ByteSource, _ options: Options = Options(), onProgress: (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    guard let format = try ElementaryStreamFormat(of: source) else { return nil }
    self.format = format
    let result: (movie: any ByteSource, diagnostics: [Diagnostic])
    switch format {
    case .h264, .h265, .h266:
      let codec: NALUnits.Codec = format == .h264 ? .avc : format == .h265 ? .hevc : .vvc
      let stream = try AnnexBStream(source, codec, onProgress: onProgress)
      result = try stream.movie(rate: options.frameRate, isQuickTime: options.isQuickTime)
    case .ivf, .obu:
      let stream = VideoFrameStream(source, isIVF: format == .ivf)
      result = try stream.movie(rate: options.frameRate, onProgress: onProgress)
    case .flac: result = try FLACStream(source).movie(onProgress: onProgress)
    case .opus: result = try OggOpus(source).movie(onProgress: onProgress)
    case .caf: result = try CAFStream(source).movie(isQuickTime: options.isQuickTime)
    case .wav, .aiff:
      result = try PCMStream(source, isAIFF: format == .aiff).movie(isQuickTime: options.isQuickTime)
    default:
      result = try AudioFrames(source, format).movie(isQuickTime: options.isQuickTime, onProgress: onProgress)
    }
    (movie, diagnostics) = result
  }
}

extension ElementaryStream {
  /// Whether a file can be a part of a QuickTime movie: a stream of H.264, H.265, AAC or uncompressed audio, or a
  /// QuickTime movie.
  static func canBeQuickTime(_ source: any ByteSource) throws(MovieError) -> Bool {
    var window = ByteWindow(source, readAhead: 0)
    let start = try io(window.slice(at: 0, count: 32))
    switch try ElementaryStreamFormat(of: source) {
    case .h264, .h265, .adts, .latm, .wav, .aiff: return true
    case .caf: return CAFStream.isQuickTime(start)
    case .some: return false
    case nil:
      guard let box = FileBox(startOf: start) else { return false }
      if case .fileType = box { return start.dropFirst(8).starts(with: "qt  ".utf8) }
      return true
    }
  }
}

extension ElementaryStreamFormat {
  private static let headSize = 1 << 14

  /// The format of a file; `nil` if it is none that can become a movie.
  public init?(of source: any ByteSource) throws(MovieError) {
    var window = ByteWindow(source, readAhead: 0)
    var start = try io(window.slice(at: 0, count: Self.headSize))
    if PacketFraming(start.prefix(PacketFraming.headSize)) != nil { return nil }
    let isWhole = start.count < Self.headSize
    func begins(_ text: String, at offset: Int = 0) -> Bool { start.dropFirst(offset).starts(with: text.utf8) }
    if ["RIFF", "RF64", "BW64"].contains(where: { begins($0) }) && begins("WAVE", at: 8) || PCMStream.isWave64(start) {
      self = .wav
    } else if begins("FORM"), begins("AIFF", at: 8) || begins("AIFC", at: 8) {
      self = .aiff
    } else if begins("caff") {
      self = .caf
    } else if begins("DKIF") {
      self = .ivf
    } else if OggOpus.isStart(start) {
      self = .opus
    } else if VideoFrameStream.isUnits(start) {
      self = .obu
    } else if let codec = AnnexBStream.codec(of: start) {
      self = codec == .avc ? .h264 : codec == .hevc ? .h265 : .h266
    } else {
      var offset = 0
      while let size = AudioFrames.tagSize(start) {
        offset += size
        start = try io(window.slice(at: offset, count: Self.headSize))
      }
      let frames = AudioFrames.format(of: start, isWhole: isWhole || offset > 0)
      if let format = begins("fLaC") ? .flac : frames {
        self = format
      } else if let later = try AudioFrames.laterStart(from: offset, in: source) {
        self = later.format
      } else {
        return nil
      }
    }
  }
}
