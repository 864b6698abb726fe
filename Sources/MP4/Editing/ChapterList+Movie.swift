import Bytes
import ISOBMFF

extension Movie {
  /// More chapters of a track are not read.
  private static let chapterLimit = 10_000

  /// The chapters: those of the track that another one refers to, or else of Nero's list.
  package func chapters() throws(MovieError) -> [ChapterList.Chapter] {
    for track in tracks where track.isChapters == true {
      var chapters: [ChapterList.Chapter] = []
      let isQuickTime = track.decoderConfigurations.contains { $0.codedFormat == "text" }
      try track.forEachTimedSample(limit: 1 << 16) { sample in
        let title = TextSample(sample.bytes, isQuickTime: isQuickTime)?.text ?? ""
        chapters.append(ChapterList.Chapter(time: sample.start, title: title))
        return chapters.count < Self.chapterLimit
      }
      // A track of pictures can also be referenced as chapters.
      if !chapters.isEmpty, track.handler != "vide" { return chapters }
    }
    return movieBoxes.lazy.map(Self.nero).first { !$0.isEmpty } ?? []
  }

  /// The list in `chpl`.
  private static func nero(_ movie: MovieBox) -> [ChapterList.Chapter] {
    guard let range = movie.box.first("udta", "chpl")?.header?.payload, range.count <= 1 << 20 else { return [] }
    var window = ByteWindow(movie.source, readAhead: 0)
    let bytes = try? window.slice(at: range.lowerBound, count: range.count)
    return bytes.flatMap { ChapterList(nero: Array($0)) }?.chapters ?? []
  }
}
