import Bytes

/// Properties of files, tracks and audio.
let propertyBoxes: [BoxDefinition] =
  [
    .container("strk", "Sub Track Box", in: ["udta"], "ISO/IEC 14496-12:2022, 8.14.3"),
    .container("strd", "Sub Track Definition Box", in: ["strk"], "ISO/IEC 14496-12:2022, 8.14.5"),
    .container("trgr", "Track Group Box", in: ["trak"], "ISO/IEC 14496-12:2022, 8.3.4"),
    .container("ludt", "Loudness Box", in: ["udta"], "ISO/IEC 14496-12:2022, 12.2.7"),
    BoxDefinition(LoudnessBaseBox.self), BoxDefinition(LoudnessBaseBox.album, as: LoudnessBaseBox.self),
    BoxDefinition(SamplingRateBox.self), BoxDefinition(ChannelLayoutBox.self),
  ] + trackReferenceTypes

/// Track reference types of parts of ISO/IEC 14496 other than part 12, and of Apple.
private let trackReferenceTypes: [BoxDefinition] = [
  reference("forc", "QuickTime File Format"), reference("fall", "QuickTime File Format"),
  reference("folw", "QuickTime File Format"), reference("clcp", "QuickTime File Format"),
  reference("rndr", "AVFoundation, track associations"),
  reference("avcp", "ISO/IEC 14496-15:2022, 5.4"), reference("scal", "ISO/IEC 14496-15:2022, A.4"),
  reference("sbas", "ISO/IEC 14496-15:2022, A.4"), reference("swfr", "ISO/IEC 14496-15:2022, 5.4"),
  reference("swto", "ISO/IEC 14496-15:2022, 5.4"), reference("tbas", "ISO/IEC 14496-15:2022, 10"),
  reference("sabt", "ISO/IEC 14496-15:2022, 10"), reference("oref", "ISO/IEC 14496-15:2022, 9"),
  reference("subp", "ISO/IEC 14496-15:2022, 11"), reference("vvcN", "ISO/IEC 14496-15:2022, 11"),
  reference("mixn", "ISO/IEC 14496-15:2022, 11"), reference("recr", "ISO/IEC 14496-15:2022, 11"),
  reference("vref", "ISO/IEC 14496-15:2022, 11"), reference("vreg", "ISO/IEC 14496-15:2022, 11"),
  reference("evcr", "ISO/IEC 14496-15:2022, 12"), reference("deps", "ISO/IEC 14496-15:2022, 7"),
  reference("adda", "ISO/IEC 14496-12:2022, 12.2.8"), reference("adrc", "ISO/IEC 14496-12:2022, 12.2.5"),
  reference("cdep", "Canon CR3 and MOV files"),
]

private func reference(_ type: FourCC, _ clause: StaticText) -> BoxDefinition {
  let info = TrackReferenceTypeBox.info
  return BoxDefinition(BoxInfo(type, info.name, in: info.containers, clause), as: TrackReferenceTypeBox.self)
}
