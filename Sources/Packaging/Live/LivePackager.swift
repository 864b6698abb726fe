import Bytes
import HLS
import ISOBMFF
public import MP4

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
/// fragments are not kept.
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
    var end: Duration
    var date: DateTime
    var isDiscontinuity: Bool
    var beginsWithSync: Bool
    var isIndependent: Bool
  }
  /// The fragment that is arriving.
  struct OpenFragment {
    /// Its times; `nil` if it has no samples of the track that determines segments.
    var piece: LiveTimeline.Piece?
    /// Whether it has all tracks seen so far; `nil` for a part of a fragment other than the first.
    var isWhole: Bool?
    /// Whether more parts of the same fragment follow.
    var isContinued = false
  }
  /// A fragment that is divided or changed after it is complete.
  struct UndividedFragment {
    var fragment: LiveFragment
    /// The decode times of the cuts, in the track that determines segments.
    var cuts: [Int64]
    /// Whether decoding has to start again at it.
    var isJoint = false
    var media: [UInt8] = []
  }

  /// The file name of the media playlist.
  public static let indexName = "index.m3u8"
  /// The file name of the multivariant playlist.
  public static let mainName = PlaylistMaker.mainName

  let options: Options
  let output: any LiveOutput
  var reader: LiveReader
  /// The name of the input in messages.
  var name: String
  /// Called with each diagnostic.
  public var onDiagnostic: (Diagnostic) -> Void = { _ in }

  var movie: LiveMovie?
  /// The track that determines where segments begin.
  var reference = 0
  /// The time for which that track has had no samples.
  var absence = Duration.zero
  /// All tracks that have had samples.
  var seenTracks: Set<Int> = []
  /// The sequence number of the latest fragment in the output.
  var sequenceNumber: UInt32?
  var initializationName = ""
  var initializationCount = 0
  /// The current init segment, until a segment uses it.
  var waitingInitialization: [UInt8]?
  var timeline = LiveTimeline()
  var cutting: LiveCutting
  var window: LiveWindow?
  var multivariant = LiveMultivariantPlaylist(uri: Self.indexName)
  /// Whether the multivariant playlist does not list the movie yet.
  var waitsForSource = true
  /// The encryption scheme of the movie, once an encrypted sample has arrived.
  var scheme: FourCC?
  /// The keys of its samples.
  var keyIDs: Set<[UInt8]> = []
  /// Whether the last data can only occur at the end of a complete file, after all its fragments.
  public var isAtEndOfMovie: Bool { reader.isAtEnd }
  /// The number of complete segments.
  public internal(set) var segmentCount = 0

  var segment: OpenSegment?
  /// Data of other tracks that arrived while no segment was open, such as audio after the last picture.
  var rest: LiveTimeline.Piece?
  /// The size of all complete fragments of the open segment.
  var segmentSize = 0
  var fragment: OpenFragment?
  private var undivided: UndividedFragment?
  /// The size of the fragment that is arriving.
  var fragmentSize = 0
  /// Whether the fragment that is arriving is omitted.
  var isLeavingOut = false
  var isDiscontinuity = false

  /// A packager for a stream with this name in messages.
  public init(_ name: String, to output: any LiveOutput, options: Options = Options()) {
    (self.name, self.output, self.options) = (name, output, options)
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
    try finishSegment(until: nil, at: now)
    output.discard()
    guard let window else { throw .impossible(file: name, PackagingObstacle.noFragments) }
    self.window?.end()
    try publish(at: now)
    // The average bandwidth is final, because there are no more segments.
    do throws(IOError) {
      try output.write(multivariant.bytes(isIndependent: window.playlist.hasIndependentSegments), as: Self.mainName)
    } catch { throw .io(error) }
  }

  /// Discards the open segment after an error, and ends the playlist if that can be written.
  public mutating func giveUp() {
    output.discard()
    guard window != nil else { return }
    window?.end()
    if let playlist = window?.playlist { try? output.write(playlist.bytes, as: Self.indexName) }
  }

  private mutating func endFile(at now: LiveTimestamp) throws(MovieError) {
    reader.endFile()
    try readOn(at: now)
  }

  private mutating func readOn(at now: LiveTimestamp) throws(MovieError) {
    while let event = try reader.next() { try take(event, at: now) }
  }

  private mutating func take(_ event: LiveReader.Event, at now: LiveTimestamp) throws(MovieError) {
    switch event {
    case .movie(let movie): try begin(movie, at: now)
    case .fragment(let fragment):
      let cuts = cuts(of: fragment)
      let isJoint = isJoint(fragment)
      if cuts.isEmpty, !isJoint {
        try begin(fragment, at: now)
      } else {
        undivided = UndividedFragment(fragment: fragment, cuts: cuts, isJoint: isJoint)
      }
    case .media(let bytes): if undivided == nil { try write(bytes) } else { undivided?.media += bytes }
    // If a fragment is divided, only its samples are used.
    case .correction(let offset, let bytes): if undivided == nil { try correct(bytes, at: offset) }
    case .fragmentEnd: if undivided == nil { try endFragment(at: now) } else { try divideFragment(at: now) }
    case .fragmentLost:
      undivided = nil
      try loseFragment()
    case .diagnostic(let diagnostic): onDiagnostic(diagnostic)
    }
  }

  private mutating func begin(_ movie: LiveMovie, at now: LiveTimestamp) throws(MovieError) {
    timeline.beginMovie(isRepeated: movie.isRepeated)
    if movie.isRepeated { return }
    try finishSegment(until: nil, at: now)
    if segmentSize > 0 {
      // This data belongs to a segment that was never started.
      segmentSize = 0
      do throws(IOError) { try output.truncate(to: 0) } catch { throw .io(error) }
    }
    isDiscontinuity = segmentCount > 0
    if isDiscontinuity {
      onDiagnostic(
        Diagnostic(.note, name, "moov at byte \(movie.offset): the source restarted; a discontinuity was inserted"))
    }
    let soundCount = movie.movie.tracks.count { $0.handler == "soun" }
    if soundCount > 1 {
      let text =
        "it has \(soundCount) audio tracks in one rendition; players play only one of them, and those that use Media "
        + "Source Extensions play nothing: send each in a stream of its own"
      onDiagnostic(Diagnostic(.warning, name, text))
    }
    if let spread = movie.mediaSpread {
      let text =
        "only its edit lists present its tracks together; players of playlists ignore them, and present sound and "
        + "pictures \(spread) apart"
      onDiagnostic(Diagnostic(.warning, name, text))
    }
    waitingInitialization = movie.bytes
    (self.movie, reference, absence) = (movie, movie.reference, .zero)
    (seenTracks, sequenceNumber, waitsForSource) = ([], nil, true)
    (scheme, keyIDs) = (nil, [])
    cutting.reset()
  }
}

