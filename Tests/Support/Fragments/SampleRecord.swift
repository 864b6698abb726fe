/// One sample as a right reader sees it.
public struct SampleRecord: Equatable, Sendable, CustomStringConvertible {
  /// When it is decoded, in the timescale of its track.
  public var decodeTime: Int
  /// What is added to the decode time to know when it is shown.
  public var compositionOffset: Int
  /// In the timescale of its track.
  public var duration: Int
  /// `sample_flags`, as in a track run.
  public var flags: UInt32
  /// Which sample entry describes it, counted from 1.
  public var descriptionIndex: Int
  /// Its bytes.
  public var payload: [UInt8]
  /// The descriptions of the groups it is in, by their four letters.
  public var groups: [String: [UInt8]] = [:]
  /// Its auxiliary information.
  public var auxiliary: [UInt8] = []

  /// A sample of which this is said.
  public init(
    decodeTime: Int, compositionOffset: Int, duration: Int, flags: UInt32, descriptionIndex: Int, payload: [UInt8],
    groups: [String: [UInt8]] = [:], auxiliary: [UInt8] = []
  ) {
    (self.decodeTime, self.compositionOffset, self.duration) = (decodeTime, compositionOffset, duration)
    (self.flags, self.descriptionIndex, self.payload) = (flags, descriptionIndex, payload)
    (self.groups, self.auxiliary) = (groups, auxiliary)
  }

  /// Whether decoding can start here.
  public var isSync: Bool { flags & .nonSync == 0 }
  /// When it is shown.
  public var compositionTime: Int { decodeTime + compositionOffset }

  /// One line.
  public var description: String {
    let start = payload.prefix(6).map(hexadecimal).joined()
    return "dts \(decodeTime) cts+\(compositionOffset) dur \(duration) flags 0x\(String(flags, radix: 16))"
      + " entry \(descriptionIndex) \(payload.count) bytes \(start)… groups \(groups.sorted { $0.key < $1.key })"
      + " auxiliary \(auxiliary.map(hexadecimal).joined())"
  }
}

/// Values of `sample_flags` that occur.
extension UInt32 {
  /// A sync sample that depends on no other.
  public static let sync: UInt32 = 0x0200_0000
  /// A sample that depends on others.
  public static let depends: UInt32 = 0x0101_0000
  /// A sample that depends on others while none depends on it.
  public static let disposable: UInt32 = 0x0181_0000
  /// The bit `sample_is_non_sync_sample` alone.
  public static let nonSync: UInt32 = 0x0001_0000
}

extension [SampleRecord] {
  /// The same samples, the first one decoded at 0.
  public func rebased() -> [SampleRecord] {
    guard let first else { return [] }
    return map { sample in
      var sample = sample
      sample.decodeTime -= first.decodeTime
      return sample
    }
  }

  /// The same samples, each one as long as it takes to the next: what a table of durations has to say about a gap.
  public func stretched() -> [SampleRecord] {
    var samples = self
    for index in samples.indices.dropLast() {
      samples[index].duration = samples[index + 1].decodeTime - samples[index].decodeTime
    }
    return samples
  }

  /// The same samples as far as sample tables can tell: four bits of `sample_flags` have no place, and dependencies
  /// that follow from the sync flags of all samples need not be written.
  public func asInTables() -> [SampleRecord] {
    let tellsMore = contains { $0.flags >> 20 & 0xff != 0 && $0.flags >> 20 & 0xff != ($0.isSync ? 0x20 : 0x10) }
    return map { sample in
      var sample = sample
      sample.flags &= tellsMore ? 0x0fff_ffff : 0x000f_ffff
      return sample
    }
  }

  /// The same samples with nothing but what every file says of them: of the flags `sample_is_non_sync_sample`, and no
  /// groups and auxiliary information.
  public func withSyncOnly() -> [SampleRecord] {
    map { sample in
      var sample = sample
      sample.flags &= .nonSync
      (sample.groups, sample.auxiliary) = ([:], [])
      return sample
    }
  }
}

/// What differs first, or `nil` when both hold the same samples.
public func difference(_ expected: [SampleRecord], _ actual: [SampleRecord]) -> String? {
  for (index, pair) in zip(expected, actual).enumerated() where pair.0 != pair.1 {
    return "sample \(index)\nexpected \(pair.0)\nis       \(pair.1)"
  }
  return expected.count == actual.count ? nil : "\(expected.count) samples expected, there are \(actual.count)"
}

/// What differs first, track by track; a track without samples is like no track.
public func difference(_ expected: [UInt32: [SampleRecord]], _ actual: [UInt32: [SampleRecord]]) -> String? {
  for track in Set(expected.keys).union(actual.keys).sorted() {
    if let text = difference(expected[track] ?? [], actual[track] ?? []) { return "track \(track): " + text }
  }
  return nil
}
