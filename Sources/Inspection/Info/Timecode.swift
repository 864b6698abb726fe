import ISOBMFF
import MP4

/// A timecode: a frame number in clock notation.
struct Timecode: CustomStringConvertible {
  private(set) var frame: Int64
  let format: TimecodeFormat

  /// The timecode of the first sample of a timecode track; `nil` for other tracks.
  static func first(of track: Track) throws(MovieError) -> Timecode? {
    guard let sample = track.samples.first else { return nil }
    return try Timecode(sample, of: track)
  }

  /// The timecode of a sample; `nil` if it is not a timecode.
  init?(_ sample: Sample, of track: Track) throws(MovieError) {
    let (descriptions, index) = (track.decoderConfigurations, sample.descriptionIndex - 1)
    guard descriptions.indices.contains(index), let entry = descriptions[index].fields as? TimecodeSampleEntry,
      let format = TimecodeFormat(entry), !format.isCounter, let frame = format.frameNumber(try sample.bytes(4))
    else { return nil }
    (self.frame, self.format) = (frame, format)
  }

  /// The timecode of the last frame that a timecode track presents; `nil` for other tracks.
  static func last(of track: Track) throws(MovieError) -> Timecode? {
    guard let end = track.presentedTimes?.upperBound,
      let sample = track.samples.last(where: { $0.presentationTime != nil }),
      let start = sample.presentationTime, var code = try Timecode(sample, of: track)
    else { return nil }
    let (duration, format) = ((end - start).converted(to: code.format.timescale).value, code.format)
    let frames = (duration + Int64(format.frameDuration) - 1) / Int64(format.frameDuration)
    code.frame = format.wrapped(code.frame + max(0, frames - 1))
    return code
  }

  var description: String { format.text(frame) }
}
