import MP4Bytes

/// The boxes that the libraries of this package use, and the kinds of sample groups.
let allBoxes: [BoxDefinition] =
  structure + trackReferences + SampleEntries.visual + SampleEntries.audio + types.map { BoxDefinition($0) }
  + otherTypes + boxesWithoutFields + ItemRelations.definitions + MetadataItems.definitions + UserDataTexts.definitions
  + otherTrackReferences

/// Containers, media data and free space.
private let structure: [BoxDefinition] = [
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
]

/// Boxes with a declaration of their own.
private let types: [any BoxPayload.Type] = [
  // Files and movies.
  FileTypeBox.self, MetaBox.self, MovieHeaderBox.self, TrackHeaderBox.self, EditListBox.self, MediaHeaderBox.self,
  HandlerBox.self, ExtendedLanguageBox.self, VideoMediaHeaderBox.self, SoundMediaHeaderBox.self,
  NullMediaHeaderBox.self, ObjectDescriptorBox.self, DataReferenceBox.self, DataEntryURLBox.self,
  // Sample tables.
  SampleDescriptionBox.self, TimeToSampleBox.self, CompositionOffsetBox.self, CompositionToDecodeBox.self,
  SyncSampleBox.self, SampleDependencyTypeBox.self, SampleSizeBox.self, DegradationPriorityBox.self,
  PaddingBitsBox.self, CompactSampleSizeBox.self, SampleToChunkBox.self, ChunkOffsetBox.self,
  ChunkLargeOffsetBox.self, SampleToGroupBox.self, CompactSampleToGroupBox.self, SampleGroupDescriptionBox.self,
  SubSampleInformationBox.self, SampleAuxiliaryInformationSizesBox.self, SampleAuxiliaryInformationOffsetsBox.self,
  SampleEncryptionBox.self,
  // Fragments and segments.
  MovieExtendsHeaderBox.self, TrackExtendsBox.self, MovieFragmentHeaderBox.self, TrackFragmentHeaderBox.self,
  TrackFragmentDecodeTimeBox.self, TrackRunBox.self, TrackFragmentRandomAccessBox.self,
  MovieFragmentRandomAccessOffsetBox.self, SegmentIndexBox.self, SubsegmentIndexBox.self, EventMessageBox.self,
  ProducerReferenceTimeBox.self, EventMessageInstanceBox.self, EventMessageSampleEntry.self,
  // Protection.
  OctopusBundleBox.self, ProtectionSystemSpecificHeaderBox.self, OriginalFormatBox.self, SchemeTypeBox.self,
  TrackEncryptionBox.self,
  PIFFTrackEncryptionBox.self, PIFFSampleEncryptionBox.self,
  // Codecs and video.
  AVCConfigurationBox.self, HEVCConfigurationBox.self, AV1CodecConfigurationBox.self, VPCodecConfigurationBox.self,
  ESDescriptorBox.self, ALACSpecificBox.self, PixelAspectRatioBox.self, CleanApertureBox.self,
  ColourInformationBox.self, VVCConfigurationBox.self, EVCConfigurationBox.self, AVS3ConfigurationBox.self,
  SVCConfigurationBox.self, MVCConfigurationBox.self, MVCDConfigurationBox.self, DOVIConfigurationBox.self,
  LCEVCConfigurationBox.self, MPEG4ExtensionDescriptorsBox.self, StereoViewInformationBox.self,
  VolumetricVisualSampleEntry.self,
  // Audio.
  AudioEndianBox.self, OpusSpecificBox.self, FLACSpecificBox.self, PCMConfigurationBox.self, AC3SpecificBox.self,
  EC3SpecificBox.self, AC4SpecificBox.self, MLPSpecificBox.self, DTSSpecificBox.self, DTSUHDSpecificBox.self,
  MHAConfigurationBox.self, IAConfigurationBox.self, AVS3AudioConfigurationBox.self, SamplingRateBox.self,
  ChannelLayoutBox.self, ChannelDescriptionBox.self, DownMixInstructionsBox.self,
  // Text.
  PlainSampleEntry.self, WebVTTConfigurationBox.self, XMLSubtitleSampleEntry.self, TextSampleEntry.self,
  XMLMetadataSampleEntry.self, MIMEBox.self, TimedTextSampleEntry.self, FontTableBox.self, TextStyleBox.self,
  // Items and metadata.
  ItemLocationBox.self, ItemInformationBox.self, ItemInformationEntry.self, ItemReferenceBox.self,
  ItemProtectionBox.self, ItemPropertyAssociationBox.self, MetadataDataBox.self, FDItemInformationBox.self,
  // QuickTime.
  UserDataNameBox.self, MetadataItemKeysBox.self, TextMediaInformationBox.self,
  TimecodeSampleEntry.self, QuickTimeTextSampleEntry.self, MetadataDatatypeDefinitionBox.self,
  // Vendors.
  ContentProvenanceBox.self, CanonTrackBaseOffsetsBox.self, SonyProfileBox.self,
  // Sample groups.
  RollRecoveryGroup.self,
]

