import Bytes
import ISOBMFF
import MP4

/// Summaries as records.
extension MovieSummary: Record {
  package static let summary = "A movie."
  package static let members: [RecordMember<MovieSummary>] = [
    RecordMember("name", "the name of the input with the movie box") { $0.name },
    RecordMember("inputs", "the number of inputs") { $0.inputCount },
    RecordMember("bytes", "the size of all inputs; missing if it is unknown") { $0.byteCount },
    RecordMember("layout", "`progressive`, `fragmented` or `init segment`") { $0.layout.rawValue },
    RecordMember("moov_first", "whether the movie box is before the samples; missing without samples") {
      $0.isMovieFirst
    },
    RecordMember("major_brand", "the major brand; missing without a file type") { $0.majorBrand },
    RecordMember("brands", "the compatible brands") { $0.brands },
    RecordMember("fragments", "the number of movie fragments") { $0.fragmentCount },
    RecordMember("shortest_fragment_seconds", "how long the shortest movie fragment lasts; missing without them") {
      $0.fragmentDurations?.lowerBound
    },
    RecordMember("longest_fragment_seconds", "how long the longest movie fragment lasts; missing without them") {
      $0.fragmentDurations?.upperBound
    },
    RecordMember("start_seconds", "when the presentation starts; missing without samples") { $0.presented?.lowerBound },
    RecordMember("duration_seconds", "the duration of the presentation") { $0.duration },
    RecordMember("declared_duration_seconds", "the duration that the movie header declares; missing without one") {
      $0.declaredDuration
    },
    RecordMember("bit_rate", "the average bits per second; missing without a duration") { $0.bitRate },
    RecordMember("created", "when it was created, in UTC; missing if that is unknown") { summary in
      summary.creationTime.map { CalendarTime(secondsSince1970: $0).text }
    },
    RecordMember("title", "the title; missing without one") { $0.metadata.title },
    RecordMember("metadata", "titles and the like") { $0.metadata.entries },
    RecordMember("covers", "the cover pictures") { $0.metadata.covers },
    RecordMember("chapters", "the chapters") { $0.chapters },
    RecordMember("protection_systems", "what the movie box says for protection systems") { $0.protections },
    RecordMember("events", "the number of event messages") { $0.eventCount },
    RecordMember("warnings", "how many problems `mp4tool defrag` would repair") { summary in
      summary.diagnostics.count { $0.severity == .warning }
    },
    RecordMember("errors", "how many losses `mp4tool defrag` would report") { summary in
      summary.diagnostics.count { $0.severity == .error }
    },
    RecordMember("tracks", "the tracks") { $0.tracks },
    RecordMember("items", "the items of a file that has still images beside the movie; missing without any") {
      $0.images?.items
    },
  ]
}

extension Metadata.Entry: Record {
  package static let summary = "An entry of the metadata."
  package static let members: [RecordMember<Self>] = [
    RecordMember("key", "its key in the file") { $0.key },
    RecordMember("name", "what the key means") { $0.name },
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
  package static let summary = "What a movie box says for a protection system."
  package static let members: [RecordMember<Self>] = [
    RecordMember("system", "its name, or its UUID if it is unknown") { $0.system },
    RecordMember("key_ids", "the keys, as UUIDs") { $0.keyIDs },
    RecordMember("details", "further contents") { $0.details },
  ]
}

extension ProtectionSummary.Detail: Record {
  package static let summary = "A part of the contents for a protection system."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "what it is, such as `provider` or `license server`") { $0.name },
    RecordMember("value", "its value as text") { $0.value },
  ]
}

