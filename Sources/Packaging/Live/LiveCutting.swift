import MP4HLS

/// Determines the ends of live segments so that none exceeds the target duration.
struct LiveCutting {
  /// The intended duration of segments.
  private let wanted: Duration
  /// The target duration, which cannot change after it was declared (RFC 8216, 6.2.1).
  private(set) var targetDuration: Int?
  /// The latest interval between sync samples.
  private var latestGroup: Duration?
  private var latestSync: Duration?
  /// The number of consecutive fragments that started with a sync sample and had all tracks.
  private var wholeCount = 0

  /// The longest interval between sync samples with default settings of encoders.
  private static let longestGroup = 10
  /// After this number of fragments, the next one is expected to start in the same way.
  private static let habit = 3

  init(wanted: Duration, targetDuration: Int?) {
    (self.wanted, self.targetDuration) = (wanted, targetDuration)
  }

  /// Whether a segment that started at `start` ends before `piece`.
  func ends(from start: Duration, before piece: LiveTimeline.Piece) -> Bool {
    let length = piece.start - start
    guard length > .zero else { return false }
    guard piece.beginsWithSync else { return (piece.end - start).roundedSeconds > mostWithoutSync }
    // A piece is not divided again.
    return isEnough(length, next: max(latestGroup ?? .zero, piece.duration))
  }
  /// Whether a segment that consists only of `piece`, a whole fragment, would be too long, or could not start with it.
  func isUnfit(_ piece: LiveTimeline.Piece) -> Bool {
    !piece.beginsWithSync || piece.duration.roundedSeconds > most
  }

  /// Whether a segment that started at `start` ends after `piece`, because the next piece will start with a sync
  /// sample.
  func ends(from start: Duration, after piece: LiveTimeline.Piece) -> Bool {
    wholeCount >= Self.habit && isEnough(piece.end - start, next: piece.group ?? piece.duration)
  }

  private func isEnough(_ length: Duration, next: Duration) -> Bool {
    length >= wanted || (length + next).roundedSeconds > most
  }
  private var lowest: Int { max(1, (wanted + .milliseconds(499)).roundedSeconds) }
  /// The maximum duration of a segment, unless no sync sample precedes it.
  var most: Int { targetDuration ?? lowest }
  /// The maximum duration of a segment without a sync sample at which it could end.
  private var mostWithoutSync: Int { targetDuration ?? max(2 * lowest, Self.longestGroup) }

  /// The maximum duration of data that cannot end a segment.
  var longest: Duration { .seconds(2 * mostWithoutSync) }

  /// Records that a fragment, or a part of one, was added to a segment. `isWhole` is whether it had all tracks; `nil`
  /// for a part after the first.
  mutating func append(_ piece: LiveTimeline.Piece, isWhole: Bool?) {
    if let isWhole { wholeCount = piece.beginsWithSync && isWhole ? wholeCount + 1 : 0 }
    // The end of a piece is not the end of its last group, which may continue in the next one.
    for sync in piece.syncTimes {
      if let latestSync, sync > latestSync { latestGroup = sync - latestSync }
      latestSync = sync
    }
  }
  /// Resets the state, because the following times are unrelated to previous ones.
  mutating func reset() { (latestSync, latestGroup, wholeCount) = (nil, nil, 0) }

  /// Determines the target duration from the first segment and returns it.
  mutating func settle(_ duration: Duration) -> Int {
    let target = targetDuration ?? max(lowest, duration.roundedSeconds)
    targetDuration = target
    return target
  }
}
