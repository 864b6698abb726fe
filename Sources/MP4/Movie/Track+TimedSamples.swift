import Bytes
import ISOBMFF

/// A sample with its presentation time.
package struct TimedSample: Sendable {
  /// When it appears, relative to the start of the presentation.
  package let start: MediaTime
  /// When it disappears.
  package let end: MediaTime
  /// Its data.
  package let bytes: [UInt8]
}

/// The samples of a subtitle or text track, which are small and few.
extension Track {
  /// Calls `body` for the presented samples, in decoding order, until it returns false.
  ///
  /// - Returns: The number of samples that were skipped because they are larger than `limit` bytes or incomplete in the
  ///   file.
  @discardableResult package func forEachTimedSample(
    limit: Int = 1 << 20, _ body: (TimedSample) -> Bool
  ) throws(MovieError) -> Int {
    let sources = samples.storage.sources
    let (shift, end) = presentation
    var (source, window) = (-1, ByteWindow(sources[0]))
    var walk = SampleWalk(list)
    var skipped = 0
    while walk.sample < list.count {
      defer { walk.advance() }
      let (size, start) = (walk.size, walk.compositionTime &+ shift)
      let times = max(0, start)..<max(0, start, min(start &+ walk.duration, end))
      guard !times.isEmpty else { continue }
      guard size <= limit else {
        skipped += 1
        continue
      }
      let (own, offset) = (list.source(of: walk.sample), list.columns.offset(walk.sample))
      if source != own { (source, window) = (own, ByteWindow(sources[own])) }
      let bytes: [UInt8]
      do throws(IOError) { bytes = Array(try window.slice(at: offset, count: size)) } catch { throw .io(error) }
      guard bytes.count == size else {
        skipped += 1
        continue
      }
      let sample = TimedSample(
        start: MediaTime(times.lowerBound, timescale), end: MediaTime(times.upperBound, timescale), bytes: bytes)
      guard body(sample) else { break }
    }
    return skipped
  }

  /// The end of its presentation in the written movie, which starts at 0.
  package var end: MediaTime { MediaTime(presentation.end, timescale) }

  /// The offset from track times to presentation times, and the end of the presentation.
  private var presentation: (shift: Int64, end: Int64) {
    let edit = simpleEdit ?? SimpleEdit()
    let shift = edit.delay &- edit.mediaTime
    return (shift, list.compositionEnd &+ shift &- edit.cutAtEnd)
  }
}
