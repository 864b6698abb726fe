import ISOBMFF
public import MP4Bytes

/// The samples of a track in decoding order. Random access takes nearly constant time; iteration takes time
/// proportional to the number of samples.
public struct Samples: Sendable {
  /// The properties that all samples of a track share.
  final class Storage: Sendable {
    let list: SampleList
    let details: SampleAuxiliaryInfo
    let sources: [any ByteSource]
    let timescale: UInt32
    /// The decode time of the first sample.
    let start: Int64
    let presentation: PresentationTimeline
    /// The encryption of each sample description, and its scheme.
    let encryption: [TrackEncryption?]
    let scheme: FourCC?

    init(
      _ list: SampleList, _ details: SampleAuxiliaryInfo, _ sources: [any ByteSource], timescale: UInt32, start: Int64,
      _ presentation: PresentationTimeline, _ encryption: [TrackEncryption?], _ scheme: FourCC?
    ) {
      (self.list, self.details, self.sources) = (list, details, sources)
      (self.timescale, self.start, self.presentation) = (timescale, start, presentation)
      (self.encryption, self.scheme) = (encryption, scheme)
    }
  }
  let storage: Storage

  init(_ storage: Storage) { self.storage = storage }

  /// The same track with other samples from `sources`.
  func replaced(by list: SampleList, _ details: SampleAuxiliaryInfo, of sources: [any ByteSource]) -> Samples {
    Samples(
      Storage(
        list, details, sources, timescale: storage.timescale, start: storage.start, storage.presentation,
        storage.encryption, storage.scheme))
  }

  /// The same samples with other presentation times.
  func presented(by presentation: PresentationTimeline) -> Samples {
    Samples(
      Storage(
        storage.list, storage.details, storage.sources, timescale: storage.timescale, start: storage.start,
        presentation, storage.encryption, storage.scheme))
  }

  /// The same samples with other descriptions and information about encryption.
  func encrypted(_ list: SampleList, _ details: SampleAuxiliaryInfo, _ encryption: [TrackEncryption?]) -> Samples {
    Samples(
      Storage(
        list, details, storage.sources, timescale: storage.timescale, start: storage.start, storage.presentation,
        encryption, encryption.lazy.compactMap { $0?.scheme }.first))
  }

  /// The bytes of several samples; those that are adjacent in their source are read together.
  ///
  /// - Throws: `MovieError.io`, also if a source ends before a sample does.
  public func bytes(of range: Range<Int>) throws(MovieError) -> [[UInt8]] {
    var bytes: [[UInt8]] = []
    guard var window = range.first.map({ ByteWindow(self[$0].source) }) else { return [] }
    for index in range {
      let sample = self[index]
      if window.source !== sample.source { window = ByteWindow(sample.source) }
      bytes.append(try sample.bytes(in: &window))
    }
    return bytes
  }

  /// Whether all samples are sync samples.
  public var areAllSync: Bool { storage.list.isAllSync }
  /// The total size of all samples.
  public var byteCount: Int { storage.list.byteCount }
}

extension Samples: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of samples.
  public var endIndex: Int { storage.list.count }
  /// The sample with this index.
  public subscript(index: Int) -> Sample {
    precondition(indices.contains(index), "there is no sample \(index)")
    return Sample(at: SampleCursor(index, in: storage.list), offset: storage.list.columns.offset(index), of: storage)
  }

  /// Iterates over the samples.
  public struct Iterator: IteratorProtocol, Sendable {
    private let storage: Storage
    private var walk: SampleWalk
    /// The end of the previous sample in its source.
    private var end = 0

    init(_ storage: Storage) { (self.storage, walk) = (storage, SampleWalk(storage.list)) }

    /// The next sample.
    public mutating func next() -> Sample? {
      guard walk.sample < storage.list.count else { return nil }
      let offset = end &+ walk.gap
      end = offset &+ walk.size
      defer { walk.advance() }
      return Sample(at: walk.position, offset: offset, of: storage)
    }
  }
  /// Starts with the first sample.
  public func makeIterator() -> Iterator { Iterator(storage) }
}

extension Samples {
  /// The index of the sample that is being decoded at a time: the last one that starts at or before it. `nil` before
  /// the first sample and after the last one. The search is logarithmic, plus at most 64 steps.
  public func index(atDecodeTime time: MediaTime) -> Int? {
    let (own, overflow) = time.flooredValue(in: storage.timescale).subtractingReportingOverflow(storage.start)
    return overflow ? nil : storage.list.index(atTime: own)
  }

  /// The index of the sample that is presented at a time of the presentation, which starts at 0: the last one presented
  /// at or before it, which remains visible until the next one. `nil` in empty edits, before the first sample and after
  /// the last one. The cost is that of `index(atDecodeTime:)`, plus one step for each sample that can be reordered with
  /// it.
  public func index(atPresentationTime time: MediaTime) -> Int? {
    storage.presentation.compositionTime(at: time).flatMap(storage.list.index(atCompositionTime:))
  }

  /// The last sync sample at or before this one, where decoding must start to show this one; `nil` if there is none.
  /// The cost is proportional to the number of samples between them.
  public func syncIndex(atOrBefore index: Int) -> Int? {
    guard index >= 0, !isEmpty else { return nil }
    if areAllSync { return Swift.min(index, count - 1) }
    return (0...Swift.min(index, count - 1)).reversed().first(where: storage.list.isSync)
  }
}

/// A byte range of a source.
public struct SourceRange: Sendable {
  /// The source.
  public let source: any ByteSource
  /// The range.
  public let bytes: Range<Int>
}

extension Samples {
  /// The byte ranges of some samples, in order; adjacent samples are one range.
  public func byteRanges(of samples: Range<Int>) -> [SourceRange] {
    plan(for: samples).pieces.map { SourceRange(source: storage.sources[$0.source], bytes: $0.range) }
  }

  /// Writes the bytes of some samples.
  public func write(_ samples: Range<Int>, to sink: any ByteSink) throws(IOError) {
    try plan(for: samples).write(to: sink, from: storage.sources)
  }

  private func plan(for samples: Range<Int>) -> CopyPlan {
    precondition(samples.lowerBound >= 0 && samples.upperBound <= count, "there are \(count) samples")
    return storage.list.copies(of: samples)
  }
}
