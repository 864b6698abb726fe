import ISOBMFF
import MP4Bytes

/// Movies for players that do not use edit lists: the times of samples say when they are presented.
extension Movie {
  /// The result of moving edit lists into the times of samples.
  package struct Unedited {
    /// The movie, which needs no edit lists.
    package var movie: Movie
    /// What was changed, and what could not be.
    package var diagnostics: [Diagnostic] = []
    /// Whether samples were added, omitted or moved, apart from a common shift of each track.
    package var isChanged = false
  }

  /// The same movie with all tracks on one timeline, without edit lists.
  ///
  /// All tracks start at the start of the presentation. Pictures that an edit list hides, but others depend on, last
  /// for one unit of time each. Hidden audio is omitted, except the samples that decoders need before the first one.
  /// Silence is added where audio is missing, samples of `emptyText` where text is, and the first picture starts early
  /// if it is late.
  ///
  /// - Throws: `MovieError.impossible` if an edit list has another speed, or presents media twice or out of order.
  package func withoutEdits(emptyText: (Track) -> [UInt8]) throws(MovieError) -> Unedited {
    var result = Unedited(movie: self)
    for index in tracks.indices where tracks[index].list.count > 0 {
      let track = tracks[index]
      guard let spans = EditedSpans(track) else {
        throw .impossible(file: name, .severalEdits(track: track.id))
      }
      var timing: UneditedTrack
      switch track.handler {
      case "vide": timing = UneditedTrack(pictures: track, spans)
      case "soun": timing = UneditedTrack(sound: track, spans)
      default: timing = UneditedTrack(text: track, spans, empty: emptyText(track))
      }
      if let order = timing.order {
        var list = track.list
        if timing.scale > 1 {
          guard let scaled = list.scaled(by: timing.scale, track.timescale) else { continue }
          list = scaled
        }
        let new = (source: result.movie.input.sources.count, size: timing.newBytes.count)
        let newCount = order.count { $0 == nil }
        result.movie.input.sources.append(RepeatedBytes(timing.newBytes, count: newCount, name: track.inputName))
        list = SampleList(list, order, timing.durations, timing.compositionOffsets, new: new)
        result.isChanged = true
        result.movie.fragments.tracks[index].problem = result.movie.fragments.tracks[index].problem ?? .extended
        result.movie.tracks[index] = track.with(
          list, track.details.arranged(order), timescale: track.timescale * timing.scale)
      }
      result.movie.tracks[index].presentationShift = timing.shift
      for (severity, text) in timing.messages {
        result.diagnostics.append(Diagnostic(.other(severity, text), track.inputName, tracks.reference(index)))
      }
    }
    // The sources of all tracks include the new ones.
    for index in tracks.indices {
      let own = result.movie.tracks[index]
      result.movie.tracks[index].samples = own.samples.replaced(
        by: own.list, own.details, of: result.movie.input.sources)
    }
    return result
  }
}

extension Movie {
  /// Whether it needs no edit lists.
  var hasOneTimeline: Bool { tracks.allSatisfy { $0.presentationShift != nil } }

  /// The same movie and samples, with the times of their sources: tracks are only shifted, even if edits hide media.
  package var shiftedByEdits: Movie {
    var result = self
    for index in tracks.indices {
      guard let span = EditedSpans(tracks[index])?.all.first else { return self }
      result.tracks[index].presentationShift = span.start &- span.media.lowerBound
    }
    return result
  }

  /// For each track of a movie without edit lists, the media time of its sources at which the presentation starts.
  package var mediaOffsets: [MediaTime] {
    tracks.compactMap { track in
      guard let shift = track.presentationShift, track.list.count > 0 else { return nil }
      return MediaTime(track.samples.storage.start &- shift, track.timescale)
    }
  }
}

extension Track {
  /// The media times of its first sample and of the first presented one, in the order of presentation, in its sources;
  /// `nil` without samples, or if its edits cannot be read.
  package var mediaStarts: (first: MediaTime, presented: MediaTime)? {
    guard list.count > 0, let span = EditedSpans(self)?.all.first else { return nil }
    let start = samples.storage.start
    let first = start &+ list.compositionStart
    return (
      MediaTime(first, timescale), MediaTime(max(first, start &+ span.media.lowerBound), timescale)
    )
  }
}

