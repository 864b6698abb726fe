import MP4
import MP4Bytes

/// A timescale of tracks or of the movie: `1=90000` or `1000`.
struct TimescaleEdit: OptionValue {
  static let expectation = "a number of units per second from 1 to 4294967295, optionally after TRACK="
  /// `nil` for the movie.
  let tracks: TrackSelection?
  let timescale: UInt32

  init?(_ word: Argument) {
    let edit = TrackEdit(word)
    tracks = edit?.tracks
    guard let timescale = UInt32(edit?.value ?? word.text), timescale > 0 else { return nil }
    self.timescale = timescale
  }
}

extension FrameRate: TextOptionValue {
  static let expectation = "frames per second such as 25 or 24000/1001"

  /// A whole number or a fraction.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt32($0) }
    guard parts.count <= 2, let frames = parts[0], frames > 0, let seconds = parts.count == 2 ? parts[1] : 1,
      seconds > 0
    else { return nil }
    self.init(Int64(frames), Int64(seconds))
  }

  /// The common rate that rounds to a decimal number.
  static func suggestions(for word: String) -> [String] {
    guard let number = Double(word), (1...1000).contains(number) else { return [] }
    let rate = FrameRate(Int64(number * 1000), 1000).rounded
    return [rate.denominator == 1 ? "\(rate.numerator)" : "\(rate.numerator)/\(rate.denominator)"]
  }
}

/// A timecode: `01:00:00:00`, or `01:00:00;00` with dropped frames.
extension StartTimecode: TextOptionValue {
  static let expectation = "a timecode such as 01:00:00:00, or 01:00:00;00 with dropped frames"
}

/// Tracks and how much later they are presented: `2=-0.12`.
struct DelayEdit: OptionValue {
  static let expectation = "TRACK=SECONDS, such as 2=0.12 or audio=-0.12"
  let tracks: TrackSelection
  let delay: MediaTime

  init?(_ word: Argument) {
    guard let edit = TrackEdit(word), let time = SignedTime(edit.value)?.time else { return nil }
    (tracks, delay) = (edit.tracks, time)
  }
}
