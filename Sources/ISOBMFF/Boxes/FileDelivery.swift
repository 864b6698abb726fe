import Bytes

/// How files are cut into packets for delivery.
public struct FDItemInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("fiin", "FD Item Information Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.13.2")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of `paen` boxes that follow.
  public var entryCount: UInt16 = 0
  /// No files.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("entry_count", &entryCount)
    c.boxes()
  }
}

/// How one file is cut into blocks of symbols.
public struct FilePartitionBox: FullBoxPayload, Equatable {
  /// Source blocks of one size.
  public struct Block: BoxTableRow {
    /// The number of blocks.
    public var blockCount: UInt16 = 0
    /// The bytes in each.
    public var blockSize: UInt32 = 0
    /// No blocks.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("block_count", &blockCount)
      try c.uint32("block_size", &blockSize)
    }
  }
  public static let info = BoxInfo("fpar", "File Partition Box", in: ["paen"], "ISO/IEC 14496-12:2022, 8.13.3")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The item that is cut, 16 bits in version 0.
  public var itemID: UInt32 = 0
  /// The bytes of a packet that are of the file.
  public var packetPayloadSize: UInt16 = 0
  /// The scheme that corrects errors; 0 is none.
  public var fecEncodingID: UInt8 = 0
  /// Which form of a scheme that has several.
  public var fecInstanceID: UInt16 = 0
  /// Symbols in the largest block.
  public var maxSourceBlockLength: UInt16 = 0
  /// Bytes of a symbol.
  public var encodingSymbolLength: UInt16 = 0
  /// Symbols that can be made of a block.
  public var maxNumberOfEncodingSymbols: UInt16 = 0
  /// What the scheme needs, in Base64.
  public var schemeSpecificInfo: BoxString = ""
  /// The blocks.
  public var blocks = BoxTable<Block>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// A file without blocks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint("item_ID", &itemID, wide: version != 0)
    try c.uint16("packet_payload_size", &packetPayloadSize)
    try c.reserved(&reserved, bytes: 1)
    try c.uint8("FEC_encoding_ID", &fecEncodingID)
    try c.uint16("FEC_instance_ID", &fecInstanceID)
    try c.uint16("max_source_block_length", &maxSourceBlockLength)
    try c.uint16("encoding_symbol_length", &encodingSymbolLength)
    try c.uint16("max_number_of_encoding_symbols", &maxNumberOfEncodingSymbols)
    try c.string("scheme_specific_info", &schemeSpecificInfo)
    var count = UInt32(clamping: blocks.count)
    try c.uint("entry_count", &count, wide: version != 0)
    try c.table("blocks", &blocks, count: count)
  }
}

/// Where the symbols are that only correct errors.
public struct FECReservoirBox: FullBoxPayload, Equatable {
  /// The symbols of one source block.
  public struct Entry: BoxTableRow {
    /// The item that holds them, 16 bits in version 0.
    public var itemID: UInt32 = 0
    /// How many there are.
    public var symbolCount: UInt32 = 0
    /// None.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint("item_ID", &itemID, wide: shape != 0)
      try c.uint32("symbol_count", &symbolCount)
    }
  }
  public static let info = BoxInfo("fecr", "FEC Reservoir Box", in: ["paen"], "ISO/IEC 14496-12:2022, 8.13.4")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The same for symbols of the files themselves.
  static let file = BoxInfo("fire", "File Reservoir Box", in: ["paen"], "ISO/IEC 14496-12:2022, 8.13.7")
  /// The symbols of each source block.
  public var entries = BoxTable<Entry>()
  /// None.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt32(clamping: entries.count)
    try c.uint("entry_count", &count, wide: version != 0)
    try c.table("entries", &entries, count: count, shape: UInt32(version))
  }
}

/// Which files and hint tracks are delivered together.
public struct FDSessionGroupBox: BoxPayload, Equatable {
  /// One delivery.
  public struct Session: BoxTableRow {
    /// The groups of files in it.
    public var groupIDs = BoxTable<UInt32>()
    /// The hint tracks for it.
    public var hintTrackIDs = BoxTable<UInt32>()
    /// No files.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var groups = UInt8(clamping: groupIDs.count)
      try c.uint8("entry_count", &groups)
      try c.table("group_ID", &groupIDs, count: groups)
      var tracks = UInt16(clamping: hintTrackIDs.count)
      try c.uint16("num_channels_in_session_group", &tracks)
      try c.table("hint_track_ID", &hintTrackIDs, count: tracks)
    }
  }
  public static let info = BoxInfo("segr", "FD Session Group Box", in: ["fiin"], "ISO/IEC 14496-12:2022, 8.13.5")
  /// The deliveries.
  public var sessions: [Session] = []
  /// No session.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: sessions.count)
    try c.uint16("num_session_groups", &count)
    try c.rows("session_groups", &sessions, count: count)
  }
}

/// The names of groups of files.
public struct GroupIDToNameBox: FullBoxPayload, Equatable {
  /// The name of one group.
  public struct Entry: BoxTableRow {
    /// The number of the group.
    public var groupID: UInt32 = 0
    /// The name.
    public var groupName: BoxString = ""
    /// No name.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("group_ID", &groupID)
      try c.string("group_name", &groupName)
    }
  }
  public static let info = BoxInfo("gitn", "Group ID to Name Box", in: ["fiin"], "ISO/IEC 14496-12:2022, 8.13.6")
  public var header = FullBoxHeader()
  /// The groups.
  public var entries: [Entry] = []
  /// No groups.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: entries.count)
    try c.uint16("entry_count", &count)
    try c.rows("entries", &entries, count: count)
  }
}
