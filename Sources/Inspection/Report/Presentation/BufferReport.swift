import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations
package import MP4Records

/// The buffer level of a player that downloads a variant with its renditions at a declared bit rate.
package struct BufferReport: Sendable {
  /// Its label in the report.
  package let label: String
  /// The attribute that declares the bit rate.
  package let claim: String
  /// The simulation.
  package let simulation: BufferSimulation
  /// The minimum and maximum buffer level during each bin of the time axis.
  package let levels: [ClosedRange<Duration>]

  /// The first places where the buffer runs empty.
  package let stalls: [BufferSimulation.Stall]

  /// A simulation of `downloads`, with at most `limit` places where the buffer runs empty.
  init?(
    _ label: String, _ claim: String, _ downloads: [BufferSimulation.Download], bitRate: Int, _ axis: TimeAxis,
    limit: Int
  ) {
    guard let simulation = BufferSimulation(downloads, bitRate: bitRate) else { return nil }
    (self.label, self.claim, self.simulation) = (label, claim, simulation)
    stalls = Array(simulation.stalls.prefix(limit))
    // Nothing is played after a segment that cannot be played.
    let bin = Duration(axis.bin)
    let played = bin > .zero ? min(axis.binCount, Int(simulation.length / bin) + 1) : 0
    levels = simulation.levels(bin, simulation.obstacle == nil ? axis.binCount : played)
  }
}

extension BufferSimulation.Download {
  /// The segments of playlists that are played together, in the order in which a player needs them; `nil` if a size is
  /// unknown. Segments that the playlist marks as missing are not downloaded. `unusable` has the playlist and line of
  /// segments that cannot be played.
  static func list(of playlists: [PlaylistMedia], _ unusable: [String: [Int: UnusableSegment]]) -> [Self]? {
    var downloads: [Self] = []
    for (stream, media) in playlists.enumerated() {
      for (segment, source) in zip(media.playlist.segments, media.segments) {
        guard source == nil || source?.byteCount != nil else { return nil }
        let declared = segment.declared
        downloads.append(
          Self(
            start: declared.start, duration: declared.duration, byteCount: source?.byteCount ?? 0, stream: stream,
            obstacle: unusable[media.playlist.name]?[segment.line]))
      }
    }
    let order = downloads.indices.sorted { (downloads[$0].start, $0) < (downloads[$1].start, $1) }
    return order.map { downloads[$0] }
  }
}

extension BufferReport: Record {
  package static let summary = "The buffer of a player that downloads a variant at a declared bit rate."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "its name in the report") { $0.label },
    RecordMember("claim", "the attribute that declares the bit rate") { $0.claim },
    RecordMember("bit_rate", "the bit rate of the downloads") { $0.simulation.bitRate },
    RecordMember("start_seconds", "when playback starts: as soon as the first segment is complete") {
      MediaTime($0.simulation.start)
    },
    RecordMember("least_start_seconds", "the earliest start with which the buffer would never run empty") {
      MediaTime($0.simulation.leastStart)
    },
    RecordMember("stall_count", "the number of times that it runs empty") { $0.simulation.stalls.count },
    RecordMember("stalled_seconds", "the total time for which it is empty") { MediaTime($0.simulation.stalled) },
    RecordMember("played_seconds", "the duration that is played, up to a segment that cannot be played") {
      MediaTime($0.simulation.length)
    },
    RecordMember("unusable_segment", "the segment that cannot be played; missing if all can be") {
      $0.simulation.obstacle
    },
    RecordMember("stalls", "the first places where it runs empty") { $0.stalls },
    RecordMember("least_seconds", "the minimum buffer level while each bin of the axis is played") {
      $0.levels.map { MediaTime($0.lowerBound) }
    },
    RecordMember("most_seconds", "the maximum buffer level while each bin of the axis is played") {
      $0.levels.map { MediaTime($0.upperBound) }
    },
  ]
}

extension BufferSimulation.Stall: Record {
  package static let summary = "A place where the buffer runs empty."
  package static let members: [RecordMember<Self>] = [
    RecordMember("seconds", "the duration played until then") { MediaTime($0.position) },
    RecordMember("duration_seconds", "how long the player waits") { MediaTime($0.duration) },
  ]
}
