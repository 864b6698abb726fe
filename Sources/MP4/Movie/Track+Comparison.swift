import Bytes
import ISOBMFF

extension Track {
  /// Whether it has the same samples as another track.
  ///
  /// It compares the handler, the timescale, the number of samples, their sizes, composition offsets, bytes, and
  /// durations except the last one; the presentation time of the first sample, to a millisecond; and, for sample
  /// descriptions, the codecs, video and audio formats. Nothing else is compared, such as sync flags, languages, and
  /// other edits. A track without samples is not equal to any track, not even to itself.
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
  /// Whether another list has as many samples with the same sizes, durations and composition offsets.
  fileprivate func hasSameTable(as other: SampleList) -> Bool {
    guard count == other.count, byteCount == other.byteCount else { return false }
    let all = 0..<count
    return columns.sizes.firstDifference(in: all, from: other.columns.sizes, at: 0) == nil
      && columns.compositionOffsets.firstDifference(in: all, from: other.columns.compositionOffsets, at: 0) == nil
      && columns.durations.firstDifference(in: all.dropLast(), from: other.columns.durations, at: 0) == nil
  }

  /// The bytes of all samples.
  fileprivate var copies: CopyPlan { copies(of: 0..<count) }
}

extension CopyPlan {
  /// Whether the bytes are those of another plan of as many.
  fileprivate func hasSameBytes(
    _ sources: [any ByteSource], as other: CopyPlan, of otherSources: [any ByteSource]
  ) throws(IOError) -> Bool {
    guard byteCount == other.byteCount else { return false }
    var (left, right) = (ByteCursor(self, sources), ByteCursor(other, otherSources))
    while true {
      let count = min(left.contiguousCount, right.contiguousCount, 1 << 16)
      if count == 0 { return true }
      let bytes = try left.read(count)
      guard bytes.count == count, bytes == (try right.read(count)) else { return false }
    }
  }
}

/// Reads the bytes of a plan one after the other, through a window of the source.
private struct ByteCursor {
  private let plan: CopyPlan
  private let sources: [any ByteSource]
  private var window: ByteWindow?
  private var piece = 0
  /// How many bytes of the piece were read.
  private var offset = 0

  init(_ plan: CopyPlan, _ sources: [any ByteSource]) { (self.plan, self.sources) = (plan, sources) }

  /// How many of the next bytes follow each other in one source.
  var contiguousCount: Int { piece < plan.pieces.count ? plan.pieces[piece].range.count - offset : 0 }

  /// The next bytes, at most `contiguousCount`.
  mutating func read(_ count: Int) throws(IOError) -> ArraySlice<UInt8> {
    let current = plan.pieces[piece]
    var reader = window ?? ByteWindow(sources[current.source])
    let bytes = try reader.slice(at: current.range.lowerBound + offset, count: count)
    (window, offset) = (reader, offset + count)
    if offset == current.range.count {
      let next = piece + 1 < plan.pieces.count ? plan.pieces[piece + 1].source : -1
      if next != current.source { window = nil }
      (piece, offset) = (piece + 1, 0)
    }
    return bytes
  }
}
