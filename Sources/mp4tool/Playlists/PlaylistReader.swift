import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF
import MP4

/// Reads a presentation: chooses its media playlists, follows those that grow, and gets all their segments.
final class PlaylistReader {
  private let place: PlaylistPlace
  private let values: PlaylistOptions.Values
  private let context: CommandContext
  private let store: SegmentStore
  private let fetcher: Fetcher
  private let folder: Path?
  private(set) var streams: [StreamState] = []
  /// Whether a playlist was met that had no end.
  private(set) var isLive = false
  private var done = (pieces: 0, bytes: 0)
  private let clock: FollowingClock
  private var losses = 0
  /// What no output may replace, of which many entries in a row can be parts.
  private var kept: PlaylistPlace?
  /// The most bytes of one file in a row that are fetched as one.
  private static let longestFetch = 8 << 20

  init(
    _ place: PlaylistPlace, _ values: PlaylistOptions.Values, _ context: CommandContext, allowsOutside: Bool,
    scratch: Path?, clock: FollowingClock = FollowingClock()
  ) {
    self.clock = clock
    self.place = place
    self.values = values
    self.context = context
    var options = context.fetching
    options.start = WebAddress(place.reference)
    fetcher = Fetcher(options)
    folder = allowsOutside ? nil : place.path.flatMap { Path($0)?.folder }
    store = SegmentStore(fetcher, folder: folder, keep: values.keep, scratch: scratch)
  }

  /// Reads everything until the end, or until `isStopped`: then an endless presentation ends with what is there, and
  /// another one is given up, which is `false`.
  func read(isStopped: () -> Bool) throws -> Bool {
    if let keep = values.keep { try keep.makeFolderIfMissing() }
    try choose(isStopped)
    context.progress.begin("fetching", total: nil)
    defer {
      context.progress.end()
      store.stop()
    }
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
    return true
  }

  // MARK: Choosing

  private func choose(_ isStopped: () -> Bool) throws {
    var place = place
    let bytes: [UInt8]
    if let address = WebAddress(place.reference) {
      let answer = try fetcher.bytes(address, limit: PlaylistPlace.playlistLimit) { _ in !isStopped() }
      bytes = answer.bytes
      place = place.moved(to: answer.response.address.reference)
    } else {
      bytes = try place.open(in: nil).bytes(limit: PlaylistPlace.playlistLimit)
    }
    let playlist: Playlist
    do throws(PlaylistError) { playlist = try Playlist(bytes) } catch { throw failure(place, "\(error)") }
    switch playlist {
    case .media: break
    case .multivariant(let master): return try choose(master, place)
    }
    let stream = StreamState(self.place, importing: Variables())
    streams = [stream]
    guard case .media(let media) = consume playlist else { return }
    try take(media, stream, at: place)
  }

  private func choose(_ master: MultivariantPlaylist, _ place: PlaylistPlace) throws {
    let chosen: (streams: [StreamChoice.Stream], variables: Variables)
    do throws(StreamChoice.Failure) {
      chosen = try values.choice.streams(of: master, at: place.reference)
    } catch { throw failure(place, "\(error)") }
    keepAll(master, place, chosen.variables)
    for stream in chosen.streams {
      do throws(PlaylistPlace.Refusal) {
        let state = StreamState(try place.resolving(stream.uri), importing: chosen.variables)
        state.isText = stream.kind == .subtitles
        streams.append(state)
      } catch {
        throw failure(place, "line \(stream.line): \"\(stream.uri)\" cannot be followed: \(error.advice)")
      }
      context.diagnostics.detail("\(place.name): taking line \(stream.line), \(stream.uri)")
    }
  }

  /// Lets no output replace any file of a presentation, whether it is read or not.
  private func keepAll(_ master: MultivariantPlaylist, _ place: PlaylistPlace, _ variables: Variables) {
    guard place.path != nil else { return }
    var (copy, uris): (MultivariantPlaylist, [String]) = (master, [])
    copy.changeURIs { uri in
      uris.append(uri)
      return uri
    }
    for uri in Set(uris) {
      guard let own = try? place.resolving((try? variables.substituted(uri)) ?? uri), own.path != nil,
        let bytes = try? own.open(in: folder).bytes(limit: PlaylistPlace.playlistLimit)
      else { continue }
      keep(own)
      guard let playlist = try? MediaPlaylist(bytes),
        let known = try? Variables(playlist.definitions, importing: variables, uri: own.reference),
        let segments = try? playlist.resolved(known)
      else { continue }
      for segment in segments {
        guard let item = try? own.resolving(segment.uri) else { continue }
        keep(item, after: segment.map.flatMap { try? own.resolving($0.uri) })
      }
    }
  }

