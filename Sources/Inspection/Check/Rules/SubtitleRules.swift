import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations
import TimedText

extension Rule {
  /// WebVTT segments of presentations.
  static let subtitleSegments: [Rule] = [
    .playlist("hls-webvtt", .hls("3.1.4"), .error, "Subtitle segments are valid WebVTT or fragmented MP4.") {
      playlist, presentation, report in
      for (index, text) in playlist.texts {
        let file = playlist.media.segments[index]?.name
        switch text {
        case .failure(let error): report.add("\(error)", line: error.line, file: file)
        case .success(let document):
          for finding in document.findings where finding.isLoss {
            report.add(finding.words, line: finding.line, file: file)
          }
        }
      }
      guard let main = presentation.presentation.multivariant else { return }
      let isText = playlist.playlist.roles.contains { role in
        if case .rendition(let index) = role { main.renditions[index].kind == .subtitles } else { false }
      }
      for segment in playlist.segments where isText && ![.webVTT, .mp4, .encrypted].contains(segment.kind) {
        report.add("it does not start with WEBVTT", line: playlist.playlist.segments[segment.index].line)
      }
    },
    .playlist("hls-webvtt-map", .hls("3.5"), .error, "X-TIMESTAMP-MAP has a time and a timestamp of 33 bits.") {
      playlist, _, report in
      for (index, document) in playlist.documents {
        let file = playlist.media.segments[index]?.name
        for finding in document.findings {
          if case .timestampMap = finding.problem { report.add(finding.words, line: finding.line, file: file) }
        }
        if let map = document.timestampMap, map.mpegTS >= TimestampMap.period {
          report.add("MPEGTS is \(map.mpegTS), which does not fit into 33 bits", file: file)
        }
      }
    },
    .playlist("hls-webvtt-cue", .hls("3.5"), .warning, "Cues end after their start.") { playlist, _, report in
      for (index, document) in playlist.documents {
        for finding in document.findings where finding.problem == .neverShown {
          report.add(
            "this cue does not end after its start", line: finding.line, file: playlist.media.segments[index]?.name)
        }
      }
    },
    .playlist("hls-webvtt-times", .hls("3.5"), .error, "Cues are shown at times of their segment.") {
      playlist, presentation, report in
      // In live playlists, the position of a segment is not its media time.
      guard playlist.playlist.playlist?.isEnded ?? false, playlist.playlist.parts.count == 1,
        let origin = presentation.mediaOrigin
      else { return }
      for (index, document) in playlist.documents {
        let declared = playlist.playlist.segments[index].declared
        let start = origin + MediaTime(declared.start).seconds
        let shift = document.timestampMap?.shift(near: start) ?? 0
        for cue in document.cues where cue.start < cue.end {
          let (own, end) = (cue.start.inSeconds + shift, cue.end.inSeconds + shift)
          let limit = start + declared.duration.inSeconds
          guard own > limit + 0.5 || end < start - 0.5 else { continue }
          report.add(
            "the cue from \(seconds(own - origin)) to \(seconds(end - origin)) of the presentation is outside of its "
              + "segment, from \(seconds(start - origin)) to \(seconds(limit - origin))"
              + (document.timestampMap == nil ? "; there is no X-TIMESTAMP-MAP" : ""),
            file: playlist.media.segments[index]?.name)
          break
        }
      }
    }.explained(by: "hls-webvtt-map"),
  ]
}

extension TextFinding {
  /// The description without the line.
  fileprivate var words: String {
    let sentence = description.drop { $0 != ":" }.dropFirst(2)
    return String((sentence.isEmpty ? description[...] : sentence).prefix { $0 != ";" })
  }
}

extension TimestampMap {
  /// The number of timestamps before they start again.
  fileprivate static let period: UInt64 = 1 << 33

  /// The difference between media times and times of the file in seconds, for a media time near `time`.
  fileprivate func shift(near time: Double) -> Double {
    let period = Double(Self.period) / 90_000
    let timestamp = Double(mpegTS % Self.period) / 90_000
    let turns = ((time - timestamp) / period).rounded()
    return timestamp + turns * period - local.inSeconds
  }
}

extension CheckedPresentation {
  /// The media time of the start of the presentation, in seconds: that of the first variant with media.
  fileprivate var mediaOrigin: Double? {
    for playlist in playlists where !playlist.isIFramesOnly && playlist.playlist.playlist?.isEnded ?? false {
      guard let first = playlist.segments.first, first.kind == .mp4, let start = first.start else { continue }
      return start.seconds - MediaTime(playlist.playlist.segments[first.index].declared.start).seconds
    }
    return nil
  }
}

extension CheckedPlaylist {
  /// The WebVTT segments that can be read, with their indices.
  fileprivate var documents: [(index: Int, document: WebVTTDocument)] {
    texts.compactMap { index, text in (try? text.get()).map { (index, $0) } }
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
