import ISOBMFF

/// Maps the times of the ranges of a cut to the new presentation.
struct CutClock: Sendable {
  /// The movie timescale, increased as far as the ranges require.
  private(set) var timescale: UInt32
  /// The ranges in this timescale, and where each starts in the new presentation.
  private let ranges: [(old: Range<Int64>, start: Int64)]

  init(_ given: [Range<MediaTime>], timescale: UInt32) {
    self.timescale = timescale
    for time in given.flatMap({ [$0.lowerBound, $0.upperBound] }) where !time.converted(to: self.timescale).isExact {
      let divisor = max(1, greatestCommonDivisor(time.value.magnitude, UInt64(time.timescale)))
      let unit = UInt32(UInt64(time.timescale) / divisor)
      self.timescale = commonTimescale(self.timescale, unit) ?? self.timescale
    }
    var (ranges, end): ([(Range<Int64>, Int64)], Int64) = ([], 0)
    for range in given {
      let start = range.lowerBound.converted(to: self.timescale).value
      let old = start..<max(start, range.upperBound.converted(to: self.timescale).value)
      ranges.append((old, end))
      end = end &+ (old.upperBound &- old.lowerBound)
    }
    self.ranges = ranges
  }

  /// Maps a time in a range to the new presentation.
  private func new(_ time: MediaTime, _ range: Int) -> Int64 {
    let value = time.converted(to: timescale).value
    let (old, start) = ranges[range]
    return start &+ (min(max(value, old.lowerBound), old.upperBound) &- old.lowerBound)
  }

  /// The edit list that presents parts of the media of `list`; empty if none is needed to present everything.
  func edits(of parts: [TrackCutter.Part], _ list: SampleList, _ mediaTimescale: UInt32) -> [EditListBox.Entry] {
    var entries: [EditListBox.Entry] = []
    var end: Int64 = 0
    // The end of the media of the last entry.
    var mediaEnd: Int64?
    for part in parts {
      let (start, stop) = (new(part.time.lowerBound, part.range), new(part.time.upperBound, part.range))
      guard stop > max(start, end) else { continue }
      if start > end {
        entries.append(EditListBox.Entry(segmentDuration: UInt64(start - end), mediaTime: -1))
        mediaEnd = nil
      }
      let begin = max(start, end)
      if part.rate == 0x1_0000, let mediaEnd, mediaEnd == part.media {
        entries[entries.count - 1].segmentDuration += UInt64(stop - begin)
      } else {
        var entry = EditListBox.Entry(segmentDuration: UInt64(stop - begin), mediaTime: part.media)
        entry.mediaRateInteger = Int16(truncatingIfNeeded: part.rate >> 16)
        entry.mediaRateFraction = Int16(truncatingIfNeeded: part.rate & 0xffff)
        entries.append(entry)
      }
      mediaEnd = part.rate == 0x1_0000 ? part.media &+ part.length : nil
      end = stop
    }
    // The part is shorter than a movie time unit. Without an edit, all of its samples would be presented.
    if entries.isEmpty, let part = parts.first {
      return [EditListBox.Entry(segmentDuration: 1, mediaTime: part.media)]
    }
    // Without an edit list, media is presented at its composition times.
    if entries.count == 1, entries[0].mediaTime == 0, mediaEnd != nil, list.compositionStart >= 0,
      entries[0].segmentDuration
        == UInt64(max(0, MediaTime(list.compositionEnd, mediaTimescale).converted(to: timescale).value))
    {
      return []
    }
    return entries
  }

  /// The chapters in the ranges, at their new times; the last one ends at `end`.
  func chapters(_ list: ChapterList, to end: MediaTime) -> ChapterList {
    var result: [Chapter] = []
    for number in ranges.indices {
      let (old, start) = ranges[number]
      for (index, chapter) in list.chapters.enumerated() {
        let next = index + 1 < list.chapters.count ? list.chapters[index + 1].time : end
        let time = chapter.time.converted(to: timescale).value
        let stop = max(time, next.converted(to: timescale).value)
        guard time < old.upperBound, stop > old.lowerBound else { continue }
        let new = start &+ max(0, time &- old.lowerBound)
        // A chapter that continues after a removed part.
        if number > 0, time < old.lowerBound, result.last?.title == chapter.title { continue }
        result.append(Chapter(time: MediaTime(new, timescale), title: chapter.title))
      }
    }
    return ChapterList(result)
  }
}

extension ChapterList {
  /// Parses the payload of `chpl`; `nil` if it is incomplete. Version 0 has no reserved field.
  init?(nero bytes: [UInt8]) {
    guard let version = bytes.first else { return nil }
    var at = version == 0 ? 4 : 8
    guard at < bytes.count else { return nil }
    let count = Int(bytes[at])
    at += 1
    var chapters: [Chapter] = []
    for _ in 0..<count {
      guard at + 9 <= bytes.count else { return nil }
      let start = bytes[at..<at + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let end = at + 9 + Int(bytes[at + 8])
      guard end <= bytes.count else { return nil }
      let title = String(decoding: bytes[(at + 9)..<end], as: UTF8.self)
      chapters.append(Chapter(time: MediaTime(Int64(clamping: start), 10_000_000), title: title))
      at = end
    }
    self.init(chapters)
  }
}
