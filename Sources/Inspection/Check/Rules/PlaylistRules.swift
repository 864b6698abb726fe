import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import MP4Presentations
import TimedText

extension Rule {
  /// The rules that the lines of a playlist are sufficient to check.
  static let playlistLines: [Rule] = PlaylistRule.allCases.map { lines($0) }

  /// Playlist rules were requested, but there are no playlists.
  static let noPlaylist = playlist(
    "hls-no-playlist", .hls(), .note, "HLS rules and Apple rules need a playlist."
  ) { _, _, _ in
    // The check itself reports files without a playlist.
  }

  /// The rules that need both playlists and media.
  static let playlistMedia: [Rule] = [
    .playlist("hls-missing", .hls(), .error, "Playlists, init segments and segments can be read.") {
      playlist, _, report in
      for problem in playlist.problems {
        report.add(problem.reason, line: problem.line > 0 ? problem.line : nil, file: problem.file)
      }
    },
    noPlaylist,
    .playlist(
      "hls-not-media", .hls("3"), .error,
      "Segments and init segments contain media; they are not web pages or other text, and not empty."
    ) { playlist, _, report in
      for (line, uri, name) in playlist.foreign { report.add("\(uri) is \(name), not media", line: line) }
    },
    .playlist(
      "hls-not-checked", .hls(), .note,
      "Segments can be checked: they are fragmented MP4 or WebVTT, and if they have full-segment encryption, their key "
        + "can be read."
    ) {
      playlist, _, report in
      let kinds: [(CheckedSegment.Kind, String)] = [
        (.encrypted, "encrypted (AES-128)"), (.transportStream, "MPEG transport streams"),
        (.packedAudio, "packed audio"), (.unknown, "in an unknown format"),
      ]
      for (kind, name) in kinds {
        let count = playlist.segments.count { $0.kind == kind }
        if count > 0 {
          report.add("\(counted(count, "segment is", "segments are")) \(name); their media is not checked")
        }
      }
    },
    .playlist("hls-map-missing", .hls("4.4.4.5"), .error, "Fragmented MP4 segments have EXT-X-MAP.") {
      playlist, _, report in
      let missing = playlist.segments.lazy.filter { segment in
        segment.kind == .mp4 && playlist.playlist.segments[segment.index].section == nil
      }
      guard let first = missing.first else { return }
      let isSelfInitializing = playlist.movies.contains { $0.files.contains { $0.kind == .movie } }
      if !isSelfInitializing {
        report.add(
          "there is no EXT-X-MAP before this segment, and it has no moov", line: playlist.line(of: first))
      }
    },
    .playlist(
      "hls-duration", .hls("4.4.4.1"), .error, "EXTINF differs from the duration of the media by at most half a second."
    ) {
      playlist, presentation, report in
      for (segment, declared, measured) in playlist.durations(in: presentation)
      where (declared - measured).magnitude > 0.5 {
        report.add(
          "EXTINF is \(seconds(declared)), but the samples last \(seconds(measured))", line: playlist.line(of: segment))
      }
    },
    .playlist(
      "hls-duration-drift", .hls("4.4.4.1"), .warning,
      "The sum of all EXTINF durations differs from the duration of the media by at most half a second."
    ) {
      playlist, presentation, report in
      let rows = playlist.durations(in: presentation)
      let difference = rows.reduce(0) { $0 + $1.declared - $1.measured }
      let isFine = rows.allSatisfy { ($0.declared - $0.measured).magnitude <= 0.5 }
      if isFine, difference.magnitude > 0.5 {
        report.add(
          "the sum of all EXTINF durations is \(seconds(difference.magnitude)) "
            + "\(difference > 0 ? "longer" : "shorter") than the media")
      }
    },
    .playlist(
      "hls-target-duration-media", .hls("4.4.3.1"), .error,
      "The duration of the media of each segment, rounded, is at most the target duration."
    ) {
      playlist, presentation, report in
      guard let target = playlist.playlist.playlist?.targetSeconds else { return }
      for (segment, declared, own) in playlist.durations(in: presentation) {
        // Another track may last slightly longer than the video.
        let longest = segment.longestUsualDuration?.seconds ?? own
        let measured = longest - max(own, declared) > 0.5 ? longest : own
        guard measured.rounded() > Double(target), declared.rounded() <= Double(target), measured - declared > 0.2
        else { continue }
        report.add(
          "the samples last \(seconds(measured)), but EXT-X-TARGETDURATION is \(target)",
          line: playlist.line(of: segment))
      }
    },
    .playlist("hls-keyframe", .hls("3"), .warning, "Video segments start with a sync sample.") {
      playlist, main, report in
      guard !playlist.isIFramesOnly, !playlist.isIndependent(in: main) else { return }
      for segment in playlist.segments where segment.startsWithSync == false {
        report.add("its first video sample is not a sync sample", line: playlist.line(of: segment))
      }
    },
    .playlist(
      "hls-independent", .hls("4.4.2.1"), .error,
      "With EXT-X-INDEPENDENT-SEGMENTS, video segments start with a sync sample."
    ) { playlist, main, report in
      guard !playlist.isIFramesOnly, playlist.isIndependent(in: main) else { return }
      for segment in playlist.segments where segment.startsWithSync == false {
        report.add(
          "its first video sample is not a sync sample, but there is EXT-X-INDEPENDENT-SEGMENTS",
          line: playlist.line(of: segment))
      }
    },
    .playlist(
      "hls-iframe-sync", .hls("4.4.3.6"), .error, "Each segment of an I-frame playlist starts with a sync sample."
    ) {
      playlist, _, report in
      guard playlist.isIFramesOnly else { return }
      for segment in playlist.segments where segment.startsWithSync == false {
        report.add("its first sample is not a sync sample", line: playlist.line(of: segment))
      }
    },
    .playlist(
      "hls-discontinuity", .hls("4.4.4.3"), .error, "Media times jump only at EXT-X-DISCONTINUITY."
    ) {
      playlist, _, report in
      guard !playlist.isIFramesOnly else { return }
      for part in playlist.playlist.parts {
        var (last, next) = (CheckedSegment?.none, part.lowerBound)
        for segment in playlist.segments where part.contains(segment.index) {
          defer { (last, next) = (segment, segment.index + 1) }
          // Sound can go on after the last picture.
          let end = segment.track.flatMap { last?.ends[$0] } ?? last?.end
          if segment.index == next, let end, let start = segment.start, (start - end).magnitude > 0.5 {
            let isLater = start > end
            report.add(
              "it starts \(seconds((start - end).magnitude)) \(isLater ? "after" : "before") the end of the previous "
                + "segment, and there is no EXT-X-DISCONTINUITY", line: playlist.line(of: segment))
          }
        }
      }
    }.explained(by: "hls-segment-twice", "hls-segment-shared", "hls-map-tracks"),
    .playlist(
      "hls-key-scheme", .hls("4.4.4.4"), .error,
      "The METHOD of EXT-X-KEY matches the encryption of the samples: SAMPLE-AES for cbcs, SAMPLE-AES-CTR for cenc."
    ) {
      playlist, _, report in
      guard let (segment, reason) = playlist.wrongKey else { return }
      report.add(reason, line: playlist.line(of: segment))
    },
    .playlist("hls-range", .hls("4.4.4.2"), .error, "Byte ranges are within the resource.") { playlist, _, report in
      for segment in playlist.segments {
        let own = playlist.playlist.segments[segment.index]
        if let range = own.declared.byteRange, segment.size < range.count {
          report.add(
            "only \(segment.size) of the \(range.count) bytes in the byte range exist", line: own.line)
        }
      }
    },
    .claim("hls-bandwidth-media", .error, "bandwidth", "BANDWIDTH", "BANDWIDTH is at least the peak segment bit rate."),
    .claim(
      "hls-average-bandwidth-media", .warning, "average bandwidth", "AVERAGE-BANDWIDTH",
      "AVERAGE-BANDWIDTH differs from the average segment bit rate by at most a tenth."),
    .claim(
      "hls-codecs-media", .error, "codecs", "CODECS", "CODECS lists the codecs of the variant and its renditions."),
    .claim("hls-resolution-media", .warning, "resolution", "RESOLUTION", "RESOLUTION matches the video."),
    .claim("hls-frame-rate-media", .warning, "frame rate", "FRAME-RATE", "FRAME-RATE matches the video."),
    .claim("hls-video-range-media", .error, "dynamic range", "VIDEO-RANGE", "VIDEO-RANGE matches the video."),
    .claim("hls-channels-media", .warning, "channels", "CHANNELS", "CHANNELS matches the audio."),
    .claim("hls-language-media", .warning, "language", "LANGUAGE", "LANGUAGE matches the media."),
    .presentation(
      "hls-captions-media", .hls("4.4.6.2"), .warning,
      "CLOSED-CAPTIONS declares the closed captions in the pictures of the variant."
    ) { main, presentation, report in
      for (index, variant) in main.variants.enumerated() {
        guard let declared = variant.closedCaptions,
          let own = presentation.playlists.first(where: { $0.playlist.roles.contains(.variant(index)) }),
          let found = own.captionChannels(presentation.captions)
        else { continue }
        let line = main.line(of: .variant(index))
        let list = found.map(\.description).joined(separator: ", ")
        guard case .group(let group) = declared else {
          if !found.isEmpty { report.add("CLOSED-CAPTIONS is NONE, but the pictures have \(list)", line: line) }
          continue
        }
        let members = main.renditions.filter { $0.kind == .closedCaptions && $0.group == group }
          .compactMap { $0.inStreamID.flatMap { CaptionChannel($0) } }
        let (more, missing) = (found.filter { !members.contains($0) }, members.filter { !found.contains($0) })
        if let first = more.first { report.add("the pictures have \(first), which is not declared", line: line) }
        // A channel can begin later than the part that was searched.
        if let first = missing.first, presentation.captions == .all {
          report.add("\(first) is declared, but the pictures do not have it", line: line)
        }
      }
    },
    .presentation("hls-aligned", .hls("6.2.4"), .warning, "The segments of all variants are aligned.") {
      main, presentation, report in
      let variants = presentation.playlists.filter { playlist in
        playlist.playlist.roles.contains { if case .variant = $0 { true } else { false } }
      }
      guard let first = variants.first else { return }
      let expected = first.startsByNumber
      for other in variants.dropFirst() {
        for segment in other.segments {
          let number = other.playlist.segments[segment.index].declared.mediaSequence
          guard let start = segment.start, let wanted = expected[number], (start - wanted).magnitude > 0.1 else {
            continue
          }
          report.add(
            "this segment starts at \(start), but the segment with the same number in \(first.playlist.uri) starts at "
              + "\(wanted)",
            line: other.line(of: segment), file: other.playlist.name)
          break
        }
      }
    },
    .presentation(
      "hls-key-relative", .hls("4.4.4.4"), .warning, "A relative key URI means the same key in all playlists."
    ) { _, presentation, report in
      var known: [String: (folder: Substring, playlist: String)] = [:]
      for playlist in presentation.playlists {
        let name = playlist.playlist.name
        let folder = name[..<(name.lastIndex(of: "/") ?? name.startIndex)]
        var seen: Set<String> = []
        for segment in playlist.playlist.segments {
          for uri in segment.declared.keys.compactMap(\.uri) where seen.insert(uri).inserted {
            guard !uri.hasPrefix("/"), WebAddress(uri) == nil, !uri.hasScheme else { continue }
            if let other = known[uri] {
              // Names such as `../a.key` in folders beside each other are the same file.
              let (one, another) = (URIReference(name), URIReference("\(other.folder)/"))
              let reference = URIReference(uri)
              guard other.folder != folder,
                reference.resolved(against: one).path != reference.resolved(against: another).path
              else { continue }
              report.add(
                "the relative key URI \(uri) is also in \(other.playlist), which is in another folder, so it is "
                  + "another key there", line: segment.line, file: name)
            } else {
              known[uri] = (folder, playlist.playlist.uri)
            }
          }
        }
      }
    },
  ]

