/// The rules for the times of a fragmented movie.
public enum FragmentProfile: Sendable, Equatable {
  /// CMAF: decode times start at 0, signed composition offsets present the first picture at its decode time, and an
  /// edit list trims audio priming.
  case cmaf
  /// Apple's HLS tools: no edit list; all times are shifted by an offset, so that audio priming can
  /// precede the first picture.
  case apple(timeOffset: MediaTime)

  /// The default offset of Apple's tools.
  public static let appleTimeOffset = MediaTime(10, 1)
}
