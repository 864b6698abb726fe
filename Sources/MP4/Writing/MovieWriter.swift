public import ISOBMFF
public import MP4Bytes

/// Writes a movie from samples, such as those of an encoder: a progressive file, or movie fragments.
///
/// Tracks are added first, such as `.avc(parameterSets:)` and `.aac(audioSpecificConfig:)`. Then samples are appended,
/// in decoding order in each track, and roughly interleaved by time between tracks: with the times of an encoder, or
/// with durations. The writer buffers only half a second of each track, or the media of the next fragment.
///
/// `finish()` writes the rest of the movie, also after the task was cancelled; `cancel()` gives it up.
///
/// A progressive file has its `moov` at the end, because it is complete only after the last sample;
/// `Defragmenter` moves it to the front.
public final class MovieWriter {
  /// An output of the writer: the init segment, or a media segment with one fragment.
  public struct Segment: Sendable {
    /// 0 for the init segment; media segments start at 1.
    public let index: Int
    /// The decode time of its first sample.
    public let start: MediaTime
    /// The duration of the samples of its first track.
    public let duration: MediaTime
    /// Its boxes.
    public let bytes: [UInt8]
  }
  enum Output {
    case file(any RewritableSink)
    case segments((Segment) throws(IOError) -> Void)
  }

  private let output: Output
  /// The minimum duration of fragments; `nil` if only the caller ends them.
  private let fragmentDuration: MediaTime?
  private(set) var tracks: [WrittenTrack] = []
  /// The presentation time of samples that is the start of the movie. What is presented earlier is hidden.
  ///
  /// If it is `nil`, the movie starts with the earliest first sample of a track; or at 0 if that is negative but the
  /// first sample of another track is not, because negative times are those of priming.
  public var startTime: MediaTime?
  /// The time to which positions in tracks are relative.
  private var origin: MediaTime?
  /// The offset of the media data header, after it was written.
  private var mediaHeader: Int?
  /// The number of written segments, including the init segment.
  private var segmentCount = 0
  private var fragmentCount = 0
  private var isFinished = false
  /// The number of cues that were appended to each text track.
  package var cueCounts: [Int: Int] = [:]
  /// A file that the writer completes or discards.
  private var file: (commit: () throws(IOError) -> Void, discard: () -> Void)?

  private init(_ output: Output, _ fragmentDuration: MediaTime?) {
    (self.output, self.fragmentDuration) = (output, fragmentDuration)
  }

  /// Writes a progressive file. The sink is not committed.
  public convenience init(to sink: any RewritableSink) { self.init(.file(sink), nil) }

  /// Writes a fragmented file. A fragment ends before the first sync sample of the video track, or of the first track
  /// if there is no video, after at least `duration`. Without a duration, it ends when `cut()` is called.
  public convenience init(fragmentsTo sink: any ByteSink, every duration: MediaTime? = nil) {
    self.init(.segments { segment throws(IOError) in try sink.write(segment.bytes) }, duration)
  }

  /// Passes segments in memory to `onSegment`: the init segment, and one for each fragment, which ends as in
  /// fragmented files.
  public convenience init(
    segmentsEvery duration: MediaTime? = nil, onSegment: @escaping (Segment) throws(IOError) -> Void
  ) {
    self.init(.segments(onSegment), duration)
  }

  /// The writer completes its output with `commit` when the movie is finished, and discards it when it is
  /// cancelled.
  package func own(_ commit: @escaping () throws(IOError) -> Void, _ discard: @escaping () -> Void) {
    file = (commit, discard)
  }

  // MARK: Adding tracks and samples

  /// Adds a track, and returns its index, to which samples refer.
  public func add(_ track: Track) throws(MovieWriterError) -> Int {
    try checkOpen()
    if segmentCount > 0 { throw .tooLateForTrack }
    let written = try WrittenTrack(track, number: tracks.count)
    tracks.append(written)
    return written.number
  }

