import Bytes

/// What only QuickTime has, and timed text of 3GPP, which comes from it.
let quickTimeBoxes: [BoxDefinition] =
  userData + UserDataTexts.others + quickTimeMovies + quickTimeTracks + quickTimeMedia + timedText

private let quickTimeMedia: [BoxDefinition] = [
  BoxDefinition(BaseMediaInfoBox.self), BoxDefinition(TextMediaInformationBox.self),
  BoxDefinition(TimecodeMediaInformationBox.self), BoxDefinition(TimecodeSampleEntry.self),
  BoxDefinition(TimecodeNameBox.self), BoxDefinition(QuickTimeTextSampleEntry.self),
  BoxDefinition(ChannelDescriptionBox.self),
  .container("keys", "Metadata Key Table Atom", in: ["mebx"], "QuickTime File Format, Timed metadata"),
  BoxDefinition(MetadataKeyDeclarationBox.self), BoxDefinition(MetadataDatatypeDefinitionBox.self),
  BoxDefinition(MetadataLocaleBox.self),
]

private let quickTimeTracks: [BoxDefinition] =
  [
    .container("tapt", "Track Aperture Mode Dimensions", in: ["trak"], "QuickTime File Format, Track aperture modes"),
    BoxDefinition(ApertureDimensionsBox.self), BoxDefinition(TrackLoadSettingsBox.self),
    .container("imap", "Track Input Map Atom", in: ["trak"], "QuickTime File Format, Track input map atoms"),
    BoxDefinition(TrackInputBox.self), BoxDefinition(TrackInputValueBox.self),
    BoxDefinition(TrackInputValueBox.object, as: TrackInputValueBox.self),
    .container("clip", "Clipping Atom", in: ["moov", "trak"], "QuickTime File Format, Clipping atoms"),
    BoxDefinition(ClippingRegionBox.self),
    .container("matt", "Track Matte Atom", in: ["trak"], "QuickTime File Format, Track matte atoms"),
    BoxDefinition(CompressedMatteBox.self),
  ] + ApertureDimensionsBox.others.map { BoxDefinition($0, as: ApertureDimensionsBox.self) }

private let quickTimeMovies: [BoxDefinition] = [
  BoxDefinition(ColorTableBox.self), BoxDefinition(MetadataItemKeysBox.self),
  .container("rmra", "Reference Movie Atom", in: ["moov"], "QuickTime File Format, Reference movies"),
  .container("rmda", "Reference Movie Descriptor Atom", in: ["rmra"], "QuickTime File Format, Reference movies"),
  BoxDefinition(DataReferenceAtom.self), BoxDefinition(DataRateBox.self), BoxDefinition(CPUSpeedBox.self),
  BoxDefinition(VersionCheckBox.self), BoxDefinition(ComponentDetectBox.self), BoxDefinition(QualityBox.self),
  .container("cmov", "Compressed Movie Atom", in: ["moov"], "QuickTime File Format, Compressed movie resources"),
  BoxDefinition(DataCompressionBox.self), BoxDefinition(CompressedMovieDataBox.self),
  BoxDefinition(AliasDataReferenceBox.self),
  BoxDefinition(AliasDataReferenceBox.resource, as: AliasDataReferenceBox.self),
  BoxDefinition(PreviewBox.self),
  .opaque("PICT", "Preview Picture", in: [.file], "QuickTime File Format, Preview atoms"),
]

private let userData: [BoxDefinition] = [
  BoxDefinition(UserDataTextBox.self), BoxDefinition(WindowLocationBox.self), BoxDefinition(LoopingBox.self),
  BoxDefinition(PlaySelectionBox.self), BoxDefinition(PlaySelectionBox.allFrames, as: PlaySelectionBox.self),
  BoxDefinition(PrintToVideoBox.self), BoxDefinition(UserDataNameBox.self),
  BoxDefinition(UserDataNameBox.playMode, as: UserDataNameBox.self),
]

private let timedText: [BoxDefinition] = [
  BoxDefinition(TimedTextSampleEntry.self), BoxDefinition(FontTableBox.self), BoxDefinition(TextStyleBox.self),
  BoxDefinition(TextHighlightBox.self), BoxDefinition(TextHighlightBox.blink, as: TextHighlightBox.self),
  BoxDefinition(TextHighlightColorBox.self), BoxDefinition(TextKaraokeBox.self),
  BoxDefinition(TextScrollDelayBox.self), BoxDefinition(TextHypertextBox.self), BoxDefinition(TextboxBox.self),
  BoxDefinition(TextWrapBox.self),
]
