import MP4
import MP4HLS

/// Checks that the fragments of a stream are consecutive, and maps their times to the time of day.
struct LiveTimeline {
  /// The relation of a fragment to the previous one.
  enum Step: Equatable {
    case first
    case continuous
    /// A gap of this duration precedes it.
    case hole(Duration)
    /// It starts before the end of the previous one, by this duration.
    case back(Duration)
    /// It is a repetition.
    case repeated
  }
  /// A place where the samples do not follow those that precede them in their recording.
  enum Joint {
    /// Another recording follows without a discontinuity.
    case splice
    /// Samples are missing, or times go back; a discontinuity was reported.
    case discontinuity
  }
  /// The times of a fragment.
  struct Piece {
    var start: Duration
    var end: Duration
    var sampleCount: Int
    var sequenceNumber: UInt32
    /// A fingerprint of all bytes of its `moof`.
    var fingerprint: Int
    var beginsWithSync: Bool
    var isIndependent: Bool
    /// The times of its last two sync samples at different times.
    var syncTimes: [Duration]
    /// The duration after its last sync sample, if it is a part of a fragment and segments could also end
    /// inside it.
    var group: Duration?

    var duration: Duration { end - start }

    init(_ part: LiveFragment.Part, _ fragment: LiveFragment, timescale: UInt32) {
      start = .units(part.start, timescale: timescale)
      end = .units(part.end, timescale: timescale)
      (sampleCount, beginsWithSync) = (part.sampleCount, part.beginsWithSync)
      isIndependent = part.isIndependent
      syncTimes = part.syncTimes.lastTwo.map { .units($0, timescale: timescale) }
      (sequenceNumber, fingerprint) = (fragment.sequenceNumber, fragment.fingerprint)
    }
  }

  /// The number of recent fragments that are recognized when repeated.
  private static let rememberedCount = 32
  /// Encoders round times, and some give the last sample of a fragment an arbitrary duration.
  private static let tolerance = Duration.milliseconds(250)
  /// A longer gap counts as a jump to another time.
  private static let longestHole = Duration.seconds(60)

  private var last: Piece?
  /// The number of fragments after the last one that have only other tracks.
  private var otherCount: UInt32 = 0
  /// Whether the movie started again after the last fragment.
  private var isRestarted = false
  /// The last joint, if no sync sample has followed.
  private var joint: Joint?
  private var remembered: [Int] = []
  /// A media time and the corresponding time of day.
  private var anchor: (time: Duration, date: DateTime)?
  /// The time of day at the end of the last fragment before a new movie.
  private var endDate: DateTime?

  /// The relation of `piece` to the previous fragment.
  func step(to piece: Piece) -> Step {
    guard let last else { return .first }
    let sample = last.duration / max(1, last.sampleCount)
    let tolerance = max(sample * 3, Self.tolerance)
    let gap = piece.start - last.end
    // The sequence number of a missing fragment was skipped.
    let (number, lastNumber) = (piece.sequenceNumber, last.sequenceNumber)
    let isMissing = gap * 2 > sample && number > lastNumber && number - lastNumber - 1 > otherCount
    if gap > tolerance || isMissing { return .hole(gap) }
    if gap < .zero, remembered.contains(piece.fingerprint) { return .repeated }
    return gap < .zero - tolerance ? .back(.zero - gap) : .continuous
  }

  /// The joint after which decoding has to start again at the first sync sample of a fragment.
  func joint(before piece: Piece) -> Joint? {
    let step = step(to: piece)
    return step == .repeated || piece.syncTimes.isEmpty ? nil : joint(piece, step) ?? joint
  }
  /// The joint at the start of a fragment: its times do not continue, or its movie was repeated and its start is not
  /// the end of the previous one. Streams that repeat their movie before each fragment are recordings without a joint.
  private func joint(_ piece: Piece, _ step: Step) -> Joint? {
    switch step {
    case .first, .repeated: return nil
    case .hole, .back: return .discontinuity
    case .continuous:
      guard let last, isRestarted else { return nil }
      let gap = piece.start - last.end
      return max(gap, .zero - gap) * 2 >= last.duration / max(1, last.sampleCount) ? .splice : nil
    }
  }

  /// Starts another movie, or the same movie from its start.
  mutating func beginMovie(isRepeated: Bool) {
    remembered = []
    isRestarted = isRepeated && last != nil
    guard !isRepeated else { return }
    joint = nil
    endTimes()
  }
  /// Starts another track with the same times.
  mutating func beginTrack() { (last, joint, remembered, otherCount, isRestarted) = (nil, nil, [], 0, false) }
  /// Continues the track of another state.
  mutating func continueTrack(of other: LiveTimeline) {
    (last, joint, remembered, otherCount) = (other.last, other.joint, other.remembered, other.otherCount)
    isRestarted = other.isRestarted
  }
  /// The end of the last fragment.
  var end: Duration? { last?.end }
  private mutating func endTimes() {
    endDate = last.flatMap { date(of: $0.end) } ?? endDate
    (last, anchor) = (nil, nil)
  }

  /// Places a fragment after the previous one. Returns the time of day at which it starts, assuming that it was
  /// recorded just before it arrived at `now`.
  mutating func place(_ piece: Piece, _ step: Step, cameAt now: DateTime) -> DateTime {
    joint = joint(piece, step) ?? joint
    return date(of: piece, step, cameAt: now)
  }
  /// The time of day at which a fragment starts, assuming that it was recorded just before it arrived at `now`.
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

  /// Records a complete fragment without the track that determines segments.
  mutating func appendOther() { otherCount &+= 1 }
  /// Records a complete fragment.
  mutating func append(_ piece: Piece) {
    (last, isRestarted, otherCount) = (piece, false, 0)
    if !piece.syncTimes.isEmpty { joint = nil }
    remembered.append(piece.fingerprint)
    if remembered.count > Self.rememberedCount { remembered.removeFirst() }
  }
}
