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
      try track.forEachTimedSample(limit: 1 << 16) { sample in
        // The length of the text, the text, and boxes: 3GPP TS 26.245, 5.17.
        let count = sample.bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let bytes = sample.bytes.dropFirst(2).prefix(count)
        chapters.append(Chapter(time: sample.start, title: text(bytes)))
        return chapters.count < 10_000
      }
      // A track of pictures can also be referenced as chapters.
      if !chapters.isEmpty, track.handler != "vide" { return chapters }
    }
    return movie.movieBoxes.lazy.map(nero).first { !$0.isEmpty } ?? []
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let isWide = bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe])
    return isWide ? MetadataValue.text(utf16: Array(bytes)) : String(decoding: bytes, as: UTF8.self)
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
