import ISOBMFF
public import MP4
import MP4Bytes
public import TimedText

extension MovieWriter.Track {
  /// Text tracks are alternatives to each other. The group number is unlikely to be used for audio.
  static let alternateGroup: Int16 = 3

  /// Subtitles or captions, to which cues are appended. The timescale is 1000.
  ///
  /// - Parameters:
  ///   - format: The format of the samples.
  ///   - language: The language tag (BCP 47), such as `en` or `pt-BR`.
  ///   - isDefault: Whether they are shown by default.
  public static func text(
    _ format: TextFormat = .timedText, language: String = "und", isDefault: Bool = false
  ) throws(MovieWriterError) -> Self {
    guard Subtitles.isLanguage(language) else { throw .language(language) }
    var subtitles = Subtitles(WebVTTDocument(), language: language)
    subtitles.isDefault = isDefault
    var track = try text(format, like: subtitles)
    // Some players show a text until the next sample.
    track.closingSample = (TextSamples.empty(format), MediaTime(1, SubtitleMovie.timescale))
    return track
  }

  static func text(_ format: TextFormat, like subtitles: Subtitles) throws(MovieWriterError) -> Self {
    // Apple's players show 3GPP text as subtitles only if the handler declares that.
    var track = try Self(
      TextEntry.box(format, subtitles), timescale: SubtitleMovie.timescale,
      handler: format == .webVTT ? "text" : "sbtl")
    // The flags mean that the track is in the movie and its presentation. It is enabled only if it is the default.
    track.header.header.flags = subtitles.isDefault ? 7 : 6
    track.header.alternateGroup = alternateGroup
    (track.name, track.languageTag) = (subtitles.shownName, subtitles.language)
    track.language = LanguageTag.packed(subtitles.language)
    return track
  }
}

extension MovieWriter {
  /// Appends cues to a track made by `.text`. Their times are relative to the start of the movie.
  ///
  /// Cues can overlap. Those of a later call must start where the earlier ones end, or later; what is shown before is
  /// cut off.
  ///
  /// - Throws: `MovieWriterError.notText` if the track has other samples, and `tooMuchText` if a sample or all of them
  ///   are too large.
  public func append(_ cues: [Cue], to track: Int) throws(MovieWriterError) {
    let format: TextFormat
    switch try self.format(of: track) {
    case "wvtt": format = .webVTT
    case "tx3g": format = .timedText
    default: throw .notText(track: track)
    }
    let start = try end(of: track).converted(to: SubtitleMovie.timescale).value
    let timeline = CueTimeline(cues, from: start, end: cues.map(\.endMilliseconds).max() ?? start)
    guard !timeline.cues.isEmpty else { return }
    let samples = TextSamples(timeline, format, firstID: cueCounts[track, default: 0])
    if samples.isTooLarge || samples.cutTexts > 0 { throw .tooMuchText(track: track) }
    try append(samples, to: track)
    cueCounts[track, default: 0] += timeline.cues.count
  }

  func append(_ samples: TextSamples, to track: Int) throws(MovieWriterError) {
    var start = 0
    for (size, duration) in zip(samples.sizes, samples.durations) {
      let end = start + Int(size)
      let time = MediaTime(Int64(duration), SubtitleMovie.timescale)
      try append(Array(samples.bytes[start..<end]), to: track, duration: time)
      start = end
    }
  }
}
