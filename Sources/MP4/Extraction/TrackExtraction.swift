public import Bytes
import ISOBMFF

/// The samples of one track as a file of their own: an elementary stream.
///
/// Planning reads the headers of NAL units, so that everything is known before the first byte is written. Memory does
/// not depend on the size of the media.
public struct TrackExtraction: Sendable {
  /// The format, which follows from the codec.
  public let format: ElementaryStreamFormat
  /// The number of samples that are written.
  public private(set) var sampleCount = 0
  /// The number of bytes that `write` writes.
  public private(set) var byteCount = 0
  /// Diagnostics and losses.
  public private(set) var diagnostics: [Diagnostic]
  private let samples: Samples
  private let wanted: Range<Int>
  /// For each sample description; `nil` for those that no wanted sample uses.
  private let framings: [SampleFraming?]
  private let header: [UInt8]
  /// Samples that cannot be a part of the stream.
  private var omitted: [Range<Int>] = []

  /// Plans the stream of the only selected track of a progressive or fragmented file, or of an init segment and its
  /// media segments.
  ///
  /// All samples are written, including those that an edit list hides; or only the one that is presented at `time`.
  /// `isRaw` writes the samples as they are, encrypted ones and those of any codec too.
  ///
  /// - Throws: `MovieError` if there is no movie, not exactly one such track, nothing usable, or no such format.
  public init(
    of selection: TrackSelection, in sources: [any ByteSource], at time: MediaTime? = nil, isRaw: Bool = false,
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    var options = Defragmenter.Options()
    options.tracks = selection
    let movie = try Movie(reading: sources, options, onProgress: onProgress)
    if movie.tracks.allSatisfy(\.samples.isEmpty),
      let loss = movie.diagnostics.first(where: { $0.severity == .error })
    {
      throw .impossible(file: movie.name, MovieObstacle.nothingLeft(samples: 0, loss: loss))
    }
    try movie.requireSamples()
    guard movie.tracks.count == 1, let track = movie.tracks.first else {
      let tracks = movie.tracks.map { MovieObstacle.Track(id: $0.id, handler: $0.handler) }
      throw .impossible(file: movie.name, MovieObstacle.severalTracks(tracks))
    }
    func obstacle(_ reason: ExtractionObstacle.Reason) -> MovieError {
      .impossible(file: movie.name, ExtractionObstacle(track: track.id, reason: reason))
    }
    samples = track.samples
    // Notes are about boxes, which are not written.
    diagnostics = movie.diagnostics.filter { $0.severity != .note }
    if let time {
      guard let index = samples.index(atPresentationTime: time) else { throw obstacle(.nothingPresented(time)) }
      wanted = index..<index + 1
    } else {
      wanted = 0..<samples.count
    }
    do throws(ExtractionObstacle.Reason) {
      if !isRaw, let scheme = track.protectionScheme { throw .encrypted(scheme) }
      framings = try Self.framings(track, wanted, isRaw: isRaw)
    } catch { throw obstacle(error) }
    let used = framings.compactMap(\.self)
    guard let first = used.first, used.allSatisfy({ $0.format == first.format && $0.header == first.header }) else {
      throw obstacle(.differentDescriptions)
    }
    (format, header) = (first.format, first.header)
    do throws(IOError) { try measure() } catch { throw .io(error) }
    if let index = omitted.first?.lowerBound, let framing = framing(of: samples[index]) {
      let text = framing.omission(of: omitted.reduce(0) { $0 + $1.count })
      let time = samples[index].decodeTime
      diagnostics.append(
        Diagnostic(.other(.error, "\(text), from \(time) on; omitted"), movie.name, movie.tracks.reference(0)))
    }
  }

  /// The framings of the sample descriptions that wanted samples use.
  private static func framings(_ track: Track, _ wanted: Range<Int>, isRaw: Bool) throws(ExtractionObstacle.Reason)
    -> [SampleFraming?]
  {
    if isRaw { return track.decoderConfigurations.map { _ in .unchanged(.raw) } }
    var framings: [SampleFraming?] = track.decoderConfigurations.map { _ in nil }
    let descriptions = track.list.descriptions
    for (position, description) in descriptions.enumerated() {
      let end = position + 1 < descriptions.count ? descriptions[position + 1].firstSample : track.samples.count
      let index = Int(description.index) - 1
      guard (description.firstSample..<end).overlaps(wanted), framings.indices.contains(index),
        framings[index] == nil
      else { continue }
      framings[index] = try SampleFraming(track.decoderConfigurations[index])
    }
    return framings
  }

  private func framing(of sample: Sample) -> SampleFraming? {
    let index = sample.descriptionIndex - 1
    return framings.indices.contains(index) ? framings[index] : nil
  }

  /// Counts the bytes, and finds the samples that cannot be written.
  private mutating func measure() throws(IOError) {
    byteCount = header.count
    var walk = Walk()
    for index in wanted {
      let sample = samples[index]
      var count = 0
      let isWhole = try walk.forEachPart(of: sample, framing(of: sample)) { part in count += part.count }
      if isWhole {
        sampleCount += 1
        byteCount += count
      } else if let last = omitted.indices.last, omitted[last].upperBound == index {
        omitted[last] = omitted[last].lowerBound..<index + 1
      } else {
        omitted.append(index..<index + 1)
      }
    }
  }

  /// Writes the stream.
  public func write(to sink: any ByteSink) throws(IOError) {
    try sink.write(header)
    var walk = Walk()
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

  /// Goes through samples in order.
  private struct Walk {
    private var window: (source: Int, bytes: ByteWindow)?
    private var description: Int?

    /// Calls `body` for each part of the stream of a sample. Decoding has to be able to start with the first sample of
    /// each sample description.
    mutating func forEachPart(
      of sample: Sample, _ framing: SampleFraming?, _ body: (SampleFraming.Part) throws(IOError) -> Void
    ) throws(IOError) -> Bool {
      guard let framing else { return false }
      var bytes = window.flatMap { $0.source == sample.sourceIndex ? $0.bytes : nil } ?? ByteWindow(sample.source)
      window = nil
      let isStart = description != sample.descriptionIndex
      let isWhole = try framing.forEachPart(of: sample, in: &bytes, isStart: isStart, body)
      if isWhole { description = sample.descriptionIndex }
      window = (sample.sourceIndex, bytes)
      return isWhole
    }
  }
}