/// The media that an edit list presents: spans in ascending order, in the timescale of the track.
struct EditedSpans {
  /// Media times, relative to the first sample, and the presentation time at which they start.
  struct Span {
    var media: Range<Int64>
    var start: Int64
  }
  private(set) var all: [Span] = []

  /// `nil` if edits have another speed, present nothing, or present media twice or out of order.
  init?(_ track: Track) {
    let (list, unit) = (track.list, MediaTime(1, track.writtenTimescale).converted(to: track.timescale).value)
    let end = list.compositionEnd
    var delay: UInt64 = 0
    for (number, edit) in track.writtenEdits.enumerated() {
      defer { delay = min(delay + min(edit.segmentDuration, 1 << 61), 1 << 61) }
      if edit.mediaTime < 0 { continue }
      guard edit.mediaRateInteger == 1, edit.mediaRateFraction == 0 else { return nil }
      let start = MediaTime(Int64(delay), track.writtenTimescale).converted(to: track.timescale).value
      let isLast = number == track.writtenEdits.count - 1
      var upper = end
      if edit.segmentDuration > 0 {
        let length = MediaTime(Int64(clamping: edit.segmentDuration), track.writtenTimescale)
        let (own, overflow) = length.converted(to: track.timescale).value.addingReportingOverflow(edit.mediaTime)
        // Writers round durations to a movie time unit.
        if !overflow, own < end &- max(unit, 1) { upper = own }
      } else if !isLast {
        continue
      }
      // Rounding can make spans overlap.
      let lower = max(edit.mediaTime, all.last?.media.upperBound ?? edit.mediaTime)
      guard lower &- edit.mediaTime <= max(unit, 1) else { return nil }
      guard lower < upper, start < 1 << 60 else { continue }
      all.append(Span(media: lower..<upper, start: start &+ (lower &- edit.mediaTime)))
    }
    if track.writtenEdits.isEmpty { all = [Span(media: 0..<max(1, end), start: 0)] }
    if all.isEmpty { return nil }
  }

  /// The end of the presentation.
  var end: Int64 { all.last.map { $0.start &+ ($0.media.upperBound &- $0.media.lowerBound) } ?? 0 }
}

/// The times of the samples of a track without its edit list.
struct UneditedTrack {
  /// The offset from track times to presentation times.
  var shift: Int64
  /// The factor by which the timescale grows.
  var scale: UInt32 = 1
  /// The samples by their indices; `nil` for new ones. `nil` if no sample changes.
  var order: [Int?]?
  var durations: [UInt32] = []
  var compositionOffsets: [Int32] = []
  /// The bytes of new samples.
  var newBytes: [UInt8] = []
  var messages: [(Diagnostic.Severity, String)] = []

  /// No change but a shift.
  private init(_ spans: EditedSpans) { shift = spans.all[0].start &- spans.all[0].media.lowerBound }

  /// Less than a sample of common audio formats: how precisely players line up the starts of tracks.
  private static func tolerance(_ timescale: UInt32) -> Int64 { Int64(timescale) / 50 }
}

// MARK: Pictures

extension UneditedTrack {
  /// A picture and its new presentation time, in new units.
  private struct Placed {
    var sample: Int
    var time: Int64
  }

