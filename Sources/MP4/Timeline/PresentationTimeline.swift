import ISOBMFF
import MP4Bytes

/// The presentation times of the media of a track: according to its edit list (ISO/IEC 14496-12:2022, 8.6.6), or its
/// composition times if there is none. The presentation starts at 0; media times are relative to the first decode time.
struct PresentationTimeline: Sendable {
  /// An edit.
  private struct Edit: Sendable {
    /// Its presentation time.
    var start: MediaTime
    /// Its duration; `nil` if it extends to the end of the media.
    var length: MediaTime?
    /// The composition time at which it starts; `nil` for an empty edit.
    var media: Int64?
    /// Its speed, in 1/65536 of normal speed; 0 shows one sample for the whole duration.
    var rate: Int64
  }
  private var edits: [Edit] = []
  /// The presentation time that becomes 0.
  let origin: MediaTime
  private let timescale: UInt32
  /// The composition times of all samples, up to the end of the last one.
  private let media: Range<Int64>
  private static let normal: Int64 = 0x1_0000

  /// Reads the edit list of a track, and moves `origin` to 0. An edit that covers the samples of the movie box, written
  /// before fragments were added, covers all of the media. With `hidesPriming`, a track without an edit list is
  /// presented only from the origin on.
  init(_ track: EditPlan.TrackTimes, from origin: MediaTime = MediaTime(0, 1), hidesPriming: Bool = false) {
    (self.origin, timescale) = (origin, track.timescale)
    let start = track.start ?? 0
    media = track.compositionStart..<max(track.compositionStart, track.compositionEnd)
    var clock = MediaTime(0, timescale)
    clock = sum(clock, clock - origin)
    guard !track.edits.isEmpty else {
      var first = media.lowerBound
      if hidesPriming { first = max(first, origin.converted(to: timescale).value &- start) }
      edits = [Edit(start: sum(clock, MediaTime(start &+ first, timescale)), media: first, rate: Self.normal)]
      return
    }
    for entry in track.edits {
      let declared = MediaTime(Int64(clamping: entry.segmentDuration), track.movieTimescale)
      let own = Self.difference(entry.mediaTime, start)
      let isToEnd =
        entry.mediaTime >= 0
        && (entry.segmentDuration == 0 || track.endsBeforeFragments(entry) || isWhole(entry, own, declared, track))
      let rate = Int64(entry.mediaRateInteger) << 16 + Int64(UInt16(bitPattern: entry.mediaRateFraction))
      edits.append(
        Edit(
          start: clock, length: isToEnd ? nil : declared, media: entry.mediaTime < 0 ? nil : own, rate: max(0, rate)))
      let length = isToEnd ? MediaTime(max(0, media.upperBound &- own), timescale) : declared
      clock = sum(clock, length)
    }
  }

  /// The same times without the media that is presented up to half a second before `time`: priming that no edit hides.
  /// It does not change if there is an edit list that hides or repeats media, or if media is presented even earlier.
  func hidingPriming(before time: MediaTime) -> PresentationTimeline {
    guard edits.count == 1, let edit = edits.first, let first = edit.media, edit.length == nil,
      edit.rate == Self.normal, first == media.lowerBound, edit.start < time, time - edit.start <= MediaTime(1, 2)
    else { return self }
    let priming = (time - edit.start).flooredValue(in: timescale)
    var result = self
    result.edits[0].start = sum(edit.start, MediaTime(priming, timescale))
    result.edits[0].media = first &+ priming
    return result
  }

