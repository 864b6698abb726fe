import ISOBMFF
import MP4Bytes

/// A track whose samples are parts of another file, which becomes a movie without being copied.
struct ImportedTrack {
  private var track: WrittenTrack
  /// The number of bytes of all samples.
  private(set) var byteCount = 0
  private let file: String

  init(_ track: MovieWriter.Track, of file: String) throws(MovieError) {
    self.file = file
    self.track = try entry(of: file) { () throws(MovieWriterError) in try WrittenTrack(track, number: 0) }
  }

  /// Units per second.
  var timescale: UInt32 { track.track.timescale }
  /// The number of its samples.
  var sampleCount: Int { track.samples.count }

  /// Appends a sample, or PCM frames, after the previous ones in the media. Times are in the timescale of the track.
  mutating func append(
    byteCount count: Int, duration: Int64, compositionOffset: Int64 = 0, isSync: Bool = true
  ) throws(MovieError) {
    let timescale = track.track.timescale
    let sample = try entry(of: file) { () throws(MovieWriterError) in
      try track.sample(
        byteCount: count, MediaTime(duration, timescale), MediaTime(compositionOffset, timescale),
        SampleFlags(isSync: isSync), 1)
    }
    if track.isChunkComplete(before: sample) { endChunk() }
    track.append(sample, [])
    byteCount += count
  }

  /// Appends PCM frames, in chunks of half a second. The tables of a movie have room for 2^32.
  mutating func appendFrames(_ count: Int, size: Int, perSecond rate: Int) throws(MovieError) {
    guard count <= UInt32.max else {
      throw .impossible(file: file, .tooManySamples(track: 1, count: count))
    }
    var left = count
    while left > 0 {
      let part = min(left, max(1, rate / 2))
      try append(byteCount: part * size, duration: Int64(part))
      left -= part
    }
  }

  /// Sets its number among the tracks of a movie, from 0, the delay of its presentation, and its language.
  mutating func place(number: Int, delay: MediaTime, language: LanguageCode?) {
    track.place(number: number, delay: delay, language: language)
  }

  /// Presents the track to the end of its samples.
  mutating func presentAll() { track.presentAll() }

  /// The start of the chunk.
  private var chunkStart = 0

  private mutating func endChunk() {
    track.endChunk(at: Self.mediaStart + chunkStart)
    chunkStart = byteCount
  }

  /// The file type, and the header of the media data with a 64-bit size.
  private static func front(mediaSize: Int, isQuickTime: Bool) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(UInt32(24))
    let brands: [FourCC] = isQuickTime ? ["qt  ", "qt  ", FourCC(rawValue: 0)] : ["isom", "isom", "iso4"]
    for type in ["ftyp", brands[0]] { writer.integer(type.rawValue) }
    writer.integer(UInt32(0x200))
    for type in brands[1...] { writer.integer(type.rawValue) }
    writer.integer(UInt32(1))
    writer.integer(FourCC("mdat").rawValue)
    writer.integer(UInt64(mediaSize + 16))
    return writer.bytes
  }
  private static let mediaStart = front(mediaSize: 0, isQuickTime: false).count

  /// The movie: a file of which only the boxes are in memory.
  consuming func movie(_ media: any ByteSource) throws(MovieError) -> any ByteSource {
    let file = file
    return try Self.movie([(self, media)], of: file)
  }

  /// A movie of several tracks, whose chunks are interleaved, and event messages.
  static func movie(
    _ tracks: consuming [(track: ImportedTrack, media: any ByteSource)], _ events: [Box] = [], of file: String
  ) throws(MovieError) -> any ByteSource {
    var (tracks, chunks): ([(track: ImportedTrack, media: any ByteSource)], [Chunk]) = (tracks, [])
    for index in tracks.indices {
      if tracks[index].track.track.chunkCount > 0 { tracks[index].track.endChunk() }
      let count = tracks[index].track.sampleCount
      guard count > 0 else { throw .impossible(file: file, .noSamples) }
      guard count <= UInt32.max else {
        throw .impossible(file: file, .tooManySamples(track: UInt32(index + 1), count: count))
      }
      chunks += tracks[index].track.chunks(index)
    }
    if tracks.count > 1 { chunks.sort { ($0.time, $0.track, $0.number) < ($1.time, $1.track, $1.number) } }
    let sink = PlannedSink(name: file)
    let size = tracks.reduce(0) { $0 + $1.track.byteCount }
    try io(sink.write(front(mediaSize: size, isQuickTime: tracks[0].track.track.track.isQuickTime)))
    for chunk in chunks {
      tracks[chunk.track].track.track.moveChunk(chunk.number, to: sink.position)
      try io(sink.copy(chunk.bytes, of: tracks[chunk.track].media))
    }
    let boxes: BoxSerializer
    do throws(BoxError) { boxes = try BoxSerializer([WrittenMovie(tracks.map(\.track.track)).box] + events) } catch {
      throw .damaged(file: file, path: "moov", error)
    }
    try io(boxes.write(to: sink))
    return PlannedSource(sink.file, name: file)
  }

  /// Samples that are adjacent in the media of a track.
  private struct Chunk {
    var (track, number): (Int, Int)
    var bytes: Range<Int>
    /// When its presentation starts, in seconds.
    var time: Double
  }

  private func chunks(_ index: Int) -> [Chunk] {
    let (starts, delay) = (track.chunks.map { $0.offset - Self.mediaStart }, track.track.delay.seconds)
    var (result, sample): ([Chunk], Int) = ([], 0)
    for (number, start) in starts.enumerated() {
      let end = number + 1 < starts.count ? starts[number + 1] : byteCount
      let time = Double(track.samples.time(sample)) / Double(timescale) + delay
      result.append(Chunk(track: index, number: number, bytes: start..<end, time: time))
      sample += Int(track.chunks[number].sampleCount)
    }
    return result
  }
}

