/// One sample as the builder is reported to write it: a field that is `nil` is inherited from `tfhd` or `trex`.
public struct SampleSpec: Sendable {
  /// In the timescale of the track.
  public var duration: UInt32?
  /// In bytes.
  public var size: UInt32?
  /// `sample_flags`.
  public var flags: UInt32?
  /// What is added to the decode time to know when the sample is shown.
  public var compositionOffset: Int64?
  /// The descriptions of the groups it is in, by their four letters.
  public var groups: [String: [UInt8]] = [:]
  /// Its auxiliary information, as an initialization vector of 8 bytes and perhaps subsamples.
  public var auxiliary: [UInt8] = []

  /// A sample that states these fields.
  public init(_ size: UInt32? = nil, duration: UInt32? = nil, flags: UInt32? = nil, offset: Int64? = nil) {
    self.size = size
    self.duration = duration
    self.flags = flags
    compositionOffset = offset
  }
}

extension [SampleSpec] {
  /// `count` samples whose stated sizes differ, from 20 bytes on; all other fields are inherited or what is given.
  public static func samples(
    _ count: Int, size: UInt32? = nil, duration: UInt32? = nil, flags: UInt32? = nil, offset: Int64? = nil
  ) -> [SampleSpec] {
    (0..<count).map { SampleSpec(size ?? UInt32(20 + $0 % 7), duration: duration, flags: flags, offset: offset) }
  }

  /// The same samples, those at `indices` in a group that is described so.
  public func inGroup(_ type: String, _ description: [UInt8], at indices: Range<Int>) -> [SampleSpec] {
    var samples = self
    for index in indices { samples[index].groups[type] = description }
    return samples
  }

  /// The same samples with this auxiliary information, one after the other.
  public func withAuxiliary(_ information: [[UInt8]]) -> [SampleSpec] {
    zip(self, information).map { sample, bytes in
      var sample = sample
      sample.auxiliary = bytes
      return sample
    }
  }

  /// `count` samples that state nothing.
  public static func inherited(_ count: Int) -> [SampleSpec] { Array(repeating: SampleSpec(), count: count) }
}

/// A track run. A field is written when one of the samples states it, for all of them.
public struct RunSpec: Sendable {
  /// Whether the place of the data is written.
  public enum DataOffset: Sendable {
    /// As an offset from the base.
    case explicit
    /// Not at all: the data follows the run before, or lies at the base.
    case absent
  }

  /// What the run holds.
  public var samples: [SampleSpec]
  /// Whether the place of the data is written.
  public var dataOffset = DataOffset.explicit
  /// `first_sample_flags`, when written.
  public var firstSampleFlags: UInt32?
  /// 0 or 1; when `nil`, 1 where a composition offset is negative.
  public var version: UInt8?
  /// Bytes in the media data before this run that belong to no sample.
  public var unusedBytesBefore = 0

  /// A run of `samples`.
  public init(
    _ samples: [SampleSpec], dataOffset: DataOffset = .explicit, firstSampleFlags: UInt32? = nil, version: UInt8? = nil,
    unusedBytesBefore: Int = 0
  ) {
    self.samples = samples
    self.dataOffset = dataOffset
    self.firstSampleFlags = firstSampleFlags
    self.version = version
    self.unusedBytesBefore = unusedBytesBefore
  }
}
