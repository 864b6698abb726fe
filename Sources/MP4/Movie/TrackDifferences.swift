import ISOBMFF
import MP4Bytes

/// Compares the samples of two tracks.
///
/// If both tracks have the same number of samples, those with the same index are compared, otherwise those with the
/// same decode time; the rest are in only one of the tracks. Times are compared exactly, in any timescale, and relative
/// to the first sample of each track: a fragmented file can start at any time, a progressive one at 0. The duration of
/// the last sample is not compared, because fragments and tables of the same media may declare different ones.
public struct TrackDifferences: Sendable {
  /// The compared properties.
  public enum Property: String, Sendable {
    /// Only one of the tracks has the sample.
    case presence
    /// The codecs of the sample description.
    case codecs
    /// The decode time, relative to that of the first sample.
    case decodeTime = "decode_time"
    /// The composition time, relative to the smallest of the track.
    case compositionTime = "composition_time"
    /// The duration.
    case duration
    /// Whether it is a sync sample.
    case keyframe
    /// Only whether decoding starts again at the sample: a CRA picture of one track is a BLA picture of the other
    /// (H.265), or follows an end of sequence (H.266).
    case decoderStart = "decoder_start"
    /// The size in bytes.
    case size
    /// Bytes at the same position in the sample.
    case bytes
  }

  /// A sample that differs, as indices in both tracks; `nil` for a track that does not have it.
  public struct Difference: Sendable {
    /// Its index in the first track.
    public let index: Int?
    /// Its index in the other track.
    public let otherIndex: Int?
    /// The first property that differs, in the order of the cases of `Property`.
    public let property: Property
  }

  /// The first difference in decoding order.
  public private(set) var first: Difference?
  /// The number of samples in both tracks that differ.
  public private(set) var changedCount = 0
  /// The number of these that differ only in their codecs, such as the same PCM in QuickTime and MP4 files.
  public private(set) var codecsOnlyCount = 0
  /// The number of these that differ only in whether decoding starts again at them, as operations write them where they
  /// join samples.
  public private(set) var decoderStartsCount = 0
  /// The number of samples that only the first track has.
  public private(set) var removedCount = 0
  /// The number of samples that only the other track has.
  public private(set) var addedCount = 0

  /// Whether no sample differs.
  public var isEmpty: Bool { first == nil }

  /// Compares all samples. Media is read only for samples that are equal in everything else, except codecs.
  public init(of track: Track, from other: Track) throws(MovieError) {
    let comparison = SampleListComparison(track, other)
    try io(comparison.run { self.add($0, isOnlyCodecs: $1) })
  }

  private mutating func add(_ difference: Difference, isOnlyCodecs: Bool) {
    first = first ?? difference
    if isOnlyCodecs { codecsOnlyCount += 1 }
    if difference.property == .decoderStart { decoderStartsCount += 1 }
    if difference.index == nil {
      addedCount += 1
    } else if difference.otherIndex == nil {
      removedCount += 1
    } else {
      changedCount += 1
    }
  }
}

/// Compares the samples of two tracks in parallel.
private struct SampleListComparison {
  typealias Property = TrackDifferences.Property
  typealias Difference = TrackDifferences.Difference

  private let (track, other): (Track, Track)
  private let (list, otherList): (SampleList, SampleList)
  private let (codecs, otherCodecs): ([String], [String])

  init(_ track: Track, _ other: Track) {
    (self.track, self.other) = (track, other)
    (list, otherList) = (track.list, other.list)
    (codecs, otherCodecs) = (track.decoderConfigurations.map(\.codecs), other.decoderConfigurations.map(\.codecs))
  }

