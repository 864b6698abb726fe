import Bytes

/// Boxes of vendors of cameras, players and software.
let vendorBoxes: [BoxDefinition] = provenance + canon + sony + goPro + named

private let provenance: [BoxDefinition] = [
  BoxDefinition(ContentProvenanceBox.self), BoxDefinition(JUMBFDescriptionBox.self),
  .container("jumb", "JUMBF Superbox", in: ["uuid", "jumb"], "ISO/IEC 19566-5:2023, A.2"),
  .opaque("cbor", "CBOR Content Box", in: ["jumb"], "ISO/IEC 19566-5:2023, B.5"),
  .opaque("bidb", "Embedded File Content Box", in: ["jumb"], "ISO/IEC 19566-5:2023, B.3"),
  .opaque("jp2c", "Codestream Content Box", in: ["jumb"], "ISO/IEC 19566-5:2023, B.1"),
  .opaque("c2sh", "Salt Hash Box", in: ["jumb"], "C2PA Technical Specification 2.1, 8.4.2"),
]

private let canon: [BoxDefinition] = [
  BoxDefinition(CanonMetadataBox.self), BoxDefinition(CanonTrackBaseOffsetsBox.self),
  .opaque("CMT1", "Exif: picture", in: ["uuid"], "Canon CR3"),
  .opaque("CMT2", "Exif: exposure", in: ["uuid"], "Canon CR3"),
  .opaque("CMT3", "Exif: notes of the maker", in: ["uuid"], "Canon CR3"),
  .opaque("CMT4", "Exif: GPS", in: ["uuid"], "Canon CR3"),
  .opaque("JPEG", "Mark of a picture as JPEG", in: ["CRAW"], "Canon CR3"),
]

private let sony: [BoxDefinition] = [
  BoxDefinition(SonyProfileBox.self)
]

private let goPro: [BoxDefinition] = [
  .opaque("GPMF", "GoPro Metadata", in: ["udta"], "GoPro User Data"),
  .opaque("CAME", "GoPro Serial Number", in: ["udta"], "GoPro User Data"),
  .opaque("FIRM", "GoPro Firmware Version", in: ["udta"], "GoPro User Data"),
  .opaque("LENS", "GoPro Lens Serial Number", in: ["udta"], "GoPro User Data"),
  .opaque("SETT", "GoPro Settings", in: ["udta"], "GoPro User Data"),
  .opaque("MUID", "GoPro Media Unique ID", in: ["udta"], "GoPro User Data"),
  .opaque("GUMI", "GoPro Global Unique Media ID", in: ["udta"], "GoPro User Data"),
  .opaque("BCID", "GoPro Broadcast ID", in: ["udta"], "GoPro User Data"),
  .opaque("GUSI", "GoPro Unique Source ID", in: ["udta"], "GoPro User Data"),
  .opaque("HMMT", "GoPro Highlights", in: ["udta"], "GoPro User Data"),
  .opaque("AMBA", "Ambarella Settings", in: ["udta"], "Ambarella User Data"),
]

/// Padding, and boxes that other readers cannot use.
private let named: [BoxDefinition] = [
  .opaque("junk", "Free Space", in: [.file], "QuickTime File Format")
]
