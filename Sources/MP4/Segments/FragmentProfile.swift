/// How a fragmented movie says when its media is presented.
public enum FragmentProfile: Sendable, Equatable {
  /// As CMAF has it: decode times start at 0, the first picture is presented when its decode time says by signed
  /// composition offsets, and an edit list takes the priming of audio away.
  case cmaf
  /// As Apple's writer for HLS has it: no edit list; all times are later by an offset, so that the priming of audio can
  /// lie before the first picture.
  case apple(timeOffset: MediaTime)

  /// The offset that Apple's writer takes by default.
  public static let appleTimeOffset = MediaTime(10, 1)
}