  /// Lets no output replace what lies at these places.
  private func keep(_ place: PlaylistPlace, after map: PlaylistPlace? = nil) {
    for place in [map, place].compactMap(\.self) where place != kept {
      if let path = place.path.flatMap({ Path($0) }) { context.inputs.add(path) }
      kept = place
    }
  }

  private func failure(_ place: PlaylistPlace, _ reason: String) -> PlaylistFailure {
    PlaylistFailure(file: place.name, reason: reason)
  }

  // MARK: Following

  private func load(_ stream: StreamState) throws {
    guard let address = WebAddress(stream.place.reference) else {
      let bytes = try stream.place.open(in: folder).bytes(limit: PlaylistPlace.playlistLimit)
      return try take(bytes, stream, at: stream.place)
    }
    stream.isLoading = true
    store.load(address) { [self] result in
      stream.isLoading = false
      switch result {
      case .success((let bytes, let response)):
        try take(bytes, stream, at: stream.place.moved(to: response.address.reference))
      case .failure(let error):
        guard isLive, !stream.pieces.isEmpty else { throw error }
        // What was recorded is worth more than an end in order.
        context.diagnostics.finding("\(error); the output ends there")
        stream.isDone = true
      }
    }
  }

  private func take(_ bytes: [UInt8], _ stream: StreamState, at base: PlaylistPlace) throws {
    let playlist: MediaPlaylist
    do throws(PlaylistError) { playlist = try MediaPlaylist(bytes) } catch { throw failure(base, "\(error)") }
    try take(consume playlist, stream, at: base)
  }

  /// `base` is where it was found after redirections; next time it may lead elsewhere.
  private func take(_ playlist: consuming MediaPlaylist, _ stream: StreamState, at base: PlaylistPlace) throws {
    let loaded = clock.now()
    let playlist = playlist
    let isComplete = playlist.playlistType == .vod
    var reading: SegmentSeries.Reading
    do {
      reading = try stream.series.begin(consume playlist, at: base)
      while let entry = try stream.series.next(&reading) {
        keep(entry.item.place, after: entry.map?.place)
        if !stream.isDone { try take(entry, stream) }
      }
    } catch let error as SegmentError {
      // Text was asked for where it is in MP4; without it, the rest is what it was.
      guard case .notMP4 = error.problem, stream.isText else {
        var advice = ""
        if case .refused(_, let refusal) = error.problem, refusal.isAllowable { advice = "; --allow-outside reads it" }
        throw failure(stream.place, "\(error)\(advice)")
      }
      context.diagnostics.finding("\(stream.name): \(error); this text is left out")
      stream.pieces = []
      stream.isDone = true
      return
    }
    if reading.missed > 0 {
      context.diagnostics.finding(
        "\(stream.name): \(counted(reading.missed, "segment was gone before it", "segments were gone before they")) "
          + "could be read")
    }
    if let last = stream.pieces.last { try get(last, stream) }
    if reading.isRestarted {
      context.diagnostics.finding("\(stream.name): the numbers of its segments started again; the output ends there")
    }
    if stream.series.isEnded || isComplete || reading.isRestarted { stream.isDone = true }
    if !stream.isDone { follow(stream, from: loaded) }
  }

  /// Decides how long to wait for more of a playlist that has no end.
  private func follow(_ stream: StreamState, from loaded: ContinuousClock.Instant) {
    guard values.follows else {
      stream.isDone = true
      context.diagnostics.note("\(stream.name): no EXT-X-ENDLIST; the output ends at its present end")
      return
    }
    let isLocal = stream.place.path != nil
    let patience = max(stream.series.targetDuration, .seconds(1)) * 3
    let lastChange = stream.series.isChanged ? loaded : stream.lastChange ?? loaded
    stream.lastChange = lastChange
    if isLocal, loaded - lastChange >= patience {
      stream.isDone = true
      context.diagnostics.warning(
        "\(stream.name): no EXT-X-ENDLIST, and no new segment for \(patience.components.seconds) s: taken as ended")
      return
    }
    if !isLive {
      isLive = true
      let limit = isLocal ? ", or until no segment is added for \(patience.components.seconds) s" : ""
      context.diagnostics.waiting(
        "\(stream.name): no EXT-X-ENDLIST yet; waiting for more segments until there is\(limit). Ctrl-C writes what was "
          + "read, --no-follow does not wait")
    }
    stream.nextLoad = loaded + stream.series.reloadDelay
  }

