import ISOBMFF
public import MP4Bytes

/// Cuts parts out of a movie without transcoding. The input is a progressive or fragmented file, or an init segment and
/// its media segments, and is read once. Each plan is a progressive file with the samples that are needed for some
/// ranges of the presentation.
///
/// Samples keep their bytes, composition offsets, flags and descriptions, except where parts are joined at an open GOP
/// of H.265 or H.266: there, decoding is made to start again. Video starts at the sync sample before a range, or
/// earlier where decoders of H.264 would present wrong pictures otherwise, audio as much earlier as its codec requires;
/// edit lists hide the media before the range, so that all tracks start exactly there. Sync samples at which readers
/// would wrongly start decoding are no longer marked as such. The first and the last text sample are shortened;
/// timecode numbers and chapters are adapted.
public struct MovieCutter: Sendable {
  private let input: MovieInput
  /// The samples of every track as placed on the timeline.
  private let samples: [TrackSamples]
  let tracks: [TrackCutter]
  private let movieTimescale: UInt32
  /// The track that determines frames and sync samples: the first preferred video track, or else the first one that is
  /// not a chapter track.
  let video: Int?
  private let chapters: ChapterList?
  /// The decoder configurations of each track.
  let configurations: [[DecoderConfiguration]]
  /// The end of the presentation, which starts at 0.
  public let duration: MediaTime
  /// Diagnostics of the input, including repairs and data loss.
  public let diagnostics: [Diagnostic]
  /// The name of the input with the movie box.
  public var name: String { input.sources[0].name }

  /// Reads a movie. `onProgress` is called with the number of bytes read, and returns whether to continue. Frames are
  /// those of the first of the `preferred` tracks that is video, or else of the first video track.
  ///
  /// - Throws: `MovieError` if there is no movie, or nothing usable; or `stopped`.
  public init(
    reading sources: [any ByteSource], _ options: ReadingOptions = reading,
    framesOf preferred: TrackSelection = TrackSelection(), onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    let movie = try TimedMovie(reading: sources, options, onProgress: onProgress)
    var input = movie.input
    var samples = movie.samples()
    for index in samples.indices { samples[index].acceptDurations() }
    let lists = samples.map(\.list)
    let times = movie.times(lists)
    let origin = input.origin(times, of: sources, options)
    let edits = EditPlan(
      movieTimescale: input.groups[0].movie.timescale, keepsStart: options.keepsStart, isWritten: options.keepsEdits,
      from: origin, times)
    var diagnostics = movie.diagnostics + movie.leftBoxes
    if edits.hiddenPriming != nil || edits.isRounded || !edits.shifted.isEmpty || edits.start.value > 0 {
      diagnostics += input.diagnostics(of: edits)
    }
    let properties = try input.trackProperties()
    tracks = lists.enumerated().map { index, list in
      TrackCutter(
        list: list, presentation: origin.timeline(of: times[index]), timescale: input.tracks[index].timescale,
        kind: TrackCutter.Kind(
          input.tracks[index], properties[index], input.fragments.information[index].groups, list),
        sources: input.sources,
        timecodes: properties[index].configurations.map {
          ($0.fields as? TimecodeSampleEntry).flatMap(TimecodeFormat.init)
        }, configurations: properties[index].configurations)
    }
    guard lists.contains(where: { $0.count > 0 }) else { throw input.nothingLeft(diagnostics) }
    duration = tracks.compactMap { $0.presentation.span?.upperBound }.max() ?? MediaTime(0, 1)
    let videos = tracks.indices.filter {
      input.tracks[$0].handler == "vide" && properties[$0].isChapters != true && lists[$0].count > 0
    }
    video = videos.first { preferred.contains(input.tracks[$0]) } ?? videos.first
    movieTimescale = edits.timescale
    configurations = properties.map(\.configurations)
    chapters = try input.neroChapters()
    input.fragments.releaseSamples()
    input.fragments.releaseFragments()
    (self.input, self.samples, self.diagnostics) = (input, samples, diagnostics.relative(to: origin))
  }

  /// Plans the file with these ranges of the presentation, one after another. A range that extends past the end of the
  /// presentation is shortened. The diagnostics of the plan begin with those of the input.
  ///
  /// - Throws: `MovieError` if ranges overlap or are not in order, or if nothing would be presented.
  public func plan(_ ranges: [Range<MediaTime>]) throws(MovieError) -> OutputPlan {
    var plan = try planPart(ranges)
    plan.diagnostics = diagnostics + plan.diagnostics
    return plan
  }

