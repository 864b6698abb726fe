/// A sample as a correct reader sees it.
public struct SampleRecord: Equatable, Sendable, CustomStringConvertible {
  /// The decode time, in the timescale of its track.
  public var decodeTime: Int
  /// The offset from the decode time to the composition time.
  public var compositionOffset: Int
  /// In the timescale of its track.
  public var duration: Int
  /// `sample_flags`, as in a track run.
  public var flags: UInt32
  /// The index of its sample entry, counted from 1.
  public var descriptionIndex: Int
  /// Its bytes.
  public var payload: [UInt8]
  /// The descriptions of its groups, by group type.
  public var groups: [String: [UInt8]] = [:]
  /// Its auxiliary information.
  public var auxiliary: [UInt8] = []

  /// A sample with these properties.
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
  /// The composition time.
  public var compositionTime: Int { decodeTime + compositionOffset }

  /// The sample on one line.
  public var description: String {
    let start = payload.prefix(6).map(hexadecimal).joined()
    return "dts \(decodeTime) cts+\(compositionOffset) dur \(duration) flags 0x\(String(flags, radix: 16))"
      + " entry \(descriptionIndex) \(payload.count) bytes \(start)… groups \(groups.sorted { $0.key < $1.key })"
      + " auxiliary \(auxiliary.map(hexadecimal).joined())"
  }
}

/// Common values of `sample_flags`.
extension UInt32 {
  /// A sync sample that does not depend on others.
  public static let sync: UInt32 = 0x0200_0000
  /// A sample that depends on others.
  public static let depends: UInt32 = 0x0101_0000
  /// A sample that depends on others and on which no sample depends.
  public static let disposable: UInt32 = 0x0181_0000
  /// Only the bit `sample_is_non_sync_sample`.
  public static let nonSync: UInt32 = 0x0001_0000
}

extension [SampleRecord] {
  /// The same samples, starting at decode time 0.
  public func rebased() -> [SampleRecord] {
    guard let first else { return [] }
    return map { sample in
      var sample = sample
      sample.decodeTime -= first.decodeTime
      return sample
    }
  }

  /// The same samples, each extended to the start of the next, as a table of durations must express gaps.
  public func stretched() -> [SampleRecord] {
    var samples = self
    for index in samples.indices.dropLast() {
      samples[index].duration = samples[index + 1].decodeTime - samples[index].decodeTime
    }
    return samples
  }

  /// The same samples with the properties that sample tables can express: four bits of `sample_flags` cannot be stored,
  /// and dependencies that follow from the sync flags of all samples need not be written.
  public func asInTables() -> [SampleRecord] {
    let tellsMore = contains { $0.flags >> 20 & 0xff != 0 && $0.flags >> 20 & 0xff != ($0.isSync ? 0x20 : 0x10) }
    return map { sample in
      var sample = sample
      sample.flags &= tellsMore ? 0x0fff_ffff : 0x000f_ffff
      return sample
    }
  }

  /// The same samples with only the properties that every file declares: `sample_is_non_sync_sample` of the flags, and
  /// no groups and auxiliary information.
  public func withSyncOnly() -> [SampleRecord] {
    map { sample in
      var sample = sample
      sample.flags &= .nonSync
      (sample.groups, sample.auxiliary) = ([:], [])
      return sample
    }
  }
}

/// The first difference, or `nil` if both have the same samples.
public func difference(_ expected: [SampleRecord], _ actual: [SampleRecord]) -> String? {
  for (index, pair) in zip(expected, actual).enumerated() where pair.0 != pair.1 {
    return "sample \(index)\nexpected \(pair.0)\nis       \(pair.1)"
  }
  return expected.count == actual.count ? nil : "\(expected.count) samples expected, there are \(actual.count)"
}

/// The first difference, track by track; a track without samples equals a missing track.
public func difference(_ expected: [UInt32: [SampleRecord]], _ actual: [UInt32: [SampleRecord]]) -> String? {
  for track in Set(expected.keys).union(actual.keys).sorted() {
    if let text = difference(expected[track] ?? [], actual[track] ?? []) { return "track \(track): " + text }
  }
  return nil
}