  private static func difference(_ a: Int64, _ b: Int64) -> Int64 {
    let (result, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? a < 0 ? .min : .max : result
  }

  /// The start of each edit, in the order of the edit list.
  var starts: [MediaTime] { edits.map(\.start) }

  /// Whether an edit ends within a movie time unit of the end of the media: durations are rounded to that unit.
  private func isWhole(
    _ entry: EditListBox.Entry, _ start: Int64, _ duration: MediaTime, _ track: EditPlan.TrackTimes
  ) -> Bool {
    guard entry.mediaRateInteger == 1, entry.mediaRateFraction == 0 else { return false }
    let rest = MediaTime(max(0, media.upperBound &- start), timescale)
    return duration < rest && duration + MediaTime(1, track.movieTimescale) > rest
  }

  /// The sum of two times, in media time units if that is exact.
  private func sum(_ a: MediaTime, _ b: MediaTime) -> MediaTime {
    let result = a + b
    let (value, isExact) = result.converted(to: timescale)
    return isExact ? MediaTime(value, timescale) : result
  }

  /// The total presented duration of all edits.
  var duration: MediaTime {
    edits.reduce(MediaTime(0, timescale)) { sum($0, shown(by: $1)?.length ?? MediaTime(0, timescale)) }
  }

  /// The time from the first to the last presented media, including empty edits in between; `nil` if no media is
  /// presented.
  var span: Range<MediaTime>? {
    var result: Range<MediaTime>?
    for edit in edits {
      guard let (delay, length) = shown(by: edit), length.value > 0 else { continue }
      let start = sum(edit.start, delay)
      // If the media starts late, an edit without a length can be before the previous one.
      let end = sum(start, length)
      result = min(result?.lowerBound ?? start, start)..<max(result?.upperBound ?? start, start, end)
    }
    return result
  }

  /// A range of times; empty if the second one is earlier, which can happen if times are too large to be exact.
  private func range(_ start: MediaTime, _ end: MediaTime) -> Range<MediaTime> { start..<max(start, end) }

  /// A part of the media and its presentation time.
  private struct Part {
    var start: MediaTime
    var length: MediaTime
    /// Its composition time, relative to the smallest one of the media.
    var media: MediaTime
    var rate: Int64
    /// The amount of media after it.
    var rest: MediaTime
  }

  private var parts: [Part] {
    edits.compactMap { edit in
      guard let own = edit.media, let (delay, length) = shown(by: edit), length.value > 0 else { return nil }
      let from = max(own, media.lowerBound)
      let all = units(max(0, media.upperBound &- from), of: edit)
      return Part(
        start: sum(edit.start, delay), length: length, media: MediaTime(from &- media.lowerBound, timescale),
        rate: edit.rate, rest: all - length)
    }
  }

  /// Whether media is presented at the same times as in another timeline, within `tolerance`, the rounding of edit
  /// lists. Times are relative to the start of each timeline.
  func presents(
    from start: MediaTime, like other: PresentationTimeline, from otherStart: MediaTime, tolerance: MediaTime
  ) -> Bool {
    func isNear(_ a: MediaTime, _ b: MediaTime) -> Bool { max(a, b) - min(a, b) <= tolerance }
    let (own, others) = (parts, other.parts)
    return own.count == others.count
      && zip(own, others).allSatisfy { a, b in
        isNear(a.start - start, b.start - otherStart) && isNear(a.media, b.media) && a.rate == b.rate
          // The last sample can be longer in one of them.
          && (isNear(a.length, b.length) || a.rest <= tolerance && b.rest <= tolerance)
      }
  }

  /// Media that is presented in a range of times.
  struct Segment: Sendable {
    /// The presentation time.
    var time: Range<MediaTime>
    /// The composition time at its start, and the amount of media that it presents.
    var media: Int64
    var length: Int64
    /// The speed, in 1/65536 of normal speed; 0 shows one sample for the whole time.
    var rate: Int64
    /// The difference between presentation times and composition times.
    var shift: MediaTime
  }

  /// The media that is presented in a range of times, in the order of the edits.
  func segments(in range: Range<MediaTime>) -> [Segment] {
    edits.compactMap { edit in
      guard let own = edit.media, let (delay, length) = shown(by: edit), length.value > 0 else { return nil }
      let start = sum(edit.start, delay)
      let (low, high) = (max(start, range.lowerBound), min(sum(start, length), range.upperBound))
      guard low < high else { return nil }
      let from = edit.rate == 0 ? own : max(own, media.lowerBound)
      let (first, last) = (media(after: low - start, in: edit), media(after: high - start, in: edit))
      let (value, overflow) = from.addingReportingOverflow(first)
      guard !overflow else { return nil }
      return Segment(
        time: low..<high, media: value, length: max(0, last &- first), rate: edit.rate,
        shift: edit.start - MediaTime(own, timescale))
    }
  }

  /// The amount of media that an edit presents in a time.
  private func media(after time: MediaTime, in edit: Edit) -> Int64 {
    media(time.converted(to: timescale).value, in: edit)
  }
  private func media(_ value: Int64, in edit: Edit) -> Int64 {
    if edit.rate == Self.normal { return value }
    let (product, overflow) = value.multipliedReportingOverflow(by: edit.rate)
    return overflow ? .max : product >> 16
  }

  /// The duration of the media that an edit shows and the delay before it; `nil` for an empty edit.
  private func shown(by edit: Edit) -> (delay: MediaTime, length: MediaTime)? {
    guard let start = edit.media else { return nil }
    guard edit.rate > 0 else { return (MediaTime(0, timescale), edit.length ?? MediaTime(0, timescale)) }
    let from = max(start, media.lowerBound)
    let (skipped, left) = (units(from &- start, of: edit), units(max(0, media.upperBound &- from), of: edit))
    guard let length = edit.length else { return (skipped, left) }
    return (skipped, min(left, max(MediaTime(0, 1), length - skipped)))
  }

  /// The presented duration of a number of media time units in an edit.
  private func units(_ value: Int64, of edit: Edit) -> MediaTime {
    if edit.rate == Self.normal { return MediaTime(value, timescale) }
    let product = value.magnitude.multipliedFullWidth(by: UInt64(Self.normal))
    let divisor = UInt64(max(edit.rate, 1))
    guard product.high < divisor else { return MediaTime(.max, timescale) }
    return MediaTime(Int64(clamping: divisor.dividingFullWidth(product).quotient), timescale)
  }

  /// The presentation times of a sample with this composition time and duration: one for each edit that shows part of
  /// it.
  func presentations(of time: Int64, lasting duration: Int64) -> [Range<MediaTime>] {
    edits.compactMap { presentation(of: time, lasting: duration, in: $0) }
  }

  /// The first presentation time of such a sample.
  func firstPresentation(of time: Int64, lasting duration: Int64) -> Range<MediaTime>? {
    edits.lazy.compactMap { presentation(of: time, lasting: duration, in: $0) }.first
  }

  private func presentation(of time: Int64, lasting duration: Int64, in edit: Edit) -> Range<MediaTime>? {
    guard let media = edit.media else { return nil }
    let end = time &+ duration
    guard end > media || time == media else { return nil }
    if edit.rate == 0 {
      guard time <= media, let length = edit.length, length.value > 0 else { return nil }
      return range(edit.start, sum(edit.start, length))
    }
    let from = units(max(0, time &- media), of: edit)
    var to = units(max(0, end &- media), of: edit)
    if let length = edit.length {
      guard from < length else { return nil }
      to = min(to, length)
    }
    let start = sum(edit.start, from)
    return range(start, sum(edit.start, to))
  }

  /// The composition time that is presented at a time, rounded down; `nil` if none is.
  func compositionTime(at time: MediaTime) -> Int64? {
    let next = edits.partition { $0.start > time }
    guard next > 0, let media = edits[next - 1].media else { return nil }
    let edit = edits[next - 1]
    let from = time - edit.start
    if let length = edit.length, from >= length { return nil }
    let (result, isTooLarge) = media.addingReportingOverflow(self.media(from.flooredValue(in: timescale), in: edit))
    return isTooLarge ? .max : result
  }
}

extension MediaTime {
  /// The time in another timescale, rounded down.
  func flooredValue(in other: UInt32) -> Int64 {
    let (value, isExact) = converted(to: other)
    return isExact || value == .min || MediaTime(value, other) <= self ? value : value - 1
  }
}
