import BoxCatalog
import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4Packaging
package import MP4Records

/// A summary of an MP4, QuickTime or CMAF movie.
public struct MovieSummary: Sendable {
  /// The layout of a file.
  public enum Layout: String, Sendable {
    /// All samples are in the tables of the movie box.
    case progressive
    /// Samples are in movie fragments.
    case fragmented
    /// An init segment, or a movie box without samples.
    case initSegment = "init segment"
    /// An MPEG transport stream, or packed audio of HLS.
    case transportStream = "MPEG-TS"
  }

  /// The name of the input with the movie box.
  public let name: String
  /// The number of inputs: 1, or an init segment and its media segments.
  public let inputCount: Int
  /// The size of all inputs in bytes; `nil` if one is unknown.
  public let byteCount: Int?
  /// The layout of the file.
  public let layout: Layout
  /// Whether the movie box is before the samples; `nil` without samples.
  public let isMovieFirst: Bool?
  /// The major brand; `nil` without a file type.
  public let majorBrand: FourCC?
  /// The compatible brands.
  public let brands: [FourCC]
  /// The number of movie fragments.
  public let fragmentCount: Int
  /// The shortest and the longest duration of a movie fragment; `nil` without them.
  public let fragmentDurations: ClosedRange<MediaTime>?
  /// The media time at which the presentation starts, which is 0 in all other times.
  public let mediaStart: MediaTime
  /// The time span in which it is presented; `nil` without samples.
  public let presented: Range<MediaTime>?
  /// The duration in the movie header; `nil` if not declared.
  public let declaredDuration: MediaTime?
  /// The creation time in seconds since 1970-01-01 00:00 UTC; `nil` if unknown.
  public let creationTime: Int?
  /// The tracks, in file order.
  public let tracks: [TrackSummary]
  /// Descriptive metadata such as titles.
  public let metadata: Metadata
  /// The chapters.
  public let chapters: [Chapter]
  /// The data for protection systems in the movie box.
  public let protections: [ProtectionSummary]
  /// The number of event messages.
  public let eventCount: Int
  /// The still images of a file that has both, such as an image sequence; `nil` if there are none.
  public internal(set) var images: ImageSummary?
  /// The diagnostics that a defragmenter would report.
  public let diagnostics: [Diagnostic]

  /// The duration of the presentation; 0 without samples.
  public var duration: MediaTime {
    guard let presented else { return MediaTime(0, 1) }
    return presented.upperBound
      - (layout == .progressive || layout == .transportStream ? MediaTime(0, 1) : presented.lowerBound)
  }
  /// The start of the first audio track minus that of the first video track; `nil` if there are not both.
  public var audioOffset: MediaTime? {
    guard let video = tracks.lazy.filter({ $0.video != nil }).compactMap(\.presented).first,
      let audio = tracks.lazy.filter({ $0.audio != nil }).compactMap(\.presented).first
    else { return nil }
    return audio.lowerBound - video.lowerBound
  }
  /// The average bit rate of the inputs in bits per second; `nil` if unknown.
  public var bitRate: Int? { byteCount.flatMap { Quantity.bitsPerSecond($0, in: duration) } }

