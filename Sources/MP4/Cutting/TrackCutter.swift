import ISOBMFF
import MP4Bytes

/// Cuts one track: determines which samples are needed for ranges of the presentation, and where the new media presents
/// them.
struct TrackCutter: Sendable {
  /// How samples at the boundaries of a range are handled.
  enum Kind: Sendable {
    /// Decoding starts at sync samples; audio also needs some earlier samples.
    case media(PreRoll)
    /// Each sample is independent, so the first and the last one of a range can be shortened.
    case text
    /// Like text, but frame numbers continue within a sample.
    case timecode
    /// Documents with track times (TTML), which cannot be moved.
    case documents
  }
  /// How much audio must be decoded before the first audible sample.
  enum PreRoll: Sendable {
    case samples(Int)
    case time(MediaTime)
    /// This many bytes, such as a bit reservoir, plus one sample.
    case bytes(Int)
  }
  /// Adjacent samples of the new track.
  struct KeptSamples: Sendable {
    var samples: Range<Int>
    /// A new sample with this duration that replaces the first of `samples`.
    var made: (bytes: [UInt8], duration: UInt32)?
    /// The value added to the duration of the last sample.
    var stretch: Int64 = 0
    /// The index of the range that needs the samples.
    var range: Int
    /// The part for which decoding starts again at its first sample, which can be a repetition of an earlier one.
    var start: Int?
  }
  /// Media that one edit presents.
  struct Part: Sendable {
    /// The time in the source.
    var time: Range<MediaTime>
    var range: Int
    /// The composition time in the new media.
    var media: Int64
    var length: Int64
    var rate: Int64
    /// The sample at which its decoding starts.
    var first = 0
  }
  /// The new track.
  struct Result: Sendable {
    var pieces: [KeptSamples] = []
    var parts: [Part] = []
    /// For each range that does not start at a sync sample, the hidden media before it.
    var hidden: [(range: Int, media: Int64)] = []
    /// Sync samples that are no longer marked as such, so that decoding starts at an earlier one.
    var notSync: Set<Int> = []
  }

  let list: SampleList
  let presentation: PresentationTimeline
  let timescale: UInt32
  let kind: Kind
  let sources: [any ByteSource]
  /// The timecode format of each sample description.
  var timecodes: [TimecodeFormat?] = []
  /// The configuration of each sample description.
  var configurations: [DecoderConfiguration] = []

  /// The new track for these ranges of the presentation, which must be in order. The decoding of some parts starts
  /// `leads` sync samples earlier than needed.
  func cut(_ ranges: [Range<MediaTime>], leads: [Int: Int] = [:]) throws(MovieError) -> Result {
    // Sums of invalid durations could overflow.
    let times = [list.duration, list.compositionStart, list.compositionEnd]
    guard list.count > 0, times.allSatisfy({ $0.magnitude < UInt64(TrackTimeline.limit) }) else { return Result() }
    var ranges = ranges.enumerated().flatMap { number, range in
      presentation.segments(in: range).map { (range: number, segment: $0) }
    }
    // An edit can present media for which there are no samples.
    ranges.removeAll { $0.segment.media >= list.compositionEnd }
    switch kind {
    case .media(let preRoll): return try cutMedia(ranges, preRoll, leads)
    case .text, .timecode:
      // With composition offsets, samples cannot be shortened independently.
      return list.compositionOffsets == 0...0 ? try cutTexts(ranges) : try cutMedia(ranges, .samples(0), leads)
    case .documents: return try cutDocuments(ranges)
    }
  }

  // MARK: Media

  /// Samples that remain adjacent.
  private struct Block {
    var samples: Range<Int>
    /// The value added to the old times of its samples.
    var shift: Int64
  }

