public import MP4
public import MP4Bytes
public import MP4DASH
public import MP4HLS
public import MP4Packaging

/// Why a playlist, or a file that it refers to, cannot be read.
public enum PresentationError: Error, Sendable {
  /// A file cannot be read or written.
  case io(IOError)
  /// A remote resource cannot be fetched.
  case fetch(FetchError)
  /// A file is not a playlist, or is damaged.
  case playlist(file: String, PlaylistError)
  /// A DASH manifest is damaged, or has something that is not supported.
  case manifest(file: String, MPDError)
  /// No media playlist of a multivariant playlist can be chosen.
  case noStream(file: String, StreamChoice.Failure)
  /// A segment of a playlist cannot be used.
  case segment(file: String, SegmentError)
  /// The key in a line of a playlist cannot be used.
  case key(file: String, line: Int, KeyProblem)
  /// Samples cannot be decrypted with the key that their playlist names.
  case samples(MovieError)
  /// A line of a playlist refers to a resource that is not allowed.
  case refused(file: String, line: Int, uri: String, PlaylistLocation.Refusal)
  /// A line of a playlist refers to a symbolic link out of the folder of the first playlist.
  case refusedLink(file: String, line: Int, uri: String)
  /// A file that a line of `playlist` names is a symbolic link out of the folder of the first playlist.
  case linkedOutside(file: String, playlist: String? = nil, line: Int = 0)
  /// A file is too large for a playlist.
  case tooLong(file: String, limit: Int)
  /// The caller stopped before everything had arrived.
  case stopped(file: String)
  /// A playlist has no readable segments.
  case noSegments(file: String)
  /// A media playlist, where a multivariant playlist is needed.
  case notMultivariant(file: String)
  /// An MP4 file, where a playlist is needed.
  case movie(file: String)
  /// Subtitles cannot be added to a presentation.
  case subtitles(file: String, SubtitleError)
  /// A remote resource cannot be fetched, because there is no transport.
  case noTransport(WebAddress)
  /// A multivariant playlist refers to more media playlists than any real one.
  case tooManyPlaylists(file: String, limit: Int)
  /// A folder has several multivariant playlists, and no media playlists.
  case severalPresentations(folder: String, count: Int)
  /// A folder has neither playlists nor MP4 files.
  case noMedia(folder: String)
}

extension PresentationError {
  /// The problem without the playlist and the line that refer to a resource.
  package var withoutPlace: String {
    switch self {
    case .refused(_, _, let uri, let refusal): "\"\(uri)\" is not allowed: \(refusal.reason)"
    case .refusedLink(_, _, let uri): "\"\(uri)\" is not allowed: \(Self.linkedOutside)"
    case .manifest(_, let error): error.reason
    default: description
    }
  }
}

extension PresentationError: CustomStringConvertible {
  /// A sentence that names the file and the problem.
  public var description: String {
    switch self {
    case .io(let error): return error.description
    case .fetch(let error): return error.description
    case .playlist(let file, let error): return "\(file): \(error)"
    case .manifest(let file, let error): return "\(file): \(error)"
    case .noStream(let file, let error): return "\(file): \(error)"
    case .segment(let file, let error): return "\(file): \(error)"
    case .key(let file, let line, let problem): return "\(file): line \(line): \(problem)"
    case .samples(let error): return "\(error)"
    case .refused(let file, let line, _, _), .refusedLink(let file, let line, _):
      return "\(file): line \(line): \(withoutPlace)"
    case .linkedOutside(let file, let playlist, let line):
      let prefix = playlist.map { "\($0): line \(line): " } ?? ""
      return "\(prefix)\(file): \(Self.linkedOutside)"
    case .tooLong(let file, let limit):
      return "\(file): the file is larger than \(limit) bytes, the maximum size of a playlist"
    case .stopped(let file): return "\(file): stopped before it was complete"
    case .noSegments(let file): return "\(file): it has no readable segments"
    case .notMultivariant(let file):
      return
        "\(file): this is a media playlist, to which subtitles cannot be added; use the multivariant playlist that "
        + "refers to it, or create one with #EXT-X-STREAM-INF:BANDWIDTH=… before its URI"
    case .movie(let file): return "\(file): this is an MP4 file, not a playlist"
    case .subtitles(_, .movie(let error)): return "\(error)"
    case .subtitles(let file, let error): return "\(file): \(error)"
    case .noTransport(let address): return "\(address): this is a remote file, but there is no transport"
    case .tooManyPlaylists(let file, let limit):
      return "\(file): it refers to more than \(limit) media playlists; the others are not read"
    case .severalPresentations(let folder, let count):
      return "\(folder): there are \(count) multivariant playlists in this folder; specify one of them"
    case .noMedia(let folder): return "\(folder): there are neither HLS playlists nor MP4 files in this folder"
    }
  }

  private static let linkedOutside =
    "a symbolic link leads out of the folder of the first playlist"

  /// Whether it could be read if the first playlist allowed resources outside its folder.
  public var isAllowable: Bool {
    switch self {
    case .refused(_, _, _, let refusal): refusal.isAllowable
    case .segment(_, let error): if case .refused(_, let refusal) = error.problem { refusal.isAllowable } else { false }
    case .refusedLink, .linkedOutside: true
    default: false
    }
  }
}
