import Bytes
import HLS
import ISOBMFF
public import MP4

/// Packages a stream of fragmented MP4 for HTTP Live Streaming while it comes into being.
///
/// ```swift
/// var packager = LivePackager("camera", to: folder)
/// packager.onNotice = { print($0) }
/// while let bytes = more() { try packager.append(bytes, at: .now) }
/// try packager.end(at: .now)
/// ```
///
/// Fragments stay as they come, and a segment is made of whole ones. Media goes to the output at once; nothing is kept of
/// fragments that came before.
public struct LivePackager {
  /// What a user may want otherwise.
  public struct Options: Sendable {
    /// How long segments should be; they end before a sync sample.
    public var segmentDuration = MediaTime(6, 1)
    /// How many segments the playlist has.
    public var windowCount = 6
    /// Whether segments are only added, so that players can go back to the first one.
    public var keepsAll = false
    /// How long a segment lasts at most, rounded to whole seconds; `nil` for what the first one needs.
    public var targetDuration: MediaTime?
    /// Where players get the key of encrypted tracks; without it the playlist does not say.
    public var key: Packager.Key?

    /// Segments of 6 seconds, 6 of them in a playlist.
    public init() {}
  }
  /// The segment that is being made.
  struct OpenSegment {
    var start: Duration
    var end: Duration
    var date: DateTime
    var isDiscontinuity: Bool
    var beginsWithSync: Bool
    var isIndependent: Bool
  }
  /// The fragment whose bytes are coming.
  struct OpenFragment {
    /// Where and when it is; `nil` when it has nothing of the track that says when segments begin.
    var piece: LiveTimeline.Piece?
    /// Whether it has all tracks that there were so far; nothing for a part of a fragment but the first.
    var isWhole: Bool?
    /// Whether more parts of the same fragment follow.
    var isContinued = false
  }
  /// A fragment that is divided when all of it is there.
  struct UndividedFragment {
    var fragment: LiveFragment
    /// Decode times of the track that says when segments begin.
    var cuts: [Int64]
    var media: [UInt8] = []
  }

  /// The name of the media playlist.
  public static let indexName = "index.m3u8"
  /// The name of the playlist of playlists.
  public static let mainName = PlaylistMaker.mainName

  let options: Options
  let output: any LiveOutput
  var reader: LiveReader
  /// What messages call the file that is read.
  var name: String
  /// Called with each notice.
  public var onNotice: (Notice) -> Void = { _ in }

  var movie: LiveMovie?
  /// The track that says when segments begin.
  var reference = 0
  /// For how long nothing came of it.
  var absence = Duration.zero
  /// All tracks of which something came.
  var seenTracks: Set<Int> = []
  /// The number that the latest fragment bears in the output.
  var sequenceNumber: UInt32?
  var initializationName = ""
  var initializationCount = 0
  /// The init segment of what comes, until a segment needs it.
  var waitingInitialization: [UInt8]?
  var timeline = LiveTimeline()
  var cutting: LiveCutting
  var window: LiveWindow?
  var multivariant = LiveMultivariantPlaylist(uri: Self.indexName)
  /// Whether the multivariant playlist has nothing of the movie yet.
  var waitsForSource = true
  /// The scheme by which the movie is encrypted, once an encrypted sample came.
  var scheme: FourCC?
  /// The keys of its samples.
  var keyIDs: Set<[UInt8]> = []
  /// Whether what came last is what only a complete file has, after all of its fragments.
  public var isAtEndOfMovie: Bool { reader.isAtEnd }
  /// How many segments are complete.
  public internal(set) var segmentCount = 0

  var segment: OpenSegment?
  /// What came of other tracks while no segment was open, such as the sound after the last picture.
  var rest: LiveTimeline.Piece?
  /// The bytes of all complete fragments of the open segment.
  var segmentSize = 0
  var fragment: OpenFragment?
  var undivided: UndividedFragment?
  /// The bytes of the fragment that is coming.
  var fragmentSize = 0
  /// Whether the bytes of the fragment that is coming are left out.
  var isLeavingOut = false
  var isDiscontinuity = false

