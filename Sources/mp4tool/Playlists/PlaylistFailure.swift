import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF

/// Why a playlist, or what it names, cannot be used.
struct PlaylistFailure: Error, CustomStringConvertible {
  /// The playlist that it is about.
  let file: String
  let reason: String

  var description: String { "\(file): \(reason)" }
}

extension PlaylistPlace {
  /// What messages call it.
  var name: String {
    if let path { return path }
    return WebAddress(reference)?.description ?? reference.description
  }

  /// The most bytes that a playlist can have: a million segments with long names.
  static let playlistLimit = 256 << 20

  /// Opens the file at this place, which has to be in `folder`, also through links; anywhere, where there is none.
  func open(in folder: Path?) throws -> FileSource {
    guard let text = path, let path = Path(text) else {
      throw IOError(.open, file: name, reason: "it is no name of a file")
    }
    if isLinked(outOf: folder) { throw PlaylistFailure(file: text, reason: Self.linkedOutside) }
    return try FileSource(path)
  }

  /// Whether there is a file at this place, but a symbolic link leads to it out of `folder`.
  func isLinked(outOf folder: Path?) -> Bool {
    guard let folder, let path = path.flatMap({ Path($0) }), FileIdentity(of: path) != nil else { return false }
    return !path.isBelow(folder)
  }
  /// What is said about such a file.
  static let linkedOutside =
    "a symbolic link leads out of the folder of the first playlist, and is not followed; --allow-outside reads it"
}

extension PlaylistPlace.Refusal {
  /// The reason, and what would help.
  var advice: String { isAllowable ? "\(reason); --allow-outside reads it" : reason }
}

extension ByteSource {
  /// All bytes, when there are no more than so many.
  func bytes(limit: Int) throws -> [UInt8] {
    if byteCount ?? 0 <= limit {
      var window = ByteWindow(self, readAhead: 0)
      let bytes = Array(try window.slice(at: 0, count: byteCount ?? limit + 1))
      if bytes.count <= limit { return bytes }
    }
    throw PlaylistFailure(file: name, reason: "it has more than \(limit) bytes, and no playlist has")
  }
}