  private func take(_ entry: SegmentSeries.Entry, _ stream: StreamState) throws {
    stream.duration += entry.duration
    if let limit = values.duration, stream.duration >= limit { stream.isDone = true }
    if entry.isGap {
      let known = stream.gaps ?? (entry, 0, .zero)
      stream.gaps = (known.first, known.count + 1, known.duration + entry.duration)
      return
    }
    if let map = entry.map { try add(map, entry, isMap: true, stream) }
    try add(entry.item, entry, isMap: false, stream)
  }

  private func add(_ item: SegmentSeries.Item, _ entry: SegmentSeries.Entry, isMap: Bool, _ stream: StreamState) throws
  {
    let isRemote = item.place.path == nil
    let longest = isRemote ? Self.longestFetch : Int.max
    guard let piece = stream.add(item, discontinuity: entry.discontinuity, isMap: isMap, longest: longest) else {
      return
    }
    // The one before cannot grow any more.
    if stream.pieces.count > 1 { try get(stream.pieces[stream.pieces.count - 2], stream) }
    if isMap || item.byteRange == nil { try get(piece, stream) }
  }

  private func get(_ piece: Piece, _ stream: StreamState) throws {
    guard piece.canGrow else { return }
    do {
      try store.get(piece) { [self] error in
        done.pieces += 1
        done.bytes += piece.source?.byteCount ?? 0
        if let error { try lose(piece, error, stream) }
      }
    } catch let error as IOError where error.operation == .open && error.isMissingFile {
      try lose(piece, error, stream)
    } catch var error as IOError where error.operation == .open {
      error.file = "\(stream.name): line \(piece.item.line): \(error.file)"
      throw error
    } catch let error as PlaylistFailure {
      throw failure(stream.place, "line \(piece.item.line): \(error)")
    }
  }

  /// A segment that is not there leaves a hole; when the network is away, all would be holes.
  private func lose(_ piece: Piece, _ error: any Error, _ stream: StreamState) throws {
    var isMissing = error is IOError
    if let error = error as? FetchError, case .status(let status) = error.problem, status < 500 { isMissing = true }
    // What was recorded is worth more than an end in order.
    guard isLive || isMissing && !piece.isMap else { throw error }
    piece.isLost = true
    losses += 1
    if losses <= 20 {
      let reason = Notice.shortened("\(error)", beside: stream.name)
      context.diagnostics.finding("\(stream.name): line \(piece.item.line): the segment is missing: \(reason)")
    } else if losses == 21 {
      context.diagnostics.finding("\(stream.name): more segments are missing")
    }
  }

  // MARK: Telling

  private func tellGaps(_ stream: StreamState) {
    guard let gaps = stream.gaps else { return }
    let what = gaps.count == 1 ? "a segment is" : "\(gaps.count) segments are"
    let seconds = gaps.duration.components.seconds
    let tenths = gaps.duration.components.attoseconds / 100_000_000_000_000_000
    context.diagnostics.warning(
      "\(stream.name): line \(gaps.first.item.line): \(what) marked as missing (EXT-X-GAP); \(seconds).\(tenths) s are not there"
    )
  }

  private func showProgress() {
    let received = store.downloads.received
    let pieces = streams.reduce(0) { $0 + $1.pieces.count }
    guard !isLive, done.pieces > 0 else { return context.progress.update(to: received) }
    // What is left is about as large as what is there.
    let average = done.bytes / done.pieces
    context.progress.update(to: received, of: max(received, average * pieces))
  }
}

/// The time by which growing playlists are followed; tests have one of their own.
struct FollowingClock {
  var now: () -> ContinuousClock.Instant = { .now }
  /// Waits for something to arrive, for so many milliseconds at most.
  var wait: (_ store: SegmentStore, _ milliseconds: Int) throws -> Void = { try $0.wait(milliseconds: $1) }
}
