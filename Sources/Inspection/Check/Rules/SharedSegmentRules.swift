import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations

extension Rule {
  /// Segments and init segments that belong to another playlist, or are duplicated.
  static let sharedSegments: [Rule] = [
    .playlist("hls-segment-twice", .hls(), .warning, "A playlist does not repeat a segment without a discontinuity.") {
      playlist, _, report in
      guard !playlist.isIFramesOnly else { return }
      for part in playlist.playlist.parts {
        var lines: [SegmentSeries.Place: Int] = [:]
        for segment in playlist.playlist.segments[part] {
          guard let place = segment.place else { continue }
          if let line = lines[place] { report.add("it is the same segment as in line \(line)", line: segment.line) }
          lines[place] = lines[place] ?? segment.line
        }
      }
    },
    .presentation(
      "hls-segment-shared", .hls(), .warning, "The playlists of a presentation do not share individual segments."
    ) {
      _, presentation, report in
      var owners: [SegmentSeries.Place: String] = [:]
      for playlist in presentation.playlists
      where !playlist.isIFramesOnly && playlist.playlist.playlist?.isEnded ?? false {
        let segments = playlist.playlist.segments
        // Playlists may share all segments, or advertisements between discontinuities.
        for part in playlist.playlist.parts {
          let others = segments[part].map { $0.place.flatMap { owners[$0] } }
          guard others.contains(nil), let index = others.firstIndex(where: { $0 != nil }), let other = others[index]
          else {
            continue
          }
          report.add(
            "it is also a segment of \(other), but its neighbors are not",
            line: segments[part.lowerBound + index].line,
            file: playlist.playlist.name)
        }
        for segment in segments {
          if let place = segment.place, owners[place] == nil { owners[place] = playlist.playlist.uri }
        }
      }
    },
    .presentation(
      "hls-segment-copied", .hls(), .error, "The segments of a playlist are not copies of those of another playlist."
    ) { _, presentation, report in
      let playlists = presentation.playlists.filter { !$0.isIFramesOnly && $0.playlist.playlist?.isEnded ?? false }
      for (index, playlist) in playlists.enumerated() {
        for other in playlists[..<index] {
          for copy in playlist.copies(of: other) {
            let segments = (playlist.playlist.segments[copy.own], other.playlist.segments[copy.other])
            report.add(
              "\(segments.0.declared.uri) has the same bytes as \(segments.1.declared.uri) in line \(segments.1.line) "
                + "of \(other.playlist.uri), but \(copy.reason); one of the two is in the wrong playlist",
              line: segments.0.line, file: playlist.playlist.name, severity: copy.isCertain ? nil : .warning)
          }
        }
      }
    },
    .playlist(
      "hls-map-tracks", .hls("4.4.4.3"), .error,
      "The tracks of init segments change only at EXT-X-DISCONTINUITY."
    ) { playlist, _, report in
      guard !playlist.isIFramesOnly else { return }
      let segments = playlist.playlist.segments
      for ((before, first), (movie, index)) in zip(playlist.starts, playlist.starts.dropFirst()) {
        let isContinuous =
          segments[first].declared.discontinuitySequence == segments[index].declared.discontinuitySequence
        guard isContinuous, segments[first].section != segments[index].section,
          let (name, old, new) = zip(before.trackFacts, movie.trackFacts).lazy.map({ ($0.0, $0.1, $1.1) }).first(
            where: { $0.1 != $0.2 })
        else { continue }
        report.add(
          "EXT-X-MAP changes \(name) from \(old) to \(new), and there is no EXT-X-DISCONTINUITY",
          line: segments[index].line, severity: name == "codecs" ? .warning : nil)
      }
    },
    .file("iso-sidx-media-timescale", .isobmff, .note, "The timescale of a segment index matches its track.") {
      file, report in
      guard let movie = file.first("moov") else { return }
      let timescales = TrackDefaults(movie, nil).timescales
      for box in file.boxes {
        guard let index = box.payload as? SegmentIndexBox, let timescale = timescales[index.referenceID],
          timescale != index.timescale, index.timescale > 0
        else { continue }
        report.add(box, "timescale is \(index.timescale), but track \(index.referenceID) has \(timescale)")
      }
    },
  ]
}

extension SegmentSeries {
  /// The location of a segment's bytes.
  struct Place: Hashable {
    let location: PlaylistLocation
    let range: Range<Int>?
  }
}

extension OpenedPlaylist.Segment {
  /// The location of its bytes; `nil` for a gap, and if they must not be read.
  var place: SegmentSeries.Place? {
    guard !declared.isGap, case .success(let item) = resource else { return nil }
    return SegmentSeries.Place(location: item.place, range: item.byteRange)
  }
}

