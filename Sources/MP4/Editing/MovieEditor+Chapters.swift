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
      let removed = try removeTracks(referredToAs: "chap", from: &moov, "its chapters are")
      moov.setChapters(list)
      moov.boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
      guard let list, let track = ChapterTrack(list, end: end) else { return }
      let isAdded = try addTrack(to: &moov, as: "chap", for: ["vide", "soun"], after: removed, track.box)
      if isAdded { media = track.media }
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
}