  /// The same without the diagnostics of the input, for several files that are cut from it.
  package func planPart(_ ranges: [Range<MediaTime>]) throws(MovieError) -> OutputPlan {
    guard zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) else {
      throw .impossible(file: name, .unorderedParts)
    }
    if ranges.isEmpty { throw .impossible(file: name, Obstacle("no_parts", "no part of the presentation is kept")) }
    let present = ranges.filter { $0.lowerBound < duration && $0.upperBound > MediaTime(0, 1) && !$0.isEmpty }.map {
      range in
      max(MediaTime(0, 1), range.lowerBound)..<min(range.upperBound, duration)
    }
    guard !present.isEmpty, present.count == ranges.count else {
      throw .impossible(file: name, Obstacle("after_end", "the presentation ends at \(duration)"))
    }
    let clock = CutClock(present, timescale: movieTimescale)
    var results: [TrackCutter.Result] = []
    for track in tracks { results.append(try track.cut(present)) }
    guard results.contains(where: { !$0.pieces.isEmpty }) else {
      throw .impossible(file: name, Obstacle("nothing_presented", "nothing is presented at these times"))
    }
    var cut = input
    var (samples, joints) = arrange(results, &cut)
    var started = try cut.startDecoders(at: joints, in: &samples)
    // Where pictures would be wrong, decoding starts earlier.
    var leads = tracks.map { _ in [Int: Int]() }
    while let first = started.disordered.first {
      for (track, part) in started.disordered { leads[track][part, default: 0] += 1 }
      guard leads[first.track][first.number, default: 0] <= Self.maximumLead else {
        let part = try tracks[first.track].cut(present).parts[first.number]
        throw .impossible(file: name, try openGOP(atSample: part.first, ofTrack: first.track))
      }
      for track in Set(started.disordered.map(\.track)) {
        results[track] = try tracks[track].cut(present, leads: leads[track])
      }
      cut = input
      (samples, joints) = arrange(results, &cut)
      started = try cut.startDecoders(at: joints, in: &samples)
    }
    if let chapters {
      let list = clock.chapters(chapters, to: duration)
      cut.groups[0].movie.box.edit("udta") { udta in
        let place = udta.boxes.firstIndex { $0.type == "chpl" } ?? udta.boxes.count
        udta.boxes.removeAll { $0.type == "chpl" }
        if !list.chapters.isEmpty { udta.boxes.insert(list.box(), at: min(place, udta.boxes.count)) }
      }
    }
    cut.removeGaplessTag()
    let layout = MediaLayout(samples)
    let edits = EditPlan(
      results.indices.map { clock.edits(of: results[$0].parts, layout.tables[$0].samples, tracks[$0].timescale) },
      timescale: clock.timescale)
    let notes = self.notes(results, present, clock) + started.diagnostics
    return try FileLayout.plan(cut, layout, edits, notes)
  }

  /// The maximum number of sync samples by which decoding starts earlier than needed.
  private static let maximumLead = 3

  private func notes(_ results: [TrackCutter.Result], _ ranges: [Range<MediaTime>], _ clock: CutClock) -> [Diagnostic] {
    var notes: [Diagnostic] = []
    if let video, let longest = results[video].hidden.map(\.media).max() {
      let time = MediaTime(longest, tracks[video].timescale)
      let count = results[video].hidden.count
      let text =
        ranges.count == 1
        ? "the cut starts \(time) after a keyframe; an edit list hides the pictures before it"
        : "\(counted(count, "range starts", "ranges start")) after a keyframe, up to \(time); edit lists hide the "
          + "pictures before them, but players that honor only one edit, such as Chromium, show them"
      notes.append(Diagnostic(.note, name, text))
    }
    for index in results.indices where results[index].pieces.isEmpty && tracks[index].list.count > 0 {
      notes.append(Diagnostic(.other(.note, "it has no samples at these times"), name, input.tracks.reference(index)))
    }
    return notes
  }

  // MARK: Samples

  /// The samples that the new tracks keep, range by range in source order, and the places where they are not adjacent
  /// in the source. New samples are in a source that is added to `input`.
  private func arrange(_ results: [TrackCutter.Result], _ input: inout MovieInput) -> ([TrackSamples], [TrackJoints]) {
    var arranged: [TrackSamples] = []
    var joints: [TrackJoints] = []
    var made: [UInt8] = []
    let rankCount = 1 + (samples.lazy.flatMap { $0.runs.lazy.map(\.rank) }.max() ?? 0)
    for (track, result) in results.enumerated() {
      let whole = samples[track]
      var own = TrackSamples(timescale: whole.timescale, whole.details.groupDescriptions)
      var places = TrackJoints(
        presented: result.parts.map { $0.media..<max($0.media, $0.media &+ max(1, $0.length)) },
        configuration: configurations[track].count == 1 ? configurations[track][0] : nil)
      let notSync = result.notSync.sorted()
      var last: Int?
      for piece in result.pieces {
        let (first, start, rank) = (piece.samples.lowerBound, own.list.count, piece.range * rankCount)
        if let last, let part = piece.start {
          places.joints.append(
            TrackJoints.Joint(
              sample: start, configuration: configuration(ofSample: first, track),
              previous: configuration(ofSample: last - 1, track), number: part))
        }
        last = piece.samples.upperBound
        if let (bytes, duration) = piece.made {
          var sample = SampleColumns()
          sample.append(
            duration: duration, size: UInt32(clamping: bytes.count), flags: 0x0200_0000, compositionOffset: 0,
            at: made.count)
          own.append(sample, source: input.sources.count, insteadOf: first, of: whole, rank: rank)
          made += bytes
        } else {
          own.append(whole, piece.samples, stretch: piece.stretch, TrackSamples.Change(rank: rank))
          let hidden = notSync[notSync.partition { $0 >= first }...].prefix { piece.samples.contains($0) }
          places.notSync.formUnion(hidden.map { $0 - first + start })
        }
      }
      own.measure()
      arranged.append(own)
      joints.append(places)
    }
    TrackSamples.numberRanks(of: &arranged)
    if !made.isEmpty {
      input.sources.append(MemorySource(made, name: "samples"))
      input.contents.append(SourceContents(group: 0, isGenerated: true))
    }
    return (arranged, joints)
  }
}

