/// Scales durations by a ratio so that their sum is exact.
struct TimeScaling: Sendable {
  private let from: UInt64
  private let to: UInt64
  private var position: UInt64 = 0

  /// Scales durations with the sum `from` to the sum `to`.
  init(from: UInt64, to: UInt64) {
    self.from = max(1, from)
    self.to = to
  }

  /// Advances by a duration and returns the scaled duration.
  @discardableResult
  mutating func advance(by duration: UInt64) -> UInt64 {
    let before = scaled(position)
    position = min(from, position &+ duration)
    return scaled(position) - before
  }
  private func scaled(_ value: UInt64) -> UInt64 {
    // `value` is at most `from`, so that the quotient is at most `to`.
    from.dividingFullWidth(value.multipliedFullWidth(by: min(to, from))).quotient
  }
}
