import Bytes
import ISOBMFF
import MP4
import TimedText

extension Packager {
  /// A track of text that ends before the first rendition does, with samples that show nothing in the segments that are
  /// missing: players want renditions that last as long as each other, RFC 8216, 6.2.4.
  func filled(_ movie: Movie, like cuts: SharedCuts?, _ notices: inout [Notice]) throws(MovieError) -> Movie {
    guard let cuts, movie.tracks.count == 1 else { return movie }
    let end = cuts.end
    let own = movie.end(ofTrack: 0)
    guard end.converted(to: 1000).value &- own.converted(to: 1000).value >= Self.shortest else { return movie }
    let configurations = try movie.decoderConfigurations(ofTrack: 0)
    let isTTML = configurations.last?.codedFormat == "stpp"
    let empty = isTTML ? Array(Self.emptyTTML.utf8) : TextSamples.box("vtte", [])
    guard options.storage != .referenced, let result = movie.extended(until: cuts.ends(after: own), with: empty) else {
      let text = "its text ends at \(CueTime.text(own)), and the presentation at \(CueTime.text(end))"
      notices.append(Notice(.warning, movie.name, text))
      return movie
    }
    return result
  }
  /// What is missing at most without anything being added, in milliseconds.
  private static var shortest: Int64 { 500 }
  /// A document in which nothing is shown; its language has to be said.
  private static var emptyTTML: String { "<tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"\"/>" }

  /// The tracks with text of 3GPP as cues, each once; chapters are none.
  func subtitles(of movies: [Movie], _ notices: inout [Notice]) throws(MovieError) -> [Subtitles] {
    var result: [Subtitles] = []
    for movie in movies where options.storage != .referenced {
      for index in movie.tracks.indices where movie.sampleCount(ofTrack: index) > 0 {
        guard let entry = Self.timedText(movie, index) else { continue }
        guard let own = try subtitles(of: movie, index, entry, &notices) else { continue }
        // The inputs of a ladder have the same text.
        let isKnown = result.contains {
          $0.document.cues == own.document.cues && $0.language == own.language && $0.isForced == own.isForced
        }
        if !isKnown { result.append(own) }
      }
    }
    return result
  }

  private func subtitles(
    of movie: Movie, _ index: Int, _ entry: TimedTextSampleEntry, _ notices: inout [Notice]
  ) throws(MovieError) -> Subtitles? {
    let text = try TimedTextTrack(movie, track: index, entry)
    let (id, name) = (movie.tracks[index].id, movie.keeping(tracks: [index]).name)
    func say(_ severity: Notice.Severity, _ text: String) {
      notices.append(Notice(severity, name, "track \(id): \(text)"))
    }
    if text.skipped > 0 {
      say(.loss, "\(text.skipped) sample\(text.skipped == 1 ? "" : "s") of text cannot be read; left out")
    }
    guard !text.cues.isEmpty else {
      say(.note, "there is no text in it; left out")
      return nil
    }
    say(
      .note, "tx3g (text of 3GPP) becomes WebVTT, which players of HTTP Live Streaming show; colors and places are lost"
    )
    let language = try movie.language(ofTrack: index) ?? "und"
    var subtitles = Subtitles(WebVTTDocument(text.cues), language: language, source: name)
    subtitles.isForced = text.isForced
    return subtitles
  }

  /// How the samples of a track with text of 3GPP look; `nil` for other tracks, chapters, and what is encrypted.
  static func timedText(_ movie: Movie, _ index: Int) -> TimedTextSampleEntry? {
    guard ["text", "sbtl", "subt"].contains(movie.tracks[index].handler),
      (try? movie.isChapters(track: index)) == false,
      let configurations = try? movie.decoderConfigurations(ofTrack: index),
      configurations.allSatisfy({ $0.codedFormat == "tx3g" }),
      (try? movie.protectionScheme(ofTrack: index)) == .some(nil)
    else { return nil }
    return configurations.first?.fields as? TimedTextSampleEntry
  }
}

extension CueTime {
  fileprivate static func text(_ time: MediaTime) -> String { text(time.converted(to: 1000).value) }
}
