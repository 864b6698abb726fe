/// One sample as the builder is told to write it: a field that is `nil` is inherited from `tfhd` or `trex`.
public struct Sample: Sendable {
  /// In the timescale of the track.
  public var duration: UInt32?
  /// In bytes.
  public var size: UInt32?
  /// `sample_flags`.
  public var flags: UInt32?
  /// What is added to the decode time to know when the sample is shown.
  public var compositionOffset: Int64?

  /// A sample that states these fields.
  public init(_ size: UInt32? = nil, duration: UInt32? = nil, flags: UInt32? = nil, offset: Int64? = nil) {
    self.size = size
    self.duration = duration
    self.flags = flags
    compositionOffset = offset
  }
}

extension [Sample] {
  /// `count` samples whose stated sizes differ, from 20 bytes on; all other fields are inherited or what is given.
  public static func samples(
    _ count: Int, size: UInt32? = nil, duration: UInt32? = nil, flags: UInt32? = nil, offset: Int64? = nil
  ) -> [Sample] {
    (0..<count).map { Sample(size ?? UInt32(20 + $0 % 7), duration: duration, flags: flags, offset: offset) }
  }

  /// `count` samples that state nothing.
  public static func inherited(_ count: Int) -> [Sample] { Array(repeating: Sample(), count: count) }
}

/// A track run. A field is written when one of the samples states it, for all of them.
public struct Run: Sendable {
  /// Whether the place of the data is written.
  public enum DataOffset: Sendable {
    /// As an offset from the base.
    case explicit
    /// Not at all: the data follows the run before, or lies at the base.
    case absent
  }

  /// What the run holds.
  public var samples: [Sample]
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
    _ samples: [Sample], dataOffset: DataOffset = .explicit, firstSampleFlags: UInt32? = nil, version: UInt8? = nil,
    unusedBytesBefore: Int = 0
  ) {
    self.samples = samples
    self.dataOffset = dataOffset
    self.firstSampleFlags = firstSampleFlags
    self.version = version
    self.unusedBytesBefore = unusedBytesBefore
  }
}

/// What a fragment holds of a track.
public struct TrackFragment: Sendable {
  /// What data offsets count from.
  public enum Base: Sendable {
    /// default-base-is-moof.
    case moof
    /// Neither flag: the moof for the first traf, the end of the data of the traf before for the others.
    case none
    /// An explicit base_data_offset that is the offset of the moof.
    case explicit
    /// An explicit base_data_offset that is the offset of the data of the traf.
    case explicitData
    /// An explicit base_data_offset of this value.
    case explicitOffset(UInt64)
  }

  /// How the decode time is written.
  public enum DecodeTimeBox: Sendable {
    /// There is no tfdt.
    case absent
    /// With 32 bits.
    case version0
    /// With 64 bits.
    case version1
  }

  /// The track.
  public var track: UInt32
  /// What data offsets count from.
  public var base = Base.moof
  /// The decode time of the first sample; when `nil`, where the fragment before ended.
  public var decodeTime: UInt64?
  /// How the decode time is written.
  public var tfdt = DecodeTimeBox.version1
  /// sample_description_index in `tfhd`.
  public var description: UInt32?
  /// default_sample_duration in `tfhd`.
  public var defaultDuration: UInt32?
  /// default_sample_size in `tfhd`.
  public var defaultSize: UInt32?
  /// default_sample_flags in `tfhd`.
  public var defaultFlags: UInt32?
  /// Whether `tfhd` says that the default duration passes without samples.
  public var isDurationEmpty = false
  /// The runs.
  public var runs: [Run] = []
  /// Whole boxes before the runs.
  public var boxesBeforeRuns: [UInt8] = []
  /// Whole boxes after the runs.
  public var boxes: [UInt8] = []

  /// Nothing of `track` yet.
  public init(_ track: UInt32, _ runs: [Run] = []) {
    self.track = track
    self.runs = runs
  }

  /// Appends a run; the first one of a traf may inherit everything.
  public mutating func addRun(
    _ samples: [Sample], dataOffset: Run.DataOffset = .explicit, firstSampleFlags: UInt32? = nil,
    version: UInt8? = nil, unusedBytesBefore: Int = 0
  ) {
    runs.append(
      Run(
        samples, dataOffset: dataOffset, firstSampleFlags: firstSampleFlags, version: version,
        unusedBytesBefore: unusedBytesBefore))
  }
}
