import Bytes

/// Hint tracks and file delivery.
let hintBoxes: [BoxDefinition] =
  [
    BoxDefinition(RTPHintSampleEntry.self),
    .container("hnti", "Hint Information", in: ["udta"], "ISO/IEC 14496-12:2022, 9.1.4"),
    .container("hinf", "Hint Statistics Box", in: ["udta"], "ISO/IEC 14496-12:2022, 9.1.5"),
    BoxDefinition(FDItemInformationBox.self),
    .container("paen", "Partition Entry", in: ["fiin"], "ISO/IEC 14496-12:2022, 8.13.2"),
  ] + RTPHintSampleEntry.others.map { BoxDefinition($0, as: RTPHintSampleEntry.self) }
