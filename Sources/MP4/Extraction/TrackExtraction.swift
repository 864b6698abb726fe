import ISOBMFF
public import MP4Bytes

/// Extracts the samples of one track as an elementary stream.
///
/// Planning reads the headers of NAL units, so that all results are known before the first byte is written. Memory use
/// does not depend on the media size.
public struct TrackExtraction: Sendable {
  /// The format: determined by the codec, or chosen from those that the codec supports.
  public let format: ElementaryStreamFormat
  /// The number of samples that are written.
  public private(set) var sampleCount = 0
  /// The number of bytes that `write` writes.
  public private(set) var byteCount = 0
  /// Diagnostics, including data loss.
  public private(set) var diagnostics: [Diagnostic]
  private let samples: Samples
  private let wanted: Range<Int>
  /// For each sample description; `nil` for those that no requested sample uses.
  private let framings: [SampleFraming?]
  private let trackID: UInt32
  /// The bytes before and after the samples.
  private var header: [UInt8] = []
  private var trailer: [UInt8] = []
  /// The number of bytes of the samples.
  private var mediaByteCount = 0
  /// Samples that cannot be written to the stream.
  private var omitted: [Range<Int>] = []

  /// Plans the stream of the only selected track of a progressive or fragmented file, or of an init segment and its
  /// media segments. Otherwise like `init(of:at:as:isRaw:)`.
  ///
  /// - Throws: `MovieError` if there is no movie, if not exactly one track is selected, if nothing is usable, or if the
  ///   codec does not support the format.
  public init(
    of selection: TrackSelection, in sources: [any ByteSource], at time: MediaTime? = nil,
    as format: ElementaryStreamFormat? = nil, isRaw: Bool = false,
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    // Times are those of the whole presentation.
    let movie = try Movie(reading: sources, onProgress: onProgress).keeping(selection)
    try self.init(of: movie, at: time, as: format, isRaw: isRaw)
  }

  /// Plans the stream of the only track of a movie.
  ///
  /// All samples are written, including those that an edit list hides; or only the one that is presented at `time`.
  /// `format` is one of those that the codec supports; by default, its usual one. `isRaw` writes samples unchanged,
  /// including encrypted ones and those of any codec; `format` can then be `.sizedSamples`.
  ///
  /// - Throws: `MovieError` if there is not exactly one track, if nothing is usable, or if the codec does not support
  ///   the format.
  public init(
    of movie: Movie, at time: MediaTime? = nil, as format: ElementaryStreamFormat? = nil, isRaw: Bool = false
  ) throws(MovieError) {
    try movie.requireSamples()
    guard movie.tracks.count == 1, let track = movie.tracks.first else {
      let names = Obstacle.names(movie.tracks.map { ($0.id, $0.handler) })
      let text = "only one track can be written; select one of \(names)"
      throw .impossible(file: movie.name, Obstacle("several_tracks", text, remedy: .extractEachTrack))
    }
    func refusal(_ obstacle: Obstacle) -> MovieError { .impossible(file: movie.name, obstacle.inTrack(track.id)) }
    samples = track.samples
    if samples.isEmpty {
      let losses = movie.diagnostics.filter { $0.severity == .error && $0.track?.id == track.id }
      throw losses.isEmpty ? refusal(.noSamples) : .impossible(file: movie.name, .nothingLeft(losses))
    }
    // Notes are about boxes, which are not written.
    diagnostics = movie.diagnostics.filter { $0.severity != .note }
    if let time {
      guard let index = samples.index(atPresentationTime: time) else {
        throw refusal(Obstacle("nothing_presented", "no sample is presented at \(time)"))
      }
      wanted = index..<index + 1
      if !samples[index].isSync {
        let text = "sample \(index + 1) of track \(track.id) is not a sync sample; decoders need others before it"
        diagnostics.append(Diagnostic(.note, movie.name, text))
      }
    } else {
      wanted = 0..<samples.count
    }
    do throws(Obstacle) {
      if !isRaw, let scheme = track.protectionScheme { throw .encrypted(scheme) }
      framings = try Self.framings(track, wanted, format, isRaw: isRaw)
    } catch { throw refusal(error) }
    let used = framings.compactMap(\.self)
    guard let first = used.first, used.allSatisfy({ $0.isCompatible(with: first) }) else {
      let text = "its sample descriptions cannot be written to one stream"
      throw refusal(Obstacle("different_descriptions", text, remedy: .extractRaw))
    }
    (self.format, trackID) = (first.format, track.id)
    try io(measure())
    if case .pcm(let file) = first, !file.canHold(mediaByteCount) {
      let text = "its size of \(counted(mediaByteCount, "byte")) is too large for \(first.format)"
      throw refusal(Obstacle("stream_too_large", text, remedy: .extractRaw))
    }
    header = first.header(
      samples[wanted], sampleCount: sampleCount, byteCount: mediaByteCount, timescale: track.timescale)
    trailer = first.trailer(byteCount: mediaByteCount)
    byteCount = header.count + mediaByteCount + trailer.count
    if let index = omitted.first?.lowerBound, let framing = framing(of: samples[index]) {
      let text = framing.omission(of: omitted.reduce(0) { $0 + $1.count })
      let time = samples[index].presentationTime ?? samples[index].relativeDecodeTime
      diagnostics.append(
        Diagnostic(.other(.error, "\(text), from \(time) on; omitted"), movie.name, movie.tracks.reference(0)))
    }
  }