  init(pictures track: Track, _ spans: EditedSpans) {
    self.init(spans)
    let list = track.list
    let (first, last) = (spans.all[0], spans.all[spans.all.count - 1])
    let start = list.compositionStart &+ shift
    let isPlain = spans.all.count == 1 && last.media.upperBound >= list.compositionEnd
    if isPlain, start >= 0, start <= Self.tolerance(track.timescale) { return }
    let times = list.compositionTimes
    let shown = Self.shown(times, spans, end: list.compositionEnd)
    scale = Self.scale(longest: shown.longestHidden, track.timescale)
    let factor = Int64(scale)
    var placed: [Placed] = []
    var hidden: [Int] = []
    for (sample, time) in shown.samples {
      guard var time else {
        hidden.append(sample)
        continue
      }
      // A first picture that is late is shown from the start.
      if placed.isEmpty, time > Self.tolerance(track.timescale) {
        messages.append((.note, "its pictures start at \(track.time(time)); the first one is shown from the start"))
        time = 0
      }
      for (number, own) in hidden.enumerated() {
        placed.append(Placed(sample: own, time: time &* factor &- Int64(hidden.count - number)))
      }
      placed.append(Placed(sample: sample, time: time &* factor))
      hidden = []
    }
    guard !placed.isEmpty else { return }
    // Pictures after the end that no other one depends on are those at the end of the decoding order.
    let trailing = Set(hidden)
    var count = list.count
    while count > 0, trailing.contains(count - 1) { count -= 1 }
    let kept = hidden.filter { $0 < count }
    let end = spans.end &* factor
    for (number, own) in kept.enumerated() { placed.append(Placed(sample: own, time: end &+ Int64(number))) }
    guard setTimes(placed, count: count, end: end &+ Int64(kept.count)) else {
      (order, scale) = (nil, 1)
      messages = [(.warning, "its edit list cannot be expressed by sample times; players present hidden pictures")]
      return
    }
    let leading = shown.samples.prefix { $0.time == nil }.count
    let others = shown.samples.count { $0.time == nil } - leading - hidden.count + kept.count
    if leading > 0 {
      let time = max(0, first.media.lowerBound &- (times[shown.samples[0].sample]))
      messages.append(
        (
          .note,
          "its edit list hides \(counted(leading, "picture", "pictures")) from \(track.time(time)) before the start; "
            + "they are delivered, because others depend on them, and players show them within "
            + Self.length(leading, track, scale)
        ))
    }
    if others > 0 {
      messages.append(
        (
          .note,
          "its edit list hides \(counted(others, "picture", "pictures")) between or after the presented parts; they "
            + "are delivered, because others depend on them, and players show them within "
            + Self.length(others, track, scale)
        ))
    }
  }

  private static func length(_ count: Int, _ track: Track, _ scale: UInt32) -> String {
    let microseconds = Int64(count) * 1_000_000 / (Int64(track.timescale) * Int64(scale))
    return "\(microseconds / 1000).\(String(1000 + microseconds % 1000).dropFirst()) ms"
  }

  /// All pictures in the order of their presentation, with their times if they are presented, and the length of the
  /// longest series of hidden ones.
  private static func shown(
    _ times: [Int64], _ spans: EditedSpans, end: Int64
  ) -> (samples: [(sample: Int, time: Int64?)], longestHidden: Int) {
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    var result: [(sample: Int, time: Int64?)] = []
    result.reserveCapacity(order.count)
    var (span, run, longest) = (0, 0, 0)
    for (number, sample) in order.enumerated() {
      let time = times[sample]
      let next = number + 1 < order.count ? times[order[number + 1]] : max(end, time &+ 1)
      while span < spans.all.count, spans.all[span].media.upperBound <= time { span += 1 }
      if span < spans.all.count, next > spans.all[span].media.lowerBound {
        let own = spans.all[span]
        result.append((sample, own.start &+ max(0, time &- own.media.lowerBound)))
        run = 0
      } else {
        result.append((sample, nil))
        run += 1
        longest = max(longest, run)
      }
    }
    return (result, longest)
  }

  /// The factor that makes this number of units of time short: at most two milliseconds.
  private static func scale(longest: Int, _ timescale: UInt32) -> UInt32 {
    guard longest > 0 else { return 1 }
    let factor = (UInt64(longest) * 500 + UInt64(timescale) - 1) / UInt64(timescale)
    return UInt32(max(1, min(factor, UInt64(UInt32.max / timescale))))
  }

