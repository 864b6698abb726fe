import ISOBMFF
public import MP4
import MP4Bytes
public import TimedText

/// A file format for the text of a track.
public enum TextFileFormat: String, Sendable, CaseIterable {
  /// WebVTT, with the positions of `wvtt`.
  case webVTT = "WebVTT"
  /// SubRip.
  case subRip = "SubRip"
  /// One TTML document.
  case ttml = "TTML"
  /// Scenarist closed captions: the bytes of a field of CEA-608.
  case scenarist = "SCC"
  /// MacCaption: the bytes of all closed captions.
  case macCaption = "MCC"

  /// The usual file name extensions in lower case.
  public var extensions: [String] {
    switch self {
    case .webVTT: ["vtt"]
    case .subRip: ["srt"]
    case .ttml: ["ttml", "dfxp", "xml"]
    case .scenarist: ["scc"]
    case .macCaption: ["mcc"]
    }
  }
}

extension FileExcerpt {
  /// The text of the only track of a movie as a file, and its format; `nil` if it is not a text track. Times are
  /// presentation times; in TTML, they are those of the documents. Of closed captions, it is the first channel.
  ///
  /// - Throws: `MovieError` if the track is encrypted, does not support the format, or has documents that cannot be
  ///   merged.
  public static func text(of movie: Movie, as format: TextFileFormat? = nil) throws(MovieError) -> (
    excerpt: FileExcerpt, format: TextFileFormat
  )? {
    guard movie.tracks.count == 1, let track = movie.tracks.first, !track.samples.isEmpty,
      let configuration = track.decoderConfigurations.first,
      track.decoderConfigurations.allSatisfy({ $0.codedFormat == configuration.codedFormat })
    else { return nil }
    func refusal(_ obstacle: Obstacle) -> MovieError { .impossible(file: movie.name, obstacle.inTrack(track.id)) }
    let isText = ["tx3g", "text", "wvtt", "stpp"].contains(configuration.codedFormat)
    guard isText || track.isCaptions else { return nil }
    if let scheme = track.protectionScheme { throw refusal(.encrypted(scheme)) }
    if track.isCaptions {
      let captions = try captions(of: movie, as: format)
      return (captions.excerpt, captions.format)
    }
    var diagnostics = movie.diagnostics.filter { $0.severity != .note }
    func say(_ severity: Diagnostic.Severity, _ text: String) {
      diagnostics.append(Diagnostic(severity, movie.name, "track \(track.id): \(text)"))
    }
    if configuration.codedFormat == "stpp", format ?? .ttml == .ttml {
      let documents = try TTMLTrack(track)
      if documents.skipped > 0 { say(.error, Self.skipped(documents.skipped)) }
      guard let bytes = documents.merged else {
        let text =
          documents.count == 0
          ? "it has no document"
          : "its \(documents.count) documents differ in more than their text, so they cannot be merged"
        throw refusal(Obstacle("documents_not_mergeable", text, remedy: .extractRaw))
      }
      if documents.count > 1 {
        say(.note, "its \(documents.count) TTML documents were merged into one")
      }
      var excerpt = FileExcerpt(bytes)
      excerpt.diagnostics = diagnostics
      return (excerpt, .ttml)
    }
    if let format, [.ttml, .scenarist, .macCaption].contains(format) {
      throw refusal(.format(format.rawValue, codec: configuration.codecs))
    }
    let text = try track.text(configuration)
    if text.skipped > 0 { say(.error, Self.skipped(text.skipped)) }
    if let losses = text.losses { say(.note, "\(losses) are not preserved") }
    let document = text.document
    let own = format ?? .webVTT
    if own == .subRip, document.cues.contains(where: { !$0.settings.isEmpty }) {
      say(.note, "SubRip has no positions; the positions of cues are not written")
    }
    var excerpt = FileExcerpt(own == .subRip ? document.subRip : document.bytes)
    excerpt.diagnostics = diagnostics
    return (excerpt, own)
  }

  private static func skipped(_ count: Int) -> String {
    "\(counted(count, "text sample")) cannot be read; omitted"
  }
}

extension Track {
  /// The text of the track with the format of `configuration`, the number of samples that cannot be read, and what is
  /// not preserved.
  fileprivate func text(_ configuration: DecoderConfiguration) throws(MovieError) -> (
    document: WebVTTDocument, skipped: Int, losses: String?
  ) {
    switch configuration.codedFormat {
    case "wvtt":
      let text = try WebVTTTrack(self, configuration)
      return (text.document, text.skipped, nil)
    case "stpp":
      let text = try TTMLTrack(self)
      return (WebVTTDocument(text.cues), text.skipped, "positions and colors")
    default:
      let text = try TimedTextTrack(self, configuration.fields as? TimedTextSampleEntry)
      return (WebVTTDocument(text.cues), text.skipped, text.losses)
    }
  }

  /// The cues of a text track (WebVTT, 3GPP timed text, QuickTime text, TTML), in presentation time; `nil` if it has
  /// another format. Samples that cannot be read are omitted.
  ///
  /// - Throws: `MovieError.io` if the media cannot be read.
  public func cues() throws(MovieError) -> [Cue]? {
    guard let configuration = decoderConfigurations.first, protectionScheme == nil,
      ["tx3g", "text", "wvtt", "stpp"].contains(configuration.codedFormat)
    else { return nil }
    return samples.isEmpty ? [] : try text(configuration).document.cues
  }
}
