import MP4Bytes

/// The references between items, as boxes whose types declare their kinds.
public struct ItemReferenceBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("iref", "Item Reference Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.12")
  public static let versions: ClosedRange<UInt8> = 0...1
  public static let holdsBoxes = true
  /// In version 1, item IDs have 32 bits instead of 16.
  public var header = FullBoxHeader()
  /// No reference.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { c.boxes() }
}

/// References from one item to others; the box type declares the kind of reference. The version of the enclosing `iref`
/// determines the width of item IDs.
public struct ItemReferenceTypeBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "dimg", "Item Reference: derived from", in: ["iref"], "ISO/IEC 14496-12:2022, 8.11.12")
  /// The referring item.
  public var fromItemID: UInt32 = 0
  /// The items that it refers to.
  public var toItemIDs: [UInt32] = []
  /// No reference.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    let wide = c.context.hasWideItemIDs
    try c.uint("from_item_ID", &fromItemID, wide: wide)
    var count = UInt16(clamping: toItemIDs.count)
    try c.uint16("reference_count", &count)
    var rows = toItemIDs.map { ItemNumber(value: $0) }
    try c.rows("to_item_ID", &rows, count: count, shape: wide ? 1 : 0)
    toItemIDs = rows.map(\.value)
  }
}

/// An item ID as a row: 32 bits if the shape is 1, otherwise 16.
struct ItemNumber: BoxTableRow {
  static let isPlain = true
  var value: UInt32 = 0
  init() {}
  init(value: UInt32) { self.value = value }
  mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint("", &value, wide: shape == 1)
  }
}

/// The properties of each item.
public struct ItemPropertyAssociationBox: FullBoxPayload, Equatable {
  /// A property of an item.
  public struct Association: BoxTableRow {
    /// Whether a reader that does not support the property must not process the item.
    public var isEssential = false
    /// The index of the property in `ipco`, counted from 1; 0 for none.
    public var propertyIndex: UInt16 = 0
    /// No property.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.flag("essential", &isEssential)
      try c.bits("property_index", &propertyIndex, shape & 1 == 1 ? 15 : 7)
    }
  }
  /// The properties of one item, in the order in which they apply.
  public struct Entry: BoxTableRow {
    /// The item ID.
    public var itemID: UInt32 = 0
    /// Its properties.
    public var associations: [Association] = []
    /// An item without properties.
    public init() {}
    /// `shape` is the lowest flag, plus twice the version.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint("item_ID", &itemID, wide: shape > 1)
      var count = UInt8(clamping: associations.count)
      try c.uint8("association_count", &count)
      try c.rows("associations", &associations, count: count, shape: shape & 1)
    }
  }
  public static let info = BoxInfo(
    "ipma", "Item Property Association Box", in: ["iprp"], "ISO/IEC 14496-12:2022, 8.11.14")
  public static let versions: ClosedRange<UInt8> = 0...1
  /// With flag 1, indices have 15 bits instead of 7.
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames { "0x1 property_index of 15 bits" }
  /// The items.
  public var entries: [Entry] = []
  /// No items.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.rows("entries", &entries, counted: "entry_count", shape: flags & 1 | UInt32(version) << 1)
  }
}

/// A group of items and tracks; the type of the box declares their relation.
public struct EntityToGroupBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "    ", "Entity Group", in: ["grpl"], "ISO/IEC 14496-12:2022, 8.15.3")
  public var header = FullBoxHeader()
  /// The group ID.
  public var groupID: UInt32 = 0
  /// The items and tracks.
  public var entityIDs = BoxTable<UInt32>()
  /// Additional data defined by the type.
  public var data: [UInt8] = []
  /// No entities.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("group_id", &groupID)
    try c.table("entity_id", &entityIDs, counted: "num_entities_in_group")
    if c.hasMore(or: !data.isEmpty) { try c.bytes("data", &data) }
  }
}

/// The types of item references and entity groups.
enum ItemRelations {
  static let definitions = BoxDefinition.list(
    """
    dimg Item Reference: derived from; ISO/IEC 23008-12:2022, 6.4.4
    thmb Item Reference: thumbnail of; ISO/IEC 23008-12:2022, 6.4.4
    auxl Item Reference: auxiliary to; ISO/IEC 23008-12:2022, 6.4.4
    cdsc Item Reference: describes; ISO/IEC 23008-12:2022, 6.4.4
    prem Item Reference: alpha is multiplied into; ISO/IEC 23008-12:2022, 6.4.4
    base Item Reference: derived in advance from; ISO/IEC 23008-12:2022, 6.4.7
    dpnd Item Reference: decoded after; ISO/IEC 23008-12:2022, 6.4.8
    exbl Item Reference: layers above; ISO/IEC 23008-12:2022, 6.4.4
    grid Item Reference: grid of; ISO/IEC 23008-12:2022, 6.6.2.3
    pred Item Reference: predicted from; ISO/IEC 23008-12:2022, 6.4.9
    tbas Item Reference: base of tiles; ISO/IEC 23008-12:2022, B.4.4
    mask Item Reference: masked by; ISO/IEC 23008-12:2022, 6.10
    evir Item Reference: slices of; ISO/IEC 23008-12:2022, M.4
    iloc Item Reference: bytes of; ISO/IEC 14496-12:2022, 8.11.3
    fdel Item Reference: delivered with; ISO/IEC 14496-12:2022, 8.13.8
    font Item Reference: uses the font; ISO/IEC 14496-12:2022, 8.11.12
    """, in: ["iref"], as: ItemReferenceTypeBox.self)

  /// A reference of an unknown type.
  static func reference(_ type: FourCC) -> BoxDefinition {
    let info = ItemReferenceTypeBox.info
    return BoxDefinition(BoxInfo(type, "Item Reference", in: ["iref"], info.clause), as: ItemReferenceTypeBox.self)
  }
  /// An entity group of an unknown type.
  static func group(_ type: FourCC) -> BoxDefinition {
    let info = EntityToGroupBox.info
    return BoxDefinition(BoxInfo(type, info.name, in: info.containers, info.clause), as: EntityToGroupBox.self)
  }
}
