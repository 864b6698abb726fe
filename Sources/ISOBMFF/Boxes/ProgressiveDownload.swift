import Bytes

/// How long to wait before a file that is still being downloaded can be played.
public struct ProgressiveDownloadInfoBox: FullBoxPayload, Equatable {
  /// What to do at one rate.
  public struct Entry: BoxTableRow {
    /// Bytes a second at which the file comes.
    public var rate: UInt32 = 0
    /// Milliseconds to wait.
    public var initialDelay: UInt32 = 0
    /// No rate.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("rate", &rate)
      try c.uint32("initial_delay", &initialDelay)
    }
  }
  public static let info = BoxInfo(
    "pdin", "Progressive Download Information Box", in: [.file], "ISO/IEC 14496-12:2022, 8.1.3")
  public var header = FullBoxHeader()
  /// What to do at several rates.
  public var entries = BoxTable<Entry>()
  /// No advice.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.tableToEnd("entries", &entries)
  }
}
