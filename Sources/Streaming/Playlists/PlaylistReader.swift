import MP4
public import MP4Bytes
public import MP4Fetching
public import MP4FileIO
public import MP4HLS
public import MP4Presentations

/// Reads a presentation: chooses its media playlists, follows growing ones, and gets all their segments.
///
/// ```swift
/// let reader = PlaylistReader(PlaylistLocation(URIReference("https://example.com/master.m3u8")))
/// let input = PlaylistInput(joining: try reader.read())
/// let plan = try Defragmenter().plan(input.sources, parts: input.parts)
/// ```
public final class PlaylistReader {
  /// What to read, and how.
  public struct Options: Sendable {
    /// Which media playlists of a multivariant playlist to read.
    public var choice = StreamChoice()
    /// The maximum total duration of the segments of each media playlist; `nil` reads all.
    public var duration: Duration?
    /// Whether a playlist without an end is followed until it has one.
    public var follows = true
    /// The folder in which fetched segments are kept and found again; it is created if necessary.
    public var keep: Pathname?
    /// The folder for temporary files of fetched segments that are not kept.
    public var scratch: Pathname?
    /// How to fetch remote files.
    public var fetching = FetchOptions()
    /// Whether samples are decrypted with the key in the playlist (METHOD=SAMPLE-AES with KEYFORMAT identity). Segments
    /// that are encrypted as a whole (METHOD=AES-128) are always decrypted.
    public var decryptsSamples = false
    /// The registry to which the files of the presentation are added, so that no output replaces them.
    public var inputs: InputRegistry = []

    /// Reads everything until the end, with the best variant.
    public init() {}
  }

  /// Called with each diagnostic.
  public var onDiagnostic: (PlaylistDiagnostic) -> Void = { _ in }
  /// Called several times per second with the number of bytes fetched, and the approximate total if it is known.
  public var onProgress: (_ received: Int, _ total: Int?) -> Void = { _, _ in }

  private let place: PlaylistLocation
  private let options: Options
  private let store: SegmentStore
  private let opener: PresentationOpener
  package private(set) var streams: [StreamState] = []
  /// Whether the playlist that was read has no end.
  private(set) var isLive = false
  private var done = (pieces: 0, bytes: 0)
  private let clock: FollowingClock
  private var losses = 0
  private var isManifest = false
  /// The files that no output may replace.
  private var kept: PlaylistLocation?
  private var keptKey: SegmentKey?
  /// The maximum number of adjacent bytes of one file that are fetched together.
  private static let longestFetch = 8 << 20

  /// Reads the playlist at `place`.
  public convenience init(_ place: PlaylistLocation, _ options: Options = Options()) {
    self.init(place, options, clock: FollowingClock())
  }

  package init(_ place: PlaylistLocation, _ options: Options, clock: FollowingClock) {
    self.clock = clock
    self.place = place
    self.options = options
    var fetching = options.fetching
    fetching.start = WebAddress(place.reference)
    opener = PresentationOpener(Fetcher(fetching))
    store = SegmentStore(opener, fetching, keep: options.keep, scratch: options.scratch)
  }

  /// Reads everything until the end, or until `isStopped` returns true. A presentation without an end then ends with
  /// what was received; for any other, `PresentationError.stopped` is thrown.
  ///
  /// - Returns: An input for each part between discontinuities, at least one.
  public func read(isStopped: () -> Bool = { false }) throws(PresentationError) -> [PlaylistInput] {
    guard try readStreams(isStopped: isStopped) else { throw .stopped(file: place.name) }
    var periods = try PlaylistInput.periods(streams) { store.loadedKey($0) }
    if options.duration != nil, periods.count == 1 {
      let longest = streams.filter { $0.text == nil }.map(\.duration).max() ?? .zero
      periods[0].limit = MediaTime(
        longest.components.seconds * 1000 + longest.components.attoseconds / 1_000_000_000_000_000, 1000)
    }
    if periods.isEmpty { throw .noSegments(file: place.name) }
    return periods
  }

