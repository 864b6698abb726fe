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
  static func suggestions(for word: String) -> [String] { FrameRateEdit.suggestions(for: word) }
}

/// A timecode: `01:00:00:00`, or `01:00:00;00` with dropped frames.
extension StartTimecode: TextOptionValue {
  static let expectation = "a timecode such as 01:00:00:00, or 01:00:00;00 with dropped frames"
}

/// A frame rate, optionally for some tracks only: `24000/1001` or `1=25`.
struct FrameRateEdit: OptionValue {
  static let expectation = "frames per second such as 25 or 24000/1001, optionally after TRACK="
  let tracks: TrackSelection
  let rate: FrameRate

  init?(_ word: Argument) {
    let edit = TrackEdit(word)
    tracks = edit?.tracks ?? TrackSelection([.handlers(["vide"])])
    guard let rate = FrameRate(edit?.value ?? word.text) else { return nil }
    self.rate = rate
  }

  /// The common rate that rounds to a decimal number.
  static func suggestions(for word: String) -> [String] {
    let parts = word.split(separator: "=", maxSplits: 1)
    guard let number = parts.last.flatMap({ Double($0) }), (1...1000).contains(number) else { return [] }
    let rate = FrameRate(Int64(number * 1000), 1000).rounded
    let text = rate.denominator == 1 ? "\(rate.numerator)" : "\(rate.numerator)/\(rate.denominator)"
    return [parts.count == 2 ? "\(parts[0])=\(text)" : text]
  }
}

/// Colors, optionally for some tracks only: `bt709` or `1=9/16/9`.
struct ColorEdit: OptionValue {
  static let expectation = "colors such as bt709, or codes such as 9/16/9, optionally after TRACK="
  let tracks: TrackSelection
  let colors: DeclaredColors

  init?(_ word: Argument) {
    let edit = TrackEdit(word)
    tracks = edit?.tracks ?? TrackSelection([.handlers(["vide"])])
    let text = edit?.value ?? word.text
    if let known = DeclaredColors.named.first(where: { $0.name == text }) {
      colors = known.colors
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let codes = parts.compactMap { UInt8($0) }
    // 0 and 3 are reserved, and the identity matrix is for RGB.
    guard parts.count == 3, codes.count == 3, codes[0] != 0, codes[1] != 0, codes[2] != 0, !codes.contains(3) else {
      return nil
    }
    colors = DeclaredColors(primaries: codes[0], transfer: codes[1], matrix: codes[2])
  }
  static func suggestions(for word: String) -> [String] { Spelling.names(like: word, from: offered) }
  static var offered: [String] { DeclaredColors.named.map(\.name) }
}

/// A range of values, optionally for some tracks only: `full` or `1=limited`.
struct RangeEdit: OptionValue {
  static let expectation = "'full' or 'limited', optionally after TRACK="
  let tracks: TrackSelection
  let isFull: Bool

  init?(_ word: Argument) {
    let edit = TrackEdit(word)
    tracks = edit?.tracks ?? TrackSelection([.handlers(["vide"])])
    guard let value = ["full": true, "limited": false][edit?.value ?? word.text] else { return nil }
    isFull = value
  }
  static var offered: [String] { ["full", "limited"] }
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
