import MP4Bytes

/// A time of a movie: `62.5`, `1:02.5`, `250f` (a frame number) or `01:00:10:00` (a timecode).
public struct CutTime: Sendable, Hashable {
  /// The unit of the time.
  public enum Value: Sendable, Hashable {
    /// A presentation time.
    case time(MediaTime)
    /// The number of a video frame, starting at 0.
    case frame(Int)
    /// Hours, minutes, seconds and frames of the timecode track.
    case timecode(Int, Int, Int, Int)
  }
  /// The time.
  public var value: Value

  /// A time in a unit.
  public init(_ value: Value) { self.value = value }

  /// The presentation time in a movie. A time within a millisecond of the start of a frame refers to that frame.
  ///
  /// - Throws: `MovieError` if the frame or the timecode does not exist.
  public func time(in movie: MovieCutter) throws(MovieError) -> MediaTime {
    switch value {
    case .time(let time): movie.frameStart(near: time)
    case .frame(let number): try movie.time(ofFrame: number)
    case .timecode(let hours, let minutes, let seconds, let frames):
      try movie.time(ofTimecode: hours, minutes, seconds, frames)
    }
  }

  /// A time as text; `nil` if it is none of the forms.
  public init?(_ text: String) {
    let bytes = text.utf8
    if bytes.last == UInt8(ascii: "f") {
      guard let number = Self.number(bytes.dropLast()) else { return nil }
      value = .frame(number)
      return
    }
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";") }
    let parts = bytes.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
    guard parts.count == 4 else {
      guard let time = MediaTime(clock: text) else { return nil }
      value = .time(time)
      return
    }
    let numbers = parts.compactMap { $0.count <= 3 ? Self.number($0) : nil }
    guard numbers.count == 4, numbers[1] < 60, numbers[2] < 60 else { return nil }
    value = .timecode(numbers[0], numbers[1], numbers[2], numbers[3])
  }

  private static func number(_ digits: some Sequence<UInt8>) -> Int? {
    let text = String(decoding: Array(digits), as: UTF8.self)
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(text), number <= 1 << 40
    else { return nil }
    return number
  }
}