  /// Reads the media playlists and their segments; returns `false` if reading was stopped and there is nothing to use.
  package func readStreams(isStopped: () -> Bool) throws(PresentationError) -> Bool {
    if let keep = options.keep {
      do throws(IOError) { try keep.makeFolderIfMissing() } catch { throw .io(error) }
    }
    try choose(isStopped)
    onProgress(0, nil)
    defer { store.stop() }
    while true {
      for stream in streams where !stream.isDone && !stream.isLoading && stream.nextLoad <= clock.now() {
        try load(stream)
      }
      if streams.allSatisfy(\.isDone), store.downloads.isEmpty { break }
      try clock.wait(store, 100)
      showProgress()
      if isStopped() {
        guard isLive else { return false }
        break
      }
    }
    for stream in streams { tellGaps(stream) }
    let origins = streams.filter { $0.text == nil }.compactMap(\.origin)
    if let first = origins.min(), let last = origins.max(), last - first > 0.001 {
      tell(.origins(last - first), place.name)
    }
    return true
  }

  // MARK: Selection

  private func choose(_ isStopped: () -> Bool) throws(PresentationError) {
    let (bytes, place) = try opener.contents(ofPlaylistAt: place, isFirst: true, isStopped: isStopped)
    let playlist = try opener.playlist(bytes, at: place)
    switch playlist {
    case .media: break
    case .multivariant(let master): return try choose(master, place)
    }
    let stream = StreamState(self.place, importing: Variables())
    streams = [stream]
    guard case .media(let media) = consume playlist else { return }
    try take(media, stream, at: place)
  }

  private func choose(_ master: MultivariantPlaylist, _ place: PlaylistLocation) throws(PresentationError) {
    let chosen: (streams: [StreamChoice.Stream], variables: Variables)
    do throws(StreamChoice.Failure) {
      chosen = try options.choice.streams(of: master, at: place.reference)
    } catch { throw .noStream(file: place.name, error) }
    isManifest = master.source != nil
    keepAll(master, place, chosen.variables)
    for stream in chosen.streams {
      let own = try place.resolving(stream.uri, line: stream.line, of: place.name)
      let state = StreamState(own, importing: chosen.variables)
      state.rendition = stream.rendition
      streams.append(state)
      tell(.chosen(line: stream.line, uri: stream.uri), place.name)
    }
    var all = options.choice
    (all.takesText, all.languages) = (true, [])
    let texts = (try? all.streams(of: master, at: place.reference))?.streams.filter { $0.kind == .subtitles } ?? []
    if !options.choice.takesText, !texts.isEmpty { tell(.omittedTexts(texts.map(\.name)), place.name) }
  }

  /// Prevents outputs from replacing any file of the presentation, including those that are not read.
  private func keepAll(_ master: MultivariantPlaylist, _ place: PlaylistLocation, _ variables: Variables) {
    guard place.path != nil else { return }
    var (copy, uris): (MultivariantPlaylist, [String]) = (master, [])
    copy.changeURIs { uri in
      uris.append(uri)
      return uri
    }
    for uri in Set(uris) {
      guard let own = try? place.resolving((try? variables.substituted(uri)) ?? uri), own.path != nil,
        let (bytes, _) = try? opener.contents(ofPlaylistAt: own)
      else { continue }
      options.inputs.add(own)
      guard case .media(let media) = try? opener.playlist(bytes, at: own),
        var cursor = try? SegmentCursor(media, at: own, importing: variables)
      else { continue }
      while let segment = (try? cursor.next())?.segment {
        guard let item = try? own.resolving(segment.uri) else { continue }
        keep(item, after: segment.map.flatMap { try? own.resolving($0.uri) })
      }
    }
  }

  /// Prevents outputs from replacing the files at these locations.
  private func keep(_ place: PlaylistLocation, after map: PlaylistLocation? = nil) {
    for place in [map, place].compactMap(\.self) where place != kept {
      options.inputs.add(place)
      kept = place
    }
  }

  private func keep(_ key: SegmentKey) {
    guard keptKey !== key else { return }
    options.inputs.add(key.place)
    keptKey = key
  }

  private func tell(_ kind: PlaylistDiagnostic.Kind, _ file: String) {
    onDiagnostic(PlaylistDiagnostic(file: file, kind: kind, isManifest: isManifest))
  }

  // MARK: Following

