import ISOBMFF
import MP4Bytes

/// A timecode: a frame number in clock notation.
package struct Timecode: CustomStringConvertible {
  /// The frame number.
  package private(set) var frame: Int64
  /// How frames are counted.
  package let format: TimecodeFormat

  /// The timecode of the first frame that a timecode track presents; `nil` for other tracks.
  package static func first(of track: Track) throws(MovieError) -> Timecode? {
    guard let sample = track.samples.first(where: { $0.presentationTime != nil }) ?? track.samples.first else {
      return nil
    }
    return try shown(sample, of: track)
  }

  /// The timecode of the first frame of a sample that is presented; `nil` if it is not a timecode.
  package static func shown(_ sample: Sample, of track: Track) throws(MovieError) -> Timecode? {
    guard var code = try Timecode(sample, of: track) else { return nil }
    code.skip(hidden(of: sample, track))
    return code
  }

  /// The start of a sample that the edit list hides.
  private static func hidden(of sample: Sample, _ track: Track) -> MediaTime {
    let media = track.edits.first { $0.mediaTime >= 0 }?.mediaTime ?? 0
    let start = sample.compositionTime
    let shown = MediaTime(media, track.timescale)
    return shown > start && shown < start + sample.duration ? shown - start : MediaTime(0, 1)
  }

  /// Continues with the frame after a time.
  private mutating func skip(_ time: MediaTime) {
    let frames = time.converted(to: format.timescale).value / Int64(format.frameDuration)
    frame = format.wrapped(frame &+ frames)
  }

  /// The timecode of a sample; `nil` if it is not a timecode.
  package init?(_ sample: Sample, of track: Track) throws(MovieError) {
    let (descriptions, index) = (track.decoderConfigurations, sample.descriptionIndex - 1)
    guard descriptions.indices.contains(index), let entry = descriptions[index].fields as? TimecodeSampleEntry,
      let format = TimecodeFormat(entry), !format.isCounter, let frame = format.frameNumber(try sample.bytes(4))
    else { return nil }
    (self.frame, self.format) = (frame, format)
  }

  /// The timecode of the last frame that a timecode track presents; `nil` for other tracks.
  package static func last(of track: Track) throws(MovieError) -> Timecode? {
    guard let end = track.presentedTimes?.upperBound,
      let sample = track.samples.last(where: { $0.presentationTime != nil }),
      let start = sample.presentationTime, var code = try shown(sample, of: track)
    else { return nil }
    // The part that is hidden does not count.
    let begin = max(start, track.presentedTimes?.lowerBound ?? start)
    let (duration, format) = ((end - begin).converted(to: code.format.timescale).value, code.format)
    let frames = (duration + Int64(format.frameDuration) - 1) / Int64(format.frameDuration)
    code.frame = format.wrapped(code.frame + max(0, frames - 1))
    return code
  }

  /// In clock notation, such as `01:00:10:00`.
  package var description: String { format.text(frame) }
}
