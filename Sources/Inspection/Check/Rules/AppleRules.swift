import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations

extension Rule {
  /// Apple's requirements for presentations, as far as they can be checked in files.
  static let apple: [Rule] = [
    variants("apple-codecs", "9.1", .error, "Each variant has CODECS.") { variant, _ in
      variant.codecs == nil ? "there is no CODECS" : nil
    },
    variants("apple-average-bandwidth", "9.14", .error, "Each variant has AVERAGE-BANDWIDTH.") { variant, _ in
      variant.attributes["AVERAGE-BANDWIDTH"] == nil ? "there is no AVERAGE-BANDWIDTH" : nil
    },
    variants("apple-resolution", "9.2", .error, "Each variant with video has RESOLUTION.") { variant, hasVideo in
      hasVideo && variant.attributes["RESOLUTION"] == nil ? "there is video, but no RESOLUTION" : nil
    },
    variants("apple-frame-rate", "9.15", .error, "Each variant with video has FRAME-RATE.") { variant, hasVideo in
      hasVideo && variant.attributes["FRAME-RATE"] == nil ? "there is video, but no FRAME-RATE" : nil
    },
    variants("apple-frame-rate-high", "1.19", .error, "Video has at most 60 frames per second.") { variant, _ in
      (variant.frameRate ?? 0) > 60.5 ? "FRAME-RATE is more than 60" : nil
    },
    .presentation("apple-iframes", .apple("6.1"), .error, "Each presentation with video has I-frame playlists.") {
      main, presentation, report in
      let hasVideo = presentation.summary.variants.contains { $0.resolution != nil }
      if hasVideo, main.iFrameVariants.isEmpty {
        report.add("there is no EXT-X-I-FRAME-STREAM-INF, so scrubbing shows no pictures")
      }
    },
    .presentation(
      "apple-independent", .apple("9.12"), .warning, "The multivariant playlist has EXT-X-INDEPENDENT-SEGMENTS."
    ) { main, presentation, report in
      let isInAll = presentation.playlists.allSatisfy { $0.playlist.playlist?.hasIndependentSegments ?? true }
      if !main.hasIndependentSegments, !isInAll { report.add("there is no EXT-X-INDEPENDENT-SEGMENTS") }
    },
    .playlist("apple-target-duration", .apple("7.5"), .note, "The target duration is 6 seconds.") {
      playlist, _, report in
      guard let media = playlist.playlist.playlist, !playlist.isIFramesOnly, playlist.hasPictures else { return }
      if media.targetSeconds > 0, media.targetSeconds != 6 {
        report.add("EXT-X-TARGETDURATION is \(media.targetSeconds); 6 is recommended")
      }
    },
    .playlist("apple-keyframes", .apple("1.13"), .note, "Video has a keyframe at least every two seconds.") {
      playlist, _, report in
      guard !playlist.isIFramesOnly else { return }
      for track in playlist.movies.lazy.compactMap(\.movie).flatMap(\.tracks) where track.handler == "vide" {
        let longest = track.longestGroup
        if longest > MediaTime(21, 10) { report.add("the longest GOP lasts \(longest)") }
      }
    },
    .entry(
      "apple-parameter-sets", .apple("1.10"), .warning, ["avc3", "hev1", "dvhe"],
      "AVC and HEVC sample entries are avc1 or hvc1, which contain the parameter sets.",
      mendedBy: .renameSampleEntry
    ) { entry, report in
      let other: [FourCC: FourCC] = ["avc3": "avc1", "hev1": "hvc1", "dvhe": "dvh1"]
      guard let better = other[entry.codedFormat] else { return }
      report.add(entry, "the sample entry is \(entry.codedFormat); Apple devices need \(better)")
    },
    .presentation(
      "apple-language", .apple(nil), .warning, "Subtitles, and audio that is not the only choice, have LANGUAGE."
    ) { main, _, report in
      for (index, rendition) in main.renditions.enumerated() where rendition.language == nil {
        let isAlone = main.renditions.count { $0.kind == rendition.kind && $0.group == rendition.group } == 1
        guard rendition.kind == .subtitles || rendition.kind == .audio && !isAlone else { continue }
        report.add(
          "there is no LANGUAGE, so players cannot choose \(rendition.name) by language",
          line: main.line(of: .rendition(index)))
      }
    },
    variants("apple-captions", nil, .note, "Each variant with video declares its closed captions, or NONE.") {
      variant, hasVideo in
      hasVideo && variant.closedCaptions == nil
        ? "there is no CLOSED-CAPTIONS; without captions, it is NONE" : nil
    },
  ]

  /// A rule for each variant, given whether it has video.
  private static func variants(
    _ id: String, _ number: String?, _ severity: Diagnostic.Severity, _ meaning: String,
    _ test: @escaping @Sendable (Variant, _ hasVideo: Bool) -> String?
  ) -> Rule {
    presentation(id, .apple(number), severity, meaning) { main, presentation, report in
      for (index, variant) in main.variants.enumerated() {
        let own = presentation.playlists.first { $0.playlist.roles.contains(.variant(index)) }
        if let message = test(variant, own?.hasPictures ?? false) {
          report.add(message, line: main.line(of: .variant(index)))
        }
      }
    }
  }
}

extension CheckedPlaylist {
  /// Whether its segments contain pictures.
  fileprivate var hasPictures: Bool { segments.contains { $0.pictureCount > 0 } }
}

extension Track {
  /// The longest time from a sync sample to the next one or to the end.
  fileprivate var longestGroup: MediaTime {
    var (longest, last) = (MediaTime(0, 1), MediaTime?.none)
    var end = MediaTime(0, 1)
    for sample in samples {
      if sample.isSync {
        if let last { longest = max(longest, sample.decodeTime - last) }
        last = sample.decodeTime
      }
      end = sample.decodeTime + sample.duration
    }
    return last.map { max(longest, end - $0) } ?? longest
  }
}
