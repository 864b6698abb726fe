public import ISOBMFF
public import MP4Bytes

/// Why an operation failed.
public enum MovieError: Error, Equatable, Sendable {
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
  /// There are fragments without a movie box before them.
  case segmentFirst(file: String)
  /// There is no box at the path of an edit.
  case noBox(file: String, path: String)
  /// Any other obstacle.
  case impossible(file: String, Obstacle)
  /// The caller's progress closure stopped the operation.
  case stopped(file: String)
}

extension MovieError {
  /// The error of an operation without inputs.
  static let noInputs = Self.impossible(file: "", Obstacle("no_inputs", "there is no input; name at least one file"))
}

extension MovieError: CustomStringConvertible {
  /// A sentence with the file and the problem.
  public var description: String {
    if case .io(let error) = self { return error.description }
    return file.isEmpty ? reason : "\(file): \(reason)"
  }
  /// The file.
  public var file: String {
    switch self {
    case .io(let error): error.file
    case .damaged(let file, _, _), .noMovie(let file), .empty(let file), .otherFormat(let file, _), .text(let file),
      .cutOff(let file), .mediaOnly(let file), .cutOffInMovie(let file), .segmentFirst(let file), .noBox(let file, _),
      .impossible(let file, _), .stopped(let file):
      file
    }
  }
  /// The problem, without the file and the remedy.
  public var reason: String {
    switch self {
    case .io(let error): error.reason
    case .damaged(_, let path, let error): "\(path): \(error)"
    case .empty: "the file is empty; copy or download it again"
    case .otherFormat(_, let format): format.reason
    case .text: "this is a text file, not MP4; use an MP4 file or an init segment"
    case .cutOff:
      "the file is cut off before its moov box, which is needed to locate samples; copy or download it again"
    case .mediaOnly: "no moov box, which is needed to locate the samples in mdat; copy or download it again"
    case .cutOffInMovie:
      "the file is cut off inside its moov box, and the rest of it locates no sample; copy or download it again"
    case .noMovie: "no moov box; an init segment or a complete file is needed"
    case .segmentFirst: "this is a media segment without a moov box; put the init segment before it"
    case .noBox(_, let path): "no box at '\(path)'"
    case .impossible(_, let obstacle): obstacle.description
    case .stopped: "it was stopped"
    }
  }
  /// What helps, if something does.
  public var remedy: Remedy? {
    switch self {
    case .cutOff, .mediaOnly, .cutOffInMovie: .recover
    case .otherFormat(_, .playlist): .savePresentation
    case .impossible(_, let obstacle): obstacle.remedy
    default: nil
    }
  }
  /// The error of a closure of the app that provides bytes; see `IOError.underlying`.
  public var underlying: (any Error)? { if case .io(let error) = self { error.underlying } else { nil } }
  /// The obstacle of ``impossible(file:_:)``.
  public var obstacle: Obstacle? { if case .impossible(_, let obstacle) = self { obstacle } else { nil } }
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
