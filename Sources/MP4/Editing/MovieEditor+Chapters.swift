import Bytes
import ISOBMFF

extension MovieEditor {
  /// An editor with these chapters as Nero's list (`moov/udta/chpl`), or without chapters. Tracks with other chapters
  /// are removed, so that readers agree; their samples stay in the media data.
  ///
  /// - Throws: `MovieError` also if there are too many chapters, or if the file is fragmented and has a chapter track.
  public func setChapters(_ list: ChapterList?) throws -> MovieEditor {
    func refusal(_ obstacle: ChapterObstacle) -> MovieError { .impossible(file: source.name, obstacle) }
    if let count = list?.chapters.count, count > ChapterList.limit { throw refusal(.tooMany(count)) }
    var end: MediaTime?
    var editor = try editingMovie { moov in
      if let mvhd = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source), mvhd.timescale > 0, mvhd.duration > 0,
        !mvhd.duration.isUnknownDuration(mvhd.version)
      {
        end = MediaTime(Int64(clamping: mvhd.duration), mvhd.timescale)
      }
      let tracks = try removeChapterReferences(from: &moov)
      if !tracks.isEmpty, moov.first("mvex") != nil { throw refusal(.fragments) }
      try moov.boxes.removeAll { trak in
        guard trak.type == "trak" else { return false }
        return try trak.payload(["tkhd"], TrackHeaderBox.self, of: source).map { tracks.contains($0.trackID) } ?? false
      }
      moov.setChapters(list)
      moov.boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
    }
    guard let list else { return editor }
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

  /// Removes the references to chapter tracks, and returns those to which no other reference is left.
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