  /// Appends a sample.
  ///
  /// - Parameters:
  ///   - bytes: Its data in the format of the track: for example, with sizes before NAL units instead of start codes.
  ///   - track: The index of the track.
  ///   - duration: Its duration until the next sample is decoded; that of the last one can be 0.
  ///   - compositionOffset: The presentation time minus the decode time; may be negative.
  ///   - isSync: Whether decoding can start with it.
  ///   - sampleEntry: The number of its sample entry in the track, starting at 1.
  public func append(
    _ bytes: [UInt8], to track: Int, duration: MediaTime, compositionOffset: MediaTime = MediaTime(0, 1),
    isSync: Bool = true, sampleEntry: Int = 1
  ) throws(MovieWriterError) {
    try appendUntimed(bytes, to: track, duration, compositionOffset, SampleFlags(isSync: isSync), sampleEntry)
  }

  /// Appends a sample with the times of its encoder, in any timescale.
  ///
  /// Each time is rounded to the nearest unit of the track, so that rounding errors do not add up. Durations follow
  /// from the next sample; therefore, the latest sample of a track is not written until the next one is appended, or
  /// the movie is finished. A track that starts later than the movie has a delay; one that starts earlier, for example
  /// with priming at negative times, is trimmed.
  ///
  /// - Parameters:
  ///   - bytes: Its data in the format of the track: for example, with sizes before NAL units instead of start codes.
  ///   - track: The index of the track.
  ///   - presentationTime: When it is presented, on a clock that all tracks share.
  ///   - decodeTime: When it is decoded, on the same clock; without it, samples are decoded in the order of their
  ///     presentation.
  ///   - isSync: Whether decoding can start with it.
  ///   - sampleEntry: The number of its sample entry in the track, starting at 1.
  public func append(
    _ bytes: [UInt8], to track: Int, presentationTime: MediaTime, decodeTime: MediaTime? = nil, isSync: Bool = true,
    sampleEntry: Int = 1
  ) throws(MovieWriterError) {
    try append(
      bytes, to: track, presentationTime: presentationTime, decodeTime: decodeTime, flags: SampleFlags(isSync: isSync),
      sampleEntry: sampleEntry)
  }

  /// Appends a sample with the times of its encoder, and with its dependencies.
  ///
  /// `trim` is the part of it that is hidden if it is the first one of its track.
  package func append(
    _ bytes: [UInt8], to track: Int, presentationTime: MediaTime, decodeTime: MediaTime?, flags: SampleFlags,
    sampleEntry: Int, trim: MediaTime = MediaTime(0, 1)
  ) throws(MovieWriterError) {
    try checkOpen()
    guard tracks.indices.contains(track) else { throw .noTrack(track) }
    let start = origin ?? startTime ?? presentationTime
    let sample = WrittenTrack.Timed(
      bytes: bytes, presentation: try tracks[track].position(presentationTime - start),
      decode: try tracks[track].position((decodeTime ?? presentationTime) - start),
      flags: flags, sampleEntry: sampleEntry, trim: try tracks[track].position(trim))
    guard try tracks[track].isInOrder(sample) else { throw .unordered(decodeTime ?? presentationTime, track: track) }
    let next = try tracks[track].following(sample)
    origin = start
    if let held = tracks[track].hold(next, hasEdits: segmentCount == 0) { try append(held, to: track) }
  }

  /// Appends a sample whose duration is known.
  private func append(_ held: WrittenTrack.Held, to number: Int) throws(MovieWriterError) {
    let timescale = tracks[number].track.timescale
    try append(
      held.sample.bytes, to: number, MediaTime(held.duration, timescale),
      MediaTime(held.sample.presentation - held.sample.decode, timescale), held.sample.flags, held.sample.sampleEntry)
  }

