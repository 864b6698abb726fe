public import Bytes
public import ISOBMFF

/// Why an operation is impossible, as a value with a sentence.
public typealias Obstacle = Error & CustomStringConvertible

/// Why an operation cannot be done.
public enum MovieError: Error, Sendable {
  /// A source could not be read, or a sink not written.
  case io(IOError)
  /// A box that is needed is damaged.
  case damaged(file: String, path: String, BoxError)
  /// There is no movie box, and so no track.
  case noMovie(file: String)
  /// A file without a byte.
  case empty(file: String)
  /// A file of another format.
  case otherFormat(file: String, ForeignFormat)
  /// A file of text in a format that is not known.
  case text(file: String)
  /// There is no movie box, as the file is cut off before it.
  case cutOff(file: String)
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
  /// Something is in the way: a ``MovieObstacle``, ``SegmentObstacle``, ``SourceFragmentObstacle``, ``JoinObstacle``,
  /// ``InPlaceObstacle``, ``LayoutObstacle``, ``LiveObstacle``, ``SampleObstacle``, or one of another module.
  case impossible(file: String, any Obstacle)
  /// No box is where an edit is to be made; the path is the one that was given.
  case noBox(file: String, path: String)
  /// An edit is to be made at what is not a path.
  case notAPath(file: String, path: String)
  /// The box at a path has other fields than those that are to be edited.
  case otherFields(file: String, path: String)
  /// Something still names bytes of the file that were removed, such as the media data of a track that is kept.
  case removedData(file: String, offset: Int)
  /// A box that was edited cannot be written.
  case unwritable(file: String, BoxError)
  /// The caller's progress closure asked to stop.
  case stopped(file: String)
}

extension MovieError: Equatable {
  /// Whether both say the same of the same file.
  public static func == (a: MovieError, b: MovieError) -> Bool { a.description == b.description }
}

extension MovieError: CustomStringConvertible {
  /// A sentence that names the file, what is wrong, and what was possible.
  public var description: String {
    if case .io(let error) = self { return error.description }
    return file.isEmpty ? reason : "\(file): \(reason)"
  }
  /// The file that it is about.
  public var file: String {
    switch self {
    case .io(let error): error.file
    case .damaged(let file, _, _), .noMovie(let file), .noTracks(let file), .segmentFirst(let file),
      .notASegment(let file), .otherTracks(let file, _, _, _), .otherMovie(let file, _), .impossible(let file, _),
      .empty(let file), .otherFormat(let file, _), .text(let file), .cutOff(let file), .stopped(let file),
      .noBox(let file, _), .notAPath(let file, _), .otherFields(let file, _), .removedData(let file, _),
      .unwritable(let file, _):
      file
    }
  }
  /// What is wrong and what was possible, without the file.
  public var reason: String {
    switch self {
    case .io(let error): error.reason
    case .damaged(_, let path, let error): "\(path): \(error)"
    case .empty: "the file is empty; copy or download it again"
    case .otherFormat(_, let format): format.reason
    case .text: "this is a text file, not MP4; give an MP4 file or an init segment"
    case .cutOff:
      "the file is cut off before its moov box, without which samples cannot be found; copy or download it again, or if the recording was interrupted, rebuild moov with a tool such as untrunc"
    case .noMovie: "no moov box; an init segment or a complete file is needed"
    case .noTracks: "the movie has no track"
    case .segmentFirst: "this is a media segment without a moov box; put the init segment before it"
    case .notASegment: "it has no movie fragment (moof), so it is not a media segment"
    case .otherTracks(let file, let tracks, let movie, let movieTracks):
      "its fragments belong to \(list(tracks)), but \(Notice.shortened(movie, beside: file)) has \(list(movieTracks)); use the matching init segment"
    case .otherMovie(let file, let movie):
      "its moov differs from that of \(Notice.shortened(movie, beside: file)); only segments of one init segment can be joined"
    case .impossible(_, let obstacle): obstacle.description
    case .noBox(_, let path): "no box at '\(path)'"
    case .notAPath(_, let path): "'\(path)' is not a box path such as 'moov/trak[1]/mdia/mdhd'"
    case .otherFields(_, let path): "the box at '\(path)' has different fields"
    case .removedData(_, let offset): "byte \(offset) was removed but is still referenced"
    case .unwritable(_, let error): "an edited box cannot be written: \(error)"
    case .stopped: "it was stopped"
    }
  }
  private func list(_ tracks: [UInt32]) -> String {
    (tracks.count == 1 ? "track " : "tracks ") + tracks.map(String.init).joined(separator: ", ")
  }
}

extension MovieError {
  /// This error, or what the source is that makes it so: empty, of another format, text, or cut off.
  func explained(by source: any ByteSource) -> MovieError {
    // What cannot be read says that itself.
    guard let start = try? ByteWindow.start(of: source) else { return self }
    if start.isEmpty { return .empty(file: source.name) }
    if let format = ForeignFormat(start: start) { return .otherFormat(file: source.name, format) }
    guard case .noMovie = self else { return self }
    if start.isText { return .text(file: source.name) }
    return Self.isCutOff(source) ? .cutOff(file: source.name) : self
  }

  /// Whether the last box of a source goes on after its end, and a movie box could have followed. Files of pictures have a
  /// `meta` of their own and no movie.
  private static func isCutOff(_ source: any ByteSource) -> Bool {
    var parser = BoxParser(source)
    var node = BoxNode()
    var isCutOff = false
    while (try? parser.next(into: &node)) == true {
      if node.type == "meta" { return false }
      parser.skipBoxes()
      isCutOff = !node.isRemainder && !node.header.isSizeRight
    }
    return isCutOff
  }
}

extension ByteWindow {
  /// As many bytes as tell a format.
  fileprivate static func start(of source: any ByteSource) throws(IOError) -> [UInt8] {
    var window = ByteWindow(source, readAhead: 0)
    return Array(try window.slice(at: 0, count: 1024))
  }
}

extension [UInt8] {
  /// Whether there is nothing in it that text does not have.
  fileprivate var isText: Bool { allSatisfy { $0 >= 0x20 && $0 != 0x7f || 9...13 ~= $0 } }
}