  private func load(_ stream: StreamState) throws(PresentationError) {
    let place = stream.nextPlace ?? stream.place
    guard let address = WebAddress(place.reference) else {
      return try take(opener.contents(ofPlaylistAt: place).bytes, stream, at: place)
    }
    stream.isLoading = true
    store.load(address) { [self] (result) throws(PresentationError) in
      stream.isLoading = false
      switch result {
      case .success((let bytes, let response)):
        var found = response.address.reference
        found.fragment = stream.place.reference.fragment
        try take(bytes, stream, at: stream.place.moved(to: found))
      case .failure(let error):
        guard isLive, !stream.pieces.isEmpty else { throw .fetch(error) }
        // The recorded data is more important than a proper end.
        tell(.unreachable(error), stream.name)
        stream.isDone = true
      }
    }
  }

  private func take(_ bytes: [UInt8], _ stream: StreamState, at base: PlaylistLocation) throws(PresentationError) {
    try take(try opener.playlist(bytes, at: base).media(file: base.name), stream, at: base)
  }

  /// `base` is the location after redirects, used for this response only: the next request may be redirected elsewhere.
  private func take(
    _ playlist: consuming MediaPlaylist, _ stream: StreamState, at base: PlaylistLocation
  ) throws(PresentationError) {
    let loaded = clock.now()
    let playlist = playlist
    stream.origin = playlist.source?.origin
    stream.dates.take(playlist)
    if stream.nextPlace == nil {
      for text in playlist.source?.differences ?? [] { tell(.difference(text), stream.name) }
    }
    if let next = playlist.source?.location {
      let reference = URIReference(next).description.split(separator: "#").first.map(String.init) ?? next
      stream.nextPlace = try base.resolving(
        reference + "#" + (base.reference.fragment ?? ""), line: playlist.source?.line ?? 0, of: stream.name)
    }
    let isComplete = playlist.playlistType == .vod
    let reading = try takeEntries(consume playlist, stream, at: base)
    if reading.missed > 0 { tell(.missed(reading.missed), stream.name) }
    if let last = stream.pieces.last { try get(last, stream) }
    if reading.isRestarted { tell(.restarted, stream.name) }
    if stream.series.isEnded || isComplete || reading.isRestarted { stream.isDone = true }
    if !stream.isDone { follow(stream, from: loaded) }
  }

  private func takeEntries(
    _ playlist: consuming MediaPlaylist, _ stream: StreamState, at base: PlaylistLocation
  ) throws(PresentationError) -> SegmentSeries.Reading {
    var reading: SegmentSeries.Reading
    do throws(SegmentError) { reading = try stream.series.begin(playlist, at: base) } catch {
      throw .segment(file: stream.name, error)
    }
    while true {
      let entry: SegmentSeries.Entry?
      do throws(SegmentError) { entry = try stream.series.next(&reading) } catch {
        throw .segment(file: stream.name, error)
      }
      guard let entry else { return reading }
      keep(entry.item.place, after: entry.map?.place)
      if let key = entry.item.encryption?.key ?? entry.map?.encryption?.key ?? entry.sampleKey { keep(key) }
      if !stream.isDone { try take(entry, stream) }
    }
  }

  /// Decides how long to wait for a playlist that has no end.
  private func follow(_ stream: StreamState, from loaded: ContinuousClock.Instant) {
    guard options.follows else {
      stream.isDone = true
      tell(.notFollowed, stream.name)
      return
    }
    let isLocal = stream.place.path != nil
    let patience = max(stream.series.targetDuration, .seconds(1)) * 3
    let lastChange = stream.series.isChanged ? loaded : stream.lastChange ?? loaded
    stream.lastChange = lastChange
    if isLocal, loaded - lastChange >= patience {
      stream.isDone = true
      tell(.stale(patience), stream.name)
      return
    }
    if !isLive {
      isLive = true
      tell(.following(patience: isLocal ? patience : nil), stream.name)
    }
    stream.nextLoad = loaded + stream.series.reloadDelay
  }

  private func take(_ entry: SegmentSeries.Entry, _ stream: StreamState) throws(PresentationError) {
    stream.duration += entry.duration
    if let limit = options.duration, stream.duration >= limit { stream.isDone = true }
    if entry.isGap {
      let known = stream.gaps ?? (entry, 0, .zero)
      stream.gaps = (known.first, known.count + 1, known.duration + entry.duration)
      return
    }
    if let map = entry.map { try add(map, entry, isMap: true, stream) }
    try add(entry.item, entry, isMap: false, stream)
  }