  /// Examines a movie. Of its media, only at most 64 KiB of the first sync sample of each video track, the samples of
  /// chapters, and the first and the last sample of each timecode track are read, and what the search for captions
  /// needs.
  public init(_ movie: Movie, captions search: CaptionSearch = .none) throws(MovieError) {
    name = movie.name
    let sizes = movie.sources.compactMap(\.byteCount)
    let byteCount = sizes.count == movie.sources.count ? sizes.reduce(0, +) : nil
    (inputCount, self.byteCount) = (movie.sources.count, movie.importedByteCount ?? byteCount)
    // A movie that was made of a stream has a file type of its own.
    let fileType = movie.importedByteCount == nil ? movie.fileType : nil
    (majorBrand, brands) = (fileType?.majorBrand, fileType.map { Array($0.compatibleBrands) } ?? [])
    fragmentCount = movie.fragmentCount
    layout =
      movie.importedByteCount != nil
      ? .transportStream : fragmentCount > 0 ? .fragmented : movie.hasTables ? .progressive : .initSegment
    isMovieFirst = layout == .transportStream ? nil : Self.isMovieFirst(movie)
    fragmentDurations = movie.fragmentDurations
    mediaStart = movie.mediaStart
    let box = movie.movieBoxes[0]
    metadata = Metadata(box)
    var tracks = try movie.tracks.map { (track) throws(MovieError) in try TrackSummary(track, captions: search) }
    // The item does not tell which track it is about.
    if let text = metadata.entries.first(where: { $0.key == "com.apple.iTunes:iTunSMPB" })?.value,
      let index = tracks.firstIndex(where: { $0.audio != nil }), tracks[(index + 1)...].allSatisfy({ $0.audio == nil })
    {
      tracks[index].audio?.take(iTunSMPB: text)
    }
    self.tracks = tracks
    let spans = tracks.compactMap(\.presented)
    presented = spans.map(\.lowerBound).min().flatMap { start in
      spans.map(\.upperBound).max().map { start..<max(start, $0) }
    }
    let header = box.payload(["mvhd"], as: MovieHeaderBox.self)
    creationTime = header.flatMap { Self.unixTime($0.creationTime) }
    declaredDuration = header.flatMap {
      [0, UInt64(UInt32.max), .max].contains($0.duration)
        ? nil : MediaTime(Int64(clamping: $0.duration), $0.timescale)
    }
    chapters = try movie.chapters()
    protections = movie.movieBoxes.flatMap { movie in
      movie.box.boxes.filter { $0.type == "pssh" }.compactMap { box in
        let payload = try? box.payload(as: ProtectionSystemSpecificHeaderBox.self, from: movie.source).get()
        return payload.map(ProtectionSummary.init)
      }
    }
    eventCount = movie.eventMessages.count
    diagnostics = movie.diagnostics
  }

  /// Whether the first sample is after the movie box.
  private static func isMovieFirst(_ movie: Movie) -> Bool? {
    let offsets = movie.tracks.compactMap { track in track.samples.first.map { $0.sourceIndex == 0 ? $0.offset : .max }
    }
    return offsets.min().map { $0 > movie.movieBoxes[0].offset }
  }

  /// Seconds since 1970, from seconds since 1904; `nil` for 0 and for times before 1970, when no camera existed.
  private static func unixTime(_ time: UInt64) -> Int? {
    time > 2_082_844_800 ? Int(clamping: time - 2_082_844_800) : nil
  }
}

extension Movie {
  /// The shortest and the longest duration of a movie fragment, according to the first video track, or else the first
  /// track; `nil` without fragments.
  var fragmentDurations: ClosedRange<MediaTime>? {
    let index = tracks.firstIndex { $0.pictureSize != nil } ?? tracks.firstIndex { !$0.samples.isEmpty }
    guard fragmentCount > 0, let index, case let starts = fragmentStarts(ofTrack: index),
      let first = tracks[index].samples.first
    else { return nil }
    let samples = tracks[index].samples
    let times = starts.filter(samples.indices.contains).map { samples[$0].decodeTime }
    let durations = zip(times, times.dropFirst() + [first.decodeTime + tracks[index].mediaDuration]).map { $1 - $0 }
    return durations.min().flatMap { least in durations.max().map { least...$0 } }
  }
}

