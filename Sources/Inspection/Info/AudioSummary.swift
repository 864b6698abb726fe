import Bytes
import ISOBMFF
public import MP4

extension TrackSummary {
  /// Sound.
  public struct Audio: Sendable {
    /// The number of channels; `nil` if it is unknown.
    public let channelCount: Int?
    /// The speaker layout, such as `stereo` or `5.1`, or the number of channels; `nil` if it is unknown.
    public let layout: String?
    /// The samples per second; `nil` if they are unknown.
    public let sampleRate: Int?
    /// What can be listened to in a stream of E-AC-3 or AC-4, in words; empty for other codecs.
    public let presentations: [String]
    /// How HE-AAC is signalled; `nil` for other codecs.
    public let extensionSignalling: String?
    /// What decoders put out before the sound starts, and the edit list hides, or `iTunSMPB` if it hides nothing; `nil`
    /// if that is nothing. More than a codec needs is an edit that cuts.
    public internal(set) var priming: MediaTime?
    /// What the edit list or `iTunSMPB` hides at the end to fill up the last frame; `nil` if that is nothing.
    public internal(set) var padding: MediaTime?
  }
}

extension TrackSummary.Audio {
  /// `nil` if the samples are no sound.
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
  /// Takes priming and padding from the metadata `iTunSMPB` if no edit list hides anything: hexadecimal numbers, of
  /// which the second and the third are samples at the start and at the end.
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
  /// The longest time that decoders put out before the sound starts: none where each sample of the sound is by itself;
  /// the time for which Opus has to decode first (4.3.6.2 of its mapping); of others three frames, which is more than
  /// the delay of any encoder of AAC (2112 of 1024, or 5186 of 2048), MP3 or AC-3.
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
  /// What a single edit hides at the start and at the end of the media; `nil` where that is nothing.
  fileprivate var hiddenTimes: (start: MediaTime?, end: MediaTime?) {
    let shown = edits.filter { $0.mediaTime >= 0 }
    guard shown.count == 1, let edit = shown.first, let first = samples.first else { return (nil, nil) }
    // Edits count from the time 0 of the media, which may start later.
    let start = max(edit.mediaTime &- first.compositionTime.value, 0)
    let (end, isExact) = duration.converted(to: timescale)
    let rest = mediaDuration.value &- start &- end
    // A movie timescale that is coarser cuts off less than one of its units.
    let slack = isExact ? 0 : Int64(timescale) / Int64(max(movieTimescale, 1)) + 1
    return (
      start > 0 ? MediaTime(start, timescale) : nil, rest > slack ? MediaTime(rest, timescale) : nil
    )
  }
}

/// The header of a frame of MPEG audio, which alone says what the sound is: ISO/IEC 11172-3, 2.4.1.3, 13818-3.
private struct MPEGAudioFrame {
  let channelCount: Int
  let sampleRate: Int

  /// Reads the first four bytes of the first sample; `nil` if they are no such header.
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
