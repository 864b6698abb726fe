import MP4

/// The cuts of all renditions of a presentation: those of the first one and, after its end, cuts at regular intervals.
struct SharedCuts {
  private let times: [MediaTime]
  private let interval: MediaTime
  /// The end of the first rendition.
  let end: MediaTime

  init(of first: FragmentPlan, interval: MediaTime) {
    times = first.segments.dropFirst().map(\.start)
    end = first.end
    self.interval = interval
  }

  /// The cuts of a movie. Video starts with its first sync sample at each of them, which can be early because of
  /// rounding between timescales. Other tracks start exactly there.
  func plan(_ movie: Movie, isVideo: Bool, _ fragmenter: Fragmenter) throws(MovieError) -> FragmentPlan {
    var following = fragmenter
    following.options.cutting = .following(times.map { isVideo ? $0.earlier(by: Self.tolerance) : $0 })
    let plan = try following.plan(movie)
    let more = timesAfterEnd(until: plan.end)
    guard !more.isEmpty else { return plan }
    following.options.cutting = .following(
      (times + more).map { isVideo ? $0.earlier(by: Self.tolerance) : $0 })
    return try following.plan(movie)
  }

  /// Cuts for renditions that are longer than the first one. At most half an interval is added to its last segment.
  private func timesAfterEnd(until limit: MediaTime) -> [MediaTime] {
    let (length, last) = (max(1, interval.nanoseconds), times.last?.nanoseconds ?? 0)
    // Its last segment can be longer than the others.
    var time = last &+ max(0, end.nanoseconds &- last &- 1) / length &* length
    var result: [MediaTime] = []
    while limit.nanoseconds &- time &- length >= length / 2, result.count < Self.most {
      time = time &+ length
      result.append(MediaTime(time, 1_000_000_000))
    }
    return result
  }

  /// The ends of the first rendition's segments after a time.
  func ends(after time: MediaTime) -> [MediaTime] { (times + [end]).filter { $0 > time } }

  /// Whether the segments of a plan start at these times, until one of both ends.
  func hasSameCuts(as plan: FragmentPlan) -> Bool {
    let mine = times.filter { $0 < plan.end }
    let others = plan.segments.dropFirst().map(\.start).filter { $0 < end }
    return mine.count == others.count
      && zip(mine, others).allSatisfy { abs($0.nanoseconds &- $1.nanoseconds) <= Self.tolerance }
  }

  /// One millisecond, the unit of the coarsest timescales of video.
  private static let tolerance: Int64 = 1_000_000
  /// A track with one sample can last for years.
  private static let most = 100_000
}

extension FragmentPlan {
  /// The end of the last segment.
  fileprivate var end: MediaTime {
    guard let last = segments.last else { return MediaTime(0, 1) }
    return MediaTime(last.start.value &+ last.duration.value, last.start.timescale)
  }
}

extension MediaTime {
  fileprivate var nanoseconds: Int64 { converted(to: 1_000_000_000).value }
  fileprivate func earlier(by nanoseconds: Int64) -> MediaTime {
    MediaTime(self.nanoseconds &- nanoseconds, 1_000_000_000)
  }
}
