import ISOBMFF
public import MP4
import MP4Bytes
import MP4HLS

/// Packages a stream of fragmented MP4 as HLS in real time.
///
/// ```swift
/// var packager = LivePackager("camera", to: folder)
/// packager.onDiagnostic = { print($0) }
/// while let bytes = more() { try packager.append(bytes, at: .now) }
/// try packager.end(at: .now)
/// ```
///
/// Fragments are used as they arrive, and a segment consists of whole fragments. Media is written immediately; previous
/// fragments are not kept. If a movie has several sounds, or tracks with different keys, its fragments are separated
/// when they are complete: each sound becomes a rendition with a folder of its own.
public struct LivePackager {
  /// The options of a live packager.
  public struct Options: Sendable {
    /// The intended duration of segments; they end before a sync sample.
    public var segmentDuration = MediaTime(6, 1)
    /// The number of segments in the playlist.
    public var windowCount = 6
    /// Whether all segments are kept, so that players can seek back to the first one.
    public var keepsAll = false
    /// The target duration, rounded to whole seconds; `nil` derives it from the first segment.
    public var targetDuration: MediaTime?
    /// The key URI of encrypted tracks; without it, playlists have no key tags.
    public var key: Packager.Key?

    /// Segments of 6 seconds, with 6 of them in the playlist.
    public init() {}
  }
  /// The segment in progress.
  struct OpenSegment {
    var start: Duration
    /// The end of its samples of the track that determines segments.
    var end: Duration
    /// The end of the samples of all its tracks.
    var reach: Duration
    var date: DateTime
    var isDiscontinuity: Bool
    var beginsWithSync: Bool
    var isIndependent: Bool
    /// Whether the first fragment of that track is incomplete.
    var isEmpty = true
  }
  /// The fragment that is arriving.
  struct OpenFragment {
    /// Its times; `nil` if it has no samples of the track that determines segments.
    var piece: LiveTimeline.Piece?
    /// Whether it has all tracks seen so far up to its end; `nil` for a part of a fragment other than the first.
    var isWhole: Bool?
    /// Whether more parts of the same fragment follow.
    var isContinued = false
  }

  /// The file name of the media playlist.
  public static let indexName = "index.m3u8"
  /// The file name of the multivariant playlist.
  public static let mainName = PlaylistMaker.mainName

  let options: Options
  let output: any LiveOutput
  /// The main rendition, and those of sounds.
  var renditions: [LiveRendition]
  /// Data of other tracks that follows the open segment: its segment starts when the track that determines segments has
  /// samples at its times.
  var waiting: [LivePiece] = []
  /// A complete fragment that is used when the other tracks have arrived, and its media data.
  var pending: (fragment: LiveFragment, media: [UInt8])?
  /// Whether fragments of other tracks alone are likely to follow.
  var expectsOthers = true
  var reader: LiveReader
  /// The name of the input in messages.
  var name: String
  /// Called with each diagnostic.
  public var onDiagnostic: (Diagnostic) -> Void = { _ in }

  var movie: LiveMovie?
  /// The track that determines where segments begin.
  var reference = 0
  /// Video and sound, and all other tracks that have had samples.
  var expectedTracks: Set<Int> = []
  var timeline = LiveTimeline()
  var cutting: LiveCutting
  var multivariant = LiveMultivariantPlaylist { $0.isEmpty ? Self.indexName : "\($0)/\(Self.indexName)" }
  /// The sounds of the movie from which players choose.
  var sounds: [GroupMember] = []
  /// Whether the multivariant playlist does not list the movie yet.
  var waitsForSource = true
  /// Whether the last data can only occur at the end of a complete file, after all its fragments.
  public var isAtEndOfMovie: Bool { reader.isAtEnd }
  /// The number of complete segments.
  public internal(set) var segmentCount = 0

  var segment: OpenSegment?
  var fragment: OpenFragment?
  /// The fragment that is divided, separated or changed when it is complete, and its media data so far.
  private var held: (fragment: LiveFragment, media: [UInt8])?
  /// Whether the fragment that is arriving is omitted.
  var isLeavingOut = false
  var isDiscontinuity = false

