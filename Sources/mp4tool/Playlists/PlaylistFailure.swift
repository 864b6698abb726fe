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

  /// Opens the file at this place, which has to be in `folder`, also behind links; anywhere, where there is none.
  func open(in folder: Path?) throws -> FileSource {
    guard let text = path, let path = Path(text) else {
      throw IOError(.open, file: name, reason: "it is no name of a file")
    }
    // A pipe would be waited for.
    guard FileIdentity(of: path) != nil else { return try FileSource(path) }
    if let folder, !path.isBelow(folder) {
      throw PlaylistFailure(
        file: text, reason: "a symbolic link leads out of the folder of the first playlist, and is not followed")
    }
    return try FileSource(path)
  }
}

extension ByteSource {
  /// All bytes, when there are no more than so many.
  func bytes(limit: Int) throws -> [UInt8] {
    guard let count = byteCount, count <= limit else {
      throw PlaylistFailure(file: name, reason: "it has more than \(limit) bytes, and no playlist has")
    }
    var window = ByteWindow(self, readAhead: 0)
    return Array(try window.slice(at: 0, count: count))
  }
}
