import ISOBMFF
import MP4
import MP4Bytes
import TimedText

extension Packager {
  /// A text track that ends before the first rendition, extended with empty samples for the missing segments.
  /// Renditions should have the same duration: RFC 8216, 6.2.4.
  ///
  /// `timed` is the same movie on the common timeline.
  func filled(
    _ movie: Movie, _ timed: Movie, like cuts: SharedCuts?, _ diagnostics: inout [Diagnostic]
  ) throws(MovieError) -> Movie {
    guard let cuts, movie.tracks.count == 1 else { return timed }
    let end = cuts.end
    let own = movie.tracks[0].end
    guard end.converted(to: 1000).value &- own.converted(to: 1000).value >= Self.shortest else { return timed }
    let empty = Self.emptySample(of: movie.tracks[0])
    guard options.storage != .referenced, let result = movie.extended(until: cuts.ends(after: own), with: empty) else {
      let text = "its subtitles end at \(CueTime.text(own)), but the presentation ends at \(CueTime.text(end))"
      diagnostics.append(Diagnostic(.warning, movie.name, text))
      return timed
    }
    return try result.withoutEdits(emptyText: Self.emptySample).movie
  }

  /// A sample of a text track that shows nothing.
  static func emptySample(of track: Track) -> [UInt8] {
    let isTTML = track.decoderConfigurations.last?.codedFormat == "stpp"
    return isTTML ? Array(emptyTTML.utf8) : TextSamples.box("vtte", [])
  }
  /// The maximum difference in milliseconds without an extension.
  private static var shortest: Int64 { 500 }
  /// An empty document; it must declare a language.
  private static var emptyTTML: String { "<tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"\"/>" }

  /// The cues of 3GPP timed text tracks, without duplicates and chapters.
  func subtitles(of movies: [Movie], _ diagnostics: inout [Diagnostic]) throws(MovieError) -> [Subtitles] {
    var result: [Subtitles] = []
    for movie in movies where options.storage != .referenced {
      for track in movie.tracks where !track.samples.isEmpty {
        guard let entry = Self.timedText(track) else { continue }
        guard let own = try subtitles(of: track, entry, &diagnostics) else { continue }
        // The inputs of a bit rate ladder have the same text.
        let isKnown = result.contains {
          $0.document.cues == own.document.cues && $0.language == own.language && $0.isForced == own.isForced
        }
        if !isKnown { result.append(own) }
      }
    }
    return result
  }

  private func subtitles(
    of track: Track, _ entry: TimedTextSampleEntry, _ diagnostics: inout [Diagnostic]
  ) throws(MovieError) -> Subtitles? {
    let text = try TimedTextTrack(track, entry)
    let (id, name) = (track.id, track.inputName)
    func say(_ severity: Diagnostic.Severity, _ text: String) {
      diagnostics.append(Diagnostic(severity, name, "track \(id): \(text)"))
    }
    if text.skipped > 0 {
      say(.error, "\(text.skipped) text sample\(text.skipped == 1 ? "" : "s") cannot be read; omitted")
    }
    guard !text.cues.isEmpty else {
      say(.note, "it has no text; omitted")
      return nil
    }
    let losses = text.losses.map { "; \($0) are lost" } ?? ""
    say(.note, "3GPP timed text (tx3g) is converted to WebVTT for HLS\(losses)")
    let language = try track.readLanguage() ?? "und"
    var subtitles = Subtitles(WebVTTDocument(text.cues), language: language, source: name)
    subtitles.isForced = text.isForced
    return subtitles
  }

  /// The style of a 3GPP timed text track; `nil` for other tracks, chapters, and encrypted tracks.
  static func timedText(_ track: Track) -> TimedTextSampleEntry? {
    guard ["text", "sbtl", "subt"].contains(track.handler), track.isChapters == false,
      track.decoderConfigurations.allSatisfy({ $0.codedFormat == "tx3g" }),
      (try? track.readProtectionScheme()) == .some(nil)
    else { return nil }
    return track.decoderConfigurations.first?.fields as? TimedTextSampleEntry
  }
}

extension CueTime {
  fileprivate static func text(_ time: MediaTime) -> String { text(time.converted(to: 1000).value) }
}