// MARK: Times

extension MovieCutter {
  /// The maximum distance of a time to the frame that it refers to, because users give times in milliseconds.
  private static let tolerance = MediaTime(1, 1000)

  /// The start of the frame that a time refers to, if one starts within 1 ms of it; otherwise the time.
  public func frameStart(near time: MediaTime) -> MediaTime {
    guard let video else { return time }
    let (track, timescale) = (tracks[video], tracks[video].timescale)
    for probe in [time + Self.tolerance, time] {
      guard let composition = track.presentation.compositionTime(at: probe),
        let sample = track.list.index(atCompositionTime: composition)
      else { continue }
      let duration = track.list.duration(sample)
      guard MediaTime(duration, timescale) > Self.tolerance + Self.tolerance else { continue }
      for shown in track.presentation.presentations(of: track.compositionTime(sample), lasting: duration) {
        let start = shown.lowerBound
        if max(start, time) - min(start, time) < Self.tolerance { return start }
      }
    }
    return time
  }

  /// The time of the last sync sample of the video that is presented at or before a time; without video, the time.
  public func keyframe(before time: MediaTime) -> MediaTime {
    guard let video else { return time }
    let track = tracks[video]
    guard let composition = track.presentation.compositionTime(at: time),
      var sample = track.list.index(atCompositionTime: composition)
    else { return time }
    // Sync samples that are decoded later can be presented earlier.
    sample = min(track.list.count - 1, sample)
    while sample > 0, !(track.list.isSync(sample) && track.compositionTime(sample) <= composition) { sample -= 1 }
    let shown = track.presentation.presentations(
      of: track.compositionTime(sample), lasting: max(1, track.list.duration(sample)))
    return shown.map(\.lowerBound).filter { $0 <= time }.max() ?? time
  }

  /// The time of a video frame. Frames are numbered in presentation order from 0; the number of frames refers to the
  /// end of the last one.
  ///
  /// - Throws: `MovieError` if there is no such frame.
  public func time(ofFrame number: Int) throws(MovieError) -> MediaTime {
    try time(ofFrame: number, from: MediaTime(0, 1))
  }

