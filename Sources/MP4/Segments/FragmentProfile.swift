/// The rules for the times of a fragmented movie.
public enum FragmentProfile: Sendable, Equatable {
  /// Decode times, composition offsets and edit lists are those of the sources.
  case source
  /// CMAF with the brand `cmfc`: decode times start at 0, composition offsets are those of the sources, and an edit
  /// list skips the delay of reordered pictures and audio priming.
  case cmaf
  /// CMAF with the brand `cmf2`: decode times start at 0, signed composition offsets present the first picture at its
  /// decode time, and an edit list is only needed for audio priming and other media that is not presented. Some players
  /// present such video late: all versions of ffmpeg up to 9.0 do.
  case cmf2
  /// Apple's HLS tools: no edit list; all times are shifted by an offset, so that audio priming can
  /// precede the first picture.
  case apple(timeOffset: MediaTime)

  /// The default offset of Apple's tools.
  public static let appleTimeOffset = MediaTime(10, 1)

  /// Whether it is one of the CMAF profiles.
  var isCMAF: Bool { self == .cmaf || self == .cmf2 }
}
