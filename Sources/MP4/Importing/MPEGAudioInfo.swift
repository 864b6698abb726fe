import MP4Bytes

/// What the first frame of an MP3 file can contain instead of sound: the number of frames, and the samples that the
/// encoder added at the start and at the end.
struct MPEGAudioInfo {
  let frameCount: Int?
  private let padding: (start: Int, end: Int)?

  /// `nil` if the frame has sound.
  init?(_ frame: ArraySlice<UInt8>) {
    let b = Array(frame)
    guard b.count > 40 else { return nil }
    let (isFull, isMono) = (b[1] >> 3 & 3 == 3, b[3] >> 6 == 3)
    let at = 4 + (isFull ? isMono ? 17 : 32 : isMono ? 9 : 17)
    guard b.count > at + 8, ["Xing", "Info"].contains(where: { b[at...].starts(with: $0.utf8) }) else {
      guard b.count > 40, b[36...].starts(with: "VBRI".utf8) else { return nil }
      (frameCount, padding) = (nil, nil)
      return
    }
    var next = at + 8
    let flags = b[at + 7]
    func number(_ at: Int) -> Int? { at + 4 <= b.count ? b[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } : nil }
    frameCount = flags & 1 != 0 ? number(next) : nil
    for (bit, size) in [(1, 4), (2, 4), (4, 100), (8, 4)] as [(UInt8, Int)] where flags & bit != 0 { next += size }
    // The delays are at byte 21 of an extension that starts with the name of the encoder.
    guard b.count >= next + 24, b[next] >= 0x20 else {
      padding = nil
      return
    }
    let (first, second) = (
      Int(b[next + 21]) << 4 | Int(b[next + 22] >> 4), Int(b[next + 22] & 15) << 8 | Int(b[next + 23])
    )
    padding = first == 0 && second == 0 ? nil : (first, second)
  }

  /// The delay of any decoder.
  private static let decoderDelay = 529
  /// The number of samples to hide at the start.
  var delay: Int { padding.map { $0.start + Self.decoderDelay } ?? 0 }
  /// The number of samples to present, if it is known.
  func presentedDuration(_ frameDuration: Int64) -> Int64? {
    guard let frameCount, let padding else { return nil }
    let duration = Int64(frameCount) * frameDuration - Int64(padding.start + padding.end)
    return duration > 0 ? duration : nil
  }
}
