import Bytes

/// Metadata items, image items and their properties.
let itemBoxes: [BoxDefinition] =
  items + imageProperties + stillImages + uncompressed + ItemRelations.definitions + MetadataItems.definitions
  + metadata
  + assetInformation

private let items: [BoxDefinition] = [
  BoxDefinition(ItemInformationBox.self), BoxDefinition(ItemInformationEntry.self),
  BoxDefinition(ItemReferenceBox.self),
  BoxDefinition(ItemProtectionBox.self), BoxDefinition(ItemPropertyAssociationBox.self),
  .opaque("idat", "Item Data Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.11"),
  .container("iprp", "Item Properties Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.14"),
  .container("ipco", "Item Property Container Box", in: ["iprp"], "ISO/IEC 14496-12:2022, 8.11.14"),
  .container("grpl", "Groups List Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.15.2"),
]

private let imageProperties: [BoxDefinition] = [
  BoxDefinition(AuxiliaryTypeProperty.self),
  BoxDefinition(AutoExposureBracketingProperty.self),
  BoxDefinition(CameraIntrinsicMatrixProperty.self),
  BoxDefinition(AV1LayeredImageIndexingProperty.self),
  BoxDefinition(ItemEncryptionBox.self),
  BoxDefinition(
    BoxInfo("brnd", "Brand Property", in: ["ipco"], "ISO/IEC 14496-12:2022, 8.11.16"), as: FileTypeBox.self),
]

/// The boxes of JPEG XL and JPEG 2000 images, and of image metrics.
private let stillImages: [BoxDefinition] = [
  .opaque("jxlc", "JPEG XL Codestream Box", in: [.file], "ISO/IEC 18181-2:2024, 9.8"),
  .opaque("jxli", "JPEG XL Frame Index Box", in: [.file], "ISO/IEC 18181-2:2024, 9.10"),
  .opaque("jbrd", "JPEG Bitstream Reconstruction Data Box", in: [.file], "ISO/IEC 18181-2:2024, 9.7"),
  .container("j2kH", "JPEG 2000 Header Box", in: ["ipco"], "ISO/IEC 15444-16:2021, 6.5"),
  .container("povd", "Projected Omnidirectional Video Box", in: ["schi"], "ISO/IEC 23090-2:2023, 7.6.1"),
]

private let uncompressed: [BoxDefinition] = [
  BoxDefinition(CompressedUnitsBox.self),
  .opaque("clev", "Component Reference Level Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1"),
  .opaque("fpac", "Frame Packing Information Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1"),
  .opaque("fpck", "Frame Packing Information Box", in: ["uncv", "ipco"], "ISO/IEC DIS 23001-17, 6.1"),
  .opaque("disi", "Disparity Information Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1"),
  .opaque("depi", "Depth Mapping Information Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 6.1"),
  .opaque("ilcp", "Field Interlace Property", in: ["ipco"], "ISO/IEC 23001-17:2024, 6.1"),
]

private let metadata: [BoxDefinition] = [BoxDefinition(MetadataDataBox.self)]

private let assetInformation: [BoxDefinition] =
  [
    BoxDefinition(AlbumBox.self), BoxDefinition(RatingBox.self),
    BoxDefinition(ClassificationBox.self), BoxDefinition(LocationInformationBox.self),
  ]
  + ([
    ("titl", "Title"), ("dscp", "Description"), ("perf", "Performer"), ("auth", "Author"), ("gnre", "Genre"),
    ("coll", "Collection Name"),
  ] as [(FourCC, StaticText)]).map { code, name in
    BoxDefinition(BoxInfo(code, name, in: ["udta"], AssetTextBox.info.clause), as: AssetTextBox.self)
  }
