import MP4

/// Finds samples that are presented together but are far apart in the file.
struct Interleaving {
  /// For each region that is too far apart, the place of the largest distance.
  private(set) var stalls: [Stall] = []

  /// A player that reads sequentially buffers one track until it has read the others up to the same time. Most can
  /// buffer more than a second, small devices not much more.
  private static let limit = MediaTime(1, 1)
  /// Tracks are consecutive in a movie fragment; a player waits for all of it.
  private static func limit(_ fragments: ClosedRange<MediaTime>?) -> MediaTime {
    fragments.map { max(limit, $0.upperBound + MediaTime($0.upperBound.value / 2, $0.upperBound.timescale)) } ?? limit
  }

  /// Adjacent samples of a track in a file.
  private struct Run {
    let track: Int
    let source: Int
    let offset: Int
    let firstSample: Int
    var time: Range<MediaTime>
  }

  /// Compares the tracks of one file; `fragments` is the range of the durations of its movie fragments.
  init(_ tracks: [Track], fragments: ClosedRange<MediaTime>?) {
    guard tracks.count > 1 else { return }
    let limit = Self.limit(fragments)
    var runs = tracks.indices.flatMap { Self.runs(of: tracks[$0], $0) }
    // Tracks in different files are read at the same time.
    let sources = tracks.indices.map { track in Set(runs.lazy.filter { $0.track == track }.map(\.source)) }
    guard sources.dropFirst().allSatisfy({ $0 == sources[0] }) else { return }
    runs.sort { ($0.source, $0.offset) < ($1.source, $1.offset) }
    let starts = tracks.map { $0.presentedTimes?.lowerBound ?? MediaTime(0, 1) }
    var (readUntil, left) = (starts, tracks.map { _ in 0 })
    for run in runs { left[run.track] += 1 }
    var farthest: Stall?
    for run in runs {
      left[run.track] -= 1
      readUntil[run.track] = max(readUntil[run.track], run.time.upperBound)
      let waiting = tracks.indices.filter { $0 != run.track && left[$0] > 0 }
      guard let slowest = waiting.min(by: { readUntil[$0] < readUntil[$1] }),
        case let distance = readUntil[run.track] - readUntil[slowest], distance > limit
      else {
        if let farthest { stalls.append(farthest) }
        farthest = nil
        continue
      }
      if farthest.map({ $0.duration < distance }) ?? true {
        farthest = Stall(
          kind: .interleaving, track: tracks[run.track].id, sample: run.firstSample + 1, offset: run.offset,
          time: run.time.lowerBound, duration: distance, other: tracks[slowest].id)
      }
    }
    if let farthest { stalls.append(farthest) }
  }

  private static func runs(of track: Track, _ number: Int) -> [Run] {
    var (runs, end, source) = ([Run](), -1, -1)
    let shift = track.presentationShift
    for sample in track.samples {
      let start = sample.decodeTime + shift
      let time = start..<max(start, start + sample.duration)
      if sample.offset == end, sample.sourceIndex == source, !runs.isEmpty {
        runs[runs.count - 1].time = runs[runs.count - 1].time.lowerBound..<time.upperBound
      } else {
        source = sample.sourceIndex
        runs.append(Run(track: number, source: source, offset: sample.offset, firstSample: sample.index, time: time))
      }
      end = sample.offset + sample.size
    }
    return runs
  }
}
