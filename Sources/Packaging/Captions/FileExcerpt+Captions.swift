import ISOBMFF
public import MP4
import MP4Bytes
public import TimedText

extension FileExcerpt {
  /// The closed captions of a movie as a file, its format, and the channel whose text it has. They are those of the
  /// first track that has the channel.
  ///
  /// - Parameters:
  ///   - movie: The movie; all of its tracks are searched.
  ///   - channel: The channel; `nil` is the first one that has text.
  ///   - format: WebVTT by default. `scenarist` has all bytes of the field of the channel, and `macCaption` has those
  /// of     all channels.
  /// - Throws: `MovieError` if there are no captions in the channel, or the format cannot have them.
  public static func captions(of movie: Movie, channel: CaptionChannel? = nil, as format: TextFileFormat? = nil)
    throws(MovieError) -> (excerpt: FileExcerpt, format: TextFileFormat, channel: CaptionChannel)
  {
    var others: Set<CaptionChannel> = []
    for track in movie.tracks where track.canHaveCaptions {
      let captions = try track.captions(until: movie)
      let channels = captions.channels
      guard let own = channel ?? channels.first, channels.contains(own) else {
        others.formUnion(channels)
        continue
      }
      func refusal(_ obstacle: Obstacle) -> MovieError { .impossible(file: movie.name, obstacle.inTrack(track.id)) }
      let bytes: [UInt8]
      switch format ?? .webVTT {
      case .webVTT: bytes = WebVTTDocument(captions.cues(of: own)).bytes
      case .subRip: bytes = WebVTTDocument(captions.cues(of: own)).subRip
      case .ttml: throw refusal(.format(TextFileFormat.ttml.rawValue, codec: "\(own)"))
      case .scenarist:
        guard let field = own.field else {
          throw refusal(.format(TextFileFormat.scenarist.rawValue, codec: "\(own) (CEA-708)"))
        }
        bytes = ScenaristFile(captions.frames(of: field)).bytes
      case .macCaption: bytes = MacCaptionFile(captions, track.isCaptions ? nil : track.frameRate).bytes
      }
      var excerpt = FileExcerpt(bytes)
      excerpt.diagnostics = movie.diagnostics.filter { $0.severity != .note }
      if channel == nil, channels.count > 1, format != .macCaption {
        let rest = channels.filter { $0 != own }.map(\.description).joined(separator: ", ")
        excerpt.diagnostics.append(
          Diagnostic(.note, movie.name, "the captions are those of \(own); there are also \(rest)"))
      }
      return (excerpt, format ?? .webVTT, own)
    }
    let list = others.sorted().map(\.description).joined(separator: ", ")
    let text =
      others.isEmpty
      ? "it has no closed captions"
      : "it has no closed captions in \(channel.map { "\($0)" } ?? "any channel"), only in \(list)"
    throw .impossible(file: movie.name, Obstacle("no_captions", text))
  }
}
