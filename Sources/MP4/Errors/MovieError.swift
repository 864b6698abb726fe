public import Bytes
public import ISOBMFF

/// Why an operation is impossible, as a value with a message.
public typealias Obstacle = Error & CustomStringConvertible

/// Why an operation failed.
public enum MovieError: Error, Sendable {
  /// A source could not be read, or a sink not written.
  case io(IOError)
  /// A required box is damaged.
  case damaged(file: String, path: String, BoxError)
  /// There is no movie box.
  case noMovie(file: String)
  /// The file is empty.
  case empty(file: String)
  /// The file has another format.
  case otherFormat(file: String, ForeignFormat)
  /// The file is text in an unknown format.
  case text(file: String)
  /// The file is cut off before its movie box.
  case cutOff(file: String)
  /// The file has media data, but no movie box, so its samples cannot be located.
  case mediaOnly(file: String)
  /// The file is cut off inside its movie box, and too little of the box is left to find a sample.
  case cutOffInMovie(file: String)
  /// The movie has no usable track.
  case noTracks(file: String)
  /// There are fragments without a movie box before them.
  case segmentFirst(file: String)
  /// A file that should be a segment has no fragments.
  case notASegment(file: String)
  /// A segment has tracks that the movie does not have.
  case otherTracks(file: String, tracks: [UInt32], movie: String, movieTracks: [UInt32])
  /// A second movie box that differs from the first.
  case otherMovie(file: String, movie: String)
  /// A specific obstacle: a ``MovieObstacle``, ``SegmentObstacle``, ``SourceFragmentObstacle``, ``JoinObstacle``,
  /// ``InPlaceObstacle``, ``LayoutObstacle``, ``LiveObstacle``, ``SampleObstacle``, ``TimingObstacle``, or one of
  /// another module.
  case impossible(file: String, any Obstacle)
  /// There is no box at the path of an edit.
  case noBox(file: String, path: String)
  /// The path of an edit is not valid.
  case notAPath(file: String, path: String)
  /// The box at a path has different fields from those of the edit.
  case otherFields(file: String, path: String)
  /// Removed bytes of the file are still referenced, such as the media data of a remaining track.
  case removedData(file: String, offset: Int)
  /// An edited box cannot be written.
  case unwritable(file: String, BoxError)
  /// The caller's progress closure stopped the operation.
  case stopped(file: String)
}

extension MovieError: Equatable {
  /// Whether both are the same error of the same file, with the same values.
  public static func == (a: MovieError, b: MovieError) -> Bool {
    switch (a, b) {
    case (.io(let a), .io(let b)): a == b
    case (.damaged(let a, let path, let error), .damaged(let b, let otherPath, let other)):
      a == b && path == otherPath && error == other
    case (.noMovie(let a), .noMovie(let b)), (.empty(let a), .empty(let b)), (.text(let a), .text(let b)),
      (.cutOff(let a), .cutOff(let b)), (.mediaOnly(let a), .mediaOnly(let b)),
      (.cutOffInMovie(let a), .cutOffInMovie(let b)),
      (.noTracks(let a), .noTracks(let b)), (.segmentFirst(let a), .segmentFirst(let b)),
      (.notASegment(let a), .notASegment(let b)), (.stopped(let a), .stopped(let b)):
      a == b
    case (.otherFormat(let a, let format), .otherFormat(let b, let other)): a == b && format == other
    case (.otherTracks(let a, let tracks, let movie, let known), .otherTracks(let b, let others, let other, let all)):
      a == b && tracks == others && movie == other && known == all
    case (.otherMovie(let a, let movie), .otherMovie(let b, let other)): a == b && movie == other
    case (.impossible(let a, let obstacle), .impossible(let b, let other)): a == b && areSame(obstacle, other)
    case (.noBox(let a, let path), .noBox(let b, let other)), (.notAPath(let a, let path), .notAPath(let b, let other)),
      (.otherFields(let a, let path), .otherFields(let b, let other)):
      a == b && path == other
    case (.removedData(let a, let offset), .removedData(let b, let other)): a == b && offset == other
    case (.unwritable(let a, let error), .unwritable(let b, let other)): a == b && error == other
    default: false
    }
  }

  /// Whether both obstacles are equal values of one type. Obstacles that cannot be compared are never equal.
  private static func areSame(_ a: any Obstacle, _ b: any Obstacle) -> Bool {
    func isEqual<Value: Equatable>(_ a: Value) -> Bool { (b as? Value) == a }
    return (a as? any Equatable).map { isEqual($0) } ?? false
  }
}