  /// Calls `body` for each difference, in decoding order; its second argument is whether only the codecs differ.
  func run(_ body: (Difference, _ isOnlyCodecs: Bool) -> Void) throws(IOError) {
    if hasSameTables { return try compareContents(0..<list.count, at: 0, body) }
    var (left, right) = (SampleWalk(list), SampleWalk(otherList))
    // The latest run of samples that are equal except for bytes and codecs, which have not been compared yet.
    var same = 0..<0
    func finish() throws(IOError) {
      try compareContents(same, at: right.sample - same.count, body)
      same = left.sample..<left.sample
    }
    while left.sample < list.count || right.sample < otherList.count {
      let order = order(left, right)
      if order == 0, case nil = difference(&left, &right) {
        same = same.lowerBound..<(left.sample + 1)
        left.advance()
        right.advance()
        continue
      }
      try finish()
      if order == 0 {
        var found = difference(&left, &right) ?? .presence
        if found == .size, try differInDecoderStart(left.sample, right.sample) { found = .decoderStart }
        let property = hasSameCodec(left.sample, right.sample) ? found : .codecs
        body(Difference(index: left.sample, otherIndex: right.sample, property: property), false)
      } else {
        let (index, otherIndex) = (order < 0 ? left.sample : nil, order > 0 ? right.sample : nil)
        body(Difference(index: index, otherIndex: otherIndex, property: .presence), false)
      }
      if order <= 0 { left.advance() }
      if order >= 0 { right.advance() }
      same = left.sample..<left.sample
    }
    try finish()
  }

  /// Whether, according to the tables, only bytes and codecs can differ. Bytes are then compared for many samples at a
  /// time.
  private var hasSameTables: Bool {
    track.timescale == other.timescale && list.hasSameTable(as: otherList)
      && hasOneCodec
      && (list.isAllSync && otherList.isAllSync
        || list.columns.flags.firstDifference(in: 0..<list.count, from: otherList.columns.flags, at: 0) == nil)
  }

  /// The track that has the next sample alone: negative for the first track, positive for the other one, 0 if both have
  /// it.
  private func order(_ left: SampleWalk, _ right: SampleWalk) -> Int {
    if list.count == otherList.count { return 0 }
    if left.sample == list.count { return 1 }
    if right.sample == otherList.count { return -1 }
    let (time, otherTime) = (MediaTime(left.time, track.timescale), MediaTime(right.time, other.timescale))
    return time == otherTime ? 0 : time < otherTime ? -1 : 1
  }

  /// The first difference between two samples other than codecs and bytes.
  private func difference(_ left: inout SampleWalk, _ right: inout SampleWalk) -> Property? {
    func isSame(_ time: Int64, _ otherTime: Int64) -> Bool {
      MediaTime(time, track.timescale) == MediaTime(otherTime, other.timescale)
    }
    if !isSame(left.time, right.time) { return .decodeTime }
    let (first, otherFirst) = (list.compositionStart, otherList.compositionStart)
    if !isSame(left.compositionTime &- first, right.compositionTime &- otherFirst) { return .compositionTime }
    let isLast = left.sample == list.count - 1 || right.sample == otherList.count - 1
    if !isLast, !isSame(left.duration, right.duration) { return .duration }
    if left.isSync != right.isSync { return .keyframe }
    return left.size == right.size ? nil : .size
  }

  /// Whether all samples of each track have the same codec.
  private var hasOneCodec: Bool { list.descriptions.count <= 1 && otherList.descriptions.count <= 1 }

  private func hasSameCodec(_ sample: Int, _ otherSample: Int) -> Bool { codec(sample) == otherCodec(otherSample) }
  private func codec(_ sample: Int) -> String? { Self.codec(of: sample, in: list, codecs) }
  private func otherCodec(_ sample: Int) -> String? { Self.codec(of: sample, in: otherList, otherCodecs) }
  private static func codec(of sample: Int, in list: SampleList, _ codecs: [String]) -> String? {
    let index = Int(list.descriptionIndex(of: sample)) - 1
    return codecs.indices.contains(index) ? codecs[index] : nil
  }

  /// Compares the bytes and codecs of samples with the same number of samples of the other track, from `start` on.
  /// Everything else is equal.
  private func compareContents(
    _ samples: Range<Int>, at start: Int, _ body: (Difference, _ isOnlyCodecs: Bool) -> Void
  ) throws(IOError) {
    func otherIndex(_ sample: Int) -> Int { sample - samples.lowerBound + start }
    var next = samples.lowerBound
    func compareCodecs(before end: Int) {
      // Usually nothing is left to compare, even for millions of samples.
      let isSame = samples.isEmpty || hasOneCodec && hasSameCodec(samples.lowerBound, start)
      for sample in isSame ? end..<end : next..<end where !hasSameCodec(sample, otherIndex(sample)) {
        body(Difference(index: sample, otherIndex: otherIndex(sample), property: .codecs), true)
      }
      next = end
    }
    try compareBytes(samples, at: start) { (sample) throws(IOError) in
      compareCodecs(before: sample)
      let differsInStart = try differInDecoderStart(sample, otherIndex(sample))
      let property: Property =
        hasSameCodec(sample, otherIndex(sample)) ? differsInStart ? .decoderStart : .bytes : .codecs
      body(Difference(index: sample, otherIndex: otherIndex(sample), property: property), false)
      next = sample + 1
    }
    compareCodecs(before: samples.upperBound)
  }

