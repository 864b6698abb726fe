import Bytes
import ISOBMFF

/// A sample near a joint.
struct JointSample {
  /// Its index among the samples of its track, in the order of reading.
  var index: Int
  /// The index of its source.
  var source: Int
  /// Its bytes in the source.
  var bytes: Range<Int>
  /// Its composition time in the output.
  var compositionTime: Int64
  /// Whether decoding can start at it.
  var isSync: Bool
}

extension MovieInput {
  /// The samples of an entry of a timeline, at most `limit`, from its first or from its last one on.
  private func samples(
    ofEntry number: Int, _ timeline: TrackTimeline, track: Int, limit: Int, fromEnd: Bool = false
  ) -> [JointSample] {
    let (entry, columns) = (timeline.entries[number], fragments.samples[track])
    let count = min(limit, entry.used)
    let first = fromEnd ? entry.first + entry.used - count : entry.first
    return (first..<(first + count)).map { index in
      let start = columns.offset(index)
      let time = entry.start &+ columns.time(index) &- columns.time(entry.first)
      return JointSample(
        index: index, source: fragments.trackFragments[entry.index].source,
        bytes: start..<max(start, start &+ columns.size(index)),
        compositionTime: time &+ columns.compositionOffset(index),
        isSync: columns.flags(index).isSync)
    }
  }

  /// The last samples before an entry and after the entry `start`, at most `limit`, in decoding order.
  func samples(before entry: Int, from start: Int, _ timeline: TrackTimeline, track: Int, limit: Int)
    -> [JointSample]
  {
    var (result, number): ([JointSample], Int) = ([], entry)
    while number > start, result.count < limit {
      number -= 1
      result.insert(
        contentsOf: samples(
          ofEntry: number, timeline, track: track, limit: limit - result.count, fromEnd: true), at: 0)
    }
    return result
  }

  /// The first samples from an entry on and before the entry `end`, at most `limit`, in decoding order.
  func samples(from entry: Int, before end: Int, _ timeline: TrackTimeline, track: Int, limit: Int) -> [JointSample] {
    var (result, number): ([JointSample], Int) = ([], entry)
    while number < min(end, timeline.entries.count), result.count < limit {
      result += samples(ofEntry: number, timeline, track: track, limit: limit - result.count)
      number += 1
    }
    return result
  }
}

/// Reads the headers of the NAL units in samples.
struct SampleUnitReader {
  /// A NAL unit in a source.
  struct Unit {
    var type: Int
    /// Its bytes, without the length.
    var bytes: Range<Int>
  }
  private let sources: [any ByteSource]
  private var window: (source: Int, window: ByteWindow)?

  /// The maximum number of units of a sample. Pictures have at most 600 slices.
  private static let limit = 2048

  init(_ sources: [any ByteSource]) { self.sources = sources }

  /// The NAL units of a sample; `nil` if it does not consist of them, for example because it is encrypted as a whole.
  mutating func units(of sample: JointSample, _ codec: NALUnits.Codec, lengthSize: Int) throws(MovieError) -> [Unit]? {
    var (result, at): ([Unit], Int) = ([], sample.bytes.lowerBound)
    while at < sample.bytes.upperBound {
      let header = try bytes(at..<at &+ lengthSize &+ 2, of: sample.source)
      guard header.count >= lengthSize + codec.headerSize else { return nil }
      let length = header.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      let start = at &+ lengthSize
      guard length >= codec.headerSize, length <= sample.bytes.upperBound &- start, result.count < Self.limit,
        let type = codec.type(header.dropFirst(lengthSize)), header[header.startIndex + lengthSize] & 0x80 == 0
      else { return nil }
      result.append(Unit(type: type, bytes: start..<start &+ length))
      at = start &+ length
    }
    return result.isEmpty ? nil : result
  }

  /// Bytes of a source; fewer at its end.
  mutating func bytes(_ range: Range<Int>, of source: Int) throws(MovieError) -> ArraySlice<UInt8> {
    var own = window.flatMap { $0.source == source ? $0.window : nil } ?? ByteWindow(sources[source], readAhead: 256)
    defer { window = (source, own) }
    do throws(IOError) { return try own.slice(at: range.lowerBound, count: range.count) } catch { throw .io(error) }
  }
}

extension DecoderConfiguration {
  /// The codec of the NAL units of AVC, HEVC or VVC, and the number of bytes of their lengths; `nil` for other codecs.
  var pictureUnits: (codec: NALUnits.Codec, lengthSize: Int)? {
    nalUnits ?? box(VVCConfigurationBox.self).map { (.vvc, Int($0.lengthSizeMinusOne & 3) + 1) }
  }
}
