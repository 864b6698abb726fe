import Bytes

/// Boxes of QuickTime, and 3GPP timed text, which is derived from it.
let quickTimeBoxes: [BoxDefinition] =
  userData + UserDataTexts.others + quickTimeMovies + quickTimeTracks + quickTimeMedia + timedText

private let quickTimeMedia: [BoxDefinition] = [
  BoxDefinition(TextMediaInformationBox.self),
  BoxDefinition(TimecodeSampleEntry.self),
  BoxDefinition(QuickTimeTextSampleEntry.self),
  BoxDefinition(ChannelDescriptionBox.self),
  .container("keys", "Metadata Key Table Atom", in: ["mebx"], "QuickTime File Format, Timed metadata"),
  BoxDefinition(MetadataDatatypeDefinitionBox.self),
]

private let quickTimeTracks: [BoxDefinition] =
  [
    .container("tapt", "Track Aperture Mode Dimensions", in: ["trak"], "QuickTime File Format, Track aperture modes"),
    .container("imap", "Track Input Map Atom", in: ["trak"], "QuickTime File Format, Track input map atoms"),
    .container("clip", "Clipping Atom", in: ["moov", "trak"], "QuickTime File Format, Clipping atoms"),
    .container("matt", "Track Matte Atom", in: ["trak"], "QuickTime File Format, Track matte atoms"),
  ]

private let quickTimeMovies: [BoxDefinition] = [
  BoxDefinition(MetadataItemKeysBox.self),
  .container("rmra", "Reference Movie Atom", in: ["moov"], "QuickTime File Format, Reference movies"),
  .container("rmda", "Reference Movie Descriptor Atom", in: ["rmra"], "QuickTime File Format, Reference movies"),
  .container("cmov", "Compressed Movie Atom", in: ["moov"], "QuickTime File Format, Compressed movie resources"),
  .opaque("PICT", "Preview Picture", in: [.file], "QuickTime File Format, Preview atoms"),
]

private let userData: [BoxDefinition] = [
  BoxDefinition(UserDataTextBox.self), BoxDefinition(UserDataNameBox.self),
  BoxDefinition(UserDataNameBox.playMode, as: UserDataNameBox.self),
]

private let timedText: [BoxDefinition] = [
  BoxDefinition(TimedTextSampleEntry.self), BoxDefinition(FontTableBox.self), BoxDefinition(TextStyleBox.self),
]
