import MP4
import MP4Bytes
package import MP4HLS
import MP4Packaging
package import MP4Presentations
package import MP4Records

/// Summaries as records.
extension PresentationSummary: Record {
  package static let summary = "An HLS presentation."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "the name of the playlist or the folder") { $0.name },
    RecordMember("kind", "`multivariant playlist`, `DASH manifest`, `media playlist` or `folder`") { $0.kind.rawValue },
    RecordMember("version", "the EXT-X-VERSION of the first playlist; missing if unknown") { $0.version },
    RecordMember("is_live", "whether segments may be added") { $0.isLive },
    RecordMember("duration_seconds", "the duration of the longest playlist") { $0.duration },
    RecordMember("variants", "the variants") { $0.variants },
    RecordMember("renditions", "the renditions") { $0.renditions },
    RecordMember("i_frame_variants", "the I-frame playlists") { $0.iFrameVariants },
    RecordMember("playlists", "the media playlists, without duplicates") { $0.playlists },
    RecordMember("violations", "the HLS rules that the multivariant playlist violates") { $0.findings },
    RecordMember(
      "problems", "the resources that the multivariant playlist lists and that cannot be read"
    ) { $0.problems },
  ]
}

extension StreamSummary: Record {
  package static let summary = "A variant or an I-frame playlist."
  package static let members: [RecordMember<Self>] = [
    RecordMember("uri", "the URI of its media playlist") { $0.uri },
    RecordMember("bandwidth", "the declared peak bit rate, including renditions") { $0.bandwidth },
    RecordMember("average_bandwidth", "the declared average bit rate; missing if not declared") { $0.averageBandwidth },
    RecordMember("measured_bandwidth", "the peak bit rate of the examined segments; missing if unknown") {
      $0.measured?.peak
    },
    RecordMember("measured_average_bandwidth", "the average bit rate of the examined segments") {
      $0.measured?.average
    },
    RecordMember("codecs", "the declared codecs; missing if not declared") { $0.codecs },
    RecordMember("width", "the declared width; missing if not declared") { $0.resolution?.width },
    RecordMember("height", "the declared height; missing if not declared") { $0.resolution?.height },
    RecordMember("frame_rate", "the declared maximum frame rate; missing if not declared") { stream in
      stream.frameRate.map(StreamSummary.decimal)
    },
    RecordMember("video_range", "the declared dynamic range; missing if not declared") { $0.videoRange },
    RecordMember("audio_group", "the group of audio renditions; missing if there is none") { $0.groups.audio },
    RecordMember("video_group", "the group of video renditions; missing if there is none") { $0.groups.video },
    RecordMember("subtitles_group", "the group of subtitles; missing if there is none") { $0.groups.subtitles },
    RecordMember("closed_captions", "the group of closed captions, or `NONE`; missing if not declared") {
      $0.groups.closedCaptions
    },
    RecordMember("differences", "the declarations that are wrong") { $0.differences },
  ]
}

extension RenditionSummary: Record {
  package static let summary = "A rendition."
  package static let members: [RecordMember<Self>] = [
    RecordMember("kind", "`AUDIO`, `VIDEO`, `SUBTITLES` or `CLOSED-CAPTIONS`") { $0.kind },
    RecordMember("group", "its group") { $0.group },
    RecordMember("name", "the name that players show") { $0.name },
    RecordMember("uri", "the URI of its media playlist; missing if it is part of the variants") { $0.uri },
    RecordMember("language", "the declared language; missing if not declared") { $0.language },
    RecordMember("channels", "the declared channels; missing if not declared") { $0.channels },
    RecordMember("is_default", "whether it is played unless the user chooses another") { $0.isDefault },
    RecordMember("is_autoselected", "whether players can select it automatically") { $0.isAutoselected },
    RecordMember("is_forced", "whether subtitles are shown even if the user wants none") { $0.isForced },
    RecordMember("codecs", "the codecs of its media; empty if unknown") { $0.codecs },
    RecordMember("measured_bandwidth", "the peak bit rate of the examined segments; missing if unknown") {
      $0.measured?.peak
    },
    RecordMember("measured_average_bandwidth", "the average bit rate of the examined segments") {
      $0.measured?.average
    },
    RecordMember("differences", "the declarations that are wrong") { $0.differences },
  ]
}

