import ISOBMFF
import MP4Bytes

/// Converts the movie box of a QuickTime file to that of an ISO file (MP4). Boxes that readers of ISO files would
/// misread or not find are rewritten according to ISO/IEC 14496-12. Boxes that such readers skip are kept, and samples
/// do not change.
struct QuickTimeConversion {
  private let file: String
  let payloads: MoviePayloads
  /// The decisions for each track.
  private(set) var diagnostics: [Diagnostic] = []
  /// Whether there are negative composition offsets, which need version 1 of `ctts`, and a brand, in ISO files.
  private(set) var hasNegativeOffsets = false
  /// Whether an audio description was converted from QuickTime form to ISO form.
  private(set) var hasConvertedSound = false

  init(_ source: any ByteSource) {
    file = source.name
    payloads = MoviePayloads(source: source)
  }

  /// Whether a movie is a QuickTime movie, according to its brand, or, without a brand, if its handlers are components
  /// (`mhlr`).
  func isQuickTime(_ moov: Box, fileType: Box?) throws(MovieError) -> Bool {
    if let fileType { return try fields(of: fileType, FileTypeBox.self)?.majorBrand == "qt  " }
    for trak in moov.boxes where trak.type == "trak" {
      if let hdlr = try fields(of: trak.first("mdia", "hdlr"), HandlerBox.self) { return hdlr.preDefined == "mhlr" }
    }
    return false
  }

