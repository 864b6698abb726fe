import MP4Bytes

/// The sampling rate of audio, if it does not fit in the sample entry.
public struct SamplingRateBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "srat", "Sampling Rate Box", in: SampleEntries.audioTypes, "ISO/IEC 14496-12:2022, 12.2.3")
  public var header = FullBoxHeader()
  /// Samples per second.
  public var samplingRate: UInt32 = 0
  /// An unknown rate.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("sampling_rate", &samplingRate)
  }
}