extension Chapter: Record {
  package static let summary = "A chapter."
  package static let members: [RecordMember<Self>] = [
    RecordMember("seconds", "when it starts") { $0.time },
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
    RecordMember("codec", "the codec as in RFC 6381") { $0.codec },
    RecordMember("codec_name", "the codec as people call it") { $0.codecName },
    RecordMember("language", "the language (BCP 47); missing if it is unknown") { $0.role.language },
    RecordMember("name", "its name; missing without one") { $0.role.name },
    RecordMember("enabled", "whether it is presented by default") { $0.role.isEnabled },
    RecordMember("alternate_group", "tracks with the same number are alternatives; missing for none") {
      $0.role.alternateGroup
    },
    RecordMember("is_chapters", "whether it contains the chapters of another track") { $0.role.isChapters },
    RecordMember("samples", "the number of samples") { $0.samples.count },
    RecordMember("keyframes", "the number of sync samples") { $0.samples.keyframeCount },
    RecordMember("bytes", "the sum of the sizes of its samples") { $0.samples.byteCount },
    RecordMember("start_seconds", "when its presentation starts; missing if it is never presented") {
      $0.presented?.lowerBound
    },
    RecordMember("end_seconds", "when its presentation ends; missing if it is never presented") {
      $0.presented?.upperBound
    },
    RecordMember("media_seconds", "the sum of the durations of its samples") { $0.samples.duration },
    RecordMember("bit_rate", "the average bits per second; missing without a duration") { $0.samples.bitRate },
    RecordMember("peak_bit_rate", "the most bits in one second; missing if it lasts less than a second") {
      $0.samples.peakBitRate
    },
    RecordMember("edits", "the edit list; empty if it changes nothing") { $0.edits },
    RecordMember("encryption", "the scheme; missing if it is clear") { $0.encryption?.scheme },
    RecordMember("key_id", "the default key ID; missing without one") { $0.encryption?.keyID },
    RecordMember("key_ids", "the key IDs of all samples, in the order of their first samples") {
      $0.encryption?.keyIDs ?? []
    },
    RecordMember("timecode", "the timecode of its first sample; missing without one") { $0.timecode },
    RecordMember("groups", "the groups of pictures; missing if all samples are sync samples") { $0.samples.groups },
    RecordMember("video", "the pictures; missing for other tracks") { $0.video },
    RecordMember("audio", "the sound; missing for other tracks") { $0.audio },
  ]
}

extension TrackSummary.Edit: Record {
  package static let summary = "An edit: what is presented for some time."
  package static let members: [RecordMember<Self>] = [
    RecordMember("media_seconds", "the time in the media from which it is presented; missing if nothing is") {
      $0.mediaTime
    },
    RecordMember("duration_seconds", "how long it lasts; missing for to the end") { $0.duration },
    RecordMember("speed", "the speed, of which 1 is the normal one; 0 for a picture that stands still") {
      Decimal($0.speed, 3)
    },
  ]
}

extension SampleStatistics.Groups: Record {
  package static let summary = "The groups of pictures of a track."
  package static let members: [RecordMember<Self>] = [
    RecordMember("fewest_samples", "the number of samples of the shortest one") { $0.sampleCounts.lowerBound },
    RecordMember("most_samples", "the number of samples of the longest one") { $0.sampleCounts.upperBound },
    RecordMember("shortest_seconds", "the duration of the shortest one") { $0.durations.lowerBound },
    RecordMember("longest_seconds", "the duration of the longest one") { $0.durations.upperBound },
    RecordMember("open", "how many have samples that are presented before the sync sample") { $0.openCount },
    RecordMember("leading_samples", "how many samples are presented before their sync sample") { $0.leadingCount },
  ]
}

extension TrackSummary.Audio: Record {
  package static let summary = "Sound."
  package static let members: [RecordMember<Self>] = [
    RecordMember("channels", "the number of channels; missing if it is unknown") { $0.channelCount },
    RecordMember("layout", "the speaker layout; missing if it is unknown") { $0.layout },
    RecordMember("sample_rate", "the samples per second; missing if they are unknown") { $0.sampleRate },
    RecordMember("presentations", "what can be listened to in a stream of E-AC-3 or AC-4, in words") {
      $0.presentations
    },
    RecordMember("he_aac_signalling", "`hierarchical` or `backward compatible`; missing for other codecs") {
      $0.extensionSignalling
    },
    RecordMember(
      "priming_seconds",
      "what decoders put out before the sound, and the edit list or iTunSMPB hides; missing for nothing"
    ) { $0.priming },
    RecordMember("padding_seconds", "what the edit list hides of the last frame; missing for nothing") { $0.padding },
  ]
}
