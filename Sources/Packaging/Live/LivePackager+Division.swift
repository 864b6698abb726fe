import HLS
import MP4

/// Fragments in which segments have to start.
extension LivePackager {
  /// A fragment is held in memory while it is divided; larger ones are used as they are.
  private static let mostHeldBytes = 256 << 20

  /// Where a fragment is divided, so that segments are not longer than they should be and start with sync samples: the
  /// decode times of samples of the track that says when segments begin. Empty for fragments that stay whole.
  func cuts(of fragment: LiveFragment) -> [Int64] {
    guard let movie, fragment.mediaByteCount <= Self.mostHeldBytes,
      let part = fragment.parts.first(where: { $0.track == reference }), part.syncTimes.last ?? part.start > part.start
    else { return [] }
    let timescale = movie.movie.tracks[reference].timescale
    var piece = LiveTimeline.Piece(part, fragment, timescale: timescale)
    guard cutting.isUnfit(piece) else { return [] }
    var start = piece.start
    switch timeline.step(to: piece) {
    case .repeated: return []
    case .continuous: start = segment?.start ?? start
    case .first, .hole, .back: break
    }
    var cuts: [Int64] = []
    for (time, next) in zip(part.syncTimes, part.syncTimes.dropFirst() + [part.end]) {
      (piece.start, piece.end) = (.units(time, timescale: timescale), .units(next, timescale: timescale))
      piece.beginsWithSync = true
      guard cutting.ends(from: start, before: piece) else { continue }
      if time > part.start { cuts.append(time) }
      start = piece.start
    }
    return cuts
  }

  /// For how long a part goes on after its last sync sample.
  func group(of part: LiveFragment.Part) -> Duration? {
    guard let movie, let last = part.syncTimes.last else { return nil }
    let timescale = movie.movie.tracks[reference].timescale
    return .units(part.end, timescale: timescale) - .units(last, timescale: timescale)
  }

  /// All of the fragment that is to be divided is there.
  mutating func divideFragment(at now: LiveMoment) throws(MovieError) {
    guard let undivided, let movie else { return }
    self.undivided = nil
    let parts = try undivided.fragment.divided(
      at: undivided.cuts, ofTrack: reference, of: movie, media: undivided.media)
    // What cannot be divided is used as it is.
    let all = parts ?? [(undivided.fragment, undivided.media)]
    for (index, (fragment, media)) in all.enumerated() {
      try begin(fragment, at: now, part: parts == nil ? nil : index, isContinued: index < all.count - 1)
      try write(media[...])
      try endFragment(at: now)
    }
  }
}
