import ISOBMFF
import MP4Bytes

/// Chapters as a QuickTime text track that other tracks refer to (`chap`). Apple's players show these.
struct ChapterTrack {
  /// The samples, concatenated.
  let media: [UInt8]
  private let sizes: [UInt32]
  /// The start of the first chapter, in milliseconds, and the duration of each.
  private let start: Int64
  private let durations: [UInt32]
  static let timescale: UInt32 = 1000

  /// The chapters that start before `end`; `nil` if there are none. The last one ends at `end`; if that is `nil`, its
  /// end is unknown.
  init?(_ list: ChapterList, end: MediaTime?) {
    let chapters = list.chapters.filter { chapter in end.map { chapter.time < $0 } ?? true }
    var starts = chapters.map { max(0, $0.time.converted(to: Self.timescale).value) }
    guard let first = starts.first, let last = starts.last else { return nil }
    starts.append(max(last, end?.converted(to: Self.timescale).value ?? last))
    start = first
    durations = zip(starts, starts.dropFirst()).map { UInt32(clamping: $1 - $0) }
    let samples = chapters.map { Self.sample($0.title) }
    sizes = samples.map { UInt32($0.count) }
    media = samples.flatMap(\.self)
  }

  /// A text with a length prefix, followed by a box that declares UTF-8.
  private static func sample(_ title: String) -> [UInt8] {
    let text = ChapterList.shortened(title, to: Int(UInt16.max)).utf8
    var writer = ByteWriter()
    writer.integer(UInt16(clamping: text.count))
    for byte in text { writer.integer(byte) }
    writer.integer(UInt32(12))
    writer.integer(("encd" as FourCC).rawValue)
    writer.integer(UInt32(0x100))
    return writer.bytes
  }

  /// The track box.
  func box(_ place: MovieEditor.NewTrack) -> Box {
    let duration = durations.reduce(0) { $0 + Int64($1) }
    func inMovie(_ time: Int64) -> UInt64 {
      UInt64(max(0, MediaTime(time, Self.timescale).converted(to: place.movieTimescale).value))
    }
    var header = TrackHeaderBox()
    // Disabled, so that players do not show it as subtitles.
    (header.header.flags, header.trackID, header.duration) = (0, place.id, inMovie(start + duration))
    var edits: [EditListBox.Entry] = []
    if start > 0 {
      edits = [
        EditListBox.Entry(segmentDuration: inMovie(start), mediaTime: -1),
        EditListBox.Entry(segmentDuration: inMovie(start + duration) - inMovie(start), mediaTime: 0),
      ]
    }
    var media = MediaHeaderBox()
    (media.timescale, media.duration) = (Self.timescale, UInt64(duration))
    var handler = HandlerBox()
    handler.handlerType = "text"
    if place.isQuickTime {
      handler.preDefined = "mhlr"
      handler.name = BoxString(Array("Chapters".utf8), form: .counted)
    }
    var trak = TrackBoxes.track(
      header, edits: edits, media, handler, TrackBoxes.description(Self.entry), table: table(place.offset))
    trak.edit("mdia", "minf") { minf in
      minf.edit("nmhd") { $0 = Self.mediaHeader }
      if place.isQuickTime, let dataHandler = place.dataHandler { minf.boxes.insert(dataHandler, at: 1) }
    }
    return trak
  }

  private static var entry: Box {
    var entry = QuickTimeTextSampleEntry()
    entry.displayFlags = 1
    entry.textName = []
    return Box(entry, type: "text", in: "stsd")
  }

  private static var mediaHeader: Box {
    // Version and flags, graphics mode (dither copy), opcolor (gray), balance.
    let gmin = Box("gmin", bytes: [0, 0, 0, 0, 0, 0x40, 0x80, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0])
    return Box("gmhd", boxes: [gmin, Box(TextMediaInformationBox(), in: "gmhd")])
  }

  private func table(_ offset: Int) -> [Box] {
    var stts = TimeToSampleBox()
    stts.entries = BoxTable(durations.map { TimeToSampleBox.Entry(sampleCount: 1, sampleDelta: $0) })
    return [Box(stts)] + TrackBoxes.chunks([(description: 1, sizes: sizes)], at: offset)
  }
}