  /// The framings of the sample descriptions that the requested samples use.
  private static func framings(_ track: Track, _ wanted: Range<Int>, _ format: ElementaryStreamFormat?, isRaw: Bool)
    throws(Obstacle)
    -> [SampleFraming?]
  {
    if isRaw {
      let framing = format == .sizedSamples ? SampleFraming.sized : .unchanged(.raw)
      return track.decoderConfigurations.map { _ in framing }
    }
    var framings: [SampleFraming?] = track.decoderConfigurations.map { _ in nil }
    let descriptions = track.list.descriptions
    for (position, description) in descriptions.enumerated() {
      let end = position + 1 < descriptions.count ? descriptions[position + 1].firstSample : track.samples.count
      let index = Int(description.index) - 1
      guard (description.firstSample..<end).overlaps(wanted), framings.indices.contains(index),
        framings[index] == nil
      else { continue }
      framings[index] = try SampleFraming(track.decoderConfigurations[index], as: format)
    }
    return framings
  }

  private func framing(of sample: Sample) -> SampleFraming? {
    let index = sample.descriptionIndex - 1
    return framings.indices.contains(index) ? framings[index] : nil
  }

  /// How samples are written to the stream.
  private enum Way {
    /// Ranges of samples are copied, with or without a conversion of PCM data.
    case ranges(PCMFile?)
    /// Packets are arranged in Ogg pages.
    case pages(OpusStream)
    /// Each sample is written as several parts.
    case parts
  }

  private var way: Way {
    let used = framings.compactMap(\.self)
    if case .opus(let stream) = used.first { return .pages(stream) }
    guard used.allSatisfy(\.isContinuous) else { return .parts }
    if case .pcm(let file) = used.first { return .ranges(file) }
    return .ranges(nil)
  }

  /// Counts the bytes, and finds the samples that cannot be written.
  private mutating func measure() throws(IOError) {
    var (count, samples, omitted): (Int, Int, [Range<Int>]) = (0, 0, [])
    func note(_ index: Int, _ isWhole: Bool) {
      if isWhole {
        samples += 1
      } else if let last = omitted.indices.last, omitted[last].upperBound == index {
        omitted[last] = omitted[last].lowerBound..<index + 1
      } else {
        omitted.append(index..<index + 1)
      }
    }
    switch way {
    case .ranges(let file):
      samples = wanted.count
      count = self.samples.byteRanges(of: wanted).reduce(0) { $0 + $1.bytes.count }
      // An incomplete frame at the end cannot be played.
      if let file { count -= count % file.source.frameSize }
    case .pages(let stream): try forEachPage(stream, note) { page in count += page.byteCount }
    case .parts:
      var walk = Walk(origin: origin)
      for index in wanted {
        let sample = self.samples[index]
        var size = 0
        let isWhole = try walk.forEachPart(of: sample, framing(of: sample)) { part in size += part.count }
        if isWhole { count += size }
        note(index, isWhole)
      }
    }
    (mediaByteCount, sampleCount, self.omitted) = (count, samples, omitted)
  }

  /// The composition time at which the stream starts.
  private var origin: Int64 { wanted.isEmpty ? 0 : samples[wanted.lowerBound].compositionTime.value }

  /// Writes the stream.
  public func write(to sink: any ByteSink) throws(IOError) {
    try sink.write(header)
    switch way {
    case .ranges(nil): try samples.write(wanted, to: sink)
    case .ranges(let file?): try write(file, to: sink)
    case .pages(let stream):
      let sources = samples.storage.sources
      try forEachPage(stream, { _, _ in }) { page throws(IOError) in try sink.write(page.bytes(sources)) }
    case .parts: try writeParts(to: sink)
    }
    try sink.write(trailer)
  }