  /// A packager of a stream that messages call `name`.
  public init(_ name: String, to output: any LiveOutput, options: Options = Options()) {
    (self.name, self.output, self.options) = (name, output, options)
    reader = LiveReader(name)
    let time = options.segmentDuration
    cutting = LiveCutting(
      wanted: .units(time.value, timescale: time.timescale),
      targetDuration: options.targetDuration.map { Int($0.converted(to: 1).value) })
  }

  /// What comes now is the next of several files.
  public mutating func beginFile(_ name: String, at now: LiveMoment) throws(MovieError) {
    try endFile(at: now)
    self.name = name
    reader.beginFile(name)
  }

  /// Takes bytes that came at the moment `now`, and writes what they complete.
  ///
  /// - Throws: `MovieError.io` when the output cannot be written; then only ``giveUp()`` is left. Any other error when
  ///   this is no stream that can be packaged.
  public mutating func append(_ bytes: ArraySlice<UInt8>, at now: LiveMoment) throws(MovieError) {
    reader.append(bytes)
    try readOn(at: now)
  }

  /// There are no more bytes: completes the open segment, and ends the playlist.
  public mutating func end(at now: LiveMoment) throws(MovieError) {
    try endFile(at: now)
    try finishSegment(until: nil, at: now)
    output.discard()
    guard let window else { throw .impossible(file: name, PackagingObstacle.noFragments) }
    self.window?.end()
    try publish(at: now)
    // All segments are known now, and their average with them.
    do throws(IOError) {
      try output.write(multivariant.bytes(isIndependent: window.playlist.hasIndependentSegments), as: Self.mainName)
    } catch { throw .io(error) }
  }

  /// Gives up the open segment after an error, and ends the playlist if that can be written.
  public mutating func giveUp() {
    output.discard()
    guard window != nil else { return }
    window?.end()
    if let playlist = window?.playlist { try? output.write(playlist.bytes, as: Self.indexName) }
  }

  private mutating func endFile(at now: LiveMoment) throws(MovieError) {
    reader.endFile()
    try readOn(at: now)
  }

  private mutating func readOn(at now: LiveMoment) throws(MovieError) {
    while let event = try reader.next() { try take(event, at: now) }
  }

  private mutating func take(_ event: LiveReader.Event, at now: LiveMoment) throws(MovieError) {
    switch event {
    case .movie(let movie): try begin(movie, at: now)
    case .fragment(let fragment):
      let cuts = cuts(of: fragment)
      if cuts.isEmpty {
        try begin(fragment, at: now)
      } else {
        undivided = UndividedFragment(fragment: fragment, cuts: cuts)
      }
    case .media(let bytes): if undivided == nil { try write(bytes) } else { undivided?.media += bytes }
    // Of a fragment that is divided, only the samples are used.
    case .correction(let offset, let bytes): if undivided == nil { try correct(bytes, at: offset) }
    case .fragmentEnd: if undivided == nil { try endFragment(at: now) } else { try divideFragment(at: now) }
    case .fragmentLost:
      undivided = nil
      try loseFragment()
    case .notice(let notice): onNotice(notice)
    }
  }

  private mutating func begin(_ movie: LiveMovie, at now: LiveMoment) throws(MovieError) {
    timeline.beginMovie(isRepeated: movie.isRepeated)
    if movie.isRepeated { return }
    try finishSegment(until: nil, at: now)
    if segmentSize > 0 {
      // Of a segment that never began.
      segmentSize = 0
      do throws(IOError) { try output.truncate(to: 0) } catch { throw .io(error) }
    }
    isDiscontinuity = segmentCount > 0
    if isDiscontinuity {
      onNotice(Notice(.note, name, "moov at byte \(movie.offset): the source restarted; a discontinuity begins"))
    }
    waitingInitialization = movie.bytes
    (self.movie, reference, absence) = (movie, movie.reference, .zero)
    (seenTracks, sequenceNumber, waitsForSource) = ([], nil, true)
    (scheme, keyIDs) = (nil, [])
    cutting.beginAnew()
  }
}
