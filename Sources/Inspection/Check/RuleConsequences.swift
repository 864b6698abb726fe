import Bytes
import MP4

extension Rule {
  /// What players do if the rule is violated, in one or two sentences.
  public var consequence: String {
    let found = Self.consequences.lazy.filter { id.hasPrefix($0.prefix) }.max { $0.prefix.count < $1.prefix.count }
    return found?.text ?? ""
  }

  /// The consequences by the prefixes of rule names; the longest matching prefix applies.
  private static let consequences: [(prefix: String, text: String)] = [
    // Boxes.
    ("iso-box-size", "Readers misinterpret the following bytes. Most stop there and lose the rest."),
    ("iso-box-remainder", "Readers stop at these bytes, or misinterpret them as a box."),
    ("iso-box-fields", "Players ignore the box or reject the file."),
    ("iso-box-version", "Readers that do not know the version skip the box, or misread its fields."),
    ("iso-box-rest", "Players ignore these bytes. They often indicate that the writer used a different layout."),
    ("iso-box-unknown", "Players skip the box, so it has no effect."),
    ("iso-box-place", "Players do not find the box and behave as if it were missing."),
    ("iso-box-missing", "Most players reject the track or the file."),
    ("iso-box-twice", "Some players use the first one, others the last one."),
    ("iso-count-boxes", "Players that trust the count read too few boxes, or read past the last one."),
    ("iso-not-media", "There is nothing to play."),
    (
      "iso-ftyp",
      "Players use the ftyp box to decide how to read the file. Some reject files that do not start with ftyp."
    ),
    ("iso-brand", "Players that look for a known brand may reject the file or handle it differently."),
    ("iso-moov-twice", "Players use only one of the movie boxes, and not all use the same one."),
    ("iso-moov-late", "Players that read fragments as they arrive cannot decode them before the movie box."),
    ("web-moov-last", "Players must load the end of the file, or all of it, before playback can start."),
    ("iso-mdat-missing", "There is nothing to decode. Players stall or report an error."),
    // Headers.
    ("iso-mvhd-timescale", "The duration of the movie is undefined. Players reject the file or show 0:00."),
    ("iso-mvhd-rate", "Players that honor the rate play at a different speed."),
    ("iso-next-track-id", "Editors that add a track assign an ID that is already used."),
    ("iso-track-id", "Fragments and references identify tracks by ID. Players confuse or drop tracks."),
    ("iso-movie-no-tracks", "There is nothing to play."),
    ("iso-track-none-enabled", "Players that play only enabled tracks play nothing."),
    ("iso-visual-size", "Players show nothing, or use the size of the coded pictures."),
    ("iso-track-shape", "Players that use the size in the track header show a distorted picture."),
    ("iso-audio-volume", "Players that honor the volume are silent."),
    ("iso-matrix", "Players that honor the matrix show nothing; others ignore it."),
    ("iso-mdhd-timescale", "Times have no unit. Players reject the track."),
    ("iso-language", "Players show no language for the track, or list it as undetermined."),
    ("iso-hdlr-pre-defined", "Players ignore it."),
    ("iso-media-header", "Strict players reject the track; others use the handler."),
    ("iso-vmhd-flags", "Players ignore it."),
    ("iso-dref-empty", "Strict players find no data for the samples."),
    ("iso-data-elsewhere", "Players do not load other files, so the track has no media."),
    ("iso-stsd-empty", "Players cannot choose a decoder and drop the track."),
    ("iso-data-reference", "Strict players find no data for the samples."),
    ("iso-entry-size", "Some decoders are configured with this size, and fail or show a picture of the wrong size."),
    ("iso-entry-channels", "Some players configure the audio output with these values, and are silent."),
    ("iso-entry-unknown", "Players that do not know the code drop the track."),
    ("iso-samples-zero", "Decoders find no picture. Players show nothing until a later keyframe, or stop."),
    ("iso-entry-samples", "Decoders that are configured by the entry fail or show garbage."),
    ("iso-handler-entry", "Players expect a different kind of sample entry and drop the track."),
    ("iso-reference", "Players ignore the reference. Chapters, timecode or the base of the track are missing."),
    ("iso-pasp", "Players that use it show a distorted picture, or none."),
    ("iso-clap", "Players ignore the clean aperture, or show nothing."),
    // Edits and durations.
    ("iso-edit", "Players treat unusual edit lists differently. Some ignore them, so tracks are out of sync."),
    ("iso-edit-longer", "At the end, players hold the last picture, or wait for media that does not exist."),
    ("iso-edit-outside", "Players present nothing for this edit, or ignore the edit list."),
    ("iso-mdhd-duration", "Players show a wrong duration, and seek to wrong positions near the end."),
    ("iso-tkhd-duration", "Players show a wrong duration. Some end early or hold the last picture."),
    ("iso-mvhd-duration", "Players show a wrong duration. Some end early or hold the last picture."),
    ("iso-mehd-duration", "Players show this duration in their controls and use it for seeking."),
    (
      "iso-composition-offset",
      "Decoders must buffer more pictures than they can. Playback stutters or is out of sync."
    ),
    // Sample tables.
    ("iso-table", "Players cannot locate the samples of the track, or use wrong ones."),
    ("iso-stts", "Players present the affected samples at wrong times, or reject the track."),
    ("iso-ctts", "Pictures are shown at wrong times or in the wrong order."),
    ("iso-stsc", "From here on, players read samples at wrong offsets. Decoders reject them or show garbage."),
    ("iso-stsc-description", "Players have no decoder for these samples."),
    ("iso-chunk", "Players read data that is not media, or no data, and report an error or show garbage."),
    (
      "iso-stss",
      "Players cannot seek to these samples, or start decoding at samples that cannot be decoded on their own."
    ),
    ("iso-sdtp-count", "Players that use the table to drop samples under load drop the wrong ones."),
    ("iso-sbgp", "Players apply the group (pre-roll, keys, random access) to wrong samples, or not at all."),
    ("iso-saio", "Players do not find the information, which they need to decrypt encrypted samples."),
    ("iso-sample-shared", "One of the samples has wrong bytes, unless the file reuses the bytes on purpose."),
    ("iso-tables", "Different players find different samples, depending on the table that they trust."),
    // Fragments.
    ("iso-mvex-missing", "Players treat the file as not fragmented, and play nothing."),
    ("iso-trex", "Players have no defaults for the samples of the fragments, and drop the track or reject the file."),
    ("iso-traf", "Players drop the samples of the track fragment, or have no decoder for them."),
    ("iso-sequence-number", "Players that check it assume that a fragment was repeated or lost. Most ignore it."),
    ("iso-decode-time", "Samples overlap. Players drop or replace some of them, and tracks may get out of sync."),
    ("iso-decode-gap", "Players hold the last picture and are silent, or stall at the gap."),
    ("iso-trun-offset", "Players read data that is not media, or no data."),
    ("iso-base-offset", "Players read data that is not media, unless they count from the start of the fragment."),
    ("iso-sidx", "Players that use the index for seeking request wrong bytes and fail."),
    ("iso-mfro-size", "Players do not find the fragment index at the end of the file, and seek slowly."),
    ("iso-tfra-fragment", "Players that use the index for seeking start at wrong bytes."),
    ("iso-fragment", "Players drop, repeat or delay samples. The behavior differs between players."),
    ("iso-movie", "Players cannot open the file."),
    ("iso-data-missing", "Players stop or stall where the data ends."),
    ("iso-samples-damaged", "Players stop there, or lose the samples that the box describes."),
    ("iso-track-lost", "Players drop the track."),
    ("iso-track-empty", "Players may show a track that presents nothing."),
    ("iso-description", "Players have no decoder for these samples."),
    // Codecs.
    ("text", "Players do not show these subtitles, or show them without their styles."),
    ("quicktime-timecode", "Editors do not find the timecode."),
    ("quicktime-timecode-rate", "Some programs show other timecodes than others."),
    (
      "nal",
      "Players use the sample entry to select and configure the decoder, which may fail, or show a wrong size or wrong "
        + "colors."
    ),
    ("nal-configuration", "Players cannot configure a decoder, and drop the track."),
    ("nal-parameter-set", "Decoders cannot start, so there is no picture."),
    ("nal-length", "Decoders find no pictures in the samples."),
    ("nal-samples", "Decoders find no pictures in the samples."),
    ("nal-sync", "Players that seek to such a sample show garbage, or nothing until the next keyframe."),
    ("nal-hvc1-complete", "Some Apple players reject hvc1 whose parameter sets may also be in the samples."),
    ("av1", "Players use the sample entry to select and configure the decoder, which may fail or show a wrong size."),
    ("vp9", "Players use the sample entry to select and configure the decoder, which may fail."),
    (
      "aac",
      "Players configure the decoder with these values. Audio fails, or plays at the wrong speed or with wrong "
        + "channels."
    ),
    ("audio-timescale", "Times are rounded, which can be audible at segment and edit boundaries."),
    ("dolby", "Players cannot configure a decoder, and drop the track."),
    ("opus", "Players configure the decoder with these values. Audio fails or starts at the wrong time."),
    ("flac", "Players cannot configure a decoder, and drop the track."),
    ("alac", "Players cannot configure a decoder, and drop the track."),
    ("scte35", "Ad insertion servers miss the break, or start or end it at the wrong time."),
    ("cenc", "Players cannot decrypt the affected samples. Playback fails or shows garbage."),
    (
      "cenc-pssh",
      "The license request lacks keys or lists wrong ones, unless the application supplies its own request."
    ),
    ("cenc-key-zero", "License servers have no key with this ID."),
    // CMAF and players of segments.
    ("cmaf", "Packagers and players that rely on CMAF reject the track or process it less efficiently."),
    ("cmaf-brand", "Packagers that look for the brand do not recognize the file as CMAF."),
    ("cmaf-decode-time-continuous", "Players show gaps or drop samples between segments, and may stall."),
    ("cmaf-segment-sync", "Players that start or switch here cannot decode until the next keyframe."),
    ("cmaf-edit", "Players ignore or misinterpret the edits. Tracks are out of sync."),
    ("cmaf-event-place", "Players drop the event."),
    ("mse", "Browsers reject the segment when it is appended, and playback stops."),
    ("mse-edit-list", "Browsers apply one edit or none, so tracks may be out of sync."),
    ("mse-segment-sync", "After a seek, browsers drop all samples before the next keyframe."),
    ("web", "Some browsers and phones do not play the file."),
    ("web-dolby-vision", "Players without Dolby Vision support show green and purple pictures."),
    ("web-he-aac", "Some players play at half the sample rate, without the high frequencies."),
    ("web-priming", "Audio is delayed by some hundredths of a second."),
    ("web-edit-list", "Players that apply only one edit are out of sync, or end early."),
    ("web-rotation", "Players that ignore the matrix show the picture without rotation or mirroring."),
    // Playlists.
    ("hls", "Clients may reject the playlist, or ignore the tag."),
    ("hls-no-playlist", "Without a playlist, these rules are not checked."),
    ("hls-empty", "Clients report an error."),
    ("hls-first-line", "Clients do not recognize the file as a playlist."),
    ("hls-encoding", "Clients may reject the playlist or misread its text."),
    ("hls-uri", "Clients request a wrong resource, and playback fails there."),
    ("hls-attribute-form", "Clients ignore the attribute, the variant or the playlist."),
    ("hls-tag-value", "Clients ignore the tag or reject the playlist."),
    ("hls-target-duration", "Clients reload the playlist once per target duration. They stall, or reload too often."),
    (
      "hls-segment-too-long",
      "Clients use the target duration for buffering and reloading, and may stall at longer segments."
    ),
    ("hls-media-sequence", "Clients lose their position in live streams, and repeat or skip segments."),
    ("hls-discontinuity-sequence", "Clients cannot match the timelines of variants when they switch."),
    ("hls-end-missing", "Clients treat the stream as live, and keep reloading the playlist."),
    ("hls-part", "Low-latency clients fall back to whole segments, or stall."),
    ("hls-preload-hint", "Clients request the wrong part, and latency increases."),
    ("hls-server-control", "Clients play too close to the live edge, and stall."),
    (
      "hls-date-range-splice",
      "Ad insertion servers and clients miss the break, or start or end it at the wrong time."
    ),
    ("hls-date", "Clients ignore the date range. Ads and events are late or missing."),
    ("hls-byte-range", "Clients request wrong bytes."),
    ("hls-key", "Clients cannot decrypt the segments."),
    ("hls-session-key", "Clients prefetch the wrong key, or none."),
    ("hls-session-data", "Clients ignore the data."),
    ("hls-group", "Clients ignore the variant, or play it without audio or subtitles."),
    ("hls-closed-captions", "Whether clients show captions is unpredictable."),
    (
      "hls-average-bandwidth",
      "Clients use it to choose variants. They stall, or choose a lower quality than necessary."
    ),
    ("hls-bandwidth", "Clients choose variants that are too large for the connection, and stall."),
    ("hls-variant-uri", "Clients skip the variant or request a wrong resource."),
    ("hls-autoselect", "Clients choose or show a rendition that was not intended."),
    ("hls-default-twice", "Which rendition clients choose is unpredictable."),
    ("hls-name-twice", "Users cannot tell the renditions apart, and some clients show only one."),
    ("hls-forced", "Clients ignore it."),
    ("hls-channels", "Clients choose a rendition that is not the best one for the device."),
    ("hls-pathway", "Clients ignore content steering at startup."),
    ("hls-lengths", "Clients that switch variants near the end jump or stall."),
    ("hls-discontinuities", "Clients cannot match the timelines of variants when they switch."),
    ("hls-dates", "Clients cannot align variants by date."),
    ("hls-playlist-types", "Clients treat one variant as live and the other as complete."),
    ("hls-i-frame", "While the user scrubs, clients show no pictures or wrong ones."),
    ("hls-iframe", "While the user scrubs, clients show no pictures or wrong ones."),
    ("hls-missing", "Playback fails or skips there."),
    ("hls-not-media", "Clients report an error, or stall or skip the segment."),
    ("hls-tag-name", "Clients ignore the tag."),
    ("hls-attribute-name", "Clients ignore the attribute."),
    ("hls-not-checked", "Clients may be able to play them. Their contents were not checked."),
    ("hls-map-missing", "Clients cannot decode the segments."),
    ("hls-duration", "Clients seek to wrong positions, and the displayed time drifts."),
    ("hls-duration-missing", "Clients skip the segment or reject the playlist."),
    ("hls-duration-comma", "Some clients reject the line."),
    ("hls-keyframe", "Clients that start or switch here show nothing until the next keyframe."),
    ("hls-independent", "Clients that start or switch here rely on the tag, and decode garbage."),
    ("hls-discontinuity", "Clients stall or drop samples at the jump."),
    ("hls-segment-twice", "Clients play the media twice, or drop it because its times are not increasing."),
    ("hls-segment-copied", "Clients cannot decode the segment, or play it in the wrong quality or language."),
    ("hls-segment-shared", "Clients play the segment in the wrong quality or language, or cannot decode it."),
    ("hls-map-tracks", "Clients reconfigure decoders only at discontinuities. Playback stops or shows garbage."),
    ("hls-range", "The request fails or returns fewer bytes."),
    ("hls-codecs-media", "Clients skip variants that they could play, or choose some that they cannot."),
    ("hls-resolution-media", "Clients choose variants by display size, and choose the wrong one."),
    ("hls-frame-rate", "Clients use it to choose variants, and choose the wrong one."),
    ("hls-video-range-media", "Clients configure the display for the wrong colors and brightness."),
    ("hls-language-media", "Users choose one language and hear another."),
    ("hls-aligned", "Clients that switch variants repeat or skip media."),
    ("hls-webvtt", "Clients show no subtitles."),
    ("hls-live", "Clients of the live stream lose their position, stall or stop."),
    ("apple", "Apple requires it for app review and certified streams. Without it, clients have less information."),
    ("apple-iframes", "Apple devices show no pictures while the user scrubs."),
    ("apple-keyframes", "Clients take longer to start and to switch."),
    (
      "apple-target-duration",
      "Shorter segments need more requests; longer ones slow down switching and increase live latency."
    ),
    ("apple-frame-rate-high", "Devices with 60 Hz displays skip the variant or drop pictures."),
    ("apple-parameter-sets", "Apple devices play audio without a picture, or reject the stream."),
  ]
}

extension Rule: Record {
  package static let summary = "A rule for files or playlists."
  package static let members: [RecordMember<Rule>] = [
    RecordMember("rule", "the name of the rule") { $0.id },
    RecordMember("profile", "the set of rules, as in `--for`") { $0.source.profile.rawValue },
    RecordMember("severity", "`error`, `warning` or `note`") { $0.severity.name },
    RecordMember("meaning", "the requirement, as a sentence") { $0.meaning },
    RecordMember("consequence", "how players behave if the rule is violated") { $0.consequence },
    RecordMember("looks_at", "what the rule examines") { $0.needs },
    RecordMember("standard", "the source of the rule: a standard, or player behavior") { $0.source.standard },
    RecordMember("clause", "the clause of the standard; missing if not known") {
      $0.source.clause
    },
    RecordMember("remedy", "the command that fixes violations; missing if there is none") { $0.remedy },
  ]
}
