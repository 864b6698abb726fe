/// A sample as specified for the builder: a field that is `nil` is inherited from `tfhd` or `trex`.
public struct SampleSpec: Sendable {
  /// In the timescale of the track.
  public var duration: UInt32?
  /// In bytes.
  public var size: UInt32?
  /// `sample_flags`.
  public var flags: UInt32?
  /// The offset from the decode time to the composition time.
  public var compositionOffset: Int64?
  /// The descriptions of its groups, by group type.
  public var groups: [String: [UInt8]] = [:]
  /// Its auxiliary information: an initialization vector of 8 bytes, possibly followed by subsamples.
  public var auxiliary: [UInt8] = []

  /// A sample with these declared fields.
  public init(_ size: UInt32? = nil, duration: UInt32? = nil, flags: UInt32? = nil, offset: Int64? = nil) {
    self.size = size
    self.duration = duration
    self.flags = flags
    compositionOffset = offset
  }
}

extension [SampleSpec] {
  /// `count` samples with different declared sizes, starting at 20 bytes; all other fields are inherited or as given.
  public static func samples(
    _ count: Int, size: UInt32? = nil, duration: UInt32? = nil, flags: UInt32? = nil, offset: Int64? = nil
  ) -> [SampleSpec] {
    (0..<count).map { SampleSpec(size ?? UInt32(20 + $0 % 7), duration: duration, flags: flags, offset: offset) }
  }

  /// The same samples; those at `indices` are in a group with this description.
  public func inGroup(_ type: String, _ description: [UInt8], at indices: Range<Int>) -> [SampleSpec] {
    var samples = self
    for index in indices { samples[index].groups[type] = description }
    return samples
  }

  /// The same samples with this auxiliary information, in order.
  public func withAuxiliary(_ information: [[UInt8]]) -> [SampleSpec] {
    zip(self, information).map { sample, bytes in
      var sample = sample
      sample.auxiliary = bytes
      return sample
    }
  }

  /// `count` samples that inherit everything.
  public static func inherited(_ count: Int) -> [SampleSpec] { Array(repeating: SampleSpec(), count: count) }
}

/// A track run. A field is written for all samples if one of them declares it.
public struct RunSpec: Sendable {
  /// Whether the data offset is written.
  public enum DataOffset: Sendable {
    /// As an offset from the base.
    case explicit
    /// Not written: the data follows that of the previous run, or starts at the base.
    case absent
  }

  /// The samples of the run.
  public var samples: [SampleSpec]
  /// Whether the data offset is written.
  public var dataOffset = DataOffset.explicit
  /// `first_sample_flags`, if written.
  public var firstSampleFlags: UInt32?
  /// 0 or 1; `nil` means 1 if a composition offset is negative.
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