extension WrongClaim: Record {
  package static let summary = "A declaration of a playlist that its media contradicts."
  package static let members: [RecordMember<Self>] = [
    RecordMember("subject", "the declared property, such as `resolution`") { $0.subject },
    RecordMember("claimed", "the value in the playlist") { $0.claimed },
    RecordMember("actual", "the value of the media") { $0.actual },
  ]
}

extension PlaylistSummary: Record {
  package static let summary = "A media playlist."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "its path or URL") { $0.name },
    RecordMember("uri", "its URI in the multivariant playlist, or its name if there is none") { $0.uri },
    RecordMember("version", "EXT-X-VERSION; missing if the playlist cannot be read") { $0.version },
    RecordMember("is_live", "whether segments may be added") { $0.isLive },
    RecordMember("is_i_frames_only", "whether each segment is a single picture") { $0.isIFramesOnly },
    RecordMember("segments", "the number of segments") { $0.segmentCount },
    RecordMember("gaps", "the number of segments that are marked as missing") { $0.gapCount },
    RecordMember("parts", "the number of parts between discontinuities") { $0.partCount },
    RecordMember("duration_seconds", "the sum of the durations of its segments") { $0.duration },
    RecordMember("target_duration_seconds", "EXT-X-TARGETDURATION") { $0.targetDuration },
    RecordMember("shortest_segment_seconds", "the duration of the shortest segment; missing without segments") {
      $0.segmentDurations?.lowerBound
    },
    RecordMember("longest_segment_seconds", "the duration of the longest segment; missing without segments") {
      $0.segmentDurations?.upperBound
    },
    RecordMember("examined_seconds", "the total duration of the examined segments") { $0.examined },
    RecordMember("bandwidth", "their peak bit rate; missing if unknown") { $0.bandwidth?.peak },
    RecordMember("average_bandwidth", "their average bit rate; missing if unknown") { $0.bandwidth?.average },
    RecordMember("encryption", "the encryption methods of segments, such as `AES-128`") { $0.encryption },
    RecordMember("other_format", "the format of its segments if they are not MP4; missing otherwise, or if unknown") {
      $0.otherFormat
    },
    RecordMember("movie", "the movie of its longest part; missing if this is not MP4 or cannot be read") { $0.movie },
    RecordMember("failure", "the reason why its segments are not a movie; missing if they are") { summary in
      summary.failure.map { "\($0)" }
    },
    RecordMember("violations", "the HLS rules that it violates") { $0.findings },
    RecordMember("problems", "the resources of the playlist that cannot be read") { $0.problems },
  ]
}

extension PlaylistFinding: Record {
  package static let summary = "A violation of an HLS rule."
  package static let members: [RecordMember<Self>] = [
    RecordMember("rule", "the name of the rule") { $0.rule.rawValue },
    RecordMember("section", "the section of draft-pantos-hls-rfc8216bis") { $0.rule.section },
    RecordMember("line", "the line of the playlist; 0 for the playlist as a whole") { $0.line },
    RecordMember("reason", "the problem and the correct value") { $0.reason },
  ]
}

extension PresentationProblem: Record {
  package static let summary = "A resource that cannot be read."
  package static let members: [RecordMember<Self>] = [
    RecordMember("playlist", "the playlist that refers to it") { $0.playlist },
    RecordMember("line", "the line of the playlist; 0 for the playlist as a whole") { $0.line },
    RecordMember("reason", "the reason") { "\($0.reason)" },
  ]
}
