import Bytes

/// What items refer to others for, and in what groups they can be.
enum ItemRelations {
  static let definitions: [BoxDefinition] =
    references.map { reference($0, $1, $2) } + groups.map { group($0, $1, $2) }

  static func reference(
    _ type: FourCC, _ name: StaticText = "Item Reference",
    _ clause: StaticText = ItemReferenceTypeBox.info.clause
  ) -> BoxDefinition {
    BoxDefinition(BoxInfo(type, name, in: ["iref"], clause), as: ItemReferenceTypeBox.self)
  }
  static func group(
    _ type: FourCC, _ name: StaticText = "Entity Group", _ clause: StaticText = EntityToGroupBox.info.clause
  ) -> BoxDefinition {
    BoxDefinition(BoxInfo(type, name, in: ["grpl"], clause), as: EntityToGroupBox.self)
  }

  private static let references: [(FourCC, StaticText, StaticText)] = [
    ("dimg", "Item Reference: derived from", "ISO/IEC 23008-12:2022, 6.4.4"),
    ("thmb", "Item Reference: thumbnail of", "ISO/IEC 23008-12:2022, 6.4.4"),
    ("auxl", "Item Reference: auxiliary to", "ISO/IEC 23008-12:2022, 6.4.4"),
    ("cdsc", "Item Reference: describes", "ISO/IEC 23008-12:2022, 6.4.4"),
    ("prem", "Item Reference: alpha is multiplied into", "ISO/IEC 23008-12:2022, 6.4.4"),
    ("base", "Item Reference: derived in advance from", "ISO/IEC 23008-12:2022, 6.4.7"),
    ("dpnd", "Item Reference: decoded after", "ISO/IEC 23008-12:2022, 6.4.8"),
    ("exbl", "Item Reference: layers above", "ISO/IEC 23008-12:2022, 6.4.4"),
    ("grid", "Item Reference: grid of", "ISO/IEC 23008-12:2022, 6.6.2.3"),
    ("pred", "Item Reference: predicted from", "ISO/IEC 23008-12:2022, 6.4.9"),
    ("tbas", "Item Reference: base of tiles", "ISO/IEC 23008-12:2022, B.4.4"),
    ("mask", "Item Reference: masked by", "ISO/IEC 23008-12:2022, 6.10"),
    ("evir", "Item Reference: slices of", "ISO/IEC 23008-12:2022, M.4"),
    ("iloc", "Item Reference: bytes of", "ISO/IEC 14496-12:2022, 8.11.3"),
    ("fdel", "Item Reference: delivered with", "ISO/IEC 14496-12:2022, 8.13.8"),
    ("font", "Item Reference: uses the font", "ISO/IEC 14496-12:2022, 8.11.12"),
  ]

  private static let groups: [(FourCC, StaticText, StaticText)] = [
    ("altr", "Entity Group: alternatives", "ISO/IEC 14496-12:2022, 8.15.3"),
    ("ster", "Entity Group: stereo pair", "ISO/IEC 23008-12:2022, 6.8.5"),
    ("eqiv", "Entity Group: equivalent", "ISO/IEC 23008-12:2022, 6.8.2"),
    ("brst", "Entity Group: burst", "ISO/IEC 23008-12:2022, 6.8.7"),
    ("tsyn", "Entity Group: captured at the same time", "ISO/IEC 23008-12:2022, 6.8.3"),
    ("iaug", "Entity Group: picture with sound", "ISO/IEC 23008-12:2022, 6.8.4"),
    ("albc", "Entity Group: album", "ISO/IEC 23008-12:2022, 6.8.9"),
    ("favc", "Entity Group: favourites", "ISO/IEC 23008-12:2022, 6.8.9"),
    ("aebr", "Entity Group: series of exposures", "ISO/IEC 23008-12:2022, 6.8.6.2"),
    ("wbbr", "Entity Group: series of white balances", "ISO/IEC 23008-12:2022, 6.8.6.3"),
    ("fobr", "Entity Group: series of focus distances", "ISO/IEC 23008-12:2022, 6.8.6.4"),
    ("afbr", "Entity Group: series of flash exposures", "ISO/IEC 23008-12:2022, 6.8.6.5"),
    ("dobr", "Entity Group: series of apertures", "ISO/IEC 23008-12:2022, 6.8.6.6"),
    ("pano", "Entity Group: panorama", "ISO/IEC 23008-12:2022, 6.8.8"),
    ("slid", "Entity Group: slide show", "ISO/IEC 23008-12:2022/Amd 1, 6.8.10"),
    ("prgr", "Entity Group: progressive rendering", "ISO/IEC 23008-12:2022/Amd 1, 6.8.11"),
    ("opeg", "Entity Group: operating points", "ISO/IEC 14496-15:2022, 11"),
    ("vvcb", "Entity Group: stream of VVC", "ISO/IEC 14496-15:2022, 11"),
    ("pymd", "Entity Group: pyramid of sizes", "ISO/IEC 23008-12:2022/Amd 1, 6.8.12"),
  ]
}
