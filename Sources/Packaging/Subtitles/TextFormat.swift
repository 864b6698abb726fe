/// How samples of subtitles in MP4 are coded.
public enum TextFormat: Sendable, Equatable {
  /// WebVTT with all that it can say: `wvtt`, ISO/IEC 14496-30.
  case webVTT
  /// Text of 3GPP, which more players know: `tx3g`, 3GPP TS 26.245. Bold, italic and underlined letters stay; where cues
  /// are placed does not.
  case timedText
}
