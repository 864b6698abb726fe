/// The format of subtitle samples in MP4.
public enum TextFormat: Sendable, Equatable {
  /// WebVTT with all its features: `wvtt`, ISO/IEC 14496-30.
  case webVTT
  /// 3GPP timed text, which more players support: `tx3g`, 3GPP TS 26.245. Bold, italic and underline are kept;
  /// positions are not.
  case timedText
}
