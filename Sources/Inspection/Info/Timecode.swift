import ISOBMFF
import MP4

/// A timecode: a frame number in clock notation.
struct Timecode: CustomStringConvertible {
  let frame: Int64
  let framesPerSecond: Int64
  /// Whether frame numbers are dropped to keep 29.97 and 59.94 frames per second in step with a clock: SMPTE ST 12-1.
  let dropsFrames: Bool
  /// Whether it wraps after 24 hours.
  let wraps: Bool

  /// The timecode of the first sample of a timecode track; `nil` for other tracks.
  static func first(of track: Track) throws(MovieError) -> Timecode? {
    guard let sample = track.samples.first else { return nil }
    return try Timecode(sample, of: track)
  }

  /// The timecode of a sample; `nil` if it is not a timecode.
  init?(_ sample: Sample, of track: Track) throws(MovieError) {
    let (descriptions, index) = (track.decoderConfigurations, sample.descriptionIndex - 1)
    guard descriptions.indices.contains(index), let entry = descriptions[index].fields as? TimecodeSampleEntry,
      entry.numberOfFrames > 0, entry.flags & 8 == 0
    else { return nil }
    let bytes = try sample.bytes(4)
    guard bytes.count == 4 else { return nil }
    let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    frame = Int64(entry.flags & 4 != 0 ? Int64(Int32(bitPattern: number)) : Int64(number))
    framesPerSecond = Int64(entry.numberOfFrames)
    (dropsFrames, wraps) = (entry.flags & 1 != 0, entry.flags & 2 != 0)
  }

  var description: String {
    var number = frame < 0 ? -frame : frame
    if dropsFrames {
      // In each minute except every tenth, the first two numbers (of 30) or four (of 60) are dropped.
      let dropped = framesPerSecond / 15
      let (minute, ten) = (framesPerSecond * 60 - dropped, framesPerSecond * 600 - dropped * 9)
      let (tens, rest) = number.quotientAndRemainder(dividingBy: ten)
      number += dropped * 9 * tens
      if rest >= framesPerSecond * 60 { number += dropped * (1 + (rest - framesPerSecond * 60) / minute) }
    }
    var hours = number / (framesPerSecond * 3600)
    if wraps { hours %= 24 }
    let parts = [
      hours, number / (framesPerSecond * 60) % 60, number / framesPerSecond % 60, number % framesPerSecond,
    ].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return (frame < 0 ? "-" : "") + parts[..<3].joined(separator: ":") + (dropsFrames ? ";" : ":") + parts[3]
  }
}