  /// The end of the samples of a track.
  package func end(of track: Int) throws(MovieWriterError) -> MediaTime {
    guard tracks.indices.contains(track) else { throw .noTrack(track) }
    return tracks[track].end
  }
  /// Whether any number of samples of the track is appended at once, because they are PCM frames.
  package func takesFrames(_ track: Int) -> Bool {
    tracks.indices.contains(track) && tracks[track].track.frameByteCount != nil
  }
  /// The type of the first sample entry of a track.
  package func format(of track: Int) throws(MovieWriterError) -> FourCC {
    guard tracks.indices.contains(track) else { throw .noTrack(track) }
    return FourCC(rawValue: tracks[track].track.entries[0].dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Appends PCM frames, of which all last one unit, after the previous ones.
  ///
  /// - Parameters:
  ///   - frames: Any number of frames.
  ///   - track: The index of a track made by `.pcm`.
  public func append(_ frames: [UInt8], to track: Int) throws(MovieWriterError) {
    guard tracks.indices.contains(track) else { throw .noTrack(track) }
    guard let duration = tracks[track].duration(ofFrames: frames.count) else { throw .notFrames(track: track) }
    if tracks[track].isTimed { throw .otherTimes(track: track) }
    try append(frames, to: track, duration: duration)
  }

  /// Appends a sample of another movie, with its times and flags. Sample groups and subsamples are not carried over.
  public func append(_ sample: Sample, to track: Int) throws(MovieWriterError) {
    let bytes: [UInt8]
    do throws(MovieError) { bytes = try sample.bytes() } catch { throw .source(error) }
    try append(sample, bytes, to: track)
  }

  /// Appends a sample of another movie, whose bytes were read.
  package func append(_ sample: Sample, _ bytes: [UInt8], to track: Int) throws(MovieWriterError) {
    if sample.isOfEncryptedTrack { throw .encrypted }
    try appendUntimed(
      bytes, to: track, sample.duration, sample.compositionOffset, sample.flags, sample.descriptionIndex)
  }

  private func appendUntimed(
    _ bytes: [UInt8], to number: Int, _ duration: MediaTime, _ offset: MediaTime, _ flags: SampleFlags, _ entry: Int
  ) throws(MovieWriterError) {
    if tracks.indices.contains(number), tracks[number].isTimed { throw .otherTimes(track: number) }
    try append(bytes, to: number, duration, offset, flags, entry)
  }

  private func append(
    _ bytes: [UInt8], to number: Int, _ duration: MediaTime, _ offset: MediaTime, _ flags: SampleFlags, _ entry: Int
  ) throws(MovieWriterError) {
    try checkOpen()
    guard tracks.indices.contains(number) else { throw .noTrack(number) }
    let sample = try tracks[number].sample(byteCount: bytes.count, duration, offset, flags, entry)
    switch output {
    case .file(let sink):
      if tracks[number].isChunkComplete(before: sample) { try writeChunk(of: number, to: sink) }
    case .segments(let onSegment):
      if let fragmentDuration, number == reference, flags.isSync, tracks[number].pending >= fragmentDuration {
        try writeFragment(until: tracks[number].end, onSegment)
      }
    }
    tracks[number].append(sample, bytes)
  }

  /// Ends the fragment: all samples so far are written, except the latest one of tracks whose samples have times, of
  /// which the duration is unknown. In a progressive file, a new chunk starts in each track.
  public func cut() throws(MovieWriterError) {
    try checkOpen()
    switch output {
    case .file(let sink): for number in tracks.indices { try writeChunk(of: number, to: sink) }
    case .segments(let onSegment): try writeFragment(until: nil, onSegment)
    }
  }

  /// Writes the remaining samples and, for a progressive file, its `moov`. Nothing can be appended after that. A file
  /// at a path appears.
  ///
  /// - Parameter endTime: When the presentation of each track whose samples have times ends; without it, the last
  ///   sample is as long as the one before it.
  public func finish(endTime: MediaTime? = nil) throws(MovieWriterError) {
    if tracks.isEmpty { throw .noTracks }
    var ends: [Int64?] = []
    for track in tracks {
      ends.append(try endTime.map { time throws(MovieWriterError) in try track.position(time - (origin ?? time)) })
    }
    for number in tracks.indices {
      if let held = tracks[number].release(end: ends[number]) { try append(held, to: number) }
      if let closing = tracks[number].takeClosingSample() {
        try append(closing.bytes, to: number, closing.duration, MediaTime(0, 1), SampleFlags(isSync: true), 1)
      }
    }
    try cut()
    switch output {
    case .file(let sink): try writeMovie(to: sink)
    case .segments(let onSegment): try writeInitialization(onSegment)
    }
    isFinished = true
    if let file { try writing { () throws(IOError) in try file.commit() } }
  }

  /// Ends the writer without the rest of the movie. A file that it writes to a path does not appear; what another sink
  /// or `onSegment` got remains.
  public func cancel() {
    isFinished = true
    file?.discard()
  }

  /// Determines the start of the movie, and with it the edit lists. All tracks that have samples have their first one.
  private func settleStarts() throws(MovieWriterError) {
    guard let origin else { return }
    var start = startTime
    if start == nil {
      let first = tracks.compactMap { $0.firstPresentation }.map { origin + $0 }
      let isPriming = first.contains { $0.value < 0 } && first.contains { $0.value >= 0 }
      start = isPriming ? MediaTime(0, 1) : first.min()
    }
    guard let start else { return }
    for number in tracks.indices { try tracks[number].settle(start: start - origin) }
  }

  private func checkOpen() throws(MovieWriterError) { if isFinished { throw .finished } }

  /// After an error of the sink, it is unknown what was written.
  private func writing(_ body: () throws(IOError) -> Void) throws(MovieWriterError) {
    do throws(IOError) { try body() } catch {
      isFinished = true
      throw .io(error)
    }
  }

  private func serializer(_ boxes: [Box]) throws(MovieWriterError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes) } catch { throw .box(error) }
  }
}