extension MovieError: CustomStringConvertible {
  /// A sentence with the file, the problem, and possible solutions.
  public var description: String {
    if case .io(let error) = self { return error.description }
    return file.isEmpty ? reason : "\(file): \(reason)"
  }
  /// The file.
  public var file: String {
    switch self {
    case .io(let error): error.file
    case .damaged(let file, _, _), .noMovie(let file), .noTracks(let file), .segmentFirst(let file),
      .notASegment(let file), .otherTracks(let file, _, _, _), .otherMovie(let file, _), .impossible(let file, _),
      .empty(let file), .otherFormat(let file, _), .text(let file), .cutOff(let file), .mediaOnly(let file),
      .cutOffInMovie(let file),
      .stopped(let file), .noBox(let file, _), .notAPath(let file, _), .otherFields(let file, _),
      .removedData(let file, _), .unwritable(let file, _):
      file
    }
  }
  /// The problem and possible solutions, without the file.
  public var reason: String {
    switch self {
    case .io(let error): error.reason
    case .damaged(_, let path, let error): "\(path): \(error)"
    case .empty: "the file is empty; copy or download it again"
    case .otherFormat(_, let format): format.reason
    case .text: "this is a text file, not MP4; use an MP4 file or an init segment"
    case .cutOff:
      "the file is cut off before its moov box, which is needed to locate samples; \(Self.remedy)"
    case .mediaOnly: "no moov box, which is needed to locate the samples in mdat; \(Self.remedy)"
    case .cutOffInMovie:
      "the file is cut off inside its moov box, and the rest of it locates no sample; \(Self.remedy)"
    case .noMovie: "no moov box; an init segment or a complete file is needed"
    case .noTracks: "the movie has no track"
    case .segmentFirst: "this is a media segment without a moov box; put the init segment before it"
    case .notASegment: "it has no movie fragment (moof), so it is not a media segment"
    case .otherTracks(let file, let tracks, let movie, let movieTracks):
      "its fragments belong to \(list(tracks)), but \(Diagnostic.shortened(movie, beside: file)) has "
        + "\(list(movieTracks)); use the matching init segment"
    case .otherMovie(let file, let movie):
      "its moov differs from that of \(Diagnostic.shortened(movie, beside: file)); only segments of one init segment "
        + "can be joined"
    case .impossible(_, let obstacle): obstacle.description
    case .noBox(_, let path): "no box at '\(path)'"
    case .notAPath(_, let path): "'\(path)' is not a box path such as 'moov/trak[1]/mdia/mdhd'"
    case .otherFields(_, let path): "the box at '\(path)' has different fields"
    case .removedData(_, let offset): "samples or items refer to byte \(offset), which would be removed"
    case .unwritable(_, let error): "an edited box cannot be written: \(error)"
    case .stopped: "it was stopped"
    }
  }
  private static let remedy =
    "copy or download it again, or if the recording was interrupted, rebuild moov with 'mp4tool recover'"
  private func list(_ tracks: [UInt32]) -> String {
    (tracks.count == 1 ? "track " : "tracks ") + tracks.map(String.init).joined(separator: ", ")
  }
}

extension MovieError {
  /// This error, or a more specific one: the source is empty, in another format, text, or cut off.
  func explained(by source: any ByteSource) -> MovieError {
    // Read errors are reported elsewhere.
    guard let start = try? ByteWindow.start(of: source) else { return self }
    if start.isEmpty { return .empty(file: source.name) }
    if let format = ForeignFormat(start: start) { return .otherFormat(file: source.name, format) }
    guard case .noMovie = self else { return self }
    if start.isText { return .text(file: source.name) }
    return Self.lostMovie(source) ?? self
  }

  /// This error about the contents of a movie box, or, if the source ends inside that box, an error that says so.
  func explained(by movie: BoxHeader, of source: any ByteSource) -> MovieError {
    if case .io = self { return self }
    let isCutOff = movie.declaredSize > UInt64(movie.size) && movie.end == source.byteCount
    return isCutOff ? .cutOffInMovie(file: source.name) : self
  }

  /// The error about media data without a movie box: the last box continues after the end, so that a movie box could
  /// have followed, or there is none. Image files have a file-level `meta` and no movie, segments have fragments.
  private static func lostMovie(_ source: any ByteSource) -> MovieError? {
    var parser = BoxParser(source)
    var node = BoxNode()
    var (isCutOff, hasMedia) = (false, false)
    while (try? parser.next(into: &node)) == true {
      if node.type == "meta" { return nil }
      if node.type == "moof" || node.type == "styp" {
        hasMedia = false
        break
      }
      parser.skipBoxes()
      if node.type == "mdat" { hasMedia = true }
      isCutOff = node.isRemainder ? node.header.size < 8 : !node.header.isSizeRight
    }
    return isCutOff ? .cutOff(file: source.name) : hasMedia ? .mediaOnly(file: source.name) : nil
  }
}

extension ByteWindow {
  /// The bytes that are sufficient to recognize a format.
  fileprivate static func start(of source: any ByteSource) throws(IOError) -> [UInt8] {
    var window = ByteWindow(source, readAhead: 0)
    return Array(try window.slice(at: 0, count: 1024))
  }
}

extension [UInt8] {
  /// Whether all bytes can be text.
  fileprivate var isText: Bool { allSatisfy { $0 >= 0x20 && $0 != 0x7f || 9...13 ~= $0 } }
}

/// Converts an error of reading or writing to the error type of operations.
package func io<Result: ~Copyable>(_ body: @autoclosure () throws(IOError) -> Result) throws(MovieError) -> Result {
  do throws(IOError) { return try body() } catch { throw .io(error) }
}
