import Bytes

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