// MARK: A progressive file

extension MovieWriter {
  /// Writes the file type and a media data header with a 64-bit size, which is known at the end.
  private func beginFile(_ sink: any RewritableSink) throws(MovieWriterError) {
    guard mediaHeader == nil else { return }
    var type = FileTypeBox()
    type.minorVersion = 0x200
    // Negative composition offsets were added with `iso4`.
    type.compatibleBrands = ["isom", "iso4"]
    let front = try serializer([Box(type)])
    try writing { () throws(IOError) in
      try front.write(to: sink)
      let offset = sink.position
      try sink.write(Self.mediaHeader(16))
      // Fails early if the sink cannot overwrite bytes.
      try sink.overwrite(Self.mediaHeader(16), at: offset)
      mediaHeader = offset
    }
  }

  private static func mediaHeader(_ size: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(UInt32(1))
    writer.integer(FourCC("mdat").rawValue)
    writer.integer(UInt64(size))
    return writer.bytes
  }

  private func writeChunk(of number: Int, to sink: any RewritableSink) throws(MovieWriterError) {
    try beginFile(sink)
    guard tracks[number].chunkCount > 0 else { return }
    let offset = sink.position
    try writing { () throws(IOError) in try sink.write(tracks[number].bytes) }
    tracks[number].endChunk(at: offset)
  }

  private func writeMovie(to sink: any RewritableSink) throws(MovieWriterError) {
    try beginFile(sink)
    guard let mediaHeader else { return }
    try settleStarts()
    let end = sink.position
    let movie = try serializer([WrittenMovie(tracks).box])
    try writing { () throws(IOError) in
      try sink.overwrite(Self.mediaHeader(end - mediaHeader), at: mediaHeader)
      try movie.write(to: sink)
    }
  }
}

// MARK: Fragments

extension MovieWriter {
  private typealias SegmentHandler = (Segment) throws(IOError) -> Void

  /// The track whose sync samples determine where fragments end.
  private var reference: Int { tracks.firstIndex { $0.track.handler == "vide" } ?? 0 }

