extension TrackTimeline {
  /// A time of 32 bits that may have wrapped, as the one of all that it can mean that is nearest to `end`.
  static func unwrapped(_ time: Int64, near end: Int64) -> Int64 {
    let turn: Int64 = 1 << 32
    let turns = end / turn * turn
    return [turns - turn, turns, turns + turn].map { $0 + time }.filter { $0 >= 0 }
      .min { abs($0 - end) < abs($1 - end) } ?? time
  }
}