  /// Converts a movie box. If the movie is not a QuickTime movie, only audio descriptions are converted.
  mutating func convert(_ moov: inout Box, isQuickTime: Bool, _ reference: (Int) -> Diagnostic.Track) throws(MovieError)
  {
    var number = 0
    let chapters = try chapterTracks(of: moov)
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      let trak = moov.boxes[index]
      let handler = try fields(of: trak.first("mdia", "hdlr"), HandlerBox.self)?.handlerType
      if var table = trak.first("mdia", "minf", "stbl") {
        let id = try fields(of: trak.first("tkhd"), TrackHeaderBox.self)?.trackID
        let media = Media(
          isSound: handler == "soun", isChapter: id.map(chapters.contains) ?? false,
          timescale: try fields(of: trak.first("mdia", "mdhd"), MediaHeaderBox.self)?.timescale ?? 0)
        try convert(table: &table, isQuickTime: isQuickTime, media, reference(number))
        moov.boxes[index].edit("mdia", "minf", "stbl") { $0 = table }
      }
      number += 1
      if isQuickTime { try convert(track: &moov.boxes[index], handler) }
    }
    guard isQuickTime else { return }
    try convertMetadata(in: &moov)
    // A list can end with zeros, which would be read as a box that extends to the end of the file.
    moov.edit("udta") { udta in udta.boxes.removeAll { !$0.hasHeader } }
  }

  /// The fields of a box; `nil` if it is missing or damaged. Damage is reported where the fields are used.
  func fields<Payload: BoxPayload>(of box: Box?, _: Payload.Type) throws(MovieError) -> Payload? {
    guard let box else { return nil }
    do throws(MovieError) { return try payloads.payload(of: box, in: "moov", Payload.self) } catch {
      if case .io = error { throw error }
      return nil
    }
  }

  mutating func note(_ kind: Diagnostic.Kind, _ track: Diagnostic.Track) {
    let diagnostic = Diagnostic(kind, file, track)
    if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
  }

  // MARK: Tracks

  private func convert(track trak: inout Box, _ handler: FourCC?) throws(MovieError) {
    // In QuickTime, this flag means that the track is in the poster; in ISO files, that its size is an aspect ratio.
    if var tkhd = try fields(of: trak.first("tkhd"), TrackHeaderBox.self), tkhd.flags & 8 != 0 {
      tkhd.header.flags &= ~8
      trak.edit("tkhd") { $0.fields = .edited(tkhd) }
    }
    try convertMetadata(in: &trak)
    trak.edit("udta") { udta in udta.boxes.removeAll { !$0.hasHeader } }
    guard var mdia = trak.first("mdia") else { return }
    try convertHandler(in: &mdia)
    if var mdhd = try fields(of: mdia.first("mdhd"), MediaHeaderBox.self),
      let code = Self.packed(mdhd.language.rawValue)
    {
      mdhd.language = LanguageCode(rawValue: code)
      mdia.edit("mdhd") { $0.fields = .edited(mdhd) }
    }
    if var minf = mdia.first("minf") {
      // This handler is the component that reads the media data.
      minf.boxes.removeAll { $0.type == "hdlr" }
      // Readers of ISO files know this box in chapter and timecode tracks too.
      if handler != "text", handler != "tmcd" { minf.edit("gmhd") { $0 = Box(NullMediaHeaderBox()) } }
      if var dref = minf.first("dinf", "dref") {
        try convert(references: &dref)
        minf.edit("dinf", "dref") { $0 = dref }
      }
      mdia.edit("minf") { $0 = minf }
    }
    trak.edit("mdia") { $0 = mdia }
  }

  /// The packed letters of a QuickTime language number; `nil` if the letters are packed already.
  private static func packed(_ language: UInt16) -> UInt16? {
    guard language < QuickTimeLanguage.limit || language == 0x7fff else { return nil }
    return (QuickTimeLanguage(language)?.letters ?? "und").utf8.reduce(0) { $0 << 5 | UInt16($1 & 31) }
  }

  /// Converts aliases that refer to this file to URL entries.
  private func convert(references dref: inout Box) throws(MovieError) {
    for index in dref.boxes.indices where dref.boxes[index].type == "alis" || dref.boxes[index].type == "rsrc" {
      let entry = try fields(of: dref.boxes[index], DataEntryURLBox.self)
      if let entry, entry.flags & 1 != 0 { dref.boxes[index] = Box(DataEntryURLBox()) }
    }
  }

  /// Adds version and flags to the metadata boxes of QuickTime, which readers of ISO files require.
  private func convertMetadata(in box: inout Box) throws(MovieError) {
    for index in box.boxes.indices where box.boxes[index].type == "meta" {
      guard case .unchanged(let range) = box.boxes[index].fields, range.isEmpty else { continue }
      box.boxes[index].fields = .edited(MetaBox())
      try convertHandler(in: &box.boxes[index])
    }
  }

  /// Converts a QuickTime handler, which names a component and stores the length before the name.
  private func convertHandler(in box: inout Box) throws(MovieError) {
    guard var hdlr = try fields(of: box.first("hdlr"), HandlerBox.self) else { return }
    guard hdlr.preDefined.rawValue != 0 || hdlr.name.form == .counted else { return }
    hdlr.preDefined = FourCC(rawValue: 0)
    hdlr.reserved = ReservedBits()
    hdlr.name = BoxString(hdlr.name.bytes)
    box.edit("hdlr") { $0.fields = .edited(hdlr) }
  }

  // MARK: Sample tables

  /// Track properties that its sample descriptions do not contain.
  struct Media {
    var isSound: Bool
    /// Whether other tracks refer to it as their chapters.
    var isChapter: Bool
    var timescale: UInt32
  }

  /// The IDs of the chapter tracks.
  func chapterTracks(of moov: Box) throws(MovieError) -> Set<UInt32> {
    var result: Set<UInt32> = []
    for trak in moov.boxes where trak.type == "trak" {
      if let box = try fields(of: trak.first("tref", "chap"), TrackReferenceTypeBox.self) {
        result.formUnion(box.trackIDs)
      }
    }
    return result
  }

  private mutating func convert(
    table: inout Box, isQuickTime: Bool, _ media: Media, _ track: Diagnostic.Track
  ) throws(MovieError) {
    guard var stsd = table.first("stsd") else { return }
    let sizes = try fields(of: table.first("stsz"), SampleSizeBox.self)
    let size = try payloads.sampleSize(table, sizes)
    for index in stsd.boxes.indices {
      let entry = stsd.boxes[index]
      if let sound = try configuredSound(entry) {
        stsd.boxes[index] = sound
        hasConvertedSound = true
      } else if isQuickTime, media.isSound, let sound = try renamedSound(entry, media, sampleSize: size) {
        stsd.boxes[index] = sound
        note(.renamedFormat(entry.type, sound.type), track)
      } else if isQuickTime, let name = QuickTimeFormats.name(of: entry.type, isSound: media.isSound) {
        note(.quickTimeOnly(entry.type, name: name), track)
      } else if isQuickTime, entry.type == "text" {
        // Readers of MP4 files accept it for chapters.
        if !media.isChapter { note(.quickTimeOnly(entry.type, name: "QuickTime text"), track) }
      } else if isQuickTime {
        stsd.boxes[index] = try pictures(entry)
      }
    }
    if stsd.boxes.contains(where: { $0.first("srat") != nil }),
      var header = try fields(of: stsd, SampleDescriptionBox.self)
    {
      // ISO/IEC 14496-12:2022, 12.2.3: an entry of version 1 requires version 1 of `stsd`.
      header.header.version = 1
      stsd.fields = .edited(header)
    }
    table.edit("stsd") { $0 = stsd }
    guard isQuickTime else { return }
    if var sizes, let size, sizes.sampleSize != size {
      sizes.sampleSize = size
      table.edit("stsz") { $0.fields = .edited(sizes) }
    }
    if var offsets = try fields(of: table.first("ctts"), CompositionOffsetBox.self), offsets.version == 0,
      offsets.entries.contains(where: { $0.sampleOffset < 0 })
    {
      offsets.header.version = 1
      hasNegativeOffsets = true
      table.edit("ctts") { $0.fields = .edited(offsets) }
    }
  }

  /// A video entry of a codec that ISO files support, without the encoder information that only QuickTime has, and with
  /// its color codes in ISO form.
  private func pictures(_ entry: Box) throws(MovieError) -> Box {
    guard QuickTimeFormats.isVisual(entry.type), var picture = try fields(of: entry, VisualSampleEntry.self) else {
      return entry
    }
    var result = entry
    result.boxes.removeAll { !$0.hasHeader }
    if picture.quickTime != nil {
      picture.quickTime = nil
      result.fields = .edited(picture)
    }
    for index in result.boxes.indices where result.boxes[index].type == "colr" {
      guard var colour = try fields(of: result.boxes[index], ColourInformationBox.self), colour.colourType == "nclc"
      else { continue }
      colour.colourType = "nclx"
      // QuickTime does not declare the range; decoders take that of the video.
      do throws(IOError) {
        let configuration = try DecoderConfiguration(entry, from: payloads.source, handler: "vide")
        colour.fullRangeFlag = configuration.sequenceParameters?.colour?.isFullRange ?? false
      } catch { throw .io(error) }
      result.boxes[index].fields = .edited(colour)
    }
    return result
  }
}
