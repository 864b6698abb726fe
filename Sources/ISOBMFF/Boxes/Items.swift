public import MP4Bytes

/// The number of items; an `infe` box for each follows.
public struct ItemInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("iinf", "Item Info Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.6")
  public static let versions: ClosedRange<UInt8> = 0...2
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of boxes that follow.
  public var entryCount: UInt32 = 0
  /// No items.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint("entry_count", &entryCount, wide: version > 0)
    c.boxes()
  }
}

/// The type and properties of an item.
public struct ItemInformationEntry: FullBoxPayload, Equatable {
  public static let info = BoxInfo("infe", "Item Info Entry", in: ["iinf"], "ISO/IEC 14496-12:2022, 8.11.6")
  public static let versions: ClosedRange<UInt8> = 0...3
  /// With flag 1, the item is hidden: readers do not show it on its own.
  public var header = FullBoxHeader(version: 2)
  public static var flagNames: ValueNames { "0x1 hidden" }
  /// The item ID.
  public var itemID: UInt32 = 0
  /// The index of the protection scheme in `ipro`, counted from 1; 0 for none.
  public var itemProtectionIndex: UInt16 = 0
  /// The item type, from version 2 on, such as `hvc1`, `grid`, `Exif` or `mime`.
  public var itemType: FourCC = "hvc1"
  /// A human-readable name.
  public var itemName: BoxString = ""
  /// The MIME type: before version 2, and for the item type `mime`.
  public var contentType: BoxString = ""
  /// The compression, as in HTTP, such as `gzip`.
  public var contentEncoding: BoxString?
  /// A URI that declares the kind of item, for the item type `uri `.
  public var itemURIType: BoxString = ""
  /// The type of the extension in version 1, such as `fdel`.
  public var extensionType: FourCC?
  /// How the item is delivered, for the extension `fdel`.
  public var delivery = FileDelivery()
  /// An item without a name.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint("item_ID", &itemID, wide: version > 2)
    try c.uint16("item_protection_index", &itemProtectionIndex)
    if version > 1 { try c.fourCC("item_type", &itemType) }
    try c.string("item_name", &itemName)
    if c.includes(version < 2 || itemType == "mime") {
      try c.string("content_type", &contentType)
      try c.optionalString("content_encoding", &contentEncoding)
    }
    if version > 1, c.includes(itemType == "uri ") { try c.string("item_uri_type", &itemURIType) }
    if version == 1 { try extensionFields(&c) }
  }

  private mutating func extensionFields(_ c: inout FieldCoder) throws(BoxError) {
    guard c.hasMore(4, or: extensionType != nil) else { return }
    var type = extensionType ?? FourCC()
    try c.fourCC("extension_type", &type)
    extensionType = type
    if c.includes(type == "fdel") { try delivery.fields(&c) }
  }
}

/// The delivery of an item over a lossy channel.
public struct FileDelivery: Hashable, Sendable {
  /// The URI of the file.
  public var contentLocation: BoxString = ""
  /// The MD5 of the file, in base64.
  public var contentMD5: BoxString = ""
  /// Its size in bytes.
  public var contentLength: UInt64 = 0
  /// Its size during delivery, including additions.
  public var transferLength: UInt64 = 0
  /// The groups of files that it belongs to.
  public var groupIDs: [UInt32] = []

  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("content_location", &contentLocation)
    try c.string("content_MD5", &contentMD5)
    try c.uint64("content_length", &contentLength)
    try c.uint64("transfer_length", &transferLength)
    var count = UInt8(clamping: groupIDs.count)
    try c.uint8("entry_count", &count)
    try c.rows("group_id", &groupIDs, count: count)
  }
}

/// The protection of items; a `sinf` box for each scheme follows.
public struct ItemProtectionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("ipro", "Item Protection Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.5")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of boxes that follow.
  public var protectionCount: UInt16 = 0
  /// No protection.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("protection_count", &protectionCount)
    c.boxes()
  }
}

extension FieldCoder {
  /// Text that is optional at the end of a box.
  mutating func optionalString(_ name: StaticText, _ value: inout BoxString?) throws(BoxError) {
    guard hasMore(or: value != nil) else { return }
    var text = value ?? ""
    try string(name, &text)
    value = text
  }
}
