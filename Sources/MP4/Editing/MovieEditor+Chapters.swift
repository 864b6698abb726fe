import ISOBMFF
import MP4Bytes

extension MovieEditor {
  /// An editor that sets these chapters, or removes all chapters if `list` is `nil`. They are written as a Nero list
  /// (`moov/udta/chpl`) and as a text track, which Apple's players need; a fragmented file gets no text track. Tracks
  /// with other chapters are removed, so that all readers show the same; their samples remain in the media data.
  ///
  /// - Throws: `MovieError` also if there are too many chapters, or if the file is fragmented and has a chapter track.
  public func settingChapters(_ list: ChapterList?) throws -> MovieEditor {
    if let count = list?.chapters.count, count > ChapterList.limit {
      throw MovieError.impossible(file: source.name, ChapterList.tooMany(count))
    }
    var end: MediaTime?
    var media: [UInt8]?
    var editor = try editingMovie { moov in
      if let mvhd = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source), mvhd.timescale > 0, mvhd.duration > 0,
        !mvhd.duration.isUnknownDuration(mvhd.version)
      {
        end = MediaTime(Int64(clamping: mvhd.duration), mvhd.timescale)
      }
      let tracks = try removeChapterReferences(from: &moov)
      if !tracks.isEmpty, moov.first("mvex") != nil {
        let text = "its chapters are a track of a fragmented file"
        throw MovieError.impossible(file: source.name, Obstacle("fragmented", text, remedy: .defragment))
      }
      try moov.boxes.removeAll { trak in
        guard trak.type == "trak" else { return false }
        return try trak.payload(["tkhd"], TrackHeaderBox.self, of: source).map { tracks.contains($0.trackID) } ?? false
      }
      moov.setChapters(list)
      moov.boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
      guard let list, let track = ChapterTrack(list, end: end) else { return }
      if try addChapterTrack(track, to: &moov, after: tracks.max() ?? 0) { media = track.media }
    }
    guard let list else { return editor }
    if let media { editor = editor.appendMedia(media) }
    if let number = list.shortenedTitles.first {
      let text = "the title of chapter \(number) was shortened to 255 bytes"
      editor.diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    if let end, let index = list.chapters.firstIndex(where: { $0.time >= end }) {
      let text = "chapter \(index + 1) starts at \(list.chapters[index].time), but the movie ends at \(end)"
      editor.diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    return editor
  }

  /// Adds a chapter track after the other tracks, with references to it from video and audio. Returns whether the movie
  /// can have one.
  private func addChapterTrack(_ track: ChapterTrack, to moov: inout Box, after removed: UInt32) throws -> Bool {
    guard moov.first("mvex") == nil, !items.contains(where: { $0.type == "moof" }),
      let mvhd = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source), mvhd.timescale > 0
    else { return false }
    let ids = try moov.boxes.filter { $0.type == "trak" }.compactMap {
      try $0.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID
    }
    // The ID of a removed track is not used again.
    guard let last = (ids + [removed]).max(), last < UInt32.max - 1 else { return false }
    let id = last < mvhd.nextTrackID && mvhd.nextTrackID < UInt32.max ? mvhd.nextTrackID : last + 1
    var isReferenced = false
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      let handler = try moov.boxes[index].payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType
      guard handler == "vide" || handler == "soun" else { continue }
      isReferenced = true
      var chap = TrackReferenceTypeBox()
      chap.trackIDs = [id]
      if moov.boxes[index].first("tref") == nil { moov.boxes[index].append(Box("tref", boxes: [])) }
      moov.boxes[index].edit("tref") { $0.append(Box(chap, type: "chap")) }
    }
    guard isReferenced else { return false }
    let hdlr = try moov.payload(["trak", "mdia", "hdlr"], HandlerBox.self, of: source)
    let trak = track.box(
      id: id, movieTimescale: mvhd.timescale, offset: mediaEnd + 8, isQuickTime: hdlr?.preDefined == "mhlr",
      dataHandler: moov.first("trak", "mdia", "minf", "hdlr"))
    let at = moov.boxes.lastIndex { $0.type == "trak" }.map { $0 + 1 } ?? 0
    moov.boxes.insert(trak, at: at)
    try moov.edit(["mvhd"], MovieHeaderBox.self, of: source) { $0.nextTrackID = max($0.nextTrackID, id + 1) }
    return true
  }

  /// Removes the references to chapter tracks, and returns the tracks that are no longer referenced.
  private func removeChapterReferences(from moov: inout Box) throws -> Set<UInt32> {
    var chapters: Set<UInt32> = []
    var others: Set<UInt32> = []
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      for reference in moov.boxes[index].first("tref")?.boxes ?? [] {
        guard let tracks = try? reference.payload(as: TrackReferenceTypeBox.self, from: source).get().trackIDs else {
          continue
        }
        if reference.type == "chap" { chapters.formUnion(tracks) } else { others.formUnion(tracks) }
      }
      moov.boxes[index].edit("tref") { tref in tref.boxes.removeAll { $0.type == "chap" } }
      moov.boxes[index].boxes.removeAll { $0.type == "tref" && $0.boxes.isEmpty }
    }
    return chapters.subtracting(others)
  }
}
