import ISOBMFF
import MP4Bytes

/// The times of a video track whose frames all get the same duration, in presentation order.
struct ConstantFrameRate {
  /// The new timescale of the media.
  let timescale: UInt32
  /// The new duration of a frame in `timescale`.
  let frame: Int64
  private let oldTimescale: UInt32
  /// The old presentation times in order, and the end of the last frame.
  private let times: [Int64]
  /// The new time of the first frame.
  private let start: Int64
  /// The new composition offsets in decode order; empty if there were none.
  private(set) var offsets: [Int64] = []

  /// Samples of a track as its boxes declare them.
  struct Samples {
    var track: UInt32
    var timescale: UInt32
    var stts: TimeToSampleBox
    var ctts: CompositionOffsetBox?
    var hasEdits: Bool
  }
  /// More samples would need too much memory for their times; this is more than a week of video.
  private static let limit = 1 << 24

  /// - Throws: `Obstacle` if the frames cannot have this rate.
  init(_ rate: FrameRate, _ samples: Samples) throws(Obstacle) {
    (timescale, frame) = try Self.units(rate, samples.timescale)
    oldTimescale = samples.timescale
    let count = samples.stts.entries.reduce(0) { $0 + Int($1.sampleCount) }
    guard count > 0 else { throw Obstacle.noSamples.inTrack(samples.track) }
    guard count <= Self.limit else {
      throw Obstacle(
        "too_many_samples", "track \(samples.track) has more than \(Self.limit) samples, the maximum")
    }
    var times: [Int64] = []
    times.reserveCapacity(count + 1)
    var (decodeTime, end) = (Int64(0), Int64.min)
    var durations: [Int64] = []
    durations.reserveCapacity(count)
    for entry in samples.stts.entries {
      for _ in 0..<entry.sampleCount {
        times.append(decodeTime)
        durations.append(Int64(entry.sampleDelta))
        // There are at most 2^24 samples of 2^32 units.
        decodeTime += Int64(entry.sampleDelta)
      }
    }
    guard let ctts = samples.ctts else {
      (self.times, start) = (times + [decodeTime], 0)
      return
    }
    let offsetCount = ctts.entries.reduce(0) { $0 + Int($1.sampleCount) }
    guard offsetCount == count else {
      let text = "has \(counted(count, "sample")), but composition offsets for \(offsetCount)"
      throw Obstacle("other_offset_count", "track \(samples.track) \(text)")
    }
    var (sample, hasNegativeOffsets) = (0, false)
    for entry in ctts.entries {
      if entry.sampleOffset < 0 { hasNegativeOffsets = true }
      for _ in 0..<entry.sampleCount {
        times[sample] += Int64(entry.sampleOffset)
        end = max(end, times[sample] + durations[sample])
        sample += 1
      }
    }
    let order = times.indices.sorted { times[$0] < times[$1] }
    for (earlier, later) in zip(order, order.dropFirst()) where times[earlier] == times[later] {
      let time = MediaTime(times[earlier], oldTimescale)
      throw Obstacle(
        "same_time", "track \(samples.track) presents two pictures at \(time), so their order is unknown")
    }
    // A frame is presented no earlier than it is decoded, unless offsets were negative before.
    var delay = 0
    offsets = Array(repeating: 0, count: count)
    for (rank, sample) in order.enumerated() {
      offsets[sample] = Int64(rank - sample) * frame
      delay = max(delay, sample - rank)
    }
    let first = times[order[0]]
    // Without edits, the first frame keeps its time; with edits, it keeps its delay after its decode time in frames.
    let length = max(1, (count > 1 ? times[order[1]] : end) - first)
    let kept =
      samples.hasEdits ? first * frame / length : MediaTime(first, oldTimescale).converted(to: timescale).value
    start = hasNegativeOffsets ? kept : max(Int64(delay) * frame, kept)
    for sample in offsets.indices {
      offsets[sample] += start
      guard Int32(exactly: offsets[sample]) != nil else { throw Self.obstacle(rate) }
    }
    self.times = order.map { times[$0] } + [end]
  }

