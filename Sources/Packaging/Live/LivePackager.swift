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
    /// Whether it has all tracks seen so far up to its end; `nil` for a part of a fragment other than the first.
    var isWhole: Bool?
    /// Whether more parts of the same fragment follow.
    var isContinued = false
  }
  /// A fragment that is divided or changed after it is complete.
  struct UndividedFragment {
    var fragment: LiveFragment
    /// The decode times of the cuts, in the track that determines segments.
    var cuts: [Int64]
    /// The joint after which decoding has to start again at its first sync sample.
    var joint: LiveTimeline.Joint?
    var media: [UInt8] = []
  }

  /// The file name of the media playlist.
  public static let indexName = "index.m3u8"
  /// The file name of the multivariant playlist.
  public static let mainName = PlaylistMaker.mainName

  let options: Options
  let output: any LiveOutput
  /// The main rendition, and those of sounds.
  var renditions: [LiveRendition]
  /// Fragments after the end of the open segment, until it is known in which segment they are.
  private var waitingPieces: [LivePiece] = []
  private var waitingSize = 0
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
  /// Data of other tracks that arrived while no segment was open, such as audio after the last picture.
  var rest: LiveTimeline.Piece?
  var fragment: OpenFragment?
  private var undivided: UndividedFragment?
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
    try writeWaitingPieces()
    try finishSegment(until: nil, at: now)
    for index in renditions.indices.reversed() { try renditions[index].end(at: now) }
    guard segmentCount > 0 else { throw .impossible(file: name, PackagingObstacle.noFragments) }
    // The average bandwidth is final, because there are no more segments.
    do throws(IOError) {
      try output.write(multivariant.bytes(isIndependent: isIndependent), as: Self.mainName)
    } catch { throw .io(error) }
  }

  /// Discards the open segment after an error, and ends the playlists if they can be written.
  public mutating func giveUp() { for index in renditions.indices { renditions[index].giveUp() } }

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
      let joint = joint(before: fragment)
      if isDivided, fragment.mediaByteCount > Self.mostHeldBytes {
        sayLost(fragment, "it is too large to separate its tracks")
        isLeavingOut = true
      } else if cuts.isEmpty, joint == nil, !isDivided, !omitsUndeclared(fragment) {
        try begin(fragment, at: now)
        if !isLeavingOut { try renditions[0].begin(fragment) }
      } else {
        undivided = UndividedFragment(fragment: fragment, cuts: cuts, joint: joint)
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
    try writeWaitingPieces()
    try finishSegment(until: nil, at: now)
    isDiscontinuity = segmentCount > 0
    if isDiscontinuity {
      onDiagnostic(
        Diagnostic(.note, name, "moov at byte \(movie.offset): the source restarted; a discontinuity was inserted"))
    }
    if let spread = movie.mediaSpread { onDiagnostic(.onlyEdited(spread, name)) }
    try divide(movie)
    (self.movie, reference, absence) = (movie, movie.reference, .zero)
    (seenTracks, waitsForSource) = ([], true)
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

  /// The positions at which a fragment is divided, so that segments are not too long and start with sync samples:
  /// decode times of the track that determines segments. Empty if the fragment is not divided.
  func cuts(of fragment: LiveFragment) -> [Int64] {
    guard let movie, fragment.mediaByteCount <= Self.mostHeldBytes,
      let part = fragment.parts.first(where: { $0.track == reference }), part.syncTimes.last ?? part.start > part.start
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
    for (time, next) in zip(part.syncTimes, part.syncTimes.dropFirst() + [part.end]) {
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

  /// Whether samples of undeclared tracks are removed from a fragment.
  private func omitsUndeclared(_ fragment: LiveFragment) -> Bool {
    fragment.hasUndeclaredTracks && fragment.mediaByteCount <= Self.mostHeldBytes
  }

  /// The joint before a fragment of video that has the first sync sample after it.
  private func joint(before fragment: LiveFragment) -> LiveTimeline.Joint? {
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

  /// Divides a complete fragment.
  mutating func divideFragment(at now: LiveTimestamp) throws(MovieError) {
    guard var undivided, let movie else { return }
    self.undivided = nil
    if let joint = undivided.joint {
      let diagnostic = try undivided.fragment.startDecoder(ofTrack: reference, of: movie, media: &undivided.media)
      // Players start again at a discontinuity anyway.
      if var diagnostic, joint == .splice || diagnostic.severity == .note {
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
      let number = parts == nil ? nil : index
      guard let pieces = try pieces(of: fragment, media) else {
        sayLost(fragment, "its tracks cannot be separated")
        continue
      }
      try begin(fragment, at: now, part: number, isContinued: index < all.count - 1)
      if !isLeavingOut { try write(pieces) }
      try endFragment(at: now)
    }
  }
}

/// Separates the tracks of fragments.
extension LivePackager {
  /// Whether the presentation has several renditions.
  var isDivided: Bool { renditions.count > 1 }
  /// Whether all segments can be decoded on their own.
  var isIndependent: Bool { renditions.allSatisfy { $0.window?.playlist.hasIndependentSegments != false } }

  /// A fragment for each rendition; `nil` if samples would be lost.
  private func pieces(of fragment: LiveFragment, _ media: [UInt8]) throws(MovieError) -> [LivePiece]? {
    guard let movie else { return nil }
    func piece(_ rendition: Int, _ fragment: LiveFragment, _ media: [UInt8]) -> LivePiece {
      let parts = fragment.parts.map { part in
        let timescale = movie.movie.tracks[part.track].timescale
        return (Duration.units(part.start, timescale: timescale), Duration.units(part.end, timescale: timescale))
      }
      return LivePiece(
        rendition: rendition, fragment: fragment, media: media, start: parts.map(\.0).min() ?? .zero,
        end: parts.map(\.1).max() ?? .zero)
    }
    guard isDivided else {
      let declared =
        omitsUndeclared(fragment)
        ? try fragment.separated(into: [Array(movie.movie.tracks.indices)], of: movie, media: media)?.first : nil
      return (declared ?? [(fragment, media)]).map { piece(0, $0.fragment, $0.media) }
    }
    let groups = try fragment.separated(into: renditions.map(\.tracks), of: movie, media: media)
    return groups.map { groups in
      groups.enumerated().flatMap { index, own in own.map { piece(index, $0.fragment, $0.media) } }
    }
  }

  /// Writes the pieces of a fragment. Those that follow the end of the open segment wait until the track that
  /// determines segments has arrived too.
  private mutating func write(_ pieces: [LivePiece]) throws(MovieError) {
    let isLater = segment.map { segment in pieces.contains { $0.middle >= segment.end } } ?? false
    let size = pieces.reduce(waitingSize) { $0 + $1.byteCount }
    if isDivided, fragment?.piece == nil, isLater || !waitingPieces.isEmpty, size <= Self.mostHeldBytes {
      waitingPieces += pieces
      waitingSize = size
    } else {
      try writeWaitingPieces()
      for piece in pieces { try append(piece) }
    }
  }
  private mutating func writeWaitingPieces() throws(MovieError) {
    for piece in waitingPieces { try append(piece) }
    (waitingPieces, waitingSize) = ([], 0)
  }

  /// Appends a piece to the open segment of its rendition.
  ///
  /// Where a track pauses, some writers extend the sample before the pause, and where it begins late, the first one.
  /// Such a sample is shortened, because it would be longer than a segment.
  private mutating func append(_ piece: LivePiece) throws(MovieError) {
    let rendition = renditions[piece.rendition]
    if let movie, let segment, isDivided, rendition.tracks.count == 1, rendition.tracks[0] != reference {
      var (start, end) = (piece.start, piece.end)
      if rendition.isInGap, (segment.start - start).roundedSeconds > 0 { start = segment.start }
      let first = rendition.times?.start ?? start
      if (end - first).roundedSeconds > cutting.most { end = first + .seconds(cutting.most) }
      let lead = start - piece.start
      let shortened =
        lead == .zero && end == piece.end
        ? nil
        : try piece.fragment.shortened(
          atStart: lead.inNanoseconds, atEnd: (piece.end - end).inNanoseconds, of: movie, media: piece.media)
      if let (fragment, media) = shortened {
        let amount = (lead + (piece.end - end)).secondsText
        let text = "a sample that lasts several segments was shortened by \(amount)"
        onDiagnostic(Diagnostic(.note, name, "moof at byte \(fragment.offset): \(text)"))
        let own = LivePiece(rendition: piece.rendition, fragment: fragment, media: media, start: start, end: end)
        return try renditions[piece.rendition].append(own)
      }
    }
    try renditions[piece.rendition].append(piece)
  }

  private func sayLost(_ fragment: LiveFragment, _ reason: String) {
    onDiagnostic(Diagnostic(.error, name, "moof at byte \(fragment.offset): \(reason); fragment omitted"))
  }
}

extension Duration {
  /// The same time in nanoseconds; longer times are clamped.
  fileprivate var inNanoseconds: MediaTime {
    let (seconds, attoseconds) = components
    let limit: Int64 = 1 << 32
    return MediaTime(max(-limit, min(seconds, limit)) * 1_000_000_000 + attoseconds / 1_000_000_000, 1_000_000_000)
  }
}
