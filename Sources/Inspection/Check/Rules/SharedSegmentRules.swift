import Bytes
import HLS
import ISOBMFF
import MP4

extension Rule {
  /// Segments and initialization sections that belong to another playlist, or are there twice.
  static let sharedSegments: [Rule] = [
    .playlist("hls-segment-twice", .hls(), .warning, "A playlist has each segment of a timeline once.") {
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
    .presentation("hls-segment-shared", .hls(), .warning, "Playlists of a presentation have their own segments.") {
      _, presentation, report in
      var owners: [SegmentSeries.Place: String] = [:]
      for playlist in presentation.playlists
      where !playlist.isIFramesOnly && playlist.playlist.playlist?.isEnded ?? false {
        let segments = playlist.playlist.segments
        // Playlists may share all segments, or those of advertisements between discontinuities.
        for part in playlist.playlist.parts {
          let others = segments[part].map { $0.place.flatMap { owners[$0] } }
          guard others.contains(nil), let index = others.firstIndex(where: { $0 != nil }), let other = others[index]
          else {
            continue
          }
          report.add(
            "it is a segment of \(other), too, but others beside it are not",
            line: segments[part.lowerBound + index].line,
            file: playlist.playlist.name)
        }
        for segment in segments {
          if let place = segment.place, owners[place] == nil { owners[place] = playlist.playlist.uri }
        }
      }
    },
    .playlist(
      "hls-map-tracks", .hls("4.4.4.3"), .error,
      "Where an initialization section has other tracks, there is EXT-X-DISCONTINUITY."
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
    .file("iso-sidx-media-timescale", .isobmff, .note, "The timescale of a segment index is that of its track.") {
      file, report in
      guard let movie = file.first("moov") else { return }
      let timescales = TrackDefaults(movie, nil).timescales
      for box in file.boxes {
        guard let index = box.payload as? SegmentIndexBox, let timescale = timescales[index.referenceID],
          timescale != index.timescale, index.timescale > 0
        else { continue }
        report.add(box, "timescale is \(index.timescale), but that of track \(index.referenceID) is \(timescale)")
      }
    },
  ]
}

extension SegmentSeries {
  /// The bytes of a segment.
  fileprivate struct Place: Hashable {
    let location: PlaylistLocation
    let range: Range<Int>?
  }
}

extension InspectedPlaylist.Segment {
  /// Where its bytes are; `nil` of a gap, and if they must not be read.
  fileprivate var place: SegmentSeries.Place? {
    guard !declared.isGap, case .success(let item) = resource else { return nil }
    return SegmentSeries.Place(location: item.place, range: item.byteRange)
  }
}

extension CheckedMovie {
  /// What has to be the same in all initialization sections of a timeline, with names.
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
