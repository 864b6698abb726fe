import Bytes

/// All known box types by family, and the kinds of sample groups.
let allBoxes = [
  structure, media, trackReferences, sampleTables, sampleInformation, fragments, segments, protection,
  SampleEntries.visual, SampleEntries.audio, codecs, videoProperties, soundDecompression,
  otherCodecs, videoExtensions, jpeg2000, itemBoxes, spatialBoxes, vendorBoxes,
  textBoxes, hintBoxes, propertyBoxes, quickTimeBoxes, otherProtection, layerBoxes, sampleGroups,
].flatMap(\.self)

/// Containers, and boxes without fields.
private let structure: [BoxDefinition] = [
  BoxDefinition(FileTypeBox.self), BoxDefinition(FileTypeBox.segment, as: FileTypeBox.self),
  .opaque("mdat", "Media Data Box", in: [.file], "ISO/IEC 14496-12:2022, 8.1.1"),
  .opaque("free", "Free Space Box", in: [], "ISO/IEC 14496-12:2022, 8.1.2"),
  .opaque("skip", "Free Space Box", in: [], "ISO/IEC 14496-12:2022, 8.1.2"),
  .opaque("wide", "Room for a 64-bit size", in: [.file], "QuickTime File Format"),
  .container("moov", "Movie Box", in: [.file], "ISO/IEC 14496-12:2022, 8.2.1"),
  .container("trak", "Track Box", in: ["moov"], "ISO/IEC 14496-12:2022, 8.3.1"),
  .container("tref", "Track Reference Box", in: ["trak"], "ISO/IEC 14496-12:2022, 8.3.3"),
  .container("edts", "Edit Box", in: ["trak"], "ISO/IEC 14496-12:2022, 8.6.5"),
  .container("mdia", "Media Box", in: ["trak"], "ISO/IEC 14496-12:2022, 8.4.1"),
  .container("minf", "Media Information Box", in: ["mdia"], "ISO/IEC 14496-12:2022, 8.4.4"),
  .container("dinf", "Data Information Box", in: ["minf", "meta"], "ISO/IEC 14496-12:2022, 8.7.1"),
  .container("stbl", "Sample Table Box", in: ["minf"], "ISO/IEC 14496-12:2022, 8.5.1"),
  .container("gmhd", "Base Media Information Header", in: ["minf"], "QuickTime File Format"),
  .container("tmcd", "Timecode Media Information", in: ["gmhd"], "QuickTime File Format"),
  .container("mvex", "Movie Extends Box", in: ["moov"], "ISO/IEC 14496-12:2022, 8.8.1"),
  .container("moof", "Movie Fragment Box", in: [.file], "ISO/IEC 14496-12:2022, 8.8.4"),
  .container("traf", "Track Fragment Box", in: ["moof"], "ISO/IEC 14496-12:2022, 8.8.6"),
  .container("mfra", "Movie Fragment Random Access Box", in: [.file], "ISO/IEC 14496-12:2022, 8.8.9"),
  .container("udta", "User Data Box", in: ["moov", "trak", "moof", "traf"], "ISO/IEC 14496-12:2022, 8.10.1"),
  .container("ilst", "Metadata Item List", in: ["meta"], "QuickTime File Format"),
  .container("sinf", "Protection Scheme Information Box", in: [], "ISO/IEC 14496-12:2022, 8.12.1"),
  .container("schi", "Scheme Information Box", in: ["sinf"], "ISO/IEC 14496-12:2022, 8.12.6"),
  BoxDefinition(MetaBox.self),
]

private let media: [BoxDefinition] = [
  BoxDefinition(MovieHeaderBox.self), BoxDefinition(TrackHeaderBox.self), BoxDefinition(EditListBox.self),
  BoxDefinition(MediaHeaderBox.self), BoxDefinition(HandlerBox.self), BoxDefinition(ExtendedLanguageBox.self),
  BoxDefinition(VideoMediaHeaderBox.self), BoxDefinition(SoundMediaHeaderBox.self),
  BoxDefinition(NullMediaHeaderBox.self),
  BoxDefinition(NullMediaHeaderBox.subtitle, as: NullMediaHeaderBox.self),
  BoxDefinition(ObjectDescriptorBox.self),
  BoxDefinition(DataReferenceBox.self), BoxDefinition(DataEntryURLBox.self), BoxDefinition(DataEntryURNBox.self),
]