  private func cutMedia(
    _ ranges: [(range: Int, segment: PresentationTimeline.Segment)], _ preRoll: PreRoll, _ leads: [Int: Int]
  ) throws(MovieError) -> Result {
    var result = Result()
    var block: Block?
    for (range, segment) in ranges {
      var needed = needed(segment, preRoll)
      let end = needed.lowerBound
      for _ in 0..<leads[result.parts.count, default: 0] where needed.lowerBound > 0 {
        let first = accessPoint(before: needed.lowerBound - 1, presenting: segment.media)
        needed = first..<needed.upperBound
      }
      if !result.parts.isEmpty {
        // Readers such as GStreamer would start at a sync sample whose leading pictures are presented.
        let last = max(end, presented(at: segment.media))
        result.notSync.formUnion(
          (needed.lowerBound..<last).lazy.map { $0 + 1 }.filter {
            list.isSync($0) && ($0 <= end || compositionTime($0) > segment.media)
          })
      }
      var open: Block
      if let current = block, current.samples.lowerBound <= needed.lowerBound,
        needed.lowerBound <= current.samples.upperBound,
        try !mustStartAgain(at: needed.lowerBound, for: segment, after: result.parts.last, in: current)
      {
        open = current
        if needed.upperBound > current.samples.upperBound {
          result.pieces.append(KeptSamples(samples: current.samples.upperBound..<needed.upperBound, range: range))
          open.samples = current.samples.lowerBound..<needed.upperBound
        }
      } else {
        var start: Int64 = 0
        if let last = block {
          let end = list.columns.time(last.samples.upperBound) &+ last.shift
          // Times of hidden samples must differ from those of presented ones.
          let rest = compositionEnd(of: last.samples) &+ last.shift &- end &- earliest(of: needed)
          result.pieces[result.pieces.count - 1].stretch = max(0, rest)
          start = end &+ max(0, rest)
        }
        open = Block(samples: needed, shift: start &- list.columns.time(needed.lowerBound))
        result.pieces.append(KeptSamples(samples: needed, range: range, start: block == nil ? nil : result.parts.count))
      }
      block = open
      let hidden = segment.media &- compositionTime(needed.lowerBound)
      if hidden > 0, result.hidden.last?.range != range, result.parts.last?.range != range {
        result.hidden.append((range, hidden))
      }
      result.parts.append(
        Part(
          time: segment.time, range: range, media: segment.media &+ open.shift, length: segment.length,
          rate: segment.rate, first: needed.lowerBound))
    }
    result.notSync.subtract(result.parts.map(\.first))
    return result
  }

  /// Whether decoding has to start again at a sample that a block contains or that follows it, because media is hidden
  /// before the segment and the sample starts an open GOP of HEVC or VVC. Readers such as ffmpeg go back to that sample
  /// for the segment, and its pictures would be decoded twice in one sequence.
  private func mustStartAgain(
    at sample: Int, for segment: PresentationTimeline.Segment, after part: Part?, in block: Block
  ) throws(MovieError) -> Bool {
    guard let part, part.media &+ part.length < segment.media &+ block.shift, list.isSync(sample) else { return false }
    let number = Int(list.descriptionIndex(of: sample)) - 1
    guard configurations.indices.contains(number), let (codec, lengthSize) = configurations[number].pictureUnits,
      codec != .avc
    else { return false }
    var reader = SampleUnitReader(sources)
    let units = try reader.units(of: list.jointSample(sample), codec, lengthSize: lengthSize)
    let slice = units?.first { codec.isSlice($0.type) }
    return slice.map { codec.isRandomAccess($0.type) && !codec.isIDR($0.type) && !(16...18 ~= $0.type) } ?? false
  }

  func compositionTime(_ sample: Int) -> Int64 { list.columns.time(sample) &+ list.compositionOffset(sample) }

  /// The smallest composition time of a range of samples, relative to the decode time of the first one.
  private func earliest(of samples: Range<Int>) -> Int64 {
    let start = list.columns.time(samples.lowerBound)
    var walk = SampleWalk(list, from: SampleCursor(samples.lowerBound, in: list))
    var result = Int64.max
    while walk.sample < samples.upperBound, walk.time &- start &+ list.compositionOffsets.lowerBound < result {
      result = min(result, walk.compositionTime &- start)
      walk.advance()
    }
    return result
  }

