import MP4
import MP4HLS

/// Simulates the buffer of a player that downloads segments one after another at a constant bit rate, without a buffer
/// limit, and plays what it has. When the buffer runs empty, the player waits for the next segment. It downloads
/// nothing after a segment that it cannot play.
///
/// All times are computed in multiples of 1/bit rate attoseconds, so that only displayed values are rounded.
package struct BufferSimulation: Sendable {
  /// A segment in download order. The segments of each playlist that is played together with others form a stream.
  package struct Download: Sendable {
    /// Its start and duration according to the playlist.
    package let start: Duration, duration: Duration
    package let byteCount: Int
    /// The playlist.
    package let stream: Int
    /// The reason why it cannot be played; `nil` if it can.
    package let obstacle: UnusableSegment?

    /// A segment of a playlist.
    package init(
      start: Duration, duration: Duration, byteCount: Int, stream: Int = 0, obstacle: UnusableSegment? = nil
    ) {
      (self.start, self.duration, self.byteCount, self.stream) = (start, duration, byteCount, stream)
      self.obstacle = obstacle
    }
  }
  /// The completion of a segment's download.
  package struct Arrival: Sendable, Equatable {
    /// The time since the first byte was requested.
    package let time: Duration
    /// The playback position.
    package let position: Duration
    /// The buffer level just before and after the download.
    package let before: Duration, after: Duration
  }
  /// A time during which the buffer is empty.
  package struct Stall: Sendable, Equatable {
    /// The playback position at which it ran empty.
    package let position: Duration
    /// How long it lasts.
    package let duration: Duration

    /// A stall with this position and duration.
    package init(position: Duration, duration: Duration) { (self.position, self.duration) = (position, duration) }
  }

  /// The bit rate of the downloads.
  package let bitRate: Int
  /// The start of playback: not before the first segment has been downloaded.
  package private(set) var start = Duration.zero
  /// The downloaded segments, in order.
  package private(set) var arrivals: [Arrival] = []
  /// The stalls.
  package private(set) var stalls: [Stall] = []
  /// The first segment that cannot be played; `nil` if all can.
  package let obstacle: UnusableSegment?
  /// The total played duration.
  package private(set) var length = Duration.zero
  /// The earliest start of playback without a stall.
  package private(set) var leastStart = Duration.zero

  /// The total duration of stalls.
  package var stalled: Duration { stalls.reduce(.zero) { $0 + $1.duration } }

  /// Larger values are mistakes, and would overflow.
  private static let (mostBits, mostSeconds) = (1_000_000_000_000, 10_000_000)

  /// Simulates `downloads`, which must be in order, with playback starting at `start` or later; `nil` if there are
  /// none, or if a value is too large.
  package init?(_ downloads: [Download], bitRate: Int, start: Duration = .zero) {
    let (all, downloads) = (downloads, Array(downloads.prefix { $0.obstacle == nil }))
    let length = downloads.map { $0.start + $0.duration }.max() ?? .zero
    let sum = downloads.reduce((0, false)) { sum, download in
      let (next, overflow) = sum.0.addingReportingOverflow(download.byteCount)
      return (next, sum.1 || overflow || next > .max / 8)
    }
    guard !all.isEmpty, 1...Self.mostBits ~= bitRate, length <= .seconds(Self.mostSeconds), !sum.1,
      start <= .seconds(Self.mostSeconds)
    else { return nil }
    self.bitRate = bitRate
    obstacle = all.count > downloads.count ? all[downloads.count].obstacle : nil
    // From here on, times are multiplied by the bit rate, so that a bit takes one second.
    let streams = Set(all.map(\.stream)).sorted()
    var left = Dictionary(grouping: all, by: \.stream).mapValues(\.count)
    var ends = Dictionary(uniqueKeysWithValues: streams.map { ($0, Duration.zero) })
    var player = Player.waiting
    var (time, available) = (Duration.zero, Duration.zero)
    for download in downloads {
      time += .seconds(download.byteCount * 8)
      let before = available
      let position = player.advance(to: time, before)
      ends[download.stream] = max(ends[download.stream] ?? .zero, (download.start + download.duration) * bitRate)
      left[download.stream, default: 1] -= 1
      // A completed stream does not limit the others.
      available = max(before, streams.compactMap { left[$0] == 0 ? nil : ends[$0] }.min() ?? length * bitRate)
      if available > before {
        leastStart = max(leastStart, (time - before) / bitRate)
        switch player {
        case .waiting:
          player = .playing(since: max(time, start * bitRate), from: .zero)
          self.start = max(time, start * bitRate) / bitRate
        case .empty(let since, let position):
          if time > since { stalls.append(Stall(position: position / bitRate, duration: (time - since) / bitRate)) }
          player = .playing(since: time, from: position)
        case .playing: break
        }
      }
      arrivals.append(
        Arrival(
          time: time / bitRate, position: position / bitRate, before: (before - position) / bitRate,
          after: (available - position) / bitRate))
    }
    self.length = obstacle == nil ? length : available / bitRate
  }

  /// The state of the player.
  private enum Player {
    /// Playback has not started.
    case waiting
    case playing(since: Duration, from: Duration)
    /// All available media has been played.
    case empty(since: Duration, position: Duration)

    /// Advances playback to `time`, with the media that is available until then.
    mutating func advance(to time: Duration, _ available: Duration) -> Duration {
      switch self {
      case .waiting: return .zero
      case .empty(_, let position): return position
      case .playing(let start, let first):
        let position = first + max(.zero, time - start)
        guard position >= available else { return position }
        self = .empty(since: start + (available - first), position: available)
        return available
      }
    }
  }
}

extension BufferSimulation {
  /// The minimum and maximum buffer level during each of `count` bins of this width.
  package func levels(_ width: Duration, _ count: Int) -> [ClosedRange<Duration>] {
    guard count > 0, width > .zero else { return [] }
    var (least, most) = ([Duration?](repeating: nil, count: count), [Duration](repeating: .zero, count: count))
    for (index, arrival) in arrivals.enumerated() {
      // Segments that arrive before playback starts are available at its start.
      if index + 1 < arrivals.count, arrivals[index + 1].time <= start { continue }
      // Until the next arrival, the level falls at playback speed.
      let end = index + 1 < arrivals.count ? arrivals[index + 1].position : length
      var bin = min(count - 1, Int(arrival.position / width))
      if arrival.time > start { least[bin] = min(least[bin] ?? arrival.before, arrival.before) }
      while bin < count, width * bin <= end {
        let (first, last) = (max(arrival.position, width * bin), min(end, width * (bin + 1)))
        let low = max(.zero, arrival.after - (last - arrival.position))
        least[bin] = min(least[bin] ?? low, low)
        most[bin] = max(most[bin], max(.zero, arrival.after - (first - arrival.position)))
        bin += 1
      }
    }
    return zip(least, most).map { ($0 ?? .zero)...max($0 ?? .zero, $1) }
  }
}
