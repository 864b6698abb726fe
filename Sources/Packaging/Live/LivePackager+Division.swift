import HLS
import MP4

/// Fragments in which segments must start.
extension LivePackager {
  /// A fragment is in memory while it is divided; larger ones are used as a whole.
  private static let mostHeldBytes = 256 << 20

  /// Where to divide a fragment, so that segments are not too long and start with sync samples: decode times of the
  /// track that determines segments. Empty for fragments that are not divided.
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

  /// The duration of a part after its last sync sample.
  func group(of part: LiveFragment.Part) -> Duration? {
    guard let movie, let last = part.syncTimes.last else { return nil }
    let timescale = movie.movie.tracks[reference].timescale
    return .units(part.end, timescale: timescale) - .units(last, timescale: timescale)
  }

  /// The fragment to be divided is complete.
  mutating func divideFragment(at now: LiveTimestamp) throws(MovieError) {
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