  /// A packager for a stream with this name in messages.
  public init(_ name: String, to output: any LiveOutput, options: Options = Options()) {
    (self.name, self.output, self.options) = (name, output, options)
    renditions = [LiveRendition("", to: output)]
    reader = LiveReader(name)
    let time = options.segmentDuration
    cutting = LiveCutting(
      wanted: .units(time.value, timescale: time.timescale),
      targetDuration: options.targetDuration.map { Int($0.converted(to: 1).value) })
  }

  /// Starts the next of several files.
  public mutating func beginFile(_ name: String, at now: LiveTimestamp) throws(MovieError) {
    try endFile(at: now)
    self.name = name
    reader.beginFile(name)
  }

  /// Appends bytes that arrived at `now`, and writes everything that they complete.
  ///
  /// - Throws: `MovieError.io` if the output cannot be written; then only ``giveUp()`` may be called. Any other error
  ///   if the stream cannot be packaged.
  public mutating func append(_ bytes: ArraySlice<UInt8>, at now: LiveTimestamp) throws(MovieError) {
    reader.append(bytes)
    try readOn(at: now)
  }

  /// Ends the input: completes the open segment, and ends the playlist.
  public mutating func end(at now: LiveTimestamp) throws(MovieError) {
    try endFile(at: now)
    try finishTracks(at: now)
    for index in renditions.indices.reversed() { try renditions[index].end(at: now) }
    guard segmentCount > 0 else {
      throw .impossible(file: name, Obstacle("no_usable_fragments", "no usable fragment arrived"))
    }
    // The average bandwidth is final, because there are no more segments.
    try io(output.write(multivariant.bytes(isIndependent: isIndependent), as: Self.mainName))
  }

  /// Discards the open segment after an error, and ends the playlists if they can be written.
  public mutating func giveUp() { for index in renditions.indices { renditions[index].giveUp() } }

  private mutating func endFile(at now: LiveTimestamp) throws(MovieError) {
    reader.endFile()
    try readOn(at: now)
  }

  private mutating func readOn(at now: LiveTimestamp) throws(MovieError) {
    while let event = try reader.next() { try take(event, at: now) }
    // A playlist that refers to others is written after them.
    for index in renditions.indices.reversed() { try renditions[index].publishAll(at: now) }
  }

  private mutating func take(_ event: LiveReader.Event, at now: LiveTimestamp) throws(MovieError) {
    switch event {
    case .movie(let movie): try begin(movie, at: now)
    case .fragment(let fragment):
      if isDivided, fragment.mediaByteCount > Self.mostHeldBytes {
        sayLost(fragment, "it is too large to separate its tracks")
        isLeavingOut = true
      } else if isHeld(fragment) {
        held = (fragment, [])
      } else {
        try writeWaiting(at: now)
        try begin(fragment, at: now)
        if !isLeavingOut { try renditions[0].begin(fragment) }
      }
    case .media(let bytes): if held == nil { try write(bytes) } else { held?.media += bytes }
    // If a fragment is divided, only its samples are used.
    case .correction(let offset, let bytes): if held == nil { try correct(bytes, at: offset) }
    case .fragmentEnd:
      if let (fragment, media) = held {
        held = nil
        try take(fragment, media, at: now)
      } else {
        try endFragment(at: now)
      }
    case .fragmentLost:
      held = nil
      try loseFragment()
    case .diagnostic(let diagnostic): onDiagnostic(diagnostic)
    }
  }

  private mutating func begin(_ movie: LiveMovie, at now: LiveTimestamp) throws(MovieError) {
    if movie.isRepeated { try placePending(at: now) } else { try finishTracks(at: now) }
    timeline.beginMovie(isRepeated: movie.isRepeated)
    if movie.isRepeated { return }
    isDiscontinuity = segmentCount > 0
    if isDiscontinuity {
      onDiagnostic(
        Diagnostic(.note, name, "moov at byte \(movie.offset): the source restarted; a discontinuity was inserted"))
    }
    if let spread = movie.mediaSpread { onDiagnostic(.onlyEdited(spread, name)) }
    try divide(movie)
    (self.movie, reference) = (movie, movie.reference)
    let tracks = movie.movie.tracks
    expectedTracks = Set(tracks.indices.filter { ["vide", "soun"].contains(tracks[$0].handler) })
    (waitsForSource, expectsOthers) = (true, true)
    cutting.reset()
  }

