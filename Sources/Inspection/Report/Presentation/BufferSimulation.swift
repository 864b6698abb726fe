import HLS
import MP4

/// How much a player has in its buffer that downloads segments one after another at a constant bit rate, without any
/// limit, and plays what it has. Where its buffer runs empty, it waits for the next segment. It downloads nothing after
/// a segment that it cannot play.
///
/// All times are computed as multiples of 1/bit rate of an attosecond, so that none is rounded before it is shown.
package struct BufferSimulation: Sendable {
  /// A segment in the order of the downloads. Segments of several playlists that are played together are streams.
  package struct Download: Sendable {
    /// When it starts and how long it lasts, by its playlist.
    package let start: Duration, duration: Duration
    package let byteCount: Int
    /// The playlist.
    package let stream: Int
    /// What keeps the player from playing it; `nil` if nothing does.
    package let obstacle: UnusableSegment?

    /// A segment of a playlist.
    package init(
      start: Duration, duration: Duration, byteCount: Int, stream: Int = 0, obstacle: UnusableSegment? = nil
    ) {
      (self.start, self.duration, self.byteCount, self.stream) = (start, duration, byteCount, stream)
      self.obstacle = obstacle
    }
  }
  /// The moment at which a segment has been downloaded.
  package struct Arrival: Sendable, Equatable {
    /// The time since the first byte was requested.
    package let time: Duration
    /// How much was played.
    package let position: Duration
    /// How much there was left to play just before, and how much there is now.
    package let before: Duration, after: Duration
  }
  /// A time at which the buffer is empty.
  package struct Stall: Sendable, Equatable {
    /// What was played when it ran empty.
    package let position: Duration
    /// How long it lasts.
    package let duration: Duration

    /// A place where it is empty for a while.
    package init(position: Duration, duration: Duration) { (self.position, self.duration) = (position, duration) }
  }

  /// The bit rate of the downloads.
  package let bitRate: Int
  /// When it starts to play: not before the first segment is there.
  package private(set) var start = Duration.zero
  /// The segments, in the order of the downloads.
  package private(set) var arrivals: [Arrival] = []
  /// Where it runs empty.
  package private(set) var stalls: [Stall] = []
  /// The segment that it cannot play; `nil` if it plays all.
  package let obstacle: UnusableSegment?
  /// How much is played.
  package private(set) var length = Duration.zero
  /// The earliest start with which it would never run empty.
  package private(set) var leastStart = Duration.zero

  /// The time for which it is empty.
  package var stalled: Duration { stalls.reduce(.zero) { $0 + $1.duration } }

  /// More than these are mistakes, and would overflow.
  private static let (mostBits, mostSeconds) = (1_000_000_000_000, 10_000_000)

  /// Plays `downloads`, which are in order, not before `start`; `nil` without any, or if a number is absurd.
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
    // From here on, times are multiplied by the bit rate, so that a bit takes a second.
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
      // A stream that is complete does not hold up the others.
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

  /// What the player does.
  private enum Player {
    /// It has not started.
    case waiting
    case playing(since: Duration, from: Duration)
    /// It has played all that there was.
    case empty(since: Duration, position: Duration)

    /// What is played at `time`, of what is available until then.
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
  /// The least and the most that is in the buffer while each bin of `count` is played, of which one lasts `width`.
  package func levels(_ width: Duration, _ count: Int) -> [ClosedRange<Duration>] {
    guard count > 0, width > .zero else { return [] }
    var (least, most) = ([Duration?](repeating: nil, count: count), [Duration](repeating: .zero, count: count))
    for (index, arrival) in arrivals.enumerated() {
      // What arrives before it starts is there when it does.
      if index + 1 < arrivals.count, arrivals[index + 1].time <= start { continue }
      // From here to the next one, it falls as fast as it is played.
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
