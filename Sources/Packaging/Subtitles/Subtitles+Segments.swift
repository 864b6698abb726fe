public import MP4
public import MP4Bytes
import TimedText

extension Subtitles {
  /// Joins the WebVTT segments of a presentation. A cue that is repeated, because it is shown during several segments,
  /// counts once. Cues that end before the presentation starts are omitted with an error.
  ///
  /// - Parameters:
  ///   - segments: The segments, in order.
  ///   - mediaStart: The media time at which the presentation starts, to which the cues become relative.
  ///   - end: The end of the presentation, if it is earlier than that of the segments; later cues are omitted.
  ///   - language: The tag of their language (BCP 47).
  ///   - source: Their name in messages.
  public static func joining(
    _ segments: [any ByteSource], mediaStart: MediaTime, end: MediaTime? = nil, language: String, source: String
  ) throws(SubtitleFileError) -> (subtitles: Subtitles, diagnostics: [Diagnostic]) {
    var joined = WebVTTDocument()
    var (known, early): (Set<WebVTTDocument.Block>, Int) = ([], 0)
    let limit = end?.converted(to: 1000).value ?? .max
    for (number, segment) in segments.enumerated() {
      var own = try Subtitles(reading: segment, language: language)
      // Without a map, time 0 is media time 0: RFC 8216, 3.5.
      own.document.timestampMap = own.document.timestampMap ?? TimestampMap(mpegTS: 0)
      _ = own.useTimestampMap(mediaStart: mediaStart)
      if number == 0 { (joined.title, joined.header) = (own.document.title, own.document.header) }
      for block in own.document.blocks {
        if case .comment = block { continue }
        guard known.insert(block).inserted else { continue }
        if case .cue(let cue) = block {
          if cue.endMilliseconds <= 0 { early += 1 }
          if cue.endMilliseconds <= 0 || cue.startMilliseconds >= limit { continue }
        }
        joined.blocks.append(block)
      }
    }
    var diagnostics: [Diagnostic] = []
    if early > 0 {
      let text = "\(counted(early, "cue ends", "cues end")) before the presentation starts, and cannot be shown"
      diagnostics.append(Diagnostic(.error, source, text))
    }
    return (Subtitles(joined, language: language, source: source), diagnostics)
  }
}