  /// The maximum size of samples whose NAL units are compared.
  private static let pictureLimit = 64 << 20

  /// Whether two sync samples differ only in whether decoding starts again at them.
  private func differInDecoderStart(_ sample: Int, _ otherSample: Int) throws(IOError) -> Bool {
    func picture(_ track: Track, _ sample: Int) throws(IOError) -> [UInt8]? {
      let (list, configurations) = (track.list, track.decoderConfigurations)
      let number = Int(list.descriptionIndex(of: sample)) - 1
      guard configurations.indices.contains(number), let (codec, lengthSize) = configurations[number].pictureUnits,
        codec != .avc, list.isSync(sample), list.size(sample) <= Self.pictureLimit
      else { return nil }
      var window = ByteWindow(track.samples.storage.sources[list.source(of: sample)], readAhead: 0)
      let bytes = Array(try window.slice(at: list.columns.offset(sample), count: list.size(sample)))
      return bytes.withoutDecoderStart(codec, lengthSize: lengthSize)
    }
    let sizes = (list.size(sample), otherList.size(otherSample))
    guard sizes.0 - sizes.1 <= 6, sizes.1 - sizes.0 <= 6, let own = try picture(track, sample) else { return false }
    return own == (try picture(other, otherSample))
  }

  /// Compares the bytes of samples with the same number of samples of the other track, from `start` on, which have the
  /// same sizes. Calls `body` for each sample that differs.
  private func compareBytes(_ samples: Range<Int>, at start: Int, _ body: (Int) throws(IOError) -> Void)
    throws(IOError)
  {
    guard !samples.isEmpty else { return }
    let sizes = list.columns.sizes
    // The position in the concatenated bytes of all samples.
    var position = sizes.sum(before: samples.lowerBound)
    var next = samples.lowerBound
    var left = ByteCursor(list.copies(of: samples), track.samples.storage.sources)
    var right = ByteCursor(
      otherList.copies(of: start..<(start + samples.count)), other.samples.storage.sources)
    while case let count = min(left.contiguousCount, right.contiguousCount, 1 << 16), count > 0 {
      let (bytes, otherBytes) = (try left.read(count), try right.read(count))
      let end = position + Int64(count)
      if bytes.count < count || !bytes.hasSameBytes(as: otherBytes) {
        var (sample, first) = sizes.index(whereSumExceeds: position)
        while first < end {
          let size = sizes[sample]
          let part = Int(max(first, position) - position)..<Int(min(first + size, end) - position)
          if sample >= next, !bytes.hasSamePart(part, as: otherBytes) {
            try body(sample)
            next = sample + 1
          }
          (sample, first) = (sample + 1, first + size)
        }
      }
      position = end
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether a range, relative to the start, exists in both and is equal.
  fileprivate func hasSamePart(_ range: Range<Int>, as other: ArraySlice<UInt8>) -> Bool {
    let part = dropFirst(range.lowerBound).prefix(range.count)
    return part.count == range.count && part.hasSameBytes(as: other.dropFirst(range.lowerBound).prefix(range.count))
  }
}

extension [UInt8] {
  /// A sample with BLA pictures as CRA pictures, and without an end of sequence at its start; `nil` if it does not
  /// consist of NAL units.
  fileprivate func withoutDecoderStart(_ codec: NALUnits.Codec, lengthSize: Int) -> [UInt8]? {
    var (result, at) = (self, 0)
    while at + lengthSize + 2 < count {
      let length = self[at..<at + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      at += lengthSize
      guard length >= 2, length <= count - at, let type = codec.type(self[at..<at + length]) else { return nil }
      if codec == .hevc, type == 16 || type == 21, length > 2 {
        result[at] = result[at] & 0x81 | 21 << 1
        result[at + 2] &= 0xbf
      }
      if codec == .vvc, type == 21, at == lengthSize { result.removeFirst(lengthSize + length) }
      at += length
    }
    return at == count ? result : nil
  }
}
