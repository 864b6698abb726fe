/// The part of a fragment for one track.
public struct TrackFragmentSpec: Sendable {
  /// The base of the data offsets.
  public enum Base: Sendable {
    /// default-base-is-moof.
    case moof
    /// Neither flag: the `moof` for the first traf, and the end of the previous traf's data for the others.
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
    /// Without `tfdt`.
    case absent
    /// With 32 bits.
    case version0
    /// With 64 bits.
    case version1
  }

  /// The location of auxiliary information.
  public enum AuxiliaryPlace: Sendable {
    /// In `senc`.
    case encryptionBox
    /// In an unknown box, which `saiz` and `saio` refer to.
    case offsets
    /// Like `offsets`, with an offset for each run.
    case offsetsOfRuns
  }

  /// The track.
  public var track: UInt32
  /// The base of the data offsets.
  public var base = Base.moof
  /// The decode time of the first sample; `nil` means the end of the previous fragment.
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
  /// Whether `tfhd` declares that the default duration passes without samples.
  public var isDurationEmpty = false
  /// The runs.
  public var runs: [RunSpec] = []
  /// The location of auxiliary information, if samples have any.
  public var auxiliaryPlace = AuxiliaryPlace.encryptionBox
  /// Whole boxes before the runs.
  public var boxesBeforeRuns: [UInt8] = []
  /// Whole boxes after the runs.
  public var boxes: [UInt8] = []

  /// An empty traf of `track`.
  public init(_ track: UInt32, _ runs: [RunSpec] = []) {
    self.track = track
    self.runs = runs
  }

  /// Appends a run; the first one of a traf may inherit everything.
  public mutating func addRun(
    _ samples: [SampleSpec], dataOffset: RunSpec.DataOffset = .explicit, firstSampleFlags: UInt32? = nil,
    version: UInt8? = nil, unusedBytesBefore: Int = 0
  ) {
    runs.append(
      RunSpec(
        samples, dataOffset: dataOffset, firstSampleFlags: firstSampleFlags, version: version,
        unusedBytesBefore: unusedBytesBefore))
  }
}