private let sampleTables: [BoxDefinition] = [
  BoxDefinition(SampleDescriptionBox.self), BoxDefinition(TimeToSampleBox.self),
  BoxDefinition(CompositionOffsetBox.self), BoxDefinition(CompositionToDecodeBox.self),
  BoxDefinition(SyncSampleBox.self), BoxDefinition(SampleDependencyTypeBox.self), BoxDefinition(SampleSizeBox.self),
  BoxDefinition(DegradationPriorityBox.self), BoxDefinition(PaddingBitsBox.self),
  BoxDefinition(CompactSampleSizeBox.self), BoxDefinition(SampleToChunkBox.self), BoxDefinition(ChunkOffsetBox.self),
  BoxDefinition(ChunkLargeOffsetBox.self),
]

/// The descriptions of sample groups.
private let sampleGroups: [BoxDefinition] = [
  BoxDefinition(RollRecoveryGroup.self), BoxDefinition(RollRecoveryGroup.preRoll, as: RollRecoveryGroup.self),
  BoxDefinition(RandomAccessPointGroup.self), BoxDefinition(EncryptionInformationGroup.self),
  BoxDefinition(TemporalLayerGroup.self), BoxDefinition(OperatingPointsGroup.self),
  BoxDefinition(VVCOperatingPointsGroup.self), BoxDefinition(SubpictureIDGroup.self),
  BoxDefinition(SubpictureOrderGroup.self), BoxDefinition(RectangularRegionOrderGroup.self),
]

private let fragments: [BoxDefinition] = [
  BoxDefinition(MovieExtendsHeaderBox.self), BoxDefinition(TrackExtendsBox.self),
  BoxDefinition(MovieFragmentHeaderBox.self), BoxDefinition(TrackFragmentHeaderBox.self),
  BoxDefinition(TrackFragmentDecodeTimeBox.self), BoxDefinition(TrackRunBox.self),
]

/// The track reference types in `tref`.
private let trackReferences: [BoxDefinition] = [
  "hint", "cdsc", "font", "hind", "vdep", "vplx", "subt", "thmb", "auxl", "cdtg", "sync", "mpod", "dpnd", "ipir",
  "alis",
  "chap", "tmcd", "scpt", "ssrc",
].map { (type: FourCC) in
  let info = TrackReferenceTypeBox.info
  return BoxDefinition(BoxInfo(type, info.name, in: info.containers, info.clause), as: TrackReferenceTypeBox.self)
}

private let sampleInformation: [BoxDefinition] = [
  BoxDefinition(SampleToGroupBox.self), BoxDefinition(CompactSampleToGroupBox.self),
  BoxDefinition(SampleGroupDescriptionBox.self),
  BoxDefinition(SubSampleInformationBox.self), BoxDefinition(SampleAuxiliaryInformationSizesBox.self),
  BoxDefinition(SampleAuxiliaryInformationOffsetsBox.self), BoxDefinition(SampleEncryptionBox.self),
]

private let segments: [BoxDefinition] = [
  BoxDefinition(ItemLocationBox.self),
  BoxDefinition(TrackFragmentRandomAccessBox.self), BoxDefinition(MovieFragmentRandomAccessOffsetBox.self),
  BoxDefinition(SegmentIndexBox.self), BoxDefinition(SubsegmentIndexBox.self), BoxDefinition(EventMessageBox.self),
  BoxDefinition(ProducerReferenceTimeBox.self), BoxDefinition(EventMessageInstanceBox.self),
  BoxDefinition(EventMessageSampleEntry.self),
  .opaque("emeb", "Event Message Empty Box", in: [], "ISO/IEC 23001-18:2022, 6.2"),
]

private let protection: [BoxDefinition] = [
  BoxDefinition(ProtectionSystemSpecificHeaderBox.self), BoxDefinition(OriginalFormatBox.self),
  BoxDefinition(SchemeTypeBox.self), BoxDefinition(TrackEncryptionBox.self),
  BoxDefinition(PIFFTrackEncryptionBox.self), BoxDefinition(PIFFSampleEncryptionBox.self),
]

private let codecs: [BoxDefinition] = [
  BoxDefinition(AVCConfigurationBox.self), BoxDefinition(HEVCConfigurationBox.self),
  BoxDefinition(AV1CodecConfigurationBox.self), BoxDefinition(VPCodecConfigurationBox.self),
  BoxDefinition(ESDescriptorBox.self), BoxDefinition(ALACSpecificBox.self),
]

private let videoProperties: [BoxDefinition] = [
  BoxDefinition(PixelAspectRatioBox.self), BoxDefinition(CleanApertureBox.self),
  BoxDefinition(ColourInformationBox.self),
]

/// The QuickTime boxes between an audio sample entry and its decoder configuration.
private let soundDecompression: [BoxDefinition] = [
  .container(
    "wave", "Sound Decompression Parameters", in: SampleEntries.audioTypes, "QuickTime File Format"),
  .opaque("mp4a", "MPEG-4 Audio", in: ["wave"], "QuickTime File Format"),
  BoxDefinition(AudioEndianBox.self),
]
