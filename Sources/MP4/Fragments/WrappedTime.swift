/// 32-bit times that may have wrapped around.
enum WrappedTime {
  private static let turn: Int64 = 1 << 32

  /// The possible value of a wrapped time that is nearest to `end`.
  static func unwrapped(_ time: Int64, near end: Int64) -> Int64 {
    let turns = end / turn * turn
    return [turns - turn, turns, turns + turn].map { $0 + time }.filter { $0 >= 0 }
      .min { abs($0 - end) < abs($1 - end) } ?? time
  }

  /// The time that separates the first turn from the second one, whose times are smaller. It is the time after the
  /// longest gap on the circle of times. `nil` if there is no second turn.
  static func cut(_ times: [Int64]) -> Int64? {
    let times = times.sorted()
    guard let first = times.first, let last = times.last, last - first > turn / 2 else { return nil }
    let aroundEnd = first + turn - last
    let widest = zip(times, times.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 }
    guard let widest, widest.1 - widest.0 > aroundEnd else { return nil }
    return widest.1
  }

  /// The unwrapped time if the first turn starts at `cut`.
  static func unwrapped(_ time: Int64, cutAt cut: Int64) -> Int64 { time < cut ? time + turn : time }

  /// The start of the first turn if the fragments at `indices` are so far out of order that the time of one does not
  /// determine that of the next; otherwise `nil`. A single long pause, or times that only increase, do not count.
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
  /// Whether its declared time is larger than any real one.
  var hasImpossibleTime: Bool { (declaredTime ?? 0) >= UInt64(TrackTimeline.limit) }

  /// Its start: its declared time, or `end` of the previous fragment. A 32-bit time is unwrapped with `cut` if that is
  /// known, or else to the value that is nearest to `end`.
  func start(after end: Int64, cutAt cut: Int64? = nil) -> Int64 {
    guard let declaredTime, !hasImpossibleTime else { return end }
    let time = Int64(declaredTime)
    guard isNarrowTime else { return time }
    return cut.map { WrappedTime.unwrapped(time, cutAt: $0) } ?? WrappedTime.unwrapped(time, near: end)
  }
}