  private func writeInitialization(_ onSegment: SegmentHandler) throws(MovieWriterError) {
    guard segmentCount == 0 else { return }
    try settleStarts()
    let boxes = [Box(Brands.fragmented(FileTypeBox(), cmaf: [])), WrittenMovie(tracks).fragmentedBox]
    let (serializer, sink) = (try serializer(boxes), MemorySink())
    try writing { () throws(IOError) in
      try serializer.write(to: sink)
      let zero = MediaTime(0, tracks[reference].track.timescale)
      try onSegment(Segment(index: 0, start: zero, duration: zero, bytes: sink.bytes))
    }
    segmentCount = 1
  }

  /// Writes the samples that are decoded before `time`, or all samples.
  private func writeFragment(until time: MediaTime?, _ onSegment: SegmentHandler) throws(MovieWriterError) {
    guard tracks.contains(where: { $0.samples.count > 0 }) else { return }
    try writeInitialization(onSegment)
    let reference = self.reference
    let taken = tracks.indices.map { tracks[$0].take(before: $0 == reference ? nil : time) }
    let lists = taken.enumerated().map { SampleList($1.columns, descriptions: $1.descriptions, source: $0) }
    let writers = lists.enumerated().map { number, list in
      let placement = TrackTimeMapping(list, timescale: tracks[number].track.timescale, start: taken[number].start)
      return TrackFragmentWriter(
        trackID: tracks[number].id, list: list, details: SampleAuxiliaryInfo(), placement: placement, encryption: [])
    }
    let first = taken[reference].columns.count > 0 ? reference : taken.firstIndex { $0.columns.count > 0 } ?? 0
    let timescale = tracks[first].track.timescale
    let start = MediaTime(taken[first].start, timescale)
    let cuts = Segmentation(
      startingAt: [start], positions: lists.map { [SampleCursor(), SampleCursor($0.count, in: $0)] },
      reference: reference)
    let fragments: [MovieFragmentWriter.MovieFragment]
    do throws(MovieFragmentWriter.Failure) {
      fragments = try MovieFragmentWriter(tracks: writers, cuts: cuts)
        .fragments(of: 0, sequenceNumber: fragmentCount + 1)
    } catch {
      switch error {
      case .tooLarge: throw .fragmentTooLarge
      case .box(let error): throw .box(error)
      case .io(let error): throw .io(error)
      }
    }
    let (sources, sink) = (taken.map { MemorySource($0.bytes) }, MemorySink())
    try writing { () throws(IOError) in
      for fragment in fragments { try fragment.write(to: sink, from: sources) }
      let duration = MediaTime(lists[first].duration, timescale)
      try onSegment(Segment(index: segmentCount, start: start, duration: duration, bytes: sink.bytes))
    }
    segmentCount += 1
    fragmentCount += fragments.count
  }
}

extension MovieWriter {
  /// The properties of a track: the format of its samples, and its presentation.
  public struct Track: Sendable {
    /// The timescale of its samples, such as 48000 or 90000; never 0.
    public let timescale: UInt32
    /// The handler type: `vide`, `soun`, `text`, `subt`, `meta` and others.
    public var handler: FourCC
    /// A name for users.
    public var name = ""
    /// The language, as three letters of ISO 639-2.
    public var language: LanguageCode = "und"
    /// The language as a BCP 47 tag, if the letters are less precise, such as `pt-BR`.
    public var languageTag: String?
    /// The display size of its video, its volume and other header fields; the writer sets the ID, the duration
    /// and, unless it is set, the size from the first sample entry.
    public var header = TrackHeaderBox()
    /// The delay of its presentation after the start of the movie.
    public var delay = MediaTime(0, 1)
    /// The hidden start of the track in composition time: the priming of an audio encoder, or the composition
    /// offset of the first picture.
    public var trim = MediaTime(0, 1)
    /// The presented duration; `nil` for all of it.
    public var presentedDuration: MediaTime?
    /// The sample entries, each as the bytes of its box.
    let entries: [[UInt8]]
    /// The version of the sample description box, which changes the layout of audio entries.
    var descriptionVersion: UInt8 = 0
    /// The size of each sample of PCM, of which any number is appended at once; `nil` for other formats.
    var frameByteCount: Int?
    /// Whether it is for a QuickTime movie, whose handlers are components.
    var isQuickTime = false
    /// A sample that follows the last one when the movie is finished.
    package var closingSample: (bytes: [UInt8], duration: MediaTime)?