extension CheckedPlaylist {
  /// A segment with the same bytes as one of another playlist, why it cannot belong to both, and whether that is
  /// certain.
  fileprivate struct Copy {
    let own: Int
    let other: Int
    let reason: String
    let isCertain: Bool
  }

  /// The segments that have the same bytes as segments of another playlist under other names, while other segments of
  /// the same part differ: in redundant playlists, and in advertisements between discontinuities, all segments are
  /// copies. Silent audio is the same in all languages.
  fileprivate func copies(of other: CheckedPlaylist) -> [Copy] {
    var known: [Int: [CheckedSegment]] = [:]
    for segment in other.segments where segment.kind == .mp4 { known[segment.size, default: []].append(segment) }
    var copies: [Copy] = []
    for part in playlist.parts {
      let own = segments.filter { part.contains($0.index) && $0.kind == .mp4 }
      let pairs = own.compactMap { segment in
        known[segment.size].flatMap { same in same.first { $0.index == segment.index } ?? same.first }.map {
          (segment, $0)
        }
      }
      guard pairs.count < own.count, let movie = own.first.flatMap(movie) else { continue }
      // Most segments of equal size have the same init segments.
      var differences: [Int: String?] = [:]
      for (segment, candidate) in pairs {
        let places = (playlist.segments[segment.index].place, other.playlist.segments[candidate.index].place)
        guard places.0 != places.1, let start = other.starts.lastIndex(where: { $0.segment <= candidate.index }) else {
          continue
        }
        let difference = differences[start] ?? movie.difference(from: other.starts[start].movie)
        differences[start] = difference
        guard difference != nil || segment.pictureCount > 0,
          hasSameBytes(segment, other, candidate)
        else { continue }
        copies.append(
          Copy(
            own: segment.index, other: candidate.index,
            reason: difference.map { "\($0) of their init segments differ" }
              ?? "other segments of the playlists differ", isCertain: difference != nil))
      }
    }
    return copies
  }
  /// The movie that contains a segment.
  private func movie(of segment: CheckedSegment) -> CheckedMovie? {
    starts.last { $0.segment <= segment.index }?.movie
  }
  /// Whether two segments of the same size start with the same 64 KiB, which include their sample tables.
  private func hasSameBytes(_ segment: CheckedSegment, _ other: CheckedPlaylist, _ candidate: CheckedSegment) -> Bool {
    let range = 0..<min(segment.size, 1 << 16)
    guard let own = media.segments[segment.index], let source = other.media.segments[candidate.index],
      let bytes = try? own.bytes(in: range), let others = try? source.bytes(in: range)
    else { return false }
    return bytes == others
  }
}

extension CheckedMovie {
  /// The difference in the decoder setup for the segments of two movies; `nil` if there is none.
  fileprivate func difference(from other: CheckedMovie) -> String? {
    zip(decoderFacts, other.decoderFacts).first { $0.value != $1.value }?.0.name
  }
  /// The properties that decoders of its segments need, with names.
  private var decoderFacts: [(name: String, value: String)] {
    let entries = tracks.flatMap { $0.first("mdia", "minf", "stbl", "stsd")?.boxes ?? [] }
    let timescales = tracks.compactMap { $0.fields("mdia", "mdhd", as: MediaHeaderBox.self)?.timescale }
    return trackFacts + [
      ("timescales", timescales.map { "\($0)" }.joined(separator: ",")),
      (
        "the picture sizes",
        entries.compactMap { $0.payload as? VisualSampleEntry }.map { "\($0.width)x\($0.height)" }.joined(
          separator: ",")
      ),
      (
        "the parameter sets",
        entries.flatMap { $0.parameterSets.sets.map { "\($0.unit)" } }.joined(separator: ",")
      ),
      (
        "the channels and sample rates",
        entries.compactMap { $0.payload as? AudioSampleEntry }.map { "\($0.channelCount),\($0.sampleRate)" }.joined(
          separator: ",")
      ),
    ]
  }
  /// The properties that all init segments of a timeline must share, with names.
  fileprivate var trackFacts: [(name: String, value: String)] {
    func list(_ value: (CheckedBox) -> String?) -> String {
      tracks.map { value($0) ?? "?" }.joined(separator: ", ")
    }
    return [
      ("the number of tracks", "\(tracks.count)"),
      ("track IDs", list { $0.fields("tkhd", as: TrackHeaderBox.self).map { "\($0.trackID)" } }),
      ("handlers", list { $0.fields("mdia", "hdlr", as: HandlerBox.self).map { "\($0.handlerType)" } }),
      ("codecs", list { $0.first("mdia", "minf", "stbl", "stsd")?.boxes.first.map { "\($0.codedFormat)" } }),
    ]
  }
}
