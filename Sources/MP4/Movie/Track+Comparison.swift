import ISOBMFF
import MP4Bytes

extension Track {
  /// Whether it has the same samples as another track.
  ///
  /// This compares the handler, the timescale, the number of samples, their sizes, composition offsets, bytes, and
  /// durations except the last one; the presentation time of the first sample, to 1 ms; and, for sample descriptions,
  /// the codecs, video and audio formats. Nothing else is compared, such as sync flags, languages, and other edits. A
  /// track without samples is not equal to any track, not even to itself.
  ///
  /// Media is read only if everything else is equal, and only up to the first difference.
  public func hasSameSamples(as other: Track) throws(MovieError) -> Bool {
    let (mine, theirs) = (list, other.list)
    guard mine.count > 0, handler == other.handler, timescale == other.timescale, mine.hasSameTable(as: theirs),
      let start, let otherStart = other.start,
      (start.converted(to: 1000).value &- otherStart.converted(to: 1000).value).magnitude <= 1,
      decoderConfigurations.map(\.codecs) == other.decoderConfigurations.map(\.codecs),
      decoderConfigurations.map(\.sound) == other.decoderConfigurations.map(\.sound),
      decoderConfigurations.map(\.pictures) == other.decoderConfigurations.map(\.pictures)
    else { return false }
    do throws(IOError) {
      return try mine.copies.hasSameBytes(
        samples.storage.sources, as: theirs.copies, of: other.samples.storage.sources)
    } catch { throw .io(error) }
  }
}

extension SampleList {
  /// Whether another list has the same number of samples with the same sizes, composition offsets and durations; the
  /// last durations can differ.
  func hasSameTable(as other: SampleList) -> Bool {
    guard count == other.count, byteCount == other.byteCount else { return false }
    let all = 0..<count
    return columns.sizes.firstDifference(in: all, from: other.columns.sizes, at: 0) == nil
      && columns.compositionOffsets.firstDifference(in: all, from: other.columns.compositionOffsets, at: 0) == nil
      && columns.durations.firstDifference(in: all.dropLast(), from: other.columns.durations, at: 0) == nil
  }

  /// The bytes of all samples.
  fileprivate var copies: CopyPlan { copies(of: 0..<count) }
}

extension SampleList {
  /// Whether its first samples equal some samples of another list, except for their sync flags and the last duration.
  /// Both lists have their samples in `sources`.
  func starts(
    withSamples samples: Range<Int>, of other: SampleList, _ sources: ([any ByteSource], [any ByteSource])
  ) throws(MovieError) -> Bool {
    guard !samples.isEmpty, samples.count <= count else { return false }
    let own = 0..<samples.count
    let (first, last) = (samples.lowerBound, own.dropLast())
    guard columns.sizes.firstDifference(in: own, from: other.columns.sizes, at: first) == nil,
      columns.compositionOffsets.firstDifference(in: own, from: other.columns.compositionOffsets, at: first) == nil,
      columns.durations.firstDifference(in: last, from: other.columns.durations, at: first) == nil
    else { return false }
    return try io(copies(of: own).hasSameBytes(sources.0, as: other.copies(of: samples), of: sources.1))
  }
}

extension CopyPlan {
  /// Whether the bytes equal those of another plan of the same size.
  fileprivate func hasSameBytes(
    _ sources: [any ByteSource], as other: CopyPlan, of otherSources: [any ByteSource]
  ) throws(IOError) -> Bool {
    guard byteCount == other.byteCount else { return false }
    var (left, right) = (ByteCursor(self, sources), ByteCursor(other, otherSources))
    while true {
      let count = min(left.contiguousCount, right.contiguousCount, 1 << 16)
      if count == 0 { return true }
      let bytes = try left.read(count)
      guard bytes.count == count, bytes.hasSameBytes(as: try right.read(count)) else { return false }
    }
  }
}
