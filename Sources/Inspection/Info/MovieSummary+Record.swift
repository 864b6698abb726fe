import Bytes
import ISOBMFF
import MP4

/// Summaries as records.
extension MovieSummary: Record {
  package static let summary = "A movie."
  package static let members: [RecordMember<MovieSummary>] = [
    RecordMember("name", "the name of the input that contains `moov`") { $0.name },
    RecordMember("inputs", "the number of inputs") { $0.inputCount },
    RecordMember("bytes", "the size of all inputs; missing if unknown") { $0.byteCount },
    RecordMember("layout", "`progressive`, `fragmented` or `init segment`") { $0.layout.rawValue },
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

extension Chapter: Record {
  package static let summary = "A chapter."
  package static let members: [RecordMember<Self>] = [
    RecordMember("seconds", "its start time") { $0.time },
    RecordMember("title", "its title") { $0.title },
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
    RecordMember("codec_name", "the common name of the codec") { $0.codecName },
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
    RecordMember("timecode", "the timecode of its first sample; missing if there is none") { $0.timecode },
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
