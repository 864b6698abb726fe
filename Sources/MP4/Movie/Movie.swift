package import ISOBMFF
public import MP4Bytes

/// The samples of all tracks of a movie, independent of the kind of file. No media is read.
///
/// Decode and composition times are those that the file declares. Presentation times are relative to the start of the
/// presentation, as in the outputs of `Defragmenter` and `MovieCutter`: the media of fragments can start at another
/// time, `mediaStart`.
public struct Movie: Sendable {
  /// The tracks, in file order.
  public internal(set) var tracks: [Track]
  var input: MovieInput
  /// The timescale of the written movie.
  let timescale: UInt32
  /// The events between the fragments.
  private(set) var events: MovieEvents
  /// The time of the media at which the presentation starts. Presentation times are relative to it; decode and
  /// composition times are not.
  public var mediaStart: MediaTime { origin.start }
  let origin: PresentationOrigin
  /// The time of the media at which separate movies such as subtitles start: the first picture, unless audio starts
  /// much earlier.
  package var followersStart: MediaTime { origin.followers }
  /// The end of the presentation, which starts at 0: that of the longest track, according to the edit lists.
  public var duration: MediaTime { tracks.compactMap { $0.presentedTimes?.upperBound }.max() ?? MediaTime(0, 1) }
  /// The time of the sources that is 0 in the written movie: `mediaStart`, or slightly earlier.
  let start: MediaTime
  /// The start of the presentation in the written movie.
  let rest: MediaTime
  /// The movie fragments of the sources.
  var fragments: SourceFragments
  /// The `pssh` boxes that a fragment contains if it has samples with these keys.
  var keyHeaders: [[UInt8]: [Box]] = [:]
  /// Diagnostics, including repairs and data loss.
  public internal(set) var diagnostics: [Diagnostic]
  /// Why operations that need samples are impossible.
  package let missingSamples: MovieError?

  /// The name of the input that has the movie box.
  public var name: String { input.sources[input.groups.first?.source ?? 0].name }

  /// The number of bytes of all inputs, if one of them is a transport stream or packed audio.
  package var importedByteCount: Int? { input.importedByteCount }

  /// Reads a progressive or fragmented file, or an init segment and its media segments. `onProgress` is called with the
  /// number of bytes read, and returns whether to continue. An init segment alone, or a truncated file, may have few
  /// samples or none.
  ///
  /// - Throws: `MovieError` if there is no movie, or nothing usable; or `stopped`.
  public init(
    reading sources: [any ByteSource], _ options: ReadingOptions = ReadingOptions(),
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    try self.init(reading: sources, parts: [], options, onProgress: onProgress)
  }

  /// The same for sources whose relation is known, such as the segments of a playlist.
  package init(
    reading sources: [any ByteSource], parts: [SourcePart], _ options: ReadingOptions,
    onProgress: @escaping (Int) -> Bool
  ) throws(MovieError) {
    var options = options
    // The events of a movie are not samples.
    options.keepsEvents = false
    var movie = try TimedMovie(reading: sources, parts: parts, options, needsSamples: false, onProgress: onProgress)
    let missing = movie.input.missingSamples
    let lists = movie.lists()
    let details = zip(movie.input.fragments.information, movie.timeline.tracks).map {
      SampleAuxiliaryInfo($0, $1, movie.input.fragments.trackFragments)
    }
    let times = movie.times(lists)
    origin = PresentationOrigin(times)
    let plan = EditPlan(
      movieTimescale: movie.input.groups[0].movie.timescale, keepsStart: options.keepsStart,
      isWritten: options.keepsEdits, startsInUnits: true, times)
    events = try MovieEvents(of: &movie.input, movie.timeline, times, start: plan.start)
    diagnostics = movie.diagnostics + movie.losses(lists)
    var input = movie.input
    diagnostics += input.deliveryBoxes().map { Diagnostic(.omitted($0.type, count: $0.count), $0.file) }
    diagnostics += input.droppedBoxes() + Self.changes(input.diagnostics(of: plan))
    diagnostics = diagnostics.relative(to: origin)
    let isEmpty = lists.allSatisfy { $0.count == 0 }
    missingSamples = missing ?? (isEmpty ? input.nothingLeft(diagnostics) : nil)
    (timescale, start, rest) = (plan.timescale, plan.start, plan.rest)
    fragments = SourceFragments(input.fragments, movie.timeline)
    // The lists now hold the samples.
    input.fragments.releaseSamples()
    input.fragments.trackFragments = []
    tracks = []
    for (index, properties) in try input.trackProperties().enumerated() {
      let track = input.tracks[index]
      let storage = Samples.Storage(
        lists[index], details[index], input.sources, timescale: track.timescale,
        start: fragments.tracks[index].decodeTime, origin.timeline(of: times[index]), track.encryption,
        try? properties.protectionScheme.get())
      tracks.append(
        Track(
          track, properties, Samples(storage), times[index], writtenEdits: plan.edits[index],
          writtenTimescale: plan.timescale))
    }
    self.input = input
  }

