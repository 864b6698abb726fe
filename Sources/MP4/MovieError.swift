public import ISOBMFF

/// Why an operation cannot be done.
public enum MovieError: Error, Sendable {
  /// A source could not be read, or a sink not written.
  case io(IOError)
  /// A box that is needed is damaged.
  case damaged(file: String, path: String, BoxError)
  /// There is no movie box, and so no track.
  case noMovie(file: String)
  /// A movie without a track that could be used.
  case noTracks(file: String)
  /// Fragments that follow no movie box.
  case segmentFirst(file: String)
  /// A file that should be a segment holds no fragment.
  case notASegment(file: String)
  /// A segment whose tracks the movie does not have.
  case otherTracks(file: String, tracks: [UInt32], movie: String, movieTracks: [UInt32])
  /// A second movie box that differs from the first.
  case otherMovie(file: String, movie: String)
  /// Something that the output cannot express.
  case impossible(file: String, reason: String)
}

extension MovieError: CustomStringConvertible {
  /// A sentence that names the file, what is wrong, and what was possible.
  public var description: String {
    switch self {
    case .io(let error): error.description
    case .damaged(let file, let path, let error): "\(file): \(path): \(error)"
    case .noMovie(let file): "\(file): there is no movie box (moov); an init segment or a whole file is needed"
    case .noTracks(let file): "\(file): the movie has no track"
    case .segmentFirst(let file):
      "\(file): this is a media segment without a movie box (moov); give the init segment before it"
    case .notASegment(let file): "\(file): there is no movie fragment (moof) in it; it is not a media segment"
    case .otherTracks(let file, let tracks, let movie, let movieTracks):
      "\(file): its fragments are of \(list(tracks)), but \(movie) has \(list(movieTracks)); give the init that belongs to it"
    case .otherMovie(let file, let movie):
      "\(file): its movie box differs from that of \(movie); only segments of one init can be put together"
    case .impossible(let file, let reason): "\(file): \(reason)"
    }
  }
  private func list(_ tracks: [UInt32]) -> String {
    (tracks.count == 1 ? "track " : "tracks ") + tracks.map(String.init).joined(separator: ", ")
  }
}

/// Something that an operation met and that its user may want to know.
public struct Notice: Sendable, Equatable, CustomStringConvertible {
  /// How much it matters.
  public enum Severity: Sendable, Comparable {
    /// Nothing of the presentation changed.
    case note
    /// Times were repaired, and nothing was lost.
    case warning
    /// Something was lost or could not be read.
    case loss
  }
  /// How much it matters.
  public var severity: Severity
  /// The file that it is about.
  public var file: String
  /// What it is.
  public var text: String

  init(_ severity: Severity, _ file: String, _ text: String) {
    self.severity = severity
    self.file = file
    self.text = text
  }
  /// The file and what it is.
  public var description: String { "\(file): \(text)" }
}