  private func add(
    _ item: SegmentSeries.Item, _ entry: SegmentSeries.Entry, isMap: Bool, _ stream: StreamState
  ) throws(PresentationError) {
    let isRemote = item.place.path == nil
    // Each segment of text is a file of its own.
    let longest = stream.text != nil ? 0 : isRemote ? Self.longestFetch : Int.max
    let sampleKey = isMap || !options.decryptsSamples ? nil : entry.sampleKey
    guard
      let piece = stream.add(
        item, discontinuity: entry.discontinuity, isMap: isMap, sampleKey: sampleKey, longest: longest)
    else { return }
    if let sampleKey { try load(sampleKey, stream) }
    // The previous piece can no longer grow.
    if stream.pieces.count > 1 { try get(stream.pieces[stream.pieces.count - 2], stream) }
    if isMap || item.byteRange == nil { try get(piece, stream) }
  }

  private func get(_ piece: Piece, _ stream: StreamState) throws(PresentationError) {
    guard piece.canGrow else { return }
    do throws(PresentationError) {
      try store.get(piece) { [self] (reason) throws(PresentationError) in
        done.pieces += 1
        done.bytes += piece.source?.byteCount ?? 0
        if let reason { try lose(piece, reason, stream) }
        if let source = piece.source as? DecryptedSegment, source.isCutOff {
          tell(.cutOff(line: piece.item.line, segment: source.name), stream.name)
        }
      }
    } catch {
      switch error {
      case .io(var error) where error.operation == .open:
        if error.isMissingFile { return try lose(piece, .io(error), stream) }
        error.file = "\(stream.name): line \(piece.item.line): \(error.file)"
        throw .io(error)
      case .linkedOutside(let file, nil, _):
        throw .linkedOutside(file: file, playlist: stream.name, line: piece.item.line)
      default: throw error
      }
    }
  }

  /// Loads the key of samples. Without it, they stay encrypted.
  private func load(_ key: SegmentKey, _ stream: StreamState) throws(PresentationError) {
    guard stream.sampleKeys.insert(key).inserted else { return }
    try store.key(key) { [self] (result) throws(PresentationError) in
      if case .failure(let problem) = result { tell(.noSampleKey(line: key.line, problem), stream.name) }
    }
  }

  /// A missing segment leaves a gap, but if the network is down, every segment would be one.
  private func lose(
    _ piece: Piece, _ reason: PlaylistDiagnostic.Reason, _ stream: StreamState
  ) throws(PresentationError) {
    // The recorded data is more important than a proper end.
    switch reason {
    case .io(let error): if !isLive, piece.isMap { throw .io(error) }
    case .fetch(let error):
      var isMissing = false
      if case .status(let status) = error.problem, status < 500 { isMissing = true }
      guard isLive || isMissing && !piece.isMap else { throw .fetch(error) }
    case .key(let line, let problem): if !isLive { throw .key(file: stream.name, line: line, problem) }
    }
    piece.isLost = true
    losses += 1
    if losses <= 20 {
      tell(.missing(line: piece.item.line, reason), stream.name)
    } else if losses == 21 {
      tell(.moreMissing, stream.name)
    }
  }

  // MARK: Diagnostics

  private func tellGaps(_ stream: StreamState) {
    guard let gaps = stream.gaps else { return }
    tell(.gaps(line: gaps.first.item.line, count: gaps.count, gaps.duration), stream.name)
  }

  private func showProgress() {
    let received = store.downloads.received
    let pieces = streams.reduce(0) { $0 + $1.pieces.count }
    guard !isLive, done.pieces > 0 else { return onProgress(received, nil) }
    // The remaining pieces are assumed to be as large as the finished ones on average.
    let average = done.bytes / done.pieces
    onProgress(received, max(received, average * pieces))
  }
}

/// The clock for following growing playlists; tests replace it.
package struct FollowingClock {
  package var now: () -> ContinuousClock.Instant = { .now }
  /// Waits at most this number of milliseconds for data to arrive.
  package var wait: (_ store: SegmentStore, _ milliseconds: Int) throws(PresentationError) -> Void = {
    (store, milliseconds) throws(PresentationError) in try store.wait(milliseconds: milliseconds)
  }

  /// The system clock.
  package init() {}
}