    /// A track with the sample formats `entries`; samples refer to one of them.
    ///
    /// - Parameters:
    ///   - entries: At least one: new boxes, such as `Box(VisualSampleEntry(), type: "avc1", boxes: …)`, or those of a
    ///     tree.
    ///   - source: The source from which the boxes were read, unless they are new.
    ///   - timescale: Units per second; 0 counts as 1.
    ///   - handler: The handler type; `nil` is that of the first entry.
    public init(
      _ entries: Box..., from source: (any ByteSource)? = nil, timescale: UInt32, handler: FourCC? = nil
    ) throws(MovieWriterError) {
      self.timescale = max(timescale, 1)
      self.handler = handler ?? entries.first.map(Self.handler) ?? "meta"
      self.entries = try Self.encoded(entries.map(\.ofFirstSource), from: [source ?? MemorySource([])])
      setExtent(of: entries.first)
    }

    /// A track with the sample entries, timescale, name, language and header of a track of another movie, and with its
    /// edit list if that only delays the track or trims its start or end.
    public init(like track: MP4.Track) throws(MovieWriterError) {
      if track.isEncrypted { throw .encrypted }
      guard let edit = track.simpleEdit else { throw .editList }
      (timescale, handler) = (track.timescale, track.handler)
      entries = try track.sampleEntries()
      let box = track.properties.box
      let payloads = MoviePayloads(source: track.samples.storage.sources[box.source])
      do throws(MovieError) {
        header = try payloads.payload(of: box.first("tkhd"), in: "moov/trak/tkhd", TrackHeaderBox.self)
        let mdhd = try payloads.payload(of: box.first("mdia", "mdhd"), in: "moov/trak/mdia/mdhd", MediaHeaderBox.self)
        // The language numbers of QuickTime have no meaning in an ISO file.
        if let code = LanguageCode(mdhd.language.description) { language = code }
        let hdlr = try payloads.payload(of: box.first("mdia", "hdlr"), in: "moov/trak/mdia/hdlr", HandlerBox.self)
        name = hdlr.name.description
        let stsd = try payloads.payload(
          of: box.first("mdia", "minf", "stbl", "stsd"), in: "moov/trak/mdia/minf/stbl/stsd", SampleDescriptionBox.self)
        descriptionVersion = stsd.header.version
      } catch { throw .source(error) }
      languageTag = track.language.flatMap { $0 == language.description ? nil : $0 }
      delay = MediaTime(Int64(clamping: edit.movieDelay), track.writtenTimescale)
      trim = MediaTime(edit.mediaTime, timescale)
      presentedDuration = edit.duration.map { MediaTime(Int64(clamping: $0), track.writtenTimescale) }
    }

    private static func handler(of entry: Box) -> FourCC {
      switch entry.fields {
      case .edited(is VisualSampleEntry, _): "vide"
      case .edited(is AudioSampleEntry, _): "soun"
      default: "meta"
      }
    }

    private mutating func setExtent(of entry: Box?) {
      if handler == "soun" { header.volume = 0x100 }
      guard case .edited(let picture as VisualSampleEntry, _)? = entry?.fields else { return }
      (header.width, header.height) = (UInt32(picture.width) << 16, UInt32(picture.height) << 16)
    }
  }
}

extension Box {
  /// The same box, as read from the first source.
  fileprivate var ofFirstSource: Box {
    var box = self
    box.source = 0
    box.boxes = boxes.map(\.ofFirstSource)
    return box
  }
}

extension Track {
  /// Whether some of its samples are encrypted.
  var isEncrypted: Bool { protectionScheme != nil || description.encryption.contains { $0 != nil } }
}

extension Sample {
  /// Whether some samples of its track are encrypted.
  var isOfEncryptedTrack: Bool { storage.scheme != nil || storage.encryption.contains { $0 != nil } }
}