/// Summaries as records.
extension MovieSummary: Record {
  package static let summary = "A movie."
  package static let members: [RecordMember<MovieSummary>] = [
    RecordMember("name", "the name of the input that contains `moov`") { $0.name },
    RecordMember("inputs", "the number of inputs") { $0.inputCount },
    RecordMember("bytes", "the size of all inputs; missing if unknown") { $0.byteCount },
    RecordMember("layout", "`progressive`, `fragmented`, `init segment` or `MPEG-TS`") { $0.layout.rawValue },
    RecordMember("moov_first", "whether `moov` precedes the samples; missing if there are no samples") {
      $0.isMovieFirst
    },
    RecordMember("major_brand", "the major brand; missing if there is no `ftyp`") { $0.majorBrand },
    RecordMember("brands", "the compatible brands") { $0.brands },
    RecordMember("fragments", "the number of movie fragments") { $0.fragmentCount },
    RecordMember("shortest_fragment_seconds", "the duration of the shortest movie fragment; missing if there are none")
    {
      $0.fragmentDurations?.lowerBound
    },
    RecordMember("longest_fragment_seconds", "the duration of the longest movie fragment; missing if there are none") {
      $0.fragmentDurations?.upperBound
    },
    RecordMember("start_seconds", "the time at which the first track starts; missing if there are no samples") {
      $0.presented?.lowerBound
    },
    RecordMember("duration_seconds", "the duration of the presentation") { $0.duration },
    RecordMember(
      "media_start_seconds", "the media time at which the presentation starts, which is 0 in all other times"
    ) {
      $0.mediaStart
    },
    RecordMember(
      "audio_offset_seconds",
      "the start of the first audio track minus that of the first video track; missing if there are not both"
    ) { $0.audioOffset },
    RecordMember("declared_duration_seconds", "the duration that the movie header declares; missing if there is none") {
      $0.declaredDuration
    },
    RecordMember("bit_rate", "the average bit rate in bits per second; missing if there is no duration") { $0.bitRate },
    RecordMember("created", "the creation time in UTC; missing if unknown") { summary in
      summary.creationTime.map { CalendarTime(secondsSince1970: $0).text }
    },
    RecordMember("title", "the title; missing if there is none") { $0.metadata.title },
    RecordMember("metadata", "the tags") { $0.metadata.entries },
    RecordMember("covers", "the cover pictures") { $0.metadata.covers },
    RecordMember("chapters", "the chapters") { $0.chapters },
    RecordMember("protection_systems", "the protection systems that `moov` declares") { $0.protections },
    RecordMember("events", "the number of event messages") { $0.eventCount },
    RecordMember("warnings", "the number of warnings that `mp4tool defrag` would report") { summary in
      summary.diagnostics.count { $0.severity == .warning }
    },
    RecordMember("errors", "the number of errors that `mp4tool defrag` would report") { summary in
      summary.diagnostics.count { $0.severity == .error }
    },
    RecordMember("tracks", "the tracks") { $0.tracks },
    RecordMember(
      "items",
      "the items of a file that contains still images in addition to the movie; missing if there are none"
    ) {
      $0.images?.items
    },
  ]
}

extension Metadata.Entry: Record {
  package static let summary = "A tag."
  package static let members: [RecordMember<Self>] = [
    RecordMember("key", "its key in the file") { $0.key },
    RecordMember("name", "the meaning of the key") { $0.name },
    RecordMember("value", "its value as text") { $0.value },
  ]
}

extension Metadata.Cover: Record {
  package static let summary = "A cover picture."
  package static let members: [RecordMember<Self>] = [
    RecordMember("format", "`JPEG`, `PNG`, `BMP` or `picture`") { $0.format },
    RecordMember("bytes", "its size") { $0.byteCount },
  ]
}

extension ProtectionSummary: Record {
  package static let summary = "The data of a protection system in `moov`."
  package static let members: [RecordMember<Self>] = [
    RecordMember("system", "its name, or its UUID if it is unknown") { $0.system },
    RecordMember("key_ids", "the key IDs, as UUIDs") { $0.keyIDs },
    RecordMember("details", "other contents") { $0.details },
  ]
}

extension ProtectionSummary.Detail: Record {
  package static let summary = "A part of the data of a protection system."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "the name of the part, such as `provider` or `license server`") { $0.name },
    RecordMember("value", "its value as text") { $0.value },
  ]
}

