import ISOBMFF
import MP4Bytes

/// Creates the movie box of written tracks.
struct WrittenMovie {
  private let tracks: [WrittenTrack]
  /// The movie timescale: one in which every track can start and end exactly, if possible.
  private let timescale: UInt32

  init(_ tracks: [WrittenTrack]) {
    self.tracks = tracks
    timescale = tracks.reduce(1) { common, written in
      [written.track.timescale, written.track.delay.timescale, written.track.presentedDuration?.timescale ?? 1]
        .reduce(common) { commonTimescale($0, $1) ?? max($0, $1) }
    }
  }

  /// A movie box with the samples of all tracks.
  var box: Box {
    var boxes: [Box] = []
    var longest: UInt64 = 0
    for written in tracks {
      let list = SampleList(written.samples, descriptions: written.descriptions, source: 0)
      var table = SampleTable(list, SampleAuxiliaryInfo(), isCompact: false)
      for chunk in written.chunks { table.append(chunk) }
      let isLarge = written.chunks.last.map { $0.offset > Int(UInt32.max) } ?? false
      let edits = edits(of: written.track, list)
      let duration =
        edits.isEmpty ? movieTime(list.duration, of: written.track) : edits.reduce(0) { $0 + $1.segmentDuration }
      longest = max(longest, duration)
      boxes.append(
        trak(
          written, duration: (list.duration, duration), edits,
          table.boxes() + [table.chunkOffsets(mediaStart: 0, large: isLarge)]))
    }
    return Box("moov", boxes: [header(longest)] + boxes)
  }

  /// A movie box without samples, which are in fragments.
  var fragmentedBox: Box {
    let empty = [Box(TimeToSampleBox()), Box(SampleToChunkBox()), Box(SampleSizeBox()), Box(ChunkOffsetBox())]
    let boxes = tracks.map { trak($0, duration: (0, 0), edits(of: $0.track, nil), empty) }
    let defaults = tracks.map { written in
      var trex = TrackExtendsBox()
      trex.trackID = written.id
      return Box(trex)
    }
    return Box("moov", boxes: [header(0)] + boxes + [Box("mvex", boxes: defaults)])
  }

  private func header(_ duration: UInt64) -> Box {
    var mvhd = MovieHeaderBox()
    (mvhd.timescale, mvhd.duration, mvhd.nextTrackID) = (timescale, duration, UInt32(tracks.count + 1))
    return Box(mvhd)
  }

  private func movieTime(_ time: MediaTime) -> UInt64 { UInt64(max(0, time.converted(to: timescale).value)) }
  private func movieTime(_ units: Int64, of track: MovieWriter.Track) -> UInt64 {
    movieTime(MediaTime(units, track.timescale))
  }

  /// The edit list of a track. In a fragmented file, whose samples are not known yet, it presents all of them.
  private func edits(of track: MovieWriter.Track, _ list: SampleList?) -> [EditListBox.Entry] {
    guard track.delay.value > 0 || track.trim.value > 0 || track.presentedDuration != nil else { return [] }
    if let list, list.count == 0 { return [] }
    let trim = track.trim.converted(to: track.timescale).value
    let all = list.map { movieTime($0.compositionEnd &- trim, of: track) } ?? 0
    let length = track.presentedDuration.map { list == nil ? movieTime($0) : min(movieTime($0), all) } ?? all
    let media = EditListBox.Entry(segmentDuration: length, mediaTime: trim)
    let delay = movieTime(track.delay)
    return delay > 0 ? [EditListBox.Entry(segmentDuration: delay, mediaTime: -1), media] : [media]
  }

  private func trak(
    _ written: WrittenTrack, duration: (media: Int64, movie: UInt64), _ edits: [EditListBox.Entry], _ table: [Box]
  ) -> Box {
    let track = written.track
    var (header, media, handler) = (track.header, MediaHeaderBox(), HandlerBox())
    (header.trackID, header.duration) = (written.id, duration.movie)
    (media.timescale, media.duration, media.language) = (track.timescale, UInt64(duration.media), track.language)
    (handler.handlerType, handler.name) = (track.handler, BoxString(Array(track.name.utf8)))
    if track.isQuickTime {
      handler.preDefined = "mhlr"
      // Without a name, both forms are a byte of 0.
      if !track.name.isEmpty { handler.name = BoxString(Array(track.name.utf8), form: .counted) }
    }
    let language = track.languageTag.map { tag in
      var elng = ExtendedLanguageBox()
      elng.extendedLanguage = BoxString(Array(tag.utf8))
      return elng
    }
    var stsd = SampleDescriptionBox()
    stsd.header.version = track.descriptionVersion
    stsd.entryCount = UInt32(track.entries.count)
    var description = Box(stsd)
    description.fields = .edited(stsd, rest: track.entries.flatMap(\.self))
    var trak = TrackBoxes.track(header, edits: edits, media, handler, language: language, description, table: table)
    if track.isQuickTime {
      var reader = HandlerBox()
      (reader.preDefined, reader.handlerType) = ("dhlr", "url ")
      trak.edit("mdia", "minf") { $0.boxes.insert(Box(reader), at: 1) }
    }
    return trak
  }
}