  private func writeParts(to sink: any ByteSink) throws(IOError) {
    var walk = Walk(origin: origin)
    var omitted = omitted[...]
    for index in wanted {
      if let range = omitted.first, range.contains(index) {
        if index + 1 == range.upperBound { omitted.removeFirst() }
        continue
      }
      let sample = samples[index]
      _ = try walk.forEachPart(of: sample, framing(of: sample)) { part throws(IOError) in
        switch part {
        case .bytes(let bytes): try sink.write(bytes)
        case .range(let range): try sink.copy(range, of: sample.source)
        }
      }
    }
  }

  /// Iterates over samples in order.
  private struct Walk {
    let origin: Int64
    private var window: (source: Int, bytes: ByteWindow)?
    private var description: Int?

    init(origin: Int64) { self.origin = origin }

    /// Calls `body` for each part of a sample in the stream. The first sample of each sample description must be
    /// decodable on its own.
    mutating func forEachPart(
      of sample: Sample, _ framing: SampleFraming?, _ body: (SampleFraming.Part) throws(IOError) -> Void
    ) throws(IOError) -> Bool {
      guard let framing else { return false }
      var bytes = window.flatMap { $0.source == sample.sourceIndex ? $0.bytes : nil } ?? ByteWindow(sample.source)
      window = nil
      let isStart = description != sample.descriptionIndex
      let isWhole = try framing.forEachPart(of: sample, in: &bytes, isStart: isStart, origin: origin, body)
      if isWhole { description = sample.descriptionIndex }
      window = (sample.sourceIndex, bytes)
      return isWhole
    }
  }

  // MARK: Audio

  /// The amount of PCM data that is converted at once: a whole number of samples of any width.
  private static let windowSize = 3 << 16

  private func write(_ file: PCMFile, to sink: any ByteSink) throws(IOError) {
    let (change, width) = (file.change, file.source.width)
    var (left, rest): (Int, [UInt8]) = (mediaByteCount, [])
    for range in samples.byteRanges(of: wanted) {
      var at = range.bytes.lowerBound
      let end = at + min(left, range.bytes.count)
      left -= end - at
      if change == .none, at < end {
        try sink.copy(at..<end, of: range.source)
        continue
      }
      while at < end {
        let next = min(end, at + Self.windowSize)
        let bytes = try range.source.bytes(in: at..<next)
        guard bytes.count == next - at else {
          throw IOError(endOf: range.source, at: at + bytes.count, copying: range.bytes)
        }
        at = next
        // A sample value can be split at the end of a range.
        var whole = rest.isEmpty ? bytes : rest + bytes
        let cut = whole.count % width
        rest = Array(whole.suffix(cut))
        whole.removeLast(cut)
        change.apply(to: &whole)
        try sink.write(whole)
      }
    }
  }

  private func forEachPage(
    _ stream: OpusStream, _ note: (Int, Bool) -> Void, _ body: (OggPages.Page) throws(IOError) -> Void
  ) throws(IOError) {
    var pages = OggPages(serial: trackID)
    for packet in [stream.head, OpusStream.tags] {
      try pages.add(.bytes(packet), duration: 0, body)
      try pages.flush(body)
    }
    var window: (source: Int, bytes: ByteWindow)?
    var trimming: Int64 = 0
    for index in wanted {
      let sample = samples[index]
      guard sample.size > 0 else {
        note(index, true)
        continue
      }
      var bytes = window.flatMap { $0.source == sample.sourceIndex ? $0.bytes : nil } ?? ByteWindow(sample.source)
      window = nil
      let duration = OpusStream.duration(try bytes.slice(at: sample.offset, count: min(2, sample.size)))
      window = (sample.sourceIndex, bytes)
      note(index, duration != nil)
      guard let duration else { continue }
      let range = sample.offset..<sample.offset + sample.size
      try pages.add(.range(range, source: sample.sourceIndex), duration: duration, body)
      // The last packet can be longer than the played audio: RFC 7845, 4.4.
      let declared = sample.duration.converted(to: 48000).value
      trimming = declared > 0 ? max(0, Int64(duration) - declared) : 0
    }
    try pages.flush(isLast: true, trimming: trimming, body)
  }
}

extension Obstacle {
  /// Samples of a codec cannot be written in a format.
  package static func format(_ format: String, codec: String) -> Obstacle {
    Obstacle("other_stream_format", "its codec \(codec) cannot be written as \(format)")
  }
  /// Samples are encrypted with a scheme.
  package static func encrypted(_ scheme: FourCC) -> Obstacle {
    Obstacle(
      "encrypted_samples", "its samples are encrypted (\(scheme)), so players cannot decode them", remedy: .decrypt)
  }
}