/// Boxes that share the declaration of another one.
private let otherTypes: [BoxDefinition] =
  [
    BoxDefinition(FileTypeBox.segment, as: FileTypeBox.self), BoxDefinition(FileTypeBox.track, as: FileTypeBox.self),
    BoxDefinition(
      BoxInfo("brnd", "Brand Property", in: ["ipco"], "ISO/IEC 14496-12:2022, 8.11.16"), as: FileTypeBox.self),
    BoxDefinition(NullMediaHeaderBox.subtitle, as: NullMediaHeaderBox.self),
    BoxDefinition(
      BoxInfo("snim", "Data Entry Sequence Number Imda Box", in: ["dref"], "ISO/IEC 14496-12:2022, 8.7.2"),
      as: NullMediaHeaderBox.self),
    BoxDefinition(SchemeTypeBox.compatible, as: SchemeTypeBox.self),
    BoxDefinition(AVCConfigurationBox.enhancement, as: AVCConfigurationBox.self),
    BoxDefinition(HEVCConfigurationBox.enhancement, as: HEVCConfigurationBox.self),
    BoxDefinition(MVCDConfigurationBox.avc3D, as: MVCDConfigurationBox.self),
    BoxDefinition(DOVIConfigurationBox.secondGeneration, as: DOVIConfigurationBox.self),
    BoxDefinition(DOVIConfigurationBox.thirdGeneration, as: DOVIConfigurationBox.self),
    BoxDefinition(VolumetricVisualSampleEntry.restricted, as: VolumetricVisualSampleEntry.self),
    BoxDefinition(UserDataNameBox.playMode, as: UserDataNameBox.self),
    BoxDefinition(RollRecoveryGroup.preRoll, as: RollRecoveryGroup.self),
  ] + TextSampleEntry.others.map { BoxDefinition($0, as: TextSampleEntry.self) }
  + PlainSampleEntry.others.map { BoxDefinition($0, as: PlainSampleEntry.self) }

/// Other boxes without fields that code looks for, or looks into.
private let boxesWithoutFields: [BoxDefinition] = [
  .container("wave", "Sound Decompression Parameters", in: SampleEntries.audioTypes, "QuickTime File Format"),
  .opaque("mp4a", "MPEG-4 Audio", in: ["wave"], "QuickTime File Format"),
  .opaque("idat", "Item Data Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.11"),
  .container("iprp", "Item Properties Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.11.14"),
  .container("ipco", "Item Property Container Box", in: ["iprp"], "ISO/IEC 14496-12:2022, 8.11.14"),
  .container("grpl", "Groups List Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.15.2"),
  .container("vttc", "VTT Cue Box", in: [], "ISO/IEC 14496-30:2018, 7.4"),
  .opaque("vtte", "VTT Empty Cue Box", in: [], "ISO/IEC 14496-30:2018, 7.4"),
  .opaque("emeb", "Event Message Empty Box", in: [], "ISO/IEC 23001-18:2022, 6.2"),
  .container("keys", "Metadata Key Table Atom", in: ["mebx"], "QuickTime File Format, Timed metadata"),
  .container("cmov", "Compressed Movie Atom", in: ["moov"], "QuickTime File Format, Compressed movie resources"),
  .container("rinf", "Restricted Scheme Information Box", in: [], "ISO/IEC 14496-12:2022, 8.15.3"),
  .container("scrb", "Scramble Scheme Information Box", in: [], "ISO/IEC 14496-12:2022, 8.12.7"),
  .container("cinf", "Complete Track Information Box", in: ["icpv", "icpa"], "ISO/IEC 14496-12:2022, 8.17.3"),
  .opaque("imda", "Identified Media Data Box", in: [.file], "ISO/IEC 14496-12:2022, 8.1.4"),
  BoxDefinition(
    BoxInfo("uuid", "Canon Metadata", in: ["moov", "meta"], "Canon CR3", userType: .canonMetadata), holdsBoxes: true),
  .opaque("CMT1", "Exif: picture", in: ["uuid"], "Canon CR3"),
  .opaque("CMT4", "Exif: GPS", in: ["uuid"], "Canon CR3"),
]

/// The track reference types in `tref`.
private let trackReferences = references(
  """
  hint | cdsc | font | hind | vdep | vplx | subt | thmb | auxl | cdtg | sync | mpod | dpnd | ipir | alis | chap | tmcd
  scpt | ssrc
  """)

/// Track reference types of parts of ISO/IEC 14496 other than part 12, and of Apple.
private let otherTrackReferences = references(
  """
  forc; QuickTime File Format | fall; QuickTime File Format | folw; QuickTime File Format | clcp; QuickTime File Format
  rndr; AVFoundation, track associations | avcp; ISO/IEC 14496-15:2022, 5.4 | scal; ISO/IEC 14496-15:2022, A.4
  sbas; ISO/IEC 14496-15:2022, A.4 | swfr; ISO/IEC 14496-15:2022, 5.4 | swto; ISO/IEC 14496-15:2022, 5.4
  tbas; ISO/IEC 14496-15:2022, 10 | sabt; ISO/IEC 14496-15:2022, 10 | oref; ISO/IEC 14496-15:2022, 9
  subp; ISO/IEC 14496-15:2022, 11 | vvcN; ISO/IEC 14496-15:2022, 11 | mixn; ISO/IEC 14496-15:2022, 11
  recr; ISO/IEC 14496-15:2022, 11 | vref; ISO/IEC 14496-15:2022, 11 | vreg; ISO/IEC 14496-15:2022, 11
  evcr; ISO/IEC 14496-15:2022, 12 | deps; ISO/IEC 14496-15:2022, 7 | adda; ISO/IEC 14496-12:2022, 12.2.8
  adrc; ISO/IEC 14496-12:2022, 12.2.5 | cdep; Canon CR3 and MOV files
  """)

private func references(_ text: StaticText) -> [BoxDefinition] {
  let info = TrackReferenceTypeBox.info
  return BoxDefinition.list(text, in: info.containers, info.clause, as: TrackReferenceTypeBox.self)
}
