import MP4Bytes

/// The decryption parameters of each sample.
public struct SampleEncryptionBox: FullBoxPayload, Equatable {
  /// Unencrypted bytes, followed by encrypted bytes.
  public struct Subsample: BoxTableRow {
    /// The number of unencrypted bytes.
    public var bytesOfClearData: UInt16 = 0
    /// The number of encrypted bytes.
    public var bytesOfProtectedData: UInt32 = 0
    /// No bytes.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("BytesOfClearData", &bytesOfClearData)
      try c.uint32("BytesOfProtectedData", &bytesOfProtectedData)
    }
  }
  /// One sample.
  public struct Sample: BoxTableRow {
    /// 8 or 16 bytes, or none if there is a constant vector.
    public var initializationVector: [UInt8] = []
    /// Its unencrypted and encrypted parts; if there are none, the whole sample is encrypted.
    public var subsamples = BoxTable<Subsample>()
    /// A sample that declares no parameters.
    public init() {}
    /// `shape` is the size of the initialization vector, plus 0x100 if there are subsamples.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bytes("InitializationVector", &initializationVector, count: Int(shape & 0xff))
      guard shape & 0x100 != 0 else { return }
      var count = UInt16(clamping: subsamples.count)
      try c.uint16("subsample_count", &count)
      try c.table("subsamples", &subsamples, count: count)
    }
  }
  public static let info = BoxInfo(
    "senc", "Sample Encryption Box", in: ["traf", "trak"], "ISO/IEC 23001-7:2023, 7.2")
  /// With flag 2, samples have subsamples.
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames { "0x1 override-track-encryption; 0x2 use-subsample-encryption" }
  /// The samples.
  public var samples: [Sample] = []
  /// The number of samples if they take no bytes, or if their version is unknown; `samples` is then empty.
  public var emptySampleCount: UInt32 = 0
  /// The number of samples.
  public var sampleCount: UInt32 { samples.isEmpty ? emptySampleCount : UInt32(clamping: samples.count) }
  /// The size of the initialization vector of each sample. It is not in this box: it comes from `tenc` or from a `seig`
  /// group or, if these are unavailable, is derived from the size of the box.
  public var perSampleIVSize: UInt8 = 8
  /// The samples, if the version is unknown.
  public var unknown: [UInt8] = []
  /// No samples.
  public init() {}

  private var hasSubsamples: Bool { flags & 2 != 0 }

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try sampleFields(&c, declaredIVSize: c.context.perSampleIVSize)
  }

  /// The samples; `declaredIVSize` is the size of their initialization vectors, if known.
  mutating func sampleFields(_ c: inout FieldCoder, declaredIVSize: UInt8?) throws(BoxError) {
    var count = sampleCount
    try c.uint32("sample_count", &count)
    if c.isReading { emptySampleCount = count }
    guard version == 0 else { return try c.bytes("samples", &unknown) }
    if c.isReading {
      guard let size = ivSize(c, declaredIVSize) else {
        throw c.missing("the Per_Sample_IV_Size of tenc, as not exactly one size fits", for: "InitializationVector")
      }
      perSampleIVSize = size
    }
    c.derived("Per_Sample_IV_Size", .unsigned(UInt64(perSampleIVSize)))
    guard perSampleIVSize > 0 || hasSubsamples else { return }
    let shape = UInt32(perSampleIVSize) | (hasSubsamples ? 0x100 : 0)
    try c.rows("samples", &samples, count: count, shape: shape)
    if !samples.isEmpty { emptySampleCount = 0 }
  }

  /// The vector size for which the samples fill the box: the declared size or, if that does not fit, the only one that
  /// does.
  private func ivSize(_ c: borrowing FieldCoder, _ declared: UInt8?) -> UInt8? {
    if sampleCount == 0 { return declared ?? 8 }
    let isPossible: (UInt8) -> Bool = { [0, 8, 16].contains($0) }
    if let declared, isPossible(declared), fits(declared, c) { return declared }
    let fitting = ([0, 8, 16] as [UInt8]).filter { fits($0, c) }
    return fitting.count == 1 ? fitting.first : nil
  }

  private func fits(_ size: UInt8, _ c: borrowing FieldCoder) -> Bool {
    guard hasSubsamples else {
      let (total, overflow) = Int(sampleCount).multipliedReportingOverflow(by: Int(size))
      return !overflow && total == c.remaining
    }
    var at = 0
    // Every sample takes at least two bytes, so a wrong count cannot cause a long loop.
    for _ in 0..<sampleCount {
      at += Int(size)
      guard let high = c.peek(at), let low = c.peek(at + 1) else { return false }
      at += 2 + 6 * (Int(high) << 8 | Int(low))
    }
    return at == c.remaining
  }
}
