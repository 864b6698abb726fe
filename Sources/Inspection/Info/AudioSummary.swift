import ISOBMFF
public import MP4
import MP4Bytes

extension TrackSummary {
  /// The properties of audio.
  public struct Audio: Sendable {
    /// The number of channels; `nil` if unknown.
    public let channelCount: Int?
    /// The speaker layout, such as `stereo` or `5.1`, or the number of channels; `nil` if unknown.
    public let layout: String?
    /// The sample rate in Hz; `nil` if unknown.
    public let sampleRate: Int?
    /// Descriptions of the programs in a stream of E-AC-3 or AC-4; empty for other codecs.
    public let presentations: [String]
    /// How HE-AAC is signalled; `nil` for other codecs.
    public let extensionSignalling: String?
    /// The decoder output before the audio starts, which the edit list hides, or `iTunSMPB` if there is no such edit;
    /// `nil` if there is none. An edit that hides more than a codec needs is a cut.
    public internal(set) var priming: MediaTime?
    /// The end of the last frame, which the edit list or `iTunSMPB` hides; `nil` if nothing is hidden.
    public internal(set) var padding: MediaTime?
  }
}

extension TrackSummary.Audio {
  /// `nil` if the samples are not audio.
  init?(_ track: Track, _ configuration: DecoderConfiguration) throws(MovieError) {
    guard let sound = configuration.sound else { return nil }
    let frame = configuration.name == "MP3" ? try MPEGAudioFrame(firstOf: track) : nil
    let (channels, rate) = (frame?.channelCount ?? sound.channelCount, frame?.sampleRate ?? sound.sampleRate)
    channelCount = channels > 0 ? channels : nil
    sampleRate = rate > 0 ? rate : nil
    layout = frame.map { $0.channelCount == 1 ? "mono" : "stereo" } ?? configuration.speakers
    extensionSignalling = configuration.extensionSignalling
    presentations = configuration.presentations
    let (hidden, longest) = (track.hiddenTimes, configuration.longestPriming(of: track))
    priming = hidden.start.flatMap { $0 > longest ? nil : $0 }
    padding = hidden.end.flatMap { $0 > longest ? nil : $0 }
  }
}

extension TrackSummary.Audio {
  /// Reads priming and padding from the metadata item `iTunSMPB` if no edit list hides anything. The second and the
  /// third of its hexadecimal numbers are samples at the start and at the end.
  mutating func take(iTunSMPB text: String) {
    let numbers = text.split(separator: " ").prefix(4).map { UInt32($0, radix: 16) }
    guard priming == nil, padding == nil, numbers.count == 4, let rate = sampleRate.flatMap(UInt32.init(exactly:)),
      let start = numbers[1], let end = numbers[2]
    else { return }
    priming = start > 0 ? MediaTime(Int64(start), rate) : nil
    padding = end > 0 ? MediaTime(Int64(end), rate) : nil
  }
}

extension DecoderConfiguration {
  /// The maximum plausible priming: none if all samples are independent; the pre-roll of Opus (4.3.6.2 of its mapping);
  /// otherwise three frames, which is more than the delay of any encoder of AAC (2112 of 1024, or 5186 of 2048), MP3 or
  /// AC-3.
  fileprivate func longestPriming(of track: Track) -> MediaTime {
    switch codedFormat {
    case "fLaC", "alac": return MediaTime(0, 1)
    case "Opus":
      let skipped = box(OpusSpecificBox.self).map { MediaTime(Int64($0.preSkip), 48_000) } ?? MediaTime(0, 1)
      return max(skipped, MediaTime(80, 1000))
    default:
      let (usual, _) = track.usualDuration.multipliedReportingOverflow(by: 3)
      return uncompressedName == nil ? MediaTime(usual, track.timescale) : MediaTime(0, 1)
    }
  }
}

extension Track {
  /// The media that a single edit hides at the start and at the end; `nil` if it hides none.
  fileprivate var hiddenTimes: (start: MediaTime?, end: MediaTime?) {
    let shown = edits.filter { $0.mediaTime >= 0 }
    guard shown.count == 1, let edit = shown.first, let first = samples.first else { return (nil, nil) }
    // Edits are relative to media time 0, and the media may start later.
    let start = max(edit.mediaTime &- first.compositionTime.value, 0)
    let (end, isExact) = duration.converted(to: timescale)
    let rest = mediaDuration.value &- start &- end
    // With a coarser movie timescale, less than one of its units is cut off.
    let slack = isExact ? 0 : Int64(timescale) / Int64(max(movieTimescale, 1)) + 1
    return (
      start > 0 ? MediaTime(start, timescale) : nil, rest > slack ? MediaTime(rest, timescale) : nil
    )
  }
}

/// The header of an MPEG audio frame, which alone describes the audio: ISO/IEC 11172-3, 2.4.1.3, 13818-3.
private struct MPEGAudioFrame {
  let channelCount: Int
  let sampleRate: Int

  /// Reads the first four bytes of the first sample; `nil` if they are not such a header.
  init?(firstOf track: Track) throws(MovieError) {
    guard let bytes = try track.samples.first?.bytes(4), bytes.count == 4, bytes[0] == 0xff, bytes[1] >= 0xe0 else {
      return nil
    }
    let (version, rate) = (Int(bytes[1] >> 3 & 3), Int(bytes[2] >> 2 & 3))
    guard version != 1, rate < 3 else { return nil }
    // MPEG-2 has half the rates of MPEG-1, and MPEG-2.5 a quarter.
    sampleRate = [44_100, 48_000, 32_000][rate] / [4, 1, 2, 1][version]
    channelCount = bytes[3] >> 6 == 3 ? 1 : 2
  }
}