  private static func obstacle(_ rate: FrameRate) -> Obstacle {
    let text = "times at \(rate.numerator)/\(rate.denominator) frames per second exceed their fields"
    return Obstacle("frame_rate", text)
  }

  /// The timescale, and the duration of a frame in it. This is the old timescale if it can express the duration,
  /// otherwise the numerator of the rate, or 1000 times that.
  private static func units(_ rate: FrameRate, _ old: UInt32) throws(Obstacle) -> (UInt32, Int64) {
    let reduced = rate.reduced
    guard let frames = UInt32(exactly: reduced.numerator), let seconds = UInt32(exactly: reduced.denominator),
      frames > 0
    else { throw Self.obstacle(rate) }
    let units = UInt64(old) * UInt64(seconds)
    if old > 0, units.isMultiple(of: UInt64(frames)), let frame = Int32(exactly: units / UInt64(frames)) {
      return (old, Int64(frame))
    }
    let factor: UInt64 = frames < 1000 ? 1000 : 1
    guard let timescale = UInt32(exactly: UInt64(frames) * factor), let frame = Int32(exactly: UInt64(seconds) * factor)
    else { throw Self.obstacle(rate) }
    return (timescale, Int64(frame))
  }

  /// The number of frames.
  var count: Int { times.count - 1 }
  /// The new end of the last frame.
  var end: Int64 { start + Int64(count) * frame }
  /// The new duration of the media.
  var duration: Int64 { Int64(count) * frame }
  /// The old end of the last frame.
  private var oldEnd: Int64 { times[count] }
  /// The old time from the start of the first frame to the end of the last one.
  var oldDuration: Int64 { oldEnd - times[0] }

  /// Maps an old time to a new one. Its relative position within a frame is kept; a time at most `tolerance` from the
  /// start of a frame is moved to that start.
  func time(_ time: Int64, tolerance: Int64 = 0) -> Int64 {
    // Prevents overflow of sums.
    let old = min(time, 1 << 60)
    if old < times[0] {
      return max(0, start - MediaTime(times[0] - old, oldTimescale).converted(to: timescale).value)
    }
    if old - tolerance > oldEnd {
      return end + min(MediaTime(old - oldEnd, oldTimescale).converted(to: timescale).value, 1 << 60)
    }
    // The last frame that starts no later.
    let low = max(0, times.partition { $0 > old } - 1)
    guard low < count else { return end }
    let (before, after) = (old - times[low], times[low + 1] - old)
    if after <= tolerance, after < before { return start + Int64(low + 1) * frame }
    let length = before + after
    if before <= tolerance || length <= 0 { return start + Int64(low) * frame }
    // The fraction is below `frame`, so the quotient fits.
    let part = UInt64(length).dividingFullWidth(UInt64(before).multipliedFullWidth(by: UInt64(frame))).quotient
    return start + Int64(low) * frame + Int64(part)
  }

  // MARK: Boxes

  var timeToSample: TimeToSampleBox {
    var stts = TimeToSampleBox()
    stts.entries = [TimeToSampleBox.Entry(sampleCount: UInt32(count), sampleDelta: UInt32(frame))]
    return stts
  }

  func write(to ctts: inout CompositionOffsetBox) {
    var entries: [CompositionOffsetBox.Entry] = []
    for offset in offsets.lazy.map({ Int32(clamping: $0) }) {
      if let last = entries.last, last.sampleOffset == offset {
        entries[entries.count - 1].sampleCount += 1
      } else {
        entries.append(CompositionOffsetBox.Entry(sampleCount: 1, sampleOffset: offset))
      }
    }
    ctts.entries = BoxTable(entries)
    if entries.contains(where: { $0.sampleOffset < 0 }) { ctts.header.version = 1 }
  }

  func write(to cslg: inout CompositionToDecodeBox) {
    let (least, greatest) = (offsets.min() ?? 0, offsets.max() ?? 0)
    cslg.leastDecodeToDisplayDelta = least
    cslg.greatestDecodeToDisplayDelta = greatest
    cslg.compositionToDTSShift = max(0, -least)
    cslg.compositionStartTime = start
    cslg.compositionEndTime = end
    cslg.raiseVersion()
  }
}