/// Converts an error about a sample entry or a sample to that of operations.
func entry<Result>(of file: String, _ body: () throws(MovieWriterError) -> Result) throws(MovieError) -> Result {
  do throws(MovieWriterError) { return try body() } catch {
    throw .impossible(file: file, Obstacle("unsupported_format", error.description))
  }
}

/// The timescale of a frame rate, and the duration of a picture.
struct PictureClock {
  let timescale: UInt32
  let duration: Int64

  /// A timescale of at least 10,000, so that times of edits are precise.
  init(_ rate: FrameRate, _ file: String) throws(MovieError) {
    let rate = rate.reduced
    var scale: Int64 = 1
    while rate.numerator > 0, rate.numerator * scale < 10_000 { scale *= 10 }
    let (duration, overflow) = rate.denominator.multipliedReportingOverflow(by: scale)
    guard rate.numerator > 0, rate.numerator <= UInt32.max, let timescale = UInt32(exactly: rate.numerator * scale),
      !overflow, duration <= UInt32.max
    else {
      let text = "its frame rate is \(rate.numerator)/\(rate.denominator), which MP4 cannot express"
      throw .impossible(file: file, Obstacle("frame_rate", text))
    }
    (self.timescale, self.duration) = (timescale, duration)
  }
}

extension ByteSource {
  /// The number of bytes, which is not known of a pipe before all of it was read.
  func measuredByteCount() throws(IOError) -> Int {
    if let byteCount { return byteCount }
    var (low, high) = (0, 1 << 20)
    while try !bytes(in: high - 1..<high).isEmpty { (low, high) = (high, high * 2) }
    // The last byte is before `high`, and at or after `low`.
    while low < high {
      let middle = (low + high) / 2
      if try bytes(in: middle..<middle + 1).isEmpty { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Bytes of a file that are no samples.
struct LostBytes {
  private var count = 0
  private var first = 0

  mutating func add(_ range: Range<Int>) {
    if count == 0 { first = range.lowerBound }
    count += range.count
  }

  /// An error, if there are any; `what` they are not.
  func diagnostics(_ what: String, of file: String, effect: String = "") -> [Diagnostic] {
    guard count > 0 else { return [] }
    let text = "\(counted(count, "byte")), the first at byte \(first), are no \(what); they are omitted\(effect)"
    return [Diagnostic(.error, file, text)]
  }
}
