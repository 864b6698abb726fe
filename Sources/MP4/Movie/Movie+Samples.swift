import Bytes
import ISOBMFF

/// A sample with when it is presented.
public struct TimedSample: Sendable {
  /// When it appears, from the start of the presentation on.
  public let start: MediaTime
  /// When it disappears.
  public let end: MediaTime
  /// Its data.
  public let bytes: [UInt8]
}

/// The samples of a track of text, which are small and few.
extension Movie {
  /// Calls `body` for the samples of a track that are presented, in decoding order, until it says to stop.
  ///
  /// - Returns: how many samples were skipped as they have more than `limit` bytes, or not all of them are in the file.
  @discardableResult public func forEachSample(
    ofTrack index: Int, limit: Int = 1 << 20, _ body: (TimedSample) -> Bool
  ) throws(MovieError) -> Int {
    let (list, timescale) = (lists[index], tracks[index].timescale)
    let (shift, end) = presentation(ofTrack: index)
    var (source, window) = (-1, ByteWindow(input.sources[0]))
    var position = SampleCursor()
    var skipped = 0
    while position.sample < list.count {
      let (place, size) = (position.place(in: list), list.size(position.sample))
      let start = position.time &+ list.compositionOffset(position.sample) &+ shift
      let times = max(0, start)..<max(0, start, min(start &+ list.duration(position.sample), end))
      position.advance(in: list)
      guard !times.isEmpty else { continue }
      guard size <= limit else {
        skipped += 1
        continue
      }
      if source != place.source {
        (source, window) = (place.source, ByteWindow(input.sources[place.source]))
      }
      let bytes: [UInt8]
      do throws(IOError) { bytes = Array(try window.slice(at: place.offset, count: size)) } catch { throw .io(error) }
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

  /// When the presentation of a track ends.
  public func end(ofTrack index: Int) -> MediaTime {
    MediaTime(presentation(ofTrack: index).end, tracks[index].timescale)
  }

  /// What is added to times of the track to have those of its presentation, and when that ends.
  private func presentation(ofTrack index: Int) -> (shift: Int64, end: Int64) {
    let edit = simpleEdit(ofTrack: index) ?? SimpleEdit()
    let shift = edit.delay &- edit.mediaTime
    return (shift, lists[index].compositionEnd &+ shift &- edit.cutAtEnd)
  }

  /// Whether a track is the chapters of another one, and not subtitles.
  public func isChapters(track index: Int) throws(MovieError) -> Bool {
    guard let group = input.group(of: index) else { return false }
    let payloads = MoviePayloads(source: input.sources[group.source])
    for trak in group.movie.box.boxes where trak.type == "trak" {
      guard let box = trak.first("tref", "chap") else { continue }
      let reference = try payloads.payload(of: box, in: "moov/trak/tref/chap", TrackReferenceTypeBox.self)
      if reference.trackIDs.contains(where: { $0 == tracks[index].id }) { return true }
    }
    return false
  }
}