  /// The largest composition end of a range of samples.
  private func compositionEnd(of samples: Range<Int>) -> Int64 {
    var (result, sample, end) = (Int64.min, samples.upperBound, list.columns.time(samples.upperBound))
    while sample > samples.lowerBound, end &+ list.compositionOffsets.upperBound > result {
      sample -= 1
      result = max(result, end &+ list.compositionOffset(sample))
      end = end &- list.duration(sample)
    }
    return result
  }

  /// The sample that is presented at a composition time; before the first sample, the first one.
  private func presented(at time: Int64) -> Int {
    if let index = list.index(atCompositionTime: time) { return index }
    return list.index(atCompositionTime: min(list.compositionStart, list.compositionEnd &- 1)) ?? 0
  }

  /// The samples that must be decoded to present a part of the media.
  func needed(_ segment: PresentationTimeline.Segment, _ preRoll: PreRoll) -> Range<Int> {
    let first = presented(at: segment.media)
    let start = compositionTime(first)
    let end = max(segment.media &+ max(1, segment.length), start &+ 1)
    // Samples that are decoded earlier can be presented later.
    var (sample, decoded) = (first, first)
    var time = list.columns.time(first)
    while sample > 0 {
      time = time &- list.duration(sample - 1)
      guard time &+ list.compositionOffsets.upperBound >= start else { break }
      sample -= 1
      let composition = time &+ list.compositionOffset(sample)
      if composition >= start, composition < end { decoded = sample }
    }
    // The last presented sample in decoding order.
    var (last, lastTime) = list.columns.durations.index(whereSumExceeds: end &- list.compositionOffsets.lowerBound)
    if last >= list.count { (last, lastTime) = (list.count - 1, list.columns.time(list.count - 1)) }
    while last > first {
      let composition = lastTime &+ list.compositionOffset(last)
      if composition >= start, composition < end { break }
      last -= 1
      lastTime = lastTime &- list.duration(last)
    }
    decoded = max(0, min(decoded, earlier(decoded, preRoll)))
    return accessPoint(before: decoded, presenting: start)..<(max(last, first, decoded) + 1)
  }

  /// The last sync sample, at or before a sample, from which all samples from a composition time on can be decoded.
  /// Leading pictures of an open GOP cannot be decoded without the previous GOP.
  private func accessPoint(before sample: Int, presenting time: Int64) -> Int {
    if list.isAllSync { return sample }
    var index = sample
    while index > 0, !(list.isSync(index) && compositionTime(index) <= time) { index -= 1 }
    return index
  }

  /// The sample at which audio decoding must start so that another one is decoded correctly.
  private func earlier(_ sample: Int, _ preRoll: PreRoll) -> Int {
    switch preRoll {
    case .samples(let count): return sample - count
    case .time(let length):
      let time = list.columns.time(sample) &- length.converted(to: timescale).value
      return time <= 0 ? 0 : list.index(atTime: time) ?? 0
    case .bytes(let count):
      var (index, left) = (sample, count)
      while index > 0, left > 0 {
        index -= 1
        left -= list.size(index)
      }
      return index - 1
    }
  }

  // MARK: Text

  private func cutTexts(_ ranges: [(range: Int, segment: PresentationTimeline.Segment)]) throws(MovieError) -> Result {
    var result = Result()
    var end: Int64 = 0
    for (range, segment) in ranges {
      // Independent of sync samples and earlier samples.
      let first = presented(at: segment.media)
      let start = max(segment.media, list.columns.time(first))
      let stop = min(segment.media &+ max(1, segment.length), list.duration)
      guard start < stop else { continue }
      var last = max(first, list.index(atTime: stop &- 1) ?? (list.count - 1))
      // An empty sample without a duration ends the text before it.
      if stop == list.duration { last = list.count - 1 }
      let cutStart = start &- list.columns.time(first)
      let cutEnd = list.columns.time(last + 1) &- stop
      var rest = first..<(last + 1)
      if cutStart > 0 {
        let duration = list.duration(first) &- cutStart &- (first == last ? cutEnd : 0)
        var piece = KeptSamples(samples: first..<(first + 1), stretch: duration &- list.duration(first), range: range)
        let exact = segment.time.lowerBound - segment.shift - MediaTime(list.columns.time(first), timescale)
        if let bytes = try timecode(first, after: exact) {
          (piece.made, piece.stretch) = ((bytes, UInt32(clamping: duration)), 0)
        }
        result.pieces.append(piece)
        rest = (first + 1)..<(last + 1)
      }
      if !rest.isEmpty { result.pieces.append(KeptSamples(samples: rest, stretch: -cutEnd, range: range)) }
      result.parts.append(
        Part(
          time: segment.time, range: range, media: end &+ max(0, segment.media &- start), length: segment.length,
          rate: segment.rate))
      end = end &+ (stop &- start)
    }
    return result
  }

