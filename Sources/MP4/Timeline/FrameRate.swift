/// The maximum frame rate of a track, as in playlists (FRAME-RATE).
public struct FrameRate: Hashable, Sendable {
  /// The number of pictures.
  public var numerator: Int64
  /// The number of seconds; more than 0.
  public var denominator: Int64

  /// A number of pictures in a number of seconds.
  public init(_ numerator: Int64, _ denominator: Int64) {
    (self.numerator, self.denominator) = (numerator, max(1, denominator))
  }

  /// The largest number of pictures that start within one second, or the rate of all pictures if they last
  /// less than a second. A rate within 0.5 % of a common rate becomes that rate. `nil` if there are no pictures, or
  /// their duration is 0.
  ///
  /// - Parameters:
  ///   - times: The presentation times of pictures, in any order.
  ///   - end: The end of the last one.
  ///   - timescale: The timescale of these times.
  public init?(times: [Int64], end: Int64, timescale: UInt32) {
    let times = times.sorted()
    guard let first = times.first, end > first else { return nil }
    let second = Int64(max(timescale, 1))
    let (duration, overflow) = end.subtractingReportingOverflow(first)
    guard !overflow else { return nil }
    let average = FrameRate(Int64(times.count) &* second, duration)
    guard duration >= second, let most = Self.densest(times, end, second) else {
      self = average.rounded
      return
    }
    // A late picture is followed by an extra one within a second. The average shows whether this is the only cause.
    if let common = average.common, Double(most.count) < common.value + 2 {
      self = common
      return
    }
    // A steady rate between two whole numbers has the larger number of pictures in some seconds, without a longer pause
    // after them.
    let isSteady = most.span.multipliedReportingOverflow(by: most.count - 1)
    let measured =
      !isSteady.overflow && isSteady.partialValue < most.count &* second
      ? FrameRate(most.count &* second, most.span) : FrameRate(most.count, 1)
    self = measured.rounded
  }

  /// The largest number of pictures that start within one second, and the shortest time from the first of these to the
  /// first picture after them, which is at least a second.
  private static func densest(_ times: [Int64], _ end: Int64, _ second: Int64) -> (count: Int64, span: Int64)? {
    var result: (count: Int64, span: Int64)?
    var next = 0
    for (index, time) in times.enumerated() {
      while next < times.count, times[next] &- time < second { next += 1 }
      let count = Int64(next - index)
      let span = (next < times.count ? times[next] : max(end, time)) &- time
      // Media that ends within the second shows only that there are at least this many pictures.
      guard span >= second || next < times.count else {
        if count > result?.count ?? 0 { result = (count, second) }
        continue
      }
      if count > result?.count ?? 0 || count == result?.count && span < result?.span ?? .max { result = (count, span) }
    }
    return result
  }

  /// The frame rate.
  public var value: Double { Double(numerator) / Double(denominator) }

  /// The same rate with the smallest numbers.
  package var reduced: FrameRate {
    let divisor = Int64(clamping: greatestCommonDivisor(numerator.magnitude, denominator.magnitude))
    return divisor > 1 ? FrameRate(numerator / divisor, denominator / divisor) : self
  }
  /// The common rate within 0.5 % of it, or itself.
  package var rounded: FrameRate { common ?? self }
  private var common: FrameRate? {
    let nearest = Self.commonRates.min { abs($0.value - value) < abs($1.value - value) }
    return nearest.flatMap { abs($0.value - value) * 200 <= $0.value ? $0 : nil }
  }

  /// Common rates of cameras and encoders.
  private static let commonRates: [FrameRate] =
    [5, 6, 8, 10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 96, 100, 120, 144, 200, 240].map { FrameRate($0, 1) }
    + [24_000, 30_000, 48_000, 60_000, 120_000, 240_000].map { FrameRate($0, 1001) }
    + [FrameRate(25, 2), FrameRate(15, 2), FrameRate(15_000, 1001), FrameRate(12_000, 1001)]
}

extension FrameRate: Comparable {
  /// Compares exactly.
  public static func < (a: FrameRate, b: FrameRate) -> Bool {
    let left = a.numerator.multipliedFullWidth(by: b.denominator)
    let right = b.numerator.multipliedFullWidth(by: a.denominator)
    return (left.high, left.low) < (right.high, right.low)
  }
}

extension Track {
  /// The times of pictures that last for at least half a millisecond. Packagers give shorter durations to pictures that
  /// are not to be seen, but that others depend on.
  private static func visible(_ times: [Int64], _ timescale: UInt32) -> [Int64] {
    let (sorted, least) = (times.sorted(), Int64(timescale) / 2000)
    return sorted.indices.filter { $0 + 1 == sorted.count || sorted[$0 + 1] &- sorted[$0] > least }.map { sorted[$0] }
  }

  /// The maximum frame rate; see `FrameRate`. `nil` without pictures, or if their duration is 0. It examines all
  /// samples if their durations differ.
  public var frameRate: FrameRate? {
    guard list.count > 0, list.duration > 0, pictureSize != nil else { return nil }
    if let common = list.columns.durations.constant(in: 0..<max(1, list.count - 1)), common > 0 {
      return FrameRate(Int64(timescale), common).rounded
    }
    var times: [Int64] = []
    times.reserveCapacity(list.count)
    var walk = SampleWalk(list)
    while walk.sample < list.count {
      times.append(walk.compositionTime)
      walk.advance()
    }
    return FrameRate(times: Self.visible(times, timescale), end: list.compositionEnd, timescale: timescale)
  }
}