  /// The time of a video frame, of which the one that is presented at `start` has the number 0.
  private func time(ofFrame number: Int, from start: MediaTime) throws(MovieError) -> MediaTime {
    guard let video else {
      throw .impossible(
        file: name, Obstacle("no_video", "there is no video track, so frames cannot be counted"))
    }
    let track = tracks[video]
    var times: [Int64] = []
    times.reserveCapacity(track.list.count)
    var walk = SampleWalk(track.list)
    while walk.sample < track.list.count {
      times.append(walk.compositionTime)
      walk.advance()
    }
    times.sort()
    var (left, end) = (number, start)
    for segment in track.presentation.segments(in: start..<max(start, duration)) {
      let first = max(0, times.partition { $0 > segment.media } - 1)
      let last = max(first + 1, times.partition { $0 >= segment.media &+ segment.length })
      guard left >= last - first else {
        if left == 0 { return segment.time.lowerBound }
        let time = times[first + left]
        let shown = track.presentation.presentations(of: time, lasting: 1).map(\.lowerBound)
        return shown.first { segment.time.contains($0) } ?? segment.time.lowerBound
      }
      left -= last - first
      end = segment.time.upperBound
    }
    guard left == 0 else {
      let from = start.value == 0 ? "numbered from 0" : "from \(start) on"
      let text = "frame \(number) does not exist; the video has \(number - left), \(from)"
      throw .impossible(file: name, Obstacle("no_frame", text))
    }
    return end
  }

  /// The end of a part that starts at a time: so many seconds, frames of the video, or frames of the timecode track
  /// later.
  ///
  /// - Throws: `MovieError` if the video has no such number of frames, or if there is no timecode track.
  public func end(of length: CutTime, from start: MediaTime) throws(MovieError) -> MediaTime {
    switch length.value {
    case .time(let time): return frameStart(near: start + time)
    case .frame(let count): return try time(ofFrame: count, from: start)
    case .timecode(let hours, let minutes, let seconds, let frames):
      var obstacle = Obstacle("no_timecode", "there is no timecode track")
      for (index, track) in tracks.enumerated() where isTimecode(index) && track.list.count > 0 {
        guard let format = track.timecodeFormat(of: 0) else { continue }
        if let count = format.number(hours, minutes, seconds, frames) {
          let (units, overflow) = count.multipliedReportingOverflow(by: Int64(format.frameDuration))
          if !overflow { return frameStart(near: start + MediaTime(units, format.timescale)) }
        }
        obstacle = .invalidTimecode
      }
      throw .impossible(file: name, obstacle)
    }
  }

  /// Whether a track has timecodes.
  func isTimecode(_ track: Int) -> Bool { input.tracks[track].handler == "tmcd" }

  /// The time of a timecode of the first timecode track.
  ///
  /// - Throws: `MovieError` if there is no timecode track, or no such timecode.
  public func time(ofTimecode hours: Int, _ minutes: Int, _ seconds: Int, _ frames: Int) throws(MovieError)
    -> MediaTime
  {
    var obstacle = Obstacle("no_timecode", "there is no timecode track")
    for (index, track) in tracks.enumerated() where isTimecode(index) && track.list.count > 0 {
      for segment in track.presentation.segments(in: MediaTime(0, 1)..<duration) {
        var sample = track.list.index(atTime: segment.media) ?? 0
        while sample < track.list.count, track.list.columns.time(sample) < segment.media &+ segment.length {
          defer { sample += 1 }
          guard let format = track.timecodeFormat(of: sample), let value = try track.timecodeValue(sample) else {
            continue
          }
          guard let number = format.number(hours, minutes, seconds, frames) else {
            obstacle = .invalidTimecode
            continue
          }
          obstacle = Obstacle("other_timecode", "the timecode track does not contain this timecode")
          let distance = format.distance(from: value, to: number)
          let (units, overflow) = distance.multipliedReportingOverflow(by: Int64(format.frameDuration))
          guard distance >= 0, !overflow else { continue }
          let offset = MediaTime(units, format.timescale).converted(to: track.timescale).value
          let time = track.list.columns.time(sample) &+ offset &- segment.media
          let limit = min(segment.length, track.list.columns.time(sample + 1) &- segment.media)
          guard time >= 0, time <= limit else { continue }
          let result = segment.time.lowerBound + MediaTime(time, track.timescale)
          return frameStart(near: result)
        }
      }
    }
    throw .impossible(file: name, obstacle)
  }
}

