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
  var duration: Int64 = 0
  /// Whether decoding can start at it.
  var isSync: Bool
}

/// The samples of a track by their numbers on its timeline, in decoding order.
struct TimelineSamples {
  private let entries: [TrackTimeline.Entry]
  private let columns: SampleColumns
  private let fragments: [TrackFragment]
  /// The number of the first sample of each entry, and the number of all samples.
  private let starts: [Int]

  init(_ timeline: TrackTimeline, _ fragments: FragmentTable, track: Int) {
    (entries, columns) = (timeline.entries, fragments.samples[track])
    self.fragments = fragments.trackFragments
    var (starts, count) = ([0], 0)
    for entry in entries {
      count += entry.used
      starts.append(count)
    }
    self.starts = starts
  }

  var count: Int { starts[entries.count] }
  /// The number of the first sample of an entry; of the first sample after them for later entries.
  func start(ofEntry entry: Int) -> Int { starts[min(entry, entries.count)] }

  subscript(number: Int) -> JointSample {
    let position = starts.partition { $0 > number } - 1
    let entry = entries[position]
    let index = entry.first + number - starts[position]
    let start = columns.offset(index)
    let time = entry.start &+ columns.time(index) &- columns.time(entry.first)
    return JointSample(
      index: index, source: fragments[entry.index].source, bytes: start..<max(start, start &+ columns.size(index)),
      compositionTime: time &+ columns.compositionOffset(index), duration: Int64(columns.duration(index)),
      isSync: columns.flags(index).isSync)
  }

  /// The number of the first sample with a decode time at or after `time`.
  private func number(atTime time: Int64) -> Int {
    let position = entries.partition { $0.start >= time } - 1
    guard position >= 0 else { return 0 }
    let entry = entries[position]
    let index = columns.index(at: time &- entry.start, in: entry.first..<entry.first + entry.used)
    return starts[position] + index - entry.first
  }

  /// The maximum number of samples in which sync samples are searched.
  private static let limit = 4096

  /// The samples that readers such as ffmpeg decode for an edit: from the last sync sample that is presented at or
  /// before its start to the second sync sample after its end.
  func decoded(for edit: Range<Int64>, notSync: Set<Int>) -> Range<Int> {
    func isSync(_ sample: JointSample) -> Bool { sample.isSync && !notSync.contains(sample.index) }
    var first = max(0, number(atTime: edit.lowerBound &+ 1) - 1)
    while first > 0 {
      let sample = self[first]
      if isSync(sample), sample.compositionTime <= edit.lowerBound { break }
      first -= 1
    }
    var end = max(first, number(atTime: edit.upperBound) - 64)
    let limit = min(count, end + Self.limit)
    var left = 2
    while end < limit, left > 0 {
      let sample = self[end]
      if isSync(sample), sample.compositionTime &+ sample.duration >= edit.upperBound { left -= 1 }
      end += 1
    }
    return first..<end
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
    return try io(own.slice(at: range.lowerBound, count: range.count))
  }
}

extension DecoderConfiguration {
  /// The codec of the NAL units of AVC, HEVC or VVC, and the number of bytes of their lengths; `nil` for other codecs.
  var pictureUnits: (codec: NALUnits.Codec, lengthSize: Int)? {
    nalUnits ?? box(VVCConfigurationBox.self).map { (.vvc, Int($0.lengthSizeMinusOne & 3) + 1) }
  }
}