  /// Fails if a movie has no usable samples.
  package func requireSamples() throws(MovieError) {
    if tracks.isEmpty { throw .noTracks(file: name) }
    if let missingSamples { throw missingSamples }
  }

  /// The same movie with its boxes described by another input.
  func with(_ input: MovieInput) throws(MovieError) -> Movie {
    var result = self
    result.input = input
    result.tracks = zip(tracks, try input.trackProperties()).map { $0.with($1) }
    return result
  }

  /// What edits change. The `rest` belongs to what is written; presentation times start at 0.
  private static func changes(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    diagnostics.map { diagnostic in
      guard case .rebased(let start, _) = diagnostic.kind else { return diagnostic }
      return Diagnostic(.rebased(start), diagnostic.file)
    }
  }

  /// The movie with only these tracks, which keep their times; its diagnostics are those of all tracks. Invalid indices
  /// are ignored. Events stay with video, or with all tracks if there is no video.
  public func keeping(tracks indices: [Int]) -> Movie {
    var result = self
    result.input.keep(tracks: Set(indices))
    func kept<Value>(_ values: [Value]) -> [Value] { values.indices.filter(indices.contains).map { values[$0] } }
    result.tracks = kept(tracks)
    if tracks.contains(where: { $0.handler == "vide" }), !result.tracks.contains(where: { $0.handler == "vide" }) {
      result.events = MovieEvents()
    }
    result.fragments.tracks = kept(fragments.tracks)
    return result
  }

  /// The movie with only the selected tracks, which keep their times, and with the diagnostics of these tracks and of
  /// the whole movie.
  ///
  /// - Throws: `MovieError` if a selected track does not exist.
  public func keeping(_ selection: TrackSelection) throws(MovieError) -> Movie {
    guard !selection.items.isEmpty else { return self }
    let descriptions = tracks.map(\.description)
    try selection.check(descriptions, dropped: input.groups.flatMap(\.movie.droppedTracks), file: name)
    let indices = tracks.indices.filter { selection.contains(descriptions[$0]) }
    var result = keeping(tracks: indices)
    result.diagnostics = diagnostics.compactMap { diagnostic in
      guard let track = diagnostic.track else { return diagnostic }
      guard let index = indices.firstIndex(of: track.index) else { return nil }
      var kept = diagnostic
      kept.track?.index = index
      return kept
    }
    return result
  }

  /// The movie with samples of `bytes` appended to its only track, ending at `times`; `nil` if the track
  /// is already that long, or its edits or encryption do not allow it.
  public func extended(until times: [MediaTime], with bytes: [UInt8]) -> Movie? {
    guard tracks.count == 1, let track = tracks.first, track.list.count > 0, track.details.auxiliaryKind == nil,
      let edit = track.simpleEdit, edit.duration == nil
    else { return nil }
    var (list, last) = (track.list, track.end.value)
    for time in times {
      // The sample must not end before this time, at which a segment may start.
      let (rounded, isExact) = time.converted(to: track.timescale)
      let next = isExact ? rounded : rounded &+ 1
      guard next > last else { continue }
      guard let duration = UInt32(exactly: next &- last) else { return nil }
      list.append(duration: duration, size: UInt32(clamping: bytes.count), source: input.sources.count)
      last = next
    }
    guard list.count > track.list.count else { return nil }
    var result = self
    result.input.sources.append(MemorySource(bytes, name: name))
    result.tracks[0].samples = track.samples.replaced(by: list, track.details, of: result.input.sources)
    // An edit that covers the whole track is extended with it.
    for index in track.writtenEdits.indices where track.writtenEdits[index].mediaTime >= 0 {
      result.tracks[0].writtenEdits[index].segmentDuration = 0
    }
    // The movie fragments do not contain the new samples.
    result.fragments.tracks[0].problem = result.fragments.tracks[0].problem ?? .extended
    return result
  }

  /// The movie without the priming of audio without an edit list: what is presented up to half a second before this
  /// time is not presented. Its samples stay.
  package func hidingPriming(before time: MediaTime) -> Movie {
    var result = self
    for index in tracks.indices where tracks[index].handler == "soun" && tracks[index].edits.isEmpty {
      let samples = tracks[index].samples
      result.tracks[index].samples = samples.presented(by: samples.storage.presentation.hidingPriming(before: time))
    }
    return result
  }

  /// The same movie without the tracks that are chapters of others, unless it has no other tracks.
  public var withoutChapters: Movie {
    let others = tracks.indices.filter { tracks[$0].isChapters != true }
    return others.isEmpty || others.count == tracks.count ? self : keeping(tracks: others)
  }

  /// A movie with only the sync samples of one track, each of which is presented until the next one, for trick play.
  public func keyFrames(ofTrack index: Int) -> Movie {
    var result = keeping(tracks: [index])
    let (list, samples) = SampleList.keyFrames(of: tracks[index].list)
    result.tracks[0].samples = tracks[index].samples.replaced(
      by: list, tracks[index].details.arranged(samples), of: input.sources)
    result.events = MovieEvents()
    result.fragments.tracks = result.fragments.keeping(samples, of: tracks[index].list.count)
    return result
  }
}