extension Obstacle {
  fileprivate static let invalidTimecode = Obstacle(
    "invalid_timecode",
    "this timecode is invalid for the timecode track: its frame number is too large or is skipped by drop-frame "
      + "counting")
}

extension TrackCutter.Kind {
  /// How to cut a track with these boxes and sample groups.
  init(_ track: TrackDescription, _ properties: TrackProperties, _ groups: SampleGroups, _ list: SampleList) {
    let formats = properties.configurations.map(\.codedFormat)
    switch track.handler {
    case "tmcd": self = .timecode
    case "subt" where formats.contains("stpp"): self = .documents
    case "text", "sbtl", "subt": self = .text
    case _ where properties.isChapters == true && list.isAllSync: self = .text
    default: self = .media(Self.preRoll(track, properties, groups))
    }
  }

  private static func preRoll(_ track: TrackDescription, _ properties: TrackProperties, _ groups: SampleGroups)
    -> TrackCutter.PreRoll
  {
    var distance = 0
    for type in ["roll", "prol"] as [FourCC] {
      for entry in groups.descriptions[type]?.entries ?? [] {
        guard let roll = try? RollRecoveryGroup(decoding: entry.description[...]) else { continue }
        distance = max(distance, -Int(roll.rollDistance))
      }
    }
    guard track.handler == "soun" else { return .samples(distance) }
    let formats = properties.configurations.map(\.codedFormat)
    let codecs = properties.configurations.map(\.codecs)
    let free: Set<FourCC> = [
      "fLaC", "alac", "ipcm", "fpcm", "lpcm", "sowt", "twos", "raw ", "in24", "in32", "fl32", "fl64", "ulaw", "alaw",
      "NONE",
    ]
    if !formats.isEmpty, formats.allSatisfy(free.contains) { return .samples(distance) }
    // RFC 7845: 80 ms.
    if distance == 0, formats.contains("Opus") { return .time(MediaTime(80, 1000)) }
    let isMP3 = formats.contains(".mp3") || codecs.contains { $0 == "mp4a.6B" || $0 == "mp4a.69" || $0 == "mp4a.40.34" }
    // The bit reservoir of MP3 starts up to 511 bytes earlier.
    if distance == 0, isMP3 { return .bytes(511) }
    // With SBR, two samples are needed.
    return .samples(max(distance, codecs.contains { $0 == "mp4a.40.5" || $0 == "mp4a.40.29" } ? 2 : 1))
  }
}

extension MovieInput {
  /// The start of the presentation: that of all tracks, even if only some of them are selected.
  fileprivate func origin(
    _ times: [EditPlan.TrackTimes], of sources: [any ByteSource], _ options: ReadingOptions
  ) -> PresentationOrigin {
    if options.keepsStart { return PresentationOrigin(at: MediaTime(0, 1)) }
    let isWhole = groups.allSatisfy { $0.movie.droppedTracks.isEmpty }
    guard !isWhole, contents.contains(where: { $0.fragmentCount > 0 }) else { return PresentationOrigin(times) }
    var whole = options
    whole.tracks = TrackSelection()
    // Damage of the other tracks does not matter here.
    return (try? Movie(reading: sources, whole))?.origin ?? PresentationOrigin(times)
  }

  /// Removes the tag with the priming and length of audio, which edit lists also contain.
  fileprivate mutating func removeGaplessTag() {
    guard let tag = MetadataTag("com.apple.iTunes:iTunSMPB"),
      var metadata = try? MovieMetadata(groups[0].movie.box, of: sources[groups[0].source])
    else { return }
    metadata.set(tag, [])
    metadata.write(to: &groups[0].movie.box)
  }

  /// Nero's chapter list; `nil` if there is none, or if it is damaged.
  fileprivate func neroChapters() throws(MovieError) -> ChapterList? {
    guard let header = groups[0].movie.box.first("udta", "chpl")?.header, header.payload.count <= 1 << 20 else {
      return nil
    }
    var window = ByteWindow(sources[groups[0].source], readAhead: 0)
    do throws(IOError) {
      return ChapterList(nero: Array(try window.slice(at: header.payload.lowerBound, count: header.payload.count)))
    } catch { throw .io(error) }
  }
}
