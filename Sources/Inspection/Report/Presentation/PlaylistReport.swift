package import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations
package import MP4Records

/// The report on a media playlist.
package struct PlaylistReport: Sendable {
  /// A track of its media.
  struct Lane: Sendable {
    let id: UInt32
    /// Its kind and codec.
    let words: String
    let use: ByteMap.Use
    /// The times at which it is presented, divided at discontinuities and gaps.
    fileprivate(set) var spans: [Range<MediaTime>]
  }

  /// Its label in the report.
  package let label: String
  /// The number of its segments.
  package let segmentCount: Int
  /// Its segments.
  package let segments: SegmentBins
  /// The starts of its segments, and its discontinuities, as positions from 0 to 1; positions that are too close are
  /// omitted.
  let segmentPositions: [Double], discontinuities: [Double]
  /// The first ``unusableLimit`` segments that cannot be played, or only in part.
  let unusable: [UnusableSegment]
  /// Its tracks.
  private(set) var lanes: [Lane] = []
  /// The indices of findings about its segments.
  var findings: [Int] = []

  /// The use that determines its color.
  var use: ByteMap.Use {
    isIFramesOnly ? .video : (lanes.first { $0.use == .video } ?? lanes.first)?.use ?? .otherTracks
  }
  private let isIFramesOnly: Bool
  private static let unusableLimit = 200

  init(
    _ checked: CheckedPlaylist, _ playable: PlayableMedia, _ label: String, _ axis: TimeAxis,
    _ timeline: inout PresentationClock, limit: Int
  ) {
    let playlist = checked.playlist
    (self.label, segmentCount, isIFramesOnly) = (label, playlist.segments.count, checked.isIFramesOnly)
    segments = SegmentBins(checked.media, limit: limit)
    unusable = Array(playable.unusable.prefix(Self.unusableLimit))
    func position(_ index: Int) -> Double {
      axis.position(of: MediaTime(playlist.segments[index].declared.start).seconds)
    }
    segmentPositions = Self.apart(playlist.segments.indices.map(position))
    discontinuities = Self.apart(playlist.parts.dropFirst().map { position($0.lowerBound) })
    for run in playable.runs where !isIFramesOnly {
      let shift = timeline.shift(of: run, in: playlist)
      for (index, track) in run.movie.tracks.enumerated() {
        let spans = PlayableMedia.spans(of: index, in: run.movie).map { span in
          (span.lowerBound + shift)..<max(span.lowerBound + shift, span.upperBound + shift)
        }
        guard !spans.isEmpty else { continue }
        if let known = lanes.firstIndex(where: { $0.id == track.id }) {
          lanes[known].spans += spans
        } else {
          let codec = track.codecs.joined(separator: ",")
          let use = ByteMap.Use(track.handler)
          lanes.append(Lane(id: track.id, words: "track \(track.id), \(codec)", use: use, spans: spans))
        }
      }
    }
  }

  private static func apart(_ positions: [Double]) -> [Double] {
    var result: [Double] = []
    for position in positions where result.last.map({ abs(position - $0) >= 0.001 }) ?? true {
      result.append(position)
    }
    return result
  }
}

/// The segments of a media playlist in bins of a fixed number of segments; one segment per bin if there are few.
package struct SegmentBins: Sendable {
  /// The number of segments per bin; the last bin may have fewer.
  package let segmentsPerBin: Int
  /// The start time of each bin, and the total duration of its segments.
  package private(set) var starts: [MediaTime] = [], durations: [MediaTime] = []
  /// The sizes, bit rates and highest bit rates of the bins; empty if a size is unknown.
  package private(set) var bytes: [Int] = [], rates: [Int] = [], peaks: [Int] = []

  init(_ media: PlaylistMedia, limit: Int) {
    let segments = Array(zip(media.playlist.segments, media.segments))
    let each = max(1, (segments.count + limit - 1) / limit)
    segmentsPerBin = each
    let isKnown = segments.allSatisfy { $1 == nil || $1?.byteCount != nil }
    for first in stride(from: 0, to: segments.count, by: each) {
      let bin = segments[first..<min(segments.count, first + each)]
      let duration = MediaTime(bin.reduce(.zero) { $0 + $1.0.declared.duration })
      starts.append(MediaTime(segments[first].0.declared.start))
      durations.append(duration)
      guard isKnown else { continue }
      let size = bin.reduce(0) { $0 + ($1.1?.byteCount ?? 0) }
      bytes.append(size)
      rates.append(Quantity.bitsPerSecond(size, in: duration) ?? 0)
      peaks.append(
        bin.compactMap { Quantity.bitsPerSecond($1?.byteCount ?? 0, in: MediaTime($0.declared.duration)) }.max() ?? 0)
    }
  }
}

extension PlaylistReport: Record {
  package static let summary = "The values of the charts for a media playlist."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "its name in the report") { $0.label },
    RecordMember("segment_count", "the number of its segments") { $0.segmentCount },
    RecordMember("segments", "its segments, in bins") { $0.segments },
    RecordMember("unusable_segments", "the first 200 segments that cannot be played, or only in part") {
      $0.unusable
    },
  ]
}

extension SegmentBins: Record {
  package static let summary = "The segments of a media playlist, in bins."
  package static let members: [RecordMember<Self>] = [
    RecordMember("per_bin", "the number of segments in a bin; the last bin may have fewer") { $0.segmentsPerBin },
    RecordMember("start_seconds", "the start of the first segment of each bin, according to EXTINF") { $0.starts },
    RecordMember("duration_seconds", "the duration of the segments of each bin, according to EXTINF") { $0.durations },
    RecordMember("bytes", "the sum of their sizes; missing if a size is unknown") { $0.bytes.isEmpty ? nil : $0.bytes },
    RecordMember("bit_rates", "their bit rate; missing if a size is unknown") { $0.bytes.isEmpty ? nil : $0.rates },
    RecordMember("peak_bit_rates", "the peak bit rate of a single segment; missing if a size is unknown") {
      $0.bytes.isEmpty ? nil : $0.peaks
    },
  ]
}
