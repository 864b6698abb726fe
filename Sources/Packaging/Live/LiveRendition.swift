import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS

/// The files of a rendition of a live presentation: its init segments, its segments and its media playlist.
struct LiveRendition {
  /// The name of its folder; empty if it is the folder of the presentation.
  let folder: String
  private let output: any LiveOutput
  /// Its tracks in the current movie; empty if the movie has none of them.
  private(set) var tracks: [Int] = []
  /// The sequence number of the latest fragment in the output.
  private var sequenceNumber: UInt32?
  private(set) var initialization = ""
  private var initializationCount = 0
  /// The current init segment, until a segment uses it.
  private var waitingInitialization: [UInt8]?
  private(set) var window: LiveWindow?
  /// The encryption scheme of its tracks, once an encrypted sample has arrived.
  var scheme: FourCC?
  /// The keys of its samples.
  var keyIDs: Set<[UInt8]> = []
  /// The size of all complete fragments of the open segment.
  private(set) var segmentSize = 0
  /// The size of the fragment that is arriving.
  private var fragmentSize = 0
  /// Whether the last segment is a gap.
  private(set) var endsWithGap = false
  /// Whether it has no samples in the open segment, and none before it.
  var isInGap: Bool { segmentSize == 0 && (endsWithGap || window == nil) }
  /// The times of separated fragments in the open segment.
  private(set) var times: (start: Duration, end: Duration)?
  /// The time up to which its playlist lists segments.
  private var listedEnd: Duration?
  /// The number of segments that were completed by the bytes that arrived last.
  private var finishedCount = 0
  /// Whether the playlist that is written is older than the last segment.
  private var isUnpublished = false

  init(_ folder: String, to output: any LiveOutput) { (self.folder, self.output) = (folder, output) }

  /// The path of one of its files in the folder of the presentation.
  func path(_ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }

  /// Starts another movie. Data of a segment that was never started is discarded.
  mutating func begin(_ tracks: [Int], of movie: LiveMovie) throws(MovieError) {
    self.tracks = tracks
    if tracks.count == movie.movie.tracks.count {
      waitingInitialization = movie.bytes
    } else {
      waitingInitialization = tracks.isEmpty ? nil : try movie.initialization(ofTracks: tracks)
    }
    (sequenceNumber, scheme, keyIDs, times) = (nil, nil, [], nil)
    guard segmentSize > 0 else { return }
    segmentSize = 0
    try io(output.truncate(to: 0))
  }

  // MARK: Fragments

  /// Writes a fragment up to its media data.
  mutating func begin(_ fragment: LiveFragment) throws(MovieError) {
    // Numbers must increase, but a restarted source counts from the start.
    var number = fragment.sequenceNumber
    if let latest = sequenceNumber, number <= latest { number = latest &+ 1 }
    sequenceNumber = number
    try write(fragment.bytes(sequenceNumber: number)[...])
  }
  mutating func write(_ bytes: ArraySlice<UInt8>) throws(MovieError) {
    fragmentSize += bytes.count
    try io(output.append(bytes))
  }
  /// Replaces bytes of the fragment.
  func correct(_ bytes: [UInt8], at offset: Int) throws(MovieError) {
    try io(output.overwrite(bytes, at: segmentSize + offset))
  }
  mutating func endFragment() {
    segmentSize += fragmentSize
    fragmentSize = 0
  }
  mutating func loseFragment() throws(MovieError) {
    fragmentSize = 0
    try io(output.truncate(to: segmentSize))
  }
  /// Writes a complete fragment with these times.
  mutating func append(_ piece: LivePiece) throws(MovieError) {
    try begin(piece.fragment)
    try write(piece.media[...])
    endFragment()
    times = (min(times?.start ?? piece.start, piece.start), max(times?.end ?? piece.end, piece.end))
  }

  // MARK: Segments

  /// The times for which its playlist lists the open segment, which has these times: those of the samples, without
  /// holes or overlaps between segments. Where samples begin late or end early, the listed times are those of the
  /// segment, because the positions in all playlists must agree.
  func listing(in segment: Range<Duration>, isDiscontinuity: Bool) -> Range<Duration> {
    let start = isDiscontinuity ? nil : listedEnd
    guard let times else {
      let first = start ?? segment.lowerBound
      return first..<max(first, segment.upperBound)
    }
    // Times of another clock have no place in the segment.
    guard times.start < segment.upperBound, times.end > segment.lowerBound else { return times.start..<times.end }
    let isLate = (times.start - segment.lowerBound).roundedSeconds > 0
    let first = start ?? (isLate ? segment.lowerBound : times.start)
    // Sound may end earlier than pictures in all segments.
    let lag = max(.zero, segment.lowerBound - times.start)
    let isEarly = (segment.upperBound - times.end - lag).roundedSeconds > 0
    return first..<max(first, isEarly ? segment.upperBound : times.end)
  }

  /// Completes the open segment, which appears as the file `entry.name`, and is listed up to the time `end`; without
  /// data, it is a gap. `first` is the window if there is none yet. Returns the size of the segment.
  mutating func finish(
    _ entry: LiveWindow.Entry, until end: Duration, in first: LiveWindow?, at now: LiveTimestamp
  ) throws(MovieError) -> Int {
    let byteCount = segmentSize
    var entry = entry
    entry.isGap = byteCount == 0
    if !entry.isGap {
      try writeInitialization()
      try io(output.finish(as: entry.name))
    }
    entry.initialization = initialization
    (segmentSize, times, listedEnd, endsWithGap) = (0, nil, end, entry.isGap)
    if window == nil { window = first }
    window?.append(entry, at: now.uptime)
    // If many segments arrive at once, a playlist of all for each of them would take time that grows with the square of
    // their number. A playlist from which segments are removed must have listed each of them.
    finishedCount += 1
    isUnpublished = window?.keepsAll == true && finishedCount & (finishedCount - 1) != 0
    if !isUnpublished { try publish(at: now) }
    return byteCount
  }

  /// Writes the playlist if it was not written since the last segment. Everything that has arrived was processed.
  mutating func publishAll(at now: LiveTimestamp) throws(MovieError) {
    finishedCount = 0
    if isUnpublished { try publish(at: now) }
    isUnpublished = false
  }

  /// Writes the init segment before the first segment that needs it.
  private mutating func writeInitialization() throws(MovieError) {
    guard let bytes = waitingInitialization else { return }
    waitingInitialization = nil
    initializationCount += 1
    initialization = initializationCount == 1 ? "init.mp4" : "init\(initializationCount).mp4"
    try io(output.write(bytes, as: initialization))
  }

  /// Writes the playlist, and deletes files that were removed from it long ago.
  private mutating func publish(at now: LiveTimestamp) throws(MovieError) {
    guard let bytes = window?.playlist.bytes else { return }
    try io(output.write(bytes, as: LivePackager.indexName))
    for name in window?.takeExpired(at: now.uptime) ?? [] { output.remove(name) }
  }

  /// Ends the playlist. The open segment must be complete.
  mutating func end(at now: LiveTimestamp) throws(MovieError) {
    output.discard()
    window?.end()
    try publish(at: now)
  }
  /// Discards the open segment after an error, and ends the playlist if that can be written.
  mutating func giveUp() {
    output.discard()
    guard window != nil else { return }
    window?.end()
    if let playlist = window?.playlist { try? output.write(playlist.bytes, as: LivePackager.indexName) }
  }
}