  /// Sets the times of pictures in decoding order. Decode times are the presentation times in ascending order, as much
  /// earlier as reordering needs. Returns whether they can be written.
  private mutating func setTimes(_ placed: [Placed], count: Int, end: Int64) -> Bool {
    var times = [Int64](repeating: 0, count: count)
    for one in placed where one.sample < count { times[one.sample] = one.time }
    let sorted = times.sorted()
    guard let first = sorted.first else { return false }
    let delay = zip(sorted, times).map { $0 &- $1 }.max() ?? 0
    durations.reserveCapacity(count)
    compositionOffsets.reserveCapacity(count)
    for index in 0..<count {
      let next = index + 1 < count ? sorted[index + 1] : max(end, sorted[index] &+ 1)
      guard let duration = UInt32(exactly: next &- sorted[index]),
        let offset = Int32(exactly: times[index] &- sorted[index] &+ delay)
      else { return false }
      durations.append(duration)
      compositionOffsets.append(offset)
    }
    order = (0..<count).map(Optional.some)
    shift = first &- delay
    return true
  }
}

// MARK: Audio

extension UneditedTrack {
  /// The number of samples before the first one that may be priming.
  private static let mostPriming = 3
  /// The maximum number of silent samples in one place: some hours.
  private static let mostSilent: Int64 = 1 << 20

  init(sound track: Track, _ spans: EditedSpans) {
    self.init(spans)
    let list = track.list
    let frame = max(1, list.duration(min(1, list.count - 1)))
    let starts = list.columns
    /// The presentation time of a sample in a span.
    func time(_ sample: Int, _ span: EditedSpans.Span) -> Int64 {
      starts.time(sample) &+ list.compositionStart &+ span.start &- span.media.lowerBound
    }
    /// The sample that a media time is in.
    func sample(at media: Int64) -> Int {
      let time = media &- list.compositionStart
      return time < 0 ? 0 : list.index(atTime: time) ?? list.count
    }
    let silence = SilentSample(track, duration: frame)
    var samples: [Int?] = []
    var lengths: [Int64] = []
    var begin: Int64?
    var (position, added, firstAdded) = (Int64(0), 0, Int64(0))
    var isChanged = false
    for span in spans.all {
      var first = sample(at: span.media.lowerBound)
      let end = span.media.upperBound >= list.compositionEnd ? list.count : sample(at: span.media.upperBound &- 1) + 1
      if begin == nil {
        let preRoll = Self.preRoll(track, hidden: span.media.lowerBound &- list.compositionStart, count: first)
        isChanged = isChanged || preRoll < first
        first -= preRoll
      }
      guard first < end else { continue }
      let target = time(first, span)
      // All tracks start at 0.
      var gap = target &- (begin == nil ? 0 : position)
      if begin == nil, gap <= frame {
        (begin, position, gap) = (target, target, 0)
      }
      if gap > frame / 2 {
        let count = (gap &+ frame / 2) / frame
        if silence != nil, count <= Self.mostSilent {
          if added == 0 { firstAdded = begin == nil ? 0 : position }
          begin = begin ?? target &- count &* frame
          added += Int(count)
          samples.append(contentsOf: repeatElement(nil, count: Int(count)))
          lengths.append(contentsOf: repeatElement(frame, count: Int(count)))
          position = target
        } else {
          if begin == nil { begin = target } else { lengths[lengths.count - 1] &+= gap }
          position = target
          messages.append(
            (
              .warning,
              "it has no sound for \(track.time(gap)) before \(track.time(target)), and silence cannot be written for "
                + "\(track.codecs.first ?? "its codec"); some players present the rest that much too early"
            ))
        }
        isChanged = isChanged || added > 0 || !samples.isEmpty
      }
      while first < end, gap < 0 &- frame / 2 {
        gap = gap &+ list.duration(first)
        first += 1
        isChanged = true
      }
      for own in first..<max(first, end) {
        let duration = list.duration(own)
        samples.append(own)
        lengths.append(duration)
        position = position &+ duration
        // Sample tables express a gap as a long sample. Packets of some formats have different durations.
        let count = (duration &- frame) / frame
        if silence != nil, duration &- frame > Int64(track.timescale) / 8, count <= Self.mostSilent {
          lengths[lengths.count - 1] = duration &- count &* frame
          if added == 0 { firstAdded = position &- count &* frame }
          added += Int(count)
          samples.append(contentsOf: repeatElement(nil, count: Int(count)))
          lengths.append(contentsOf: repeatElement(frame, count: Int(count)))
        }
      }
    }
    isChanged = isChanged || samples.count != list.count
    guard isChanged, let begin, samples.contains(where: { $0 != nil }) else { return }
    let fitting = lengths.compactMap { UInt32(exactly: $0) }
    guard fitting.count == lengths.count else { return }
    (order, durations) = (samples, fitting)
    compositionOffsets = [Int32](repeating: 0, count: samples.count)
    newBytes = silence?.bytes ?? []
    shift = begin
    if added > 0 {
      let length = track.time(Int64(added) &* frame)
      messages.append(
        (
          .note,
          "it has no sound from \(track.time(firstAdded)) on for \(length); "
            + "\(counted(added, "silent sample is", "silent samples are")) added"
        ))
    }
  }

