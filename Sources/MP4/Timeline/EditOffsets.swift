import ISOBMFF
import MP4Bytes

/// The media times of a presentation that only edit lists correct. Players of segments present media by its own times.
extension [EditListBox.Entry] {
  /// For each edit that presents media, how much later its media times are than its presentation times.
  func mediaOffsets(timescale: UInt32, movieTimescale: UInt32) -> [MediaTime] {
    var (start, result) = (MediaTime(0, movieTimescale), [MediaTime]())
    for edit in self {
      if edit.mediaTime >= 0 { result.append(MediaTime(edit.mediaTime, timescale) - start) }
      start = start + MediaTime(Int64(clamping: edit.segmentDuration), movieTimescale)
    }
    return result.isEmpty ? [MediaTime(0, timescale)] : result
  }
}

extension Track {
  /// For each edit that presents media, how much later its media times are than its presentation times.
  package var mediaOffsets: [MediaTime] { edits.mediaOffsets(timescale: timescale, movieTimescale: movieTimescale) }
}

extension Sequence<Track> {
  /// How far the media times of the same moment are apart in video and audio; `nil` if they are so close that
  /// reordering and priming are the reason.
  package var mediaSpread: MediaTime? {
    filter { ["vide", "soun"].contains($0.handler) && $0.list.count > 0 }.flatMap(\.mediaOffsets).spread
  }
}

extension LiveMovie {
  /// The same for a movie box in a stream.
  package var mediaSpread: MediaTime? {
    movie.tracks.filter { ["vide", "soun"].contains($0.handler) }.flatMap {
      $0.edits.mediaOffsets(timescale: $0.timescale, movieTimescale: movie.timescale)
    }.spread
  }
}

extension [MediaTime] {
  /// The largest difference between media offsets, if it is more than reordering and priming cause.
  var spread: MediaTime? {
    guard let least = self.min(), let most = self.max(), most - least > .longestPriming else { return nil }
    return most - least
  }
}

extension MediaTime {
  /// The longest audio that decoders need before the first sample that is heard. Reordering delays pictures for less.
  package static let longestPriming = MediaTime(1, 5)
}

extension Diagnostic {
  /// The warning that players of segments, which ignore edit lists, present sound and pictures this far apart.
  package static func onlyEdited(_ spread: MediaTime, _ file: String) -> Diagnostic {
    let text =
      "only its edit lists present its tracks together; players of HLS and DASH ignore them, and present sound and "
      + "pictures \(spread) apart"
    return Diagnostic(.warning, file, text)
  }
}