  /// A rule about a claim of a multivariant playlist about its media.
  private static func claim(
    _ id: String, _ severity: Diagnostic.Severity, _ subject: String, _ attribute: String, _ meaning: String
  ) -> Rule {
    presentation(id, .hls(subject == "channels" || subject == "language" ? "4.4.6.1" : "4.4.6.2"), severity, meaning) {
      _, presentation, report in
      for (claims, line) in presentation.claims {
        for claim in claims where claim.subject == subject {
          // An unreadable claim is a separate finding.
          let isReadable = !presentation.presentation.findings.contains {
            $0.rule == .attributeForm && $0.line == line && $0.reason.hasPrefix(attribute + " ")
          }
          guard isReadable else { continue }
          report.add("\(attribute) is \(claim.claimed), but the media has \(claim.actual)", line: line)
        }
      }
    }
  }
}

extension CheckedPlaylist {
  /// The declared and measured durations in seconds, for segments whose media has one: that of the video, or a longer
  /// one that agrees with other segments, if that is nearer.
  fileprivate func durations(
    in presentation: CheckedPresentation
  ) -> [(segment: CheckedSegment, declared: Double, measured: Double)] {
    guard !isIFramesOnly else { return [] }
    // An unreadable duration counts as 0, and is a separate finding.
    let hasUnread = playlist.hasUnreadDurations
    let video = presentation.playlists.first { playlist in playlist.segments.contains { $0.pictureCount > 0 } }
    let pictures = video?.declaredByNumber ?? [:]
    return segments.indices.compactMap { row in
      let (segment, segmentStart) = (segments[row], segments[row].start)
      let declared = playlist.segments[segment.index].declared
      if hasUnread, declared.duration == .zero { return nil }
      guard let least = segment.duration?.seconds else { return nil }
      // Where the samples of other segments are apart from these, the declared durations include the holes. At a gap,
      // or at an end, sound lasts as long as the video.
      let before = row > 0 && follows(segment, segments[row - 1]) ? segments[row - 1].end : nil
      let after = row + 1 < segments.count && follows(segments[row + 1], segment) ? segments[row + 1].start : nil
      var longest = segment.longestDuration?.seconds ?? least
      if let start = before ?? segmentStart, let end = after ?? segment.end {
        longest = max(longest, (end - start).seconds)
      }
      if segment.pictureCount == 0, before == nil || after == nil {
        longest = max(longest, pictures[declared.mediaSequence] ?? 0)
      }
      let own = declared.duration.inSeconds
      return (segment, own, max(least, min(own, longest)))
    }
  }
  /// Whether a segment follows another one without a discontinuity.
  private func follows(_ segment: CheckedSegment, _ other: CheckedSegment) -> Bool {
    segment.index == other.index + 1 && segment.track == other.track
      && !playlist.segments[segment.index].declared.isDiscontinuity
  }
  /// The declared durations of the segments in seconds, by media sequence number.
  private var declaredByNumber: [Int: Double] {
    let all = segments.map { playlist.segments[$0.index].declared }
    return Dictionary(all.map { ($0.mediaSequence, $0.duration.inSeconds) }) { first, _ in first }
  }
  /// The first segment whose samples are not encrypted as its keys declare. A presentation may start in the clear, with
  /// or without keys: one of the two is only wrong if all segments are clear, or if there is no key.
  fileprivate var wrongKey: (CheckedSegment, reason: String)? {
    let keys = { (segment: CheckedSegment) in playlist.segments[segment.index].declared.keys }
    let media = segments.filter { $0.kind == .mp4 }
    let encrypted = media.first { !$0.schemes.subtracting([nil]).isEmpty }
    guard let first = encrypted, let scheme = first.schemes.compactMap(\.self).first else {
      let named = media.first { keys($0).contains { [.sampleAES, .sampleAESCTR].contains($0.method) } }
      return named.map {
        ($0, "the METHOD of its EXT-X-KEY is \(keys($0)[0].method.rawValue), but its samples are not encrypted")
      }
    }
    if media.allSatisfy({ keys($0).isEmpty }) {
      return (first, "its samples are encrypted (\(scheme)), but there is no EXT-X-KEY")
    }
    let methods: [FourCC: EncryptionKey.Method] = ["cbcs": .sampleAES, "cenc": .sampleAESCTR]
    for segment in media {
      guard let method = keys(segment).first?.method else { continue }
      for scheme in segment.schemes.compactMap(\.self) where methods[scheme] != method {
        let wanted = methods[scheme].map { "\(scheme) needs \($0.rawValue)" } ?? "the samples use \(scheme)"
        return (segment, "the METHOD of its EXT-X-KEY is \(method.rawValue), but \(wanted)")
      }
    }
    return nil
  }
  /// The line of a segment.
  fileprivate func line(of segment: CheckedSegment) -> Int { playlist.segments[segment.index].line }
  /// Whether all segments are declared to be independently decodable.
  fileprivate func isIndependent(in presentation: CheckedPresentation) -> Bool {
    playlist.playlist?.hasIndependentSegments ?? false
      || presentation.presentation.multivariant?.hasIndependentSegments ?? false
  }
  /// The start times of the segments, by media sequence number.
  fileprivate var startsByNumber: [Int: MediaTime] {
    var starts: [Int: MediaTime] = [:]
    for segment in segments { starts[playlist.segments[segment.index].declared.mediaSequence] = segment.start }
    return starts
  }
}

extension String {
  /// Whether it starts with the scheme of a URI, such as `skd:`.
  fileprivate var hasScheme: Bool {
    let scheme = utf8.prefix { $0 != UInt8(ascii: ":") }
    return scheme.count < utf8.count && !scheme.contains(UInt8(ascii: "/"))
  }
}

extension MediaTime {
  fileprivate var magnitude: Double { seconds.magnitude }
}