  /// The number of samples before the first presented one that are kept, because decoders need them.
  private static func preRoll(_ track: Track, hidden: Int64, count: Int) -> Int {
    if count <= mostPriming { return count }
    let hasHeaders = track.decoderConfigurations.contains {
      $0.audioSpecificConfig.map { $0.hasSBR || $0.audioObjectType == 42 } ?? false
    }
    // Without the first samples, decoders of these formats lack the headers for the following ones.
    if hasHeaders { return hidden <= Int64(track.timescale) / 2 ? count : 2 }
    return 1
  }
}

// MARK: Text

extension UneditedTrack {
  init(text track: Track, _ spans: EditedSpans, empty: [UInt8]) {
    self.init(spans)
    let list = track.list
    let isPlain = spans.all.count == 1 && spans.all[0].media.upperBound >= list.compositionEnd
    let begin = list.compositionStart &+ shift
    if isPlain, begin >= 0, begin <= Self.tolerance(track.timescale) { return }
    var (samples, lengths, position): ([Int?], [Int64], Int64) = ([], [], 0)
    var (walk, span) = (SampleWalk(list), 0)
    while walk.sample < list.count {
      let (start, end) = (walk.compositionTime, walk.compositionTime &+ walk.duration)
      while span < spans.all.count, spans.all[span].media.upperBound <= start { span += 1 }
      guard span < spans.all.count else { break }
      let own = spans.all[span]
      let (lower, upper) = (max(start, own.media.lowerBound), min(end, own.media.upperBound))
      if lower < upper {
        let target = own.start &+ (lower &- own.media.lowerBound)
        if target > position {
          samples.append(nil)
          lengths.append(target &- position)
        }
        samples.append(walk.sample)
        lengths.append(upper &- lower)
        position = max(position, target) &+ (upper &- lower)
      }
      walk.advance()
    }
    let fitting = lengths.compactMap { UInt32(exactly: $0) }
    guard !samples.isEmpty, fitting.count == lengths.count else { return }
    (order, durations, newBytes, shift) = (samples, fitting, empty, 0)
    compositionOffsets = [Int32](repeating: 0, count: samples.count)
  }
}

extension Track {
  /// A time in units of the track, for messages.
  fileprivate func time(_ value: Int64) -> MediaTime { MediaTime(value, timescale) }

  /// The same track with other samples, in another timescale, and without edits.
  fileprivate func with(_ list: SampleList, _ details: SampleAuxiliaryInfo, timescale: UInt32) -> Track {
    var result = self
    result.samples = samples.replaced(by: list, details, of: samples.storage.sources)
    result.setTimescale(timescale)
    return result
  }
}

extension SampleList {
  /// The composition time of each sample.
  fileprivate var compositionTimes: [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(count)
    var walk = SampleWalk(self)
    while walk.sample < count {
      times.append(walk.compositionTime)
      walk.advance()
    }
    return times
  }

  /// The same samples in a timescale that is `factor` times as high; `nil` if a time does not fit.
  fileprivate func scaled(by factor: UInt32, _ timescale: UInt32) -> SampleList? {
    columns.converted(from: timescale, to: timescale * factor).map { with($0) }
  }
}
