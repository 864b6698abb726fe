import BoxCatalog
import Bytes
import ISOBMFF
public import MP4

/// A chapter of a movie.
public struct Chapter: Sendable {
  /// Its start time.
  public let time: MediaTime
  /// Its title.
  public let title: String

  /// The chapters of a movie: those of the track that another one refers to, or else of Nero's list.
  public static func list(of movie: Movie) throws(MovieError) -> [Chapter] {
    for track in movie.tracks where track.isChapters == true {
      var chapters: [Chapter] = []
      let isQuickTime = track.decoderConfigurations.contains { $0.codedFormat == "text" }
      try track.forEachTimedSample(limit: 1 << 16) { sample in
        let title = TextSample(sample.bytes, isQuickTime: isQuickTime)?.text ?? ""
        chapters.append(Chapter(time: sample.start, title: title))
        return chapters.count < 10_000
      }
      // A track of pictures can also be referenced as chapters.
      if !chapters.isEmpty, track.handler != "vide" { return chapters }
    }
    return movie.movieBoxes.lazy.map(nero).first { !$0.isEmpty } ?? []
  }

  /// The list in `chpl`, in units of 100 ns.
  private static func nero(_ movie: Movie.MovieBox) -> [Chapter] {
    guard let box = movie.box.first("udta", "chpl"), box.header?.payload.count ?? 0 <= 1 << 20,
      let payload = try? box.payload(from: movie.source, registry: .standard)?.get()
    else { return [] }
    return (1...255).lazy.map { "chapters[\($0)]" }.prefix { payload["\($0).start"] != nil }.compactMap { row in
      guard let start = payload["\(row).start"]?.number, case .text(let title)? = payload["\(row).title"] else {
        return nil
      }
      return Chapter(time: MediaTime(start, 10_000_000), title: title.description)
    }
  }
}
