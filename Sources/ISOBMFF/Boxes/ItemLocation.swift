import MP4Bytes

/// The locations of metadata items.
public struct ItemLocationBox: FullBoxPayload, Equatable {
  /// An extent of an item.
  public struct Extent: BoxTableRow {
    /// An index for the construction method.
    public var index: UInt64 = 0
    /// Its offset, relative to the base offset.
    public var offset: UInt64 = 0
    /// Its length; 0 means the whole source.
    public var length: UInt64 = 0
    /// An empty extent.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      if shape >> 16 == 1 || shape >> 16 == 2 {
        try c.sized("extent_index", &index, bytes: shape >> 12 & 15, as: "8 * index_size")
      }
      try c.sized("extent_offset", &offset, bytes: shape & 15, as: "8 * offset_size")
      try c.sized("extent_length", &length, bytes: shape >> 4 & 15, as: "8 * length_size")
    }
  }
  /// One item.
  public struct Item: BoxTableRow {
    /// The item ID.
    public var itemID: UInt32 = 0
    /// What offsets refer to: 0: the file; 1: `idat`; 2: another item.
    public var constructionMethod: UInt8 = 0
    /// The index of the `dref` entry with the file; 0 means this file.
    public var dataReferenceIndex: UInt16 = 0
    /// The base of the offsets.
    public var baseOffset: UInt64 = 0
    /// The extents of the item.
    public var extents: [Extent] = []
    /// The number of extents if none of them takes any bytes; `extents` is then empty.
    public var emptyExtentCount: UInt16 = 0
    /// Nonstandard values of the reserved fields.
    public var reserved: UInt16 = 0
    /// No item.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      let version = shape >> 16
      try c.uint("item_ID", &itemID, wide: version >= 2)
      if version == 1 || version == 2 {
        try c.bits("reserved", &reserved, 12)
        try c.bits("construction_method", &constructionMethod, 4, as: .named("0 file; 1 idat; 2 item"))
      }
      try c.uint16("data_reference_index", &dataReferenceIndex)
      try c.sized("base_offset", &baseOffset, bytes: shape >> 8 & 15, as: "8 * base_offset_size")
      var count = extents.isEmpty ? emptyExtentCount : UInt16(clamping: extents.count)
      try c.uint16("extent_count", &count)
      try c.rows("extents", &extents, count: c.isReading ? Int(count) : extents.count, shape: shape)
      if extents.isEmpty { emptyExtentCount = count }
    }
  }
  public static let info = BoxInfo("iloc", "Item Location Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.3")
  public static let versions: ClosedRange<UInt8> = 0...2
  public var header = FullBoxHeader()
  /// The number of bytes of an offset: 0, 4 or 8.
  public var offsetSize: UInt8 = 4
  /// The number of bytes of a length: 0, 4 or 8.
  public var lengthSize: UInt8 = 4
  /// The number of bytes of a base offset: 0, 4 or 8.
  public var baseOffsetSize: UInt8 = 0
  /// The number of bytes of an extent index: 0, 4 or 8; reserved in version 0.
  public var indexSize: UInt8 = 0
  /// The items.
  public var items: [Item] = []
  /// No items.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("offset_size", &offsetSize, 4)
    try c.bits("length_size", &lengthSize, 4)
    try c.bits("base_offset_size", &baseOffsetSize, 4)
    try c.bits("index_size", &indexSize, 4)
    for size in [offsetSize, lengthSize, baseOffsetSize, indexSize] {
      try c.check([0, 4, 8].contains(size), "offset_size", size, "0, 4 or 8")
    }
    var count = UInt32(clamping: items.count)
    try c.bits("item_count", &count, version < 2 ? 16 : 32)
    let hasIndex = version == 1 || version == 2
    let shape = UInt32(offsetSize) | UInt32(lengthSize) << 4 | UInt32(baseOffsetSize) << 8
    let indices = hasIndex ? UInt32(indexSize) << 12 : 0
    try c.rows("items", &items, count: count, shape: shape | indices | UInt32(version) << 16)
  }

  /// Moves the items in this file to the offsets that `position` returns. Offsets that do not fit are widened to 64
  /// bits if `widens` allows it. Returns the items for which the fields are too narrow.
  package mutating func relocate<Failure>(
    widens: Bool, _ position: (UInt64) throws(Failure) -> UInt64
  ) throws(Failure) -> Set<Int> {
    let original = self
    let misfits = try relocate(position)
    guard widens, !misfits.isEmpty else { return misfits }
    self = original
    offsetSize = 8
    for item in items.indices where isInFile(items[item]) {
      // Offsets count from 0 now, which fields of every width can store.
      for extent in items[item].extents.indices { items[item].extents[extent].offset &+= items[item].baseOffset }
      items[item].baseOffset = 0
    }
    return try relocate(position)
  }

  /// Whether the offsets of an item refer to this file.
  private func isInFile(_ item: Item) -> Bool { item.constructionMethod == 0 && item.dataReferenceIndex == 0 }

  private mutating func relocate<Failure>(_ position: (UInt64) throws(Failure) -> UInt64) throws(Failure) -> Set<Int> {
    var misfits: Set<Int> = []
    for item in items.indices where isInFile(items[item]) {
      let base = items[item].baseOffset
      for extent in items[item].extents.indices {
        let (old, overflow) = base.addingReportingOverflow(items[item].extents[extent].offset)
        let new = try position(overflow ? base : old)
        guard !overflow, new != old else { continue }
        if offsetSize > 0, new >= base, offsetSize == 8 || new - base <= UInt32.max {
          items[item].extents[extent].offset = new - base
        } else if items[item].extents.count == 1, baseOffsetSize == 8 || baseOffsetSize == 4 && new <= UInt32.max {
          items[item].baseOffset = new
          items[item].extents[extent].offset = 0
        } else {
          misfits.insert(item)
        }
      }
    }
    return misfits
  }
}

extension FieldCoder {
  /// An unsigned field of 0, 4 or 8 bytes; `width` determines its number of bits.
  mutating func sized(
    _ name: StaticText, _ value: inout UInt64, bytes: UInt32, as width: StaticText
  ) throws(BoxError) {
    if bytes > 0 || isDescribing { try uint(name, &value, wide: bytes == 8) }
    describe(width: width)
  }
}
