import Bytes
import ISOBMFF
import MP4

/// A movie to check: its files with their boxes and fragments.
package struct CheckedMovie {
  /// The files, in order.
  let files: [CheckedFile]
  /// The parsed movie; `nil` if there is no movie box, or it is too damaged.
  let movie: Movie?

  /// The file with the movie box.
  var file: CheckedFile? { files.first { $0.first("moov") != nil } }
  /// The movie box.
  var box: CheckedBox? { file?.first("moov") }
  /// The boxes of the tracks.
  var tracks: [CheckedBox] { box?.all("trak") ?? [] }
  /// The box of a track.
  func box(of track: Track) -> CheckedBox? {
    tracks.first { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID == track.id }
  }
  /// Whether the movie box declares fragments.
  var isFragmented: Bool { box?.first("mvex") != nil }
  /// All fragments with their files, in order.
  var fragments: [(file: CheckedFile, fragment: CheckedFragment)] {
    files.flatMap { file in file.fragments.map { (file, $0) } }
  }
}
