import HLS
import MP4

/// Whether the fragments of a stream follow each other in time, and what time of day that is.
struct LiveTimeline {
  /// How a fragment goes on from the one before.
  enum Step: Equatable {
    case first
    case continuous
    /// Nothing came for so long.
    case hole(Duration)
    /// It starts so much earlier than the one before has ended.
    case back(Duration)
    /// It is there a second time.
    case repeated
  }
  /// A fragment as far as its time is concerned.
  struct Piece {
    var start: Duration
    var end: Duration
    var sampleCount: Int
    var sequenceNumber: UInt32
    /// Stands for all bytes of its `moof`.
    var fingerprint: Int
    var beginsWithSync: Bool
    var isIndependent: Bool
    /// For how long it goes on after its last sync sample, where it is a part of a fragment and segments could also end
    /// inside of it.
    var group: Duration?

    var duration: Duration { end - start }

    init(_ part: LiveFragment.Part, _ fragment: LiveFragment, timescale: UInt32) {
      start = .units(part.start, timescale: timescale)
      end = .units(part.end, timescale: timescale)
      (sampleCount, beginsWithSync) = (part.sampleCount, part.beginsWithSync)
      isIndependent = part.isIndependent
      (sequenceNumber, fingerprint) = (fragment.sequenceNumber, fragment.fingerprint)
    }
  }

  /// The fragments that are reported again when they are repeated.
  private static let rememberedCount = 32
  /// Encoders round, and some give the last sample of a fragment any duration.
  private static let tolerance = Duration.milliseconds(250)
  /// A longer hole is no hole but another time.
  private static let longestHole = Duration.seconds(60)

  private var last: Piece?
  private var remembered: [Int] = []
  /// A time of the media and the time of day that it is.
  private var anchor: (time: Duration, date: DateTime)?
  /// The time of day at the end of the last fragment before a new movie.
  private var endDate: DateTime?

  /// How `piece` goes on.
  func step(to piece: Piece) -> Step {
    guard let last else { return .first }
    let sample = last.duration / max(1, last.sampleCount)
    let tolerance = max(sample * 3, Self.tolerance)
    let gap = piece.start - last.end
    // A fragment that is missing was numbered.
    let isMissing = gap > sample && piece.sequenceNumber > last.sequenceNumber &+ 1
    if gap > tolerance || isMissing { return .hole(gap) }
    if gap < .zero, remembered.contains(piece.fingerprint) { return .repeated }
    return gap < .zero - tolerance ? .back(.zero - gap) : .continuous
  }

  /// What comes belongs to another movie, or to the same from its start.
  mutating func beginMovie(isRepeated: Bool) {
    remembered = []
    if !isRepeated { endTimes() }
  }
  private mutating func endTimes() {
    endDate = last.flatMap { date(of: $0.end) } ?? endDate
    (last, anchor) = (nil, nil)
  }

  /// The time of day at which a fragment starts that came at `now`, when what it holds was just recorded.
  mutating func date(of piece: Piece, _ step: Step, cameAt now: DateTime) -> DateTime {
    switch step {
    case .back: endTimes()
    case .hole(let gap) where gap > Self.longestHole: endTimes()
    default: break
    }
    if let date = date(of: piece.start) { return date }
    let recorded = now + (.zero - min(piece.duration, Self.longestHole))
    let date = max(recorded, endDate ?? recorded)
    anchor = (piece.start, date)
    return date
  }
  private func date(of time: Duration) -> DateTime? { anchor.map { $0.date + (time - $0.time) } }

  /// The fragment is complete.
  mutating func append(_ piece: Piece) {
    last = piece
    remembered.append(piece.fingerprint)
    if remembered.count > Self.rememberedCount { remembered.removeFirst() }
  }
}