/// Divides fragments into segments.
extension LivePackager {
  /// The maximum size of a fragment that is divided in memory; larger ones are used undivided.
  private static let mostHeldBytes = 256 << 20

  /// The positions at which a fragment is divided, so that segments are not too long and start with sync samples:
  /// decode times of the track that determines segments. Empty if the fragment is not divided.
  func cuts(of fragment: LiveFragment) -> [Int64] {
    guard let movie, fragment.mediaByteCount <= Self.mostHeldBytes,
      let part = fragment.parts.first(where: { $0.track == reference }), part.syncTimes.last ?? part.start > part.start
    else { return [] }
    let timescale = movie.movie.tracks[reference].timescale
    var piece = LiveTimeline.Piece(part, fragment, timescale: timescale)
    guard cutting.isUnfit(piece) else { return [] }
    var start = piece.start
    switch timeline.step(to: piece) {
    case .repeated: return []
    case .continuous: start = segment?.start ?? start
    case .first, .hole, .back: break
    }
    var cuts: [Int64] = []
    for (time, next) in zip(part.syncTimes, part.syncTimes.dropFirst() + [part.end]) {
      (piece.start, piece.end) = (.units(time, timescale: timescale), .units(next, timescale: timescale))
      piece.beginsWithSync = true
      guard cutting.ends(from: start, before: piece) else { continue }
      if time > part.start { cuts.append(time) }
      start = piece.start
    }
    return cuts
  }

  /// Whether a fragment of video follows another recording without a discontinuity.
  private func isJoint(_ fragment: LiveFragment) -> Bool {
    guard let movie, fragment.mediaByteCount <= Self.mostHeldBytes, movie.movie.tracks[reference].handler == "vide",
      let part = fragment.parts.first(where: { $0.track == reference })
    else { return false }
    return timeline.joins(LiveTimeline.Piece(part, fragment, timescale: movie.movie.tracks[reference].timescale))
  }

  /// The duration of a part after its last sync sample.
  func group(of part: LiveFragment.Part) -> Duration? {
    guard let movie, let last = part.syncTimes.last else { return nil }
    let timescale = movie.movie.tracks[reference].timescale
    return .units(part.end, timescale: timescale) - .units(last, timescale: timescale)
  }

  /// Divides a complete fragment.
  mutating func divideFragment(at now: LiveTimestamp) throws(MovieError) {
    guard var undivided, let movie else { return }
    self.undivided = nil
    if undivided.isJoint {
      let diagnostic = try undivided.fragment.startDecoder(ofTrack: reference, of: movie, media: &undivided.media)
      if var diagnostic {
        diagnostic.file = name
        onDiagnostic(diagnostic)
      }
    }
    let parts =
      undivided.cuts.isEmpty
      ? nil
      : try undivided.fragment.divided(
        at: undivided.cuts, ofTrack: reference, of: movie, media: undivided.media)
    // A fragment that cannot be divided is used unchanged.
    let all = parts ?? [(undivided.fragment, undivided.media)]
    for (index, (fragment, media)) in all.enumerated() {
      try begin(fragment, at: now, part: parts == nil ? nil : index, isContinued: index < all.count - 1)
      try write(media[...])
      try endFragment(at: now)
    }
  }
}
