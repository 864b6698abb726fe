import ISOBMFF
import MP4
import MP4Bytes

/// The media times of a presentation. Players line renditions up by them and not by edit lists, so they are the same
/// for the same moment in all renditions: draft-pantos-hls-rfc8216bis, 6.2.4.
struct CommonTimeline {
  /// The movies of the renditions, with samples whose times are those of the presentation. Referenced movies are
  /// unchanged.
  private(set) var movies: [Movie] = []
  /// The media time of the start of the presentation.
  private(set) var offset: MediaTime
  /// The same, if the fragments of all inputs have such times already.
  private(set) var copiedOffset: MediaTime?
  /// What was changed in the samples.
  private(set) var diagnostics: [Diagnostic] = []

  /// The difference up to which sound and pictures count as synchronous, in nanoseconds: an audio sample of AAC at
  /// 44.1 kHz.
  private static let tolerance: Int64 = 23_300_000

  init(_ written: [Movie], _ options: Packager.Options, _ given: inout [Diagnostic]) throws(MovieError) {
    offset = options.timeOffset
    guard options.storage != .referenced else {
      movies = written.map(\.shiftedByEdits)
      if let first = movies.first?.mediaOffsets.first { offset = first }
      reportEdits(&given)
      return
    }
    var isChanged = false
    for movie in written {
      let own = try movie.withoutEdits(emptyText: Packager.emptySample)
      movies.append(own.movie)
      diagnostics += own.diagnostics
      isChanged = isChanged || own.isChanged
    }
    guard options.copiesFragments, options.protection?.method.scheme == nil, options.profile != .apple, !isChanged
    else { return }
    let offsets = movies.flatMap(\.mediaOffsets)
    if let first = offsets.first, Self.areClose(offsets) { copiedOffset = first }
  }

  private static func areClose(_ offsets: [MediaTime]) -> Bool {
    let times = offsets.map { $0.converted(to: 1_000_000_000).value }
    guard let least = times.min(), let most = times.max() else { return false }
    return most &- least <= tolerance
  }

  /// Reports edit lists that players need to play referenced movies in sync.
  private func reportEdits(_ diagnostics: inout [Diagnostic]) {
    let isApart = movies.flatMap(\.tracks).mediaSpread != nil
    for movie in movies {
      let starts = movie.tracks.filter { ["vide", "soun"].contains($0.handler) }.compactMap(\.mediaStarts)
      let isHidden = starts.contains { $0.presented - $0.first > .longestPriming }
      guard isHidden || isApart && movie.tracks.contains(where: { !$0.edits.isEmpty }) else { continue }
      let text =
        "its edit lists hide or delay media, and some players ignore them: they present the start of the file "
        + "differently, or sound and pictures apart; new fragments would have the same times in all players"
      diagnostics.append(Diagnostic(.warning, movie.name, text))
    }
  }
}
