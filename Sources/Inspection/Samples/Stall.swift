public import MP4
import MP4Bytes
package import MP4Records

/// A place where playback may stop, jump or lose synchronization.
public struct Stall: Sendable {
  /// The kinds of stalls.
  public enum Kind: String, Sendable {
    /// A sample is presented more than 1.5 times as long as usual in its track.
    case longSample = "long_sample"
    /// Two samples are presented at the same time, so one of them is not visible.
    case sameTime = "same_time"
    /// The edit list presents nothing.
    case emptyEdit = "empty_edit"
    /// A track starts later than another one.
    case lateStart = "late_start"
    /// A track ends earlier than another one.
    case earlyEnd = "early_end"
    /// Nothing is presented between two segments of a playlist.
    case segmentGap = "segment_gap"
    /// Segments at the start, at the end or beside a discontinuity are missing.
    case missingSegments = "missing_segments"
    /// The media of a segment starts later than its playlist declares.
    case lateSegment = "late_segment"
    /// The media of a segment starts earlier than its playlist declares.
    case earlySegment = "early_segment"
    /// A playlist is shorter than the longest one of its presentation.
    case shortPlaylist = "short_playlist"
    /// Samples that are presented together are more than a second apart in the file.
    case interleaving
  }

  /// The kind of stall.
  public let kind: Kind
  /// The ID of its track.
  public let track: UInt32
  /// The number of its sample in decoding order, starting at 1; `nil` if it is not about a sample.
  public let sample: Int?
  /// The file offset of its sample; `nil` if it is not about a sample.
  public let offset: Int?
  /// Its presentation time.
  public let time: MediaTime
  /// How long the sample or the gap is presented, or the distance.
  public let duration: MediaTime
  /// The track with which its track is compared.
  public let other: UInt32?
  /// The number of stalls of this kind that it represents; it is the longest of them.
  public internal(set) var count = 1
}

extension Stall {
  /// The same stall at another time.
  func moved(to time: MediaTime) -> Stall {
    Stall(
      kind: kind, track: track, sample: sample, offset: offset, time: time, duration: duration, other: other,
      count: count)
  }
}

extension Stall: CustomStringConvertible {
  private var others: String { count > 1 ? ", the longest of \(count) such places" : "" }
  /// A sentence that describes it.
  public var description: String {
    let place = "\(time.clock): track \(track)"
    let length = "\(duration)"
    return switch kind {
    case .longSample: "\(place): sample \(sample ?? 0) lasts \(length)\(others)"
    case .sameTime: "\(place): sample \(sample ?? 0) has the same presentation time as another sample\(others)"
    case .emptyEdit: "\(place): the edit list presents nothing for \(length)"
    case .lateStart: "\(place): starts \(length) after track \(other ?? 0)"
    case .earlyEnd: "\(place): ends \(length) before \(other.map { "track \($0)" } ?? "its playlist")"
    case .shortPlaylist: "\(place): its playlist ends \(length) before the longest one"
    case .segmentGap: "\(place): sample \(sample ?? 0), the last of its segment, lasts \(length)\(others)"
    case .missingSegments: "\(place): segments with a duration of \(length) are missing"
    case .lateSegment, .earlySegment:
      "\(place): this segment starts \(length) \(kind == .lateSegment ? "later" : "earlier") than its playlist "
        + "declares\(others)"
    case .interleaving:
      "\(place): sample \(sample ?? 0) at byte \(offset ?? 0) is \(length) before the samples of track \(other ?? 0) "
        + "that are presented with it\(others)"
    }
  }
}

extension Stall: Record {
  package static let summary = "A place where playback may stall, jump or lose sync."
  package static let members: [RecordMember<Stall>] = [
    RecordMember("track", "the ID of its track") { Int($0.track) },
    RecordMember(
      "kind",
      "`long_sample`, `same_time`, `empty_edit`, `late_start`, `early_end` or `interleaving`; in playlists also "
        + "`segment_gap`, `missing_segments`, `late_segment`, `early_segment` or `short_playlist`"
    ) { $0.kind.rawValue },
    RecordMember("seconds", "the presentation time") { $0.time },
    RecordMember("duration_seconds", "the duration, or the distance in time") { $0.duration },
    RecordMember("sample", "the number of the sample, starting at 1; missing if the stall is not caused by a sample") {
      $0.sample
    },
    RecordMember("offset", "the file offset of the sample; missing if the stall is not caused by a sample") {
      $0.offset
    },
    RecordMember("other_track", "the ID of the track with which the track is compared; missing if there is none") {
      $0.other.map(Int.init)
    },
    RecordMember("places", "the number of places that are listed as this one, the longest of them") { $0.count },
    RecordMember("description", "the stall in one line of text") { $0.description },
  ]
}
