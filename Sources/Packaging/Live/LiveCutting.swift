import HLS

/// Where the segments of a live presentation end, so that none is longer than its playlist says.
struct LiveCutting {
  /// How long segments should be.
  private let wanted: Duration
  /// The most seconds that a segment lasts, rounded: once said, it stays (RFC 8216, 6.2.1).
  private(set) var targetDuration: Int?
  /// The times from one sync sample to the next, the latest one.
  private var latestGroup: Duration?
  private var latestSync: Duration?
  /// How many fragments in a row began with a sync sample and had all tracks.
  private var wholeCount = 0

  /// Encoders make by default a sync sample at least so often.
  private static let longestGroup = 10
  /// After so many fragments it is taken for granted that the next one begins as they did.
  private static let habit = 3

  init(wanted: Duration, targetDuration: Int?) {
    (self.wanted, self.targetDuration) = (wanted, targetDuration)
  }

  /// Whether a segment that began at `start` ends before `piece`.
  func ends(from start: Duration, before piece: LiveTimeline.Piece) -> Bool {
    let length = piece.start - start
    guard length > .zero else { return false }
    guard piece.beginsWithSync else { return (piece.end - start).roundedSeconds > most }
    return isEnough(length, next: max(latestGroup ?? .zero, piece.group ?? piece.duration))
  }
  /// Whether a segment of only `piece`, a whole fragment, would be longer than asked for, or could not start with it.
  func isUnfit(_ piece: LiveTimeline.Piece) -> Bool {
    !piece.beginsWithSync || piece.duration.roundedSeconds > targetDuration ?? lowest
  }

  /// Whether a segment that began at `start` ends after `piece`, as the next one will begin with a sync sample.
  func ends(from start: Duration, behind piece: LiveTimeline.Piece) -> Bool {
    wholeCount >= Self.habit && isEnough(piece.end - start, next: piece.group ?? piece.duration)
  }

  private func isEnough(_ length: Duration, next: Duration) -> Bool {
    length >= wanted || (length + next).roundedSeconds > targetDuration ?? lowest
  }
  private var lowest: Int { max(1, (wanted + .milliseconds(499)).roundedSeconds) }
  /// The most that a segment can last without a sync sample at which it could end.
  private var most: Int { targetDuration ?? max(2 * lowest, Self.longestGroup) }

  /// What nothing that ends a segment may take longer than.
  var longest: Duration { .seconds(2 * most) }

  /// A fragment was added to a segment, or a part of one; `isWhole` is whether it had all tracks, and nothing for a part
  /// after the first.
  mutating func append(_ piece: LiveTimeline.Piece, isWhole: Bool?) {
    if let isWhole { wholeCount = piece.beginsWithSync && isWhole ? wholeCount + 1 : 0 }
    guard piece.beginsWithSync else { return }
    if let group = piece.group {
      (latestGroup, latestSync) = (group, piece.end - group)
    } else {
      if let latestSync, piece.start > latestSync { latestGroup = piece.start - latestSync }
      latestSync = piece.start
    }
  }
  /// Times have nothing to do with those before.
  mutating func beginAnew() { (latestSync, latestGroup, wholeCount) = (nil, nil, 0) }

  /// Settles the target duration with the first segment, and returns it.
  mutating func settle(_ duration: Duration) -> Int {
    let target = targetDuration ?? max(lowest, duration.roundedSeconds)
    targetDuration = target
    return target
  }
}
