public import MP4
public import MP4Bytes
import TimedText

extension Subtitles {
  /// Joins the WebVTT segments of a presentation. A cue that is repeated, because it is shown during several segments,
  /// counts once.
  ///
  /// - Parameters:
  ///   - segments: The segments, in order.
  ///   - mediaStart: The media time at which the presentation starts, to which the cues become relative.
  ///   - language: The tag of their language (BCP 47).
  ///   - source: Their name in messages.
  public init(
    joining segments: [any ByteSource], mediaStart: MediaTime, language: String, source: String
  ) throws(SubtitleFileError) {
    var joined = WebVTTDocument()
    var known: Set<WebVTTDocument.Block> = []
    for (number, segment) in segments.enumerated() {
      var own = try Subtitles(reading: segment, language: language)
      // Without a map, time 0 is media time 0: RFC 8216, 3.5.
      own.document.timestampMap = own.document.timestampMap ?? TimestampMap(mpegTS: 0)
      _ = own.useTimestampMap(mediaStart: mediaStart)
      if number == 0 { (joined.title, joined.header) = (own.document.title, own.document.header) }
      for block in own.document.blocks {
        if case .comment = block { continue }
        if known.insert(block).inserted { joined.blocks.append(block) }
      }
    }
    self.init(joined, language: language, source: source)
  }
}
