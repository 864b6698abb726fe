import MP4Bytes

/// The coding of Dolby TrueHD audio. Unlike other audio sample entries, it has the full sampling rate.
public struct MLPSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("mlpa", "MLP Sample Entry", in: ["stsd"], "Dolby TrueHD in ISOBMFF 1.0")
  public static let holdsBoxes = true
  /// The index, from 1, of the `dref` entry with the location of the samples.
  public var dataReferenceIndex: UInt16 = 1
  /// The number of channels of a downmix; the stream declares the actual number.
  public var channelCount: UInt16 = 2
  /// Bits per uncompressed sample.
  public var sampleSize: UInt16 = 16
  /// Samples per second.
  public var sampleRate: UInt32 = 48000
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Stereo at 48 kHz.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
    try c.reserved(&reserved, bytes: 8)
    try c.uint16("channelcount", &channelCount)
    try c.uint16("samplesize", &sampleSize)
    try c.reserved(&reserved, bytes: 4)
    try c.uint32("samplerate", &sampleRate)
    c.boxes()
  }
}
