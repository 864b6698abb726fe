/// Times of 32 bits that may have wrapped.
enum WrappedTime {
  private static let turn: Int64 = 1 << 32

  /// The possible value of a wrapped time that is nearest to `end`.
  static func unwrapped(_ time: Int64, near end: Int64) -> Int64 {
    let turns = end / turn * turn
    return [turns - turn, turns, turns + turn].map { $0 + time }.filter { $0 >= 0 }
      .min { abs($0 - end) < abs($1 - end) } ?? time
  }

  /// Times lie on a circle, which is cut where it is empty the longest: the time from which on they belong to the first
  /// turn. `nil` when they need no second one.
  static func cut(_ times: [Int64]) -> Int64? {
    let times = times.sorted()
    guard let first = times.first, let last = times.last, last - first > turn / 2 else { return nil }
    let aroundEnd = first + turn - last
    let widest = zip(times, times.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 }
    guard let widest, widest.1 - widest.0 > aroundEnd else { return nil }
    return widest.1
  }

  /// A time of the turn that begins at `cut`.
  static func unwrapped(_ time: Int64, cutAt cut: Int64) -> Int64 { time < cut ? time + turn : time }

  /// Where to cut when the fragments at `indices` are so far out of order that one does not say what the time of the
  /// next one means; `nil` when it does. Once, a pause can be so long; times that only rise are in order anyway.
  static func cut(_ fragments: [TrackFragment], _ indices: [Int]) -> Int64? {
    let narrow = indices.lazy.map { fragments[$0] }.filter { $0.isNarrowTime && $0.sampleCount > 0 }
    var end: Int64?
    var farCount = 0
    var goesBack = false
    for fragment in narrow {
      let start = Int64(clamping: fragment.declaredTime ?? 0)
      let step = start - (end ?? start)
      if abs(step) > turn / 4, turn - abs(step) > turn / 4 { farCount += 1 }
      if step < -turn / 4 { goesBack = true }
      end = (start + Int64(min(fragment.duration, UInt64(turn)))) % turn
    }
    guard farCount > 1, goesBack else { return nil }
    return cut(narrow.map { Int64(clamping: $0.declaredTime ?? 0) }) ?? 0
  }
}

extension TrackFragment {
  /// Whether it declares a time that is larger than any real one.
  var hasImpossibleTime: Bool { (declaredTime ?? 0) >= UInt64(TrackTimeline.limit) }

  /// When it starts: as it declares, or at `end`, where the one before it ends. Of all that a narrow time can mean it
  /// is that of the turn from `cut` on, where there is one, and else what is nearest to `end`.
  func start(after end: Int64, cutAt cut: Int64? = nil) -> Int64 {
    guard let declaredTime, !hasImpossibleTime else { return end }
    let time = Int64(declaredTime)
    guard isNarrowTime else { return time }
    return cut.map { WrappedTime.unwrapped(time, cutAt: $0) } ?? WrappedTime.unwrapped(time, near: end)
  }
}
