import ISOBMFF
public import MP4
import MP4Bytes
public import TimedText

extension Track {
  /// Whether its format can have closed captions: H.264, H.265 and MPEG-2 video, and tracks of captions (`c608`,
  /// `c708`).
  public var canHaveCaptions: Bool { isCaptions || canHaveUserData }

  /// Whether its samples are closed captions (`c608`, `c708`).
  public var isCaptions: Bool {
    decoderConfigurations.contains { Self.captionFormats.contains($0.codedFormat) }
  }
  private static let captionFormats: Set<FourCC> = ["c608", "c708"]

  /// Captions with more pairs would need too much memory: those of more than a day.
  private static let mostPairs = 1 << 26

  /// Its closed captions with presentation times, which are empty if it has none: those in messages (SEI) of H.264 and
  /// H.265 and in user data of MPEG-2 video as registered by ATSC A/53, and those of caption tracks. Times are those of
  /// the presentation.
  ///
  /// - Parameter end: Only captions of pictures that are presented before this time are read; `nil` reads all.
  /// - Throws: `MovieError` if the media cannot be read, or has too many captions.
  public func captions(before end: MediaTime? = nil) throws(MovieError) -> CaptionData {
    var captions = CaptionData(timescale: timescale)
    let presented = presentedTimes?.upperBound ?? MediaTime(0, 1)
    captions.end = min(presented, end ?? presented).converted(to: timescale).value
    var isTooLarge = false
    if isCaptions {
      let limit = end?.converted(to: timescale).value ?? .max
      try forEachTimedSample { sample in
        guard sample.start.value < limit else { return false }
        append(sample, to: &captions)
        isTooLarge = captions.pairCount > Self.mostPairs
        return !isTooLarge
      }
    } else {
      try forEachUserData(before: end) { data in
        let pairs =
          switch data.carriage {
          case .message: CaptionPair.pairs(inMessage: data.data)
          case .startCode: CaptionPair.pairs(inUserData: data.data)
          }
        captions.append(pairs, at: data.time)
        isTooLarge = captions.pairCount > Self.mostPairs
        return !isTooLarge
      }
    }
    if isTooLarge {
      let obstacle = Obstacle("too_many_captions", "it has more than \(Self.mostPairs) pairs of caption bytes")
      throw .impossible(file: samples.first?.source.name ?? "", obstacle.inTrack(id))
    }
    return captions
  }

  /// All of its closed captions; a text without an end remains until the movie ends.
  func captions(until movie: Movie) throws(MovieError) -> CaptionData {
    var captions = try captions()
    let ends = movie.tracks.compactMap { $0.presentedTimes?.upperBound.converted(to: timescale).value }
    captions.end = max(captions.end, ends.max() ?? 0)
    return captions
  }

  /// Appends a sample of a caption track. A sample can have the bytes of many frames.
  private func append(_ sample: TimedSample, to captions: inout CaptionData) {
    var counts: [CaptionPair.Kind: Int64] = [:]
    var (frame, time): ([CaptionPair], Int64) = ([], sample.start.value)
    for pair in CaptionPair.pairs(inSample: sample.bytes[...]) {
      var own = sample.start.value
      if pair.kind == .field1 || pair.kind == .field2 {
        // The bytes of a field follow each other at 30000/1001 frames per second.
        let count = counts[pair.kind, default: 0]
        counts[pair.kind] = count + 1
        own = min(own + count * 1001 * Int64(timescale) / 30_000, max(own, sample.end.value - 1))
      }
      if pair.isPadding { continue }
      if own != time {
        captions.append(frame, at: time)
        (frame, time) = ([], own)
      }
      frame.append(pair)
    }
    captions.append(frame, at: time)
  }
}