extension TrackSummary: Record {
  package static let summary = "A track."
  package static let members: [RecordMember<TrackSummary>] = [
    RecordMember("id", "its track ID") { Int($0.id) },
    RecordMember("kind", "`video`, `audio`, `text`, `timecode`, `metadata`, `picture`, or the handler type") {
      $0.kind
    },
    RecordMember("codec", "the codecs string (RFC 6381)") { $0.codec },
    RecordMember("codec_name", "the common name of the codec, with its profile and level") { $0.codecName },
    RecordMember("codec_profile", "the same without the level, and without the maker of ProRes") { $0.codecProfile },
    RecordMember("codec_level", "the level; missing if there is none") { $0.codecLevel },
    RecordMember("language", "the language (BCP 47); missing if unknown") { $0.role.language },
    RecordMember("name", "its name; missing if there is none") { $0.role.name },
    RecordMember("enabled", "whether it is enabled") { $0.role.isEnabled },
    RecordMember(
      "alternate_group",
      "the alternate group: tracks with the same number are alternatives; missing if there is none"
    ) {
      $0.role.alternateGroup
    },
    RecordMember("is_chapters", "whether it contains the chapters of another track") { $0.role.isChapters },
    RecordMember("samples", "the number of samples") { $0.samples.count },
    RecordMember("keyframes", "the number of sync samples") { $0.samples.keyframeCount },
    RecordMember("bytes", "the sum of the sizes of its samples") { $0.samples.byteCount },
    RecordMember("start_seconds", "the start of its presentation; missing if it is never presented") {
      $0.presented?.lowerBound
    },
    RecordMember("end_seconds", "the end of its presentation; missing if it is never presented") {
      $0.presented?.upperBound
    },
    RecordMember("media_seconds", "the sum of the durations of its samples") { $0.samples.duration },
    RecordMember("bit_rate", "the average bit rate in bits per second; missing if there is no duration") {
      $0.samples.bitRate
    },
    RecordMember("peak_bit_rate", "the peak bit rate over one second; missing if the track is shorter than a second") {
      $0.samples.peakBitRate
    },
    RecordMember("edits", "the edit list; empty if it has no effect") { $0.edits },
    RecordMember("encryption", "the encryption scheme; missing if the track is clear") { $0.encryption?.scheme },
    RecordMember("key_id", "the default key ID; missing if there is none") { $0.encryption?.keyID },
    RecordMember("key_ids", "the key IDs of all samples, in the order in which they are first used") {
      $0.encryption?.keyIDs ?? []
    },
    RecordMember("captions", "its closed captions; missing if they were not looked for or it cannot have any") {
      $0.captions
    },
    RecordMember("timecode", "the timecode of its first sample; missing if there is none") { $0.timecode },
    RecordMember("last_timecode", "the timecode of its last frame; missing if there is none") { $0.lastTimecode },
    RecordMember("groups", "the GOPs; missing if all samples are sync samples") { $0.samples.groups },
    RecordMember("video", "the video format; missing for other tracks") { $0.video },
    RecordMember("audio", "the audio format; missing for other tracks") { $0.audio },
  ]
}

extension TrackSummary.Edit: Record {
  package static let summary = "An edit."
  package static let members: [RecordMember<Self>] = [
    RecordMember("media_seconds", "the media time at which it starts; missing for an empty edit") {
      $0.mediaTime
    },
    RecordMember("duration_seconds", "its duration; missing if it lasts to the end") { $0.duration },
    RecordMember("speed", "the playback speed: 1 is normal, 0 is a still picture") {
      Decimal($0.speed, 3)
    },
  ]
}

extension SampleStatistics.Groups: Record {
  package static let summary = "The GOPs of a track."
  package static let members: [RecordMember<Self>] = [
    RecordMember("fewest_samples", "the number of samples of the shortest one") { $0.sampleCounts.lowerBound },
    RecordMember("most_samples", "the number of samples of the longest one") { $0.sampleCounts.upperBound },
    RecordMember("shortest_seconds", "the duration of the shortest one") { $0.durations.lowerBound },
    RecordMember("longest_seconds", "the duration of the longest one") { $0.durations.upperBound },
    RecordMember("open", "the number of open GOPs, which have samples that are presented before the sync sample") {
      $0.openCount
    },
    RecordMember("leading_samples", "the number of samples that are presented before their sync sample") {
      $0.leadingCount
    },
  ]
}

extension TrackSummary.Audio: Record {
  package static let summary = "The audio format."
  package static let members: [RecordMember<Self>] = [
    RecordMember("channels", "the number of channels; missing if unknown") { $0.channelCount },
    RecordMember("layout", "the speaker layout; missing if unknown") { $0.layout },
    RecordMember("sample_rate", "the sample rate in Hz; missing if unknown") { $0.sampleRate },
    RecordMember("presentations", "the programs of an E-AC-3 or AC-4 stream, as text") {
      $0.presentations
    },
    RecordMember("he_aac_signalling", "`hierarchical` or `backward compatible`; missing for other codecs") {
      $0.extensionSignalling
    },
    RecordMember(
      "priming_seconds",
      "the priming that decoders output before the audio and that the edit list or iTunSMPB hides; missing if there is "
        + "none"
    ) { $0.priming },
    RecordMember("padding_seconds", "the part of the last frame that the edit list hides; missing if there is none") {
      $0.padding
    },
  ]
}