  /// The maximum number of renditions, each of which has an open file.
  private static let mostRenditions = 64

  /// Assigns the tracks of a movie to renditions.
  private mutating func divide(_ movie: LiveMovie) throws(MovieError) {
    let tracks = try LiveTracks(movie, isDivided: isDivided)
    var own = ["": tracks.main]
    for (track, member) in tracks.sounds where !member.folder.isEmpty {
      let folder = member.folder
      own[folder] = [track]
      guard !renditions.contains(where: { $0.folder == folder }) else { continue }
      guard renditions.count < Self.mostRenditions else {
        let text = "there are more than \(Self.mostRenditions) renditions; the other sounds are omitted"
        onDiagnostic(Diagnostic(.warning, name, text))
        break
      }
      do throws(IOError) {
        renditions.append(LiveRendition(folder, to: try output.makeFolder(folder)))
      } catch { throw .io(error) }
    }
    for index in renditions.indices { try renditions[index].begin(own[renditions[index].folder] ?? [], of: movie) }
    sounds = tracks.sounds.map(\.member).filter { sound in renditions.contains { $0.folder == sound.folder } }
  }
}

/// Divides fragments into segments.
extension LivePackager {
  /// The maximum size of a fragment that is divided in memory; larger ones are used undivided, or are lost if their
  /// tracks have to be separated.
  static let mostHeldBytes = 256 << 20
  /// The maximum number of sync samples of a fragment that is divided. A fragment of a few bytes can have many more, if
  /// they are empty.
  private static let mostSyncSamples = 1 << 22

  /// The positions at which a fragment is divided, so that segments are not too long and start with sync samples:
  /// decode times of the track that determines segments. Empty if the fragment is not divided.
  func cuts(of fragment: LiveFragment) -> [Int64] {
    guard let movie, fragment.mediaByteCount <= Self.mostHeldBytes,
      let part = fragment.parts.first(where: { $0.track == reference }), part.syncTimes.count <= Self.mostSyncSamples,
      part.syncTimes.last ?? part.start > part.start
    else { return [] }
    let timescale = movie.movie.tracks[reference].timescale
    var piece = LiveTimeline.Piece(part, fragment, timescale: timescale)
    guard cutting.isUnfit(piece) else { return [] }
    var (start, state) = (piece.start, cutting)
    switch timeline.step(to: piece) {
    case .repeated: return []
    case .continuous: start = segment?.start ?? start
    case .first, .hole, .back: state.reset()
    }
    var cuts: [Int64] = []
    for (time, next) in zip(part.syncTimes, Array(part.syncTimes.dropFirst()) + [part.end]) {
      (piece.start, piece.end) = (.units(time, timescale: timescale), .units(next, timescale: timescale))
      (piece.beginsWithSync, piece.syncTimes) = (true, [piece.start])
      if state.ends(from: start, before: piece) {
        if time > part.start { cuts.append(time) }
        start = piece.start
      }
      state.append(piece, isWhole: nil)
    }
    return cuts
  }

  /// The joint before a fragment of video that has the first sync sample after it.
  func joint(before fragment: LiveFragment) -> LiveTimeline.Joint? {
    guard let movie, fragment.mediaByteCount <= Self.mostHeldBytes, movie.movie.tracks[reference].handler == "vide",
      let part = fragment.parts.first(where: { $0.track == reference })
    else { return nil }
    return timeline.joint(
      before: LiveTimeline.Piece(part, fragment, timescale: movie.movie.tracks[reference].timescale))
  }

  /// The duration of a part after its last sync sample.
  func group(of part: LiveFragment.Part) -> Duration? {
    guard let movie, let last = part.syncTimes.last else { return nil }
    let timescale = movie.movie.tracks[reference].timescale
    return .units(part.end, timescale: timescale) - .units(last, timescale: timescale)
  }
}

/// The properties of the presentation.
extension LivePackager {
  /// Whether the presentation has several renditions.
  var isDivided: Bool { renditions.count > 1 }
  /// Whether all segments can be decoded on their own.
  var isIndependent: Bool { renditions.allSatisfy { $0.window?.playlist.hasIndependentSegments != false } }
}
