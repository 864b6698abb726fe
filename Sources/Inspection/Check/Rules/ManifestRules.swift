import MP4
import MP4HLS
import MP4Presentations

extension Rule {
  /// The rules of DASH manifests and their media. Most are those of HLS, in other words.
  static let manifests: [Rule] =
    [
      inManifests("missing", "Init segments and segments can be read."),
      inManifests("not-media", "Segments and init segments contain media; they are not web pages, and not empty."),
      inManifests("not-checked", "Segments can be checked: they are fragmented MP4 or WebVTT."),
      inManifests("duration", "The duration of a segment differs from that of its media by at most half a second."),
      inManifests(
        "duration-drift", "The sum of all durations differs from that of the media by at most half a second."),
      inManifests("keyframe", "Video segments start with a sync sample."),
      inManifests("discontinuity", "Media times jump only at the start of a period."),
      inManifests("range", "Byte ranges are within the resource."),
      inManifests("resolution-media", "@width and @height match the video."),
      inManifests("frame-rate-media", "@frameRate matches the video."),
      inManifests("video-range-media", "The declared transfer characteristics match the video."),
      inManifests("channels-media", "AudioChannelConfiguration matches the audio."),
      inManifests("language-media", "@lang matches the media."),
      inManifests("aligned", "The segments of all video representations are aligned."),
      inManifests("segment-twice", "A representation does not repeat a segment in a period."),
      inManifests("segment-shared", "Representations do not share individual segments."),
      inManifests("segment-copied", "The segments of a representation are not copies of those of another one."),
      inManifests("timeline", "The same moment has the same media time in all representations, within one sample."),
      inManifests("webvtt", "Subtitles are valid WebVTT or fragmented MP4."),
      inManifests("webvtt-cue", "Cues end after their start."),
    ].compactMap(\.self) + [
      sameInBoth,
      .presentation(
        "dash-manifest", .dash("5.3"), .error,
        "A manifest has what the standard requires, and does not contradict itself."
      ) { main, _, report in
        for problem in main.source?.problems ?? [] {
          report.add(problem.reason, line: problem.line > 0 ? problem.line : nil)
        }
      },
      .playlist(
        "dash-period", .dash("5.3.2"), .warning,
        "The segments of a period last as long as the period, within half a second."
      ) { playlist, _, report in
        guard let source = playlist.playlist.playlist?.source else { return }
        for text in source.differences { report.add(text, line: source.line) }
      },
      .playlist("dash-codecs-media", .dash("5.3.7"), .error, "@codecs lists the codecs of the media.") {
        playlist, _, report in
        guard let source = playlist.playlist.playlist?.source else { return }
        let media = playlist.runs.flatMap(\.movie.tracks).flatMap(\.codecs)
        let isSame = { (codec: String) in
          { (other: String) in StreamSummary.isSame([codec], [other]) }
        }
        guard !media.isEmpty, let wrong = media.first(where: { !source.codecs.contains(where: isSame($0)) }) else {
          return
        }
        let declared = source.codecs.isEmpty ? "missing" : source.codecs.joined(separator: ",")
        report.add(
          "@codecs is \(declared), but the media has \(wrong)", line: source.line,
          severity: source.codecs.isEmpty ? .warning : nil)
      },
      .playlist(
        "dash-time", .dash("5.3.9.6"), .error,
        "Segments start at the times of their timeline, within 0.1 s; without a timeline, within half their duration."
      ) { playlist, _, report in
        guard let times = playlist.playlist.playlist?.source?.times, !times.isEmpty else { return }
        for segment in playlist.segments where times.indices.contains(segment.index) {
          let time = times[segment.index]
          // Leading pictures are decoded after the first sample, and shown before it.
          guard let start = segment.start?.seconds, let shown = segment.shownStart?.seconds,
            time.start < start - time.tolerance || time.start > max(start, shown) + time.tolerance
          else { continue }
          report.add(
            "segment \(segment.index + 1) starts at \(seconds(time.start)) according to the manifest, but its media at "
              + "\(seconds(shown))",
            line: playlist.playlist.segments[segment.index].line)
        }
      },
      .playlist(
        "dash-bandwidth-media", .dash("5.3.5"), .error,
        "With @bandwidth, and @minBufferTime loaded before it starts, playback is not interrupted."
      ) { playlist, _, report in
        guard let source = playlist.playlist.playlist?.source, source.bandwidth > 0 else { return }
        var (excess, total, duration) = (0.0, 0.0, 0.0)
        for segment in playlist.segments {
          let own = playlist.playlist.segments[segment.index].declared.duration / .seconds(1)
          let bits = Double(segment.size) * 8
          (total, duration) = (total + bits, duration + own)
          excess = max(0, excess) + bits - Double(source.bandwidth) * own
          // Boxes of the last fragment are a rounding error.
          guard excess > Double(source.bandwidth) * source.buffer * 1.01 else { continue }
          report.add(
            "@bandwidth is \(source.bandwidth), but then, the segments cannot be loaded in time; their average is "
              + "\(Int(total / max(duration, 0.001))) up to segment \(segment.index + 1)",
            line: playlist.playlist.segments[segment.index].line)
          return
        }
      },
    ]

  /// A rule of HLS in manifests; `nil` if there is none with that name.
  private static func inManifests(_ name: String, _ meaning: String) -> Rule? {
    let all = playlistMedia + subtitleSegments + timelines + sharedSegments
    guard let rule = all.first(where: { $0.id == "hls-" + name }) else { return nil }
    let test: Test
    switch rule.test {
    case .playlists(let own):
      test = .playlists { playlist, presentation, report in
        if name.hasPrefix("duration"), playlist.playlist.playlist?.source?.isApproximate == true { return }
        own(playlist, presentation, &report)
        report.rephrase(words)
      }
    case .presentations(let own):
      test = .presentations { main, presentation, report in
        own(main, presentation, &report)
        report.rephrase(words)
      }
    default: return nil
    }
    let causes = rule.causes.filter { $0 != "hls-map-tracks" && $0 != "hls-webvtt-map" }.map {
      "dash-" + $0.dropFirst(4)
    }
    return Rule("dash-" + name, .dash(), rule.severity, meaning, mendedBy: nil, test).explained(by: causes)
  }

  /// The words of HLS in findings, and those of DASH. Longer ones are first.
  private static let words = [
    ("there is no EXT-X-DISCONTINUITY", "it is in the same period"),
    ("the sum of all EXTINF durations", "the sum of all durations in the manifest"),
    ("EXTINF", "its duration in the manifest"), ("RESOLUTION", "the size of pictures in the manifest"),
    ("FRAME-RATE", "@frameRate"), ("VIDEO-RANGE", "the range of the declared transfer characteristics"),
    ("CODECS", "@codecs"), ("CHANNELS", "AudioChannelConfiguration"), ("LANGUAGE", "@lang"),
    ("playlist", "representation"),
  ]
}
