import ISOBMFF
import MP4Bytes

/// A sample near a joint.
struct JointSample {
  /// Its number among the samples of its track.
  var number: Int
  /// The index of its source.
  var source: Int
  /// Its bytes in the source.
  var bytes: Range<Int>
  var compositionTime: Int64
  var duration: Int64
  /// Whether decoding can start at it.
  var isSync: Bool
}

extension SampleList {
  func jointSample(_ number: Int) -> JointSample {
    let start = columns.offset(number)
    return JointSample(
      number: number, source: source(of: number), bytes: start..<max(start, start &+ size(number)),
      compositionTime: columns.time(number) &+ compositionOffset(number), duration: duration(number),
      isSync: isSync(number))
  }

  /// The number of the first sample with a decode time at or after `time`.
  private func number(atTime time: Int64) -> Int { columns.index(at: time, in: 0..<count) }

  /// The maximum number of samples in which sync samples are searched.
  private static let syncSearchLimit = 4096

  /// The samples that readers such as ffmpeg decode for an edit: from the last sync sample that is presented at or
  /// before its start to the second sync sample after its end.
  func decoded(for edit: Range<Int64>, notSync: Set<Int>) -> Range<Int> {
    func isSync(_ sample: JointSample) -> Bool { sample.isSync && !notSync.contains(sample.number) }
    var first = max(0, number(atTime: edit.lowerBound &+ 1) - 1)
    while first > 0 {
      let sample = jointSample(first)
      if isSync(sample), sample.compositionTime <= edit.lowerBound { break }
      first -= 1
    }
    var end = max(first, number(atTime: edit.upperBound) - 64)
    let limit = min(count, end + Self.syncSearchLimit)
    var left = 2
    while end < limit, left > 0 {
      let sample = jointSample(end)
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