extension MovieInput {
  /// Removes all tracks except those at these indices.
  fileprivate mutating func keep(tracks indices: Set<Int>) {
    var kept: [MovieGroup] = []
    var count = 0
    for var group in groups {
      let isKept = group.tracks.map(indices.contains)
      group.movie.keep(isKept)
      guard !group.movie.tracks.isEmpty else { continue }
      group.tracks = count..<(count + group.movie.tracks.count)
      count = group.tracks.upperBound
      kept.append(group)
    }
    fragments.keep(tracks: indices)
    groups = kept
  }
}

/// Access to the boxes that describe a movie, without its samples.
extension Movie {
  /// The inputs, in the order of their samples.
  package var sources: [any ByteSource] { input.sources }

  /// A movie box and its position.
  package struct MovieBox {
    /// Its tree.
    package let box: Box
    /// The input that contains it.
    package let source: any ByteSource
    /// Its offset in the input.
    package let offset: Int

    /// The fields of the box at a path of first boxes of each type; `nil` if it is missing or damaged.
    package func payload<Payload: BoxPayload>(_ path: [FourCC], as _: Payload.Type = Payload.self) -> Payload? {
      box.payload(path, from: source)
    }
  }
  /// The movie boxes.
  package var movieBoxes: [MovieBox] {
    input.groups.map { MovieBox(box: $0.movie.box, source: sources[$0.source], offset: $0.header.offset) }
  }
  /// The file type; `nil` if it is missing or damaged.
  package var fileType: FileTypeBox? {
    guard let group = input.groups.first, let header = group.fileType else { return nil }
    var box = Box(FileTypeBox())
    box.fields = .unchanged(header.payload)
    return box.payload([], from: sources[group.source])
  }
  /// Whether the tables of a movie box declare samples, even if none of them is in the input.
  package var hasTables: Bool { input.groups.contains { $0.movie.tracks.contains(where: \.hasSamples) } }
  /// The number of movie fragments.
  package var fragmentCount: Int { input.contents.reduce(0) { $0 + $1.fragmentCount } }
  /// Whether it is one file with a segment index (`sidx`), and whether it is one with random access points (`mfra`).
  package var hasIndex: Bool { input.contents.count == 1 && input.contents[0].hasIndex }
  package var hasRandomAccess: Bool { input.contents.count == 1 && !input.contents[0].randomAccess.isEmpty }
  /// The index of the first sample that a track has in each movie fragment.
  package func fragmentStarts(ofTrack index: Int) -> [Int] { fragments.tracks[index].starts.map(\.sample) }
}

extension Track {
  /// Its box.
  package var box: Box { properties.box }
  /// The input with its box.
  package var boxSource: any ByteSource { samples.storage.sources[properties.box.source] }

  /// The fields of the box at a path of first boxes of each type; `nil` if it is missing or damaged.
  package func payload<Payload: BoxPayload>(_ path: [FourCC], as _: Payload.Type = Payload.self) -> Payload? {
    box.payload(path, from: boxSource)
  }
}

extension Box {
  /// The box at a path of first boxes of each type.
  package func first(in path: [FourCC]) -> Box? { path.reduce(Optional(self)) { $0?.first($1) } }

  fileprivate func payload<Payload: BoxPayload>(_ path: [FourCC], from source: any ByteSource) -> Payload? {
    guard let box = first(in: path) else { return nil }
    // An unreadable box counts as unknown.
    return try? box.payload(as: Payload.self, from: source).get()
  }
}

/// The events of a movie, with times as in `Sample.presentationTime`.
extension Movie {
  /// An event message between the fragments.
  package struct EventMessage: Sendable {
    /// Its start time.
    package let time: MediaTime
    /// Its duration; `nil` if unknown.
    package let duration: MediaTime?
    /// The contents.
    package let message: EventMessageBox
    /// The input that contains it.
    package let source: Int
  }
  /// The event messages between the fragments, without duplicates.
  package var eventMessages: [EventMessage] {
    events.declared.map { event in
      let isKnown = event.message.eventDuration != .max
      let duration = MediaTime(Int64(event.message.eventDuration), event.message.timescale)
      return EventMessage(
        time: event.base + event.offset - mediaStart, duration: isKnown ? duration : nil, message: event.message,
        source: event.source)
    }
  }

  /// Calls `body` for the producer reference times, in the order of the inputs; those that cannot be decoded are `nil`.
  package func forEachProducerTime(_ body: (ProducerReferenceTimeBox?, any ByteSource) -> Void) throws(MovieError) {
    for (source, contents) in zip(sources, input.contents) {
      for header in contents.producerTimes {
        var box = Box(ProducerReferenceTimeBox())
        box.fields = .unchanged(header.payload)
        let result: Result<ProducerReferenceTimeBox, BoxError> = try io(box.payload(from: source))
        body(try? result.get(), source)
      }
    }
  }
}