  /// The timecode sample for a later time within a sample: that of the picture that is shown then; `nil` if there is
  /// none. The time is exact, because a unit of the track can be as long as a frame.
  private func timecode(_ sample: Int, after time: MediaTime) throws(MovieError) -> [UInt8]? {
    guard case .timecode = kind, let format = timecodeFormat(of: sample), let value = try timecodeValue(sample) else {
      return nil
    }
    // Times in milliseconds are rounded.
    let fine = format.timescale <= UInt32.max / 1000 ? UInt32(1000) : 1
    let (scale, frame) = (format.timescale * fine, Int64(format.frameDuration) * Int64(fine))
    let units = max(0, time.flooredValue(in: scale)) &+ min(Int64(scale) / 1000, frame / 8)
    let (sum, overflow) = value.addingReportingOverflow(units / frame)
    let number = overflow ? value : format.wrapped(sum)
    return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  /// The timecode format of a sample; `nil` if it is unknown.
  func timecodeFormat(of sample: Int) -> TimecodeFormat? {
    let index = Int(list.descriptionIndex(of: sample)) - 1
    return timecodes.indices.contains(index) ? timecodes[index] : nil
  }

  /// The number of frames in a timecode sample; `nil` if it has another size.
  func timecodeValue(_ sample: Int) throws(MovieError) -> Int64? {
    guard list.size(sample) == 4, let format = timecodeFormat(of: sample) else { return nil }
    var window = ByteWindow(sources[list.source(of: sample)], readAhead: 0)
    do throws(IOError) {
      return format.frameNumber(try window.slice(at: list.columns.offset(sample), count: 4))
    } catch { throw .io(error) }
  }

  // MARK: Documents

  /// A document without contents.
  private static let blank = Array(
    #"<?xml version="1.0" encoding="UTF-8"?><tt xmlns="http://www.w3.org/ns/ttml" xml:lang=""/>"#.utf8)

  /// Documents keep their times, because the times in them are relative to the start of the track. Empty samples
  /// replace those that are cut.
  private func cutDocuments(_ ranges: [(range: Int, segment: PresentationTimeline.Segment)]) throws(MovieError)
    -> Result
  {
    let plain = try cutMedia(ranges, .samples(0), [:])
    let isForward = zip(plain.pieces, plain.pieces.dropFirst()).allSatisfy {
      $0.samples.upperBound <= $1.samples.lowerBound
    }
    guard isForward, list.duration / Int64(UInt32.max) < 64 else { return plain }
    var result = Result()
    var end: Int64 = 0
    for var piece in plain.pieces {
      let start = list.columns.time(piece.samples.lowerBound)
      while end < start {
        let length = UInt32(clamping: start &- end)
        result.pieces.append(
          KeptSamples(
            samples: piece.samples.lowerBound..<(piece.samples.lowerBound + 1), made: (Self.blank, length),
            range: piece.range))
        end = end &+ Int64(length)
      }
      piece.stretch = 0
      result.pieces.append(piece)
      end = list.columns.time(piece.samples.upperBound)
    }
    result.parts = zip(plain.parts, ranges).map { part, own in
      var part = part
      part.media = own.segment.media
      return part
    }
    return result
  }
}
