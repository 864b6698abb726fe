import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import MP4Presentations

extension PlaylistMedia {
  /// The bit rate of the available segments; `nil` if there are none, or if a size or a duration is unknown.
  var bandwidth: Bandwidth? {
    if playlist.hasUnreadDurations, playlist.segments.contains(where: { $0.declared.duration == .zero }) { return nil }
    var sizes: [(byteCount: Int, duration: Duration)] = []
    for (segment, source) in zip(playlist.segments, segments) where source != nil {
      guard let size = (source as? DecryptedSegment)?.storedByteCount ?? source?.byteCount else { return nil }
      sizes.append((size, segment.declared.duration))
    }
    let target = playlist.playlist?.targetDuration ?? .zero
    return sizes.isEmpty ? nil : Bandwidth(sizes, targetDuration: max(target, .seconds(1)))
  }

  /// The format of the first segment if it is neither MP4 nor a stream that can be read.
  var otherFormat: String? {
    guard let index = segments.indices.first(where: isReadable) else { return nil }
    guard let segment = segments[index], (try? ImportedSources.isReadable(segment)) != true else { return nil }
    return (try? ForeignFormat(of: segment))?.name
  }

  /// The readable segments of a part.
  func readable(_ part: Range<Int>) -> [Int] { part.filter { $0 < segments.count && isReadable($0) } }

  private func isReadable(_ index: Int) -> Bool { segments[index] != nil && !isOpaque(index) }
}

/// Segments of a playlist that are one movie.
struct MediaRun: Sendable {
  /// Their indices in the playlist.
  let segments: [Int]
  /// The movie of these segments and their initialization section, which is its first source if there is one.
  let movie: Movie
}

extension OpenedPlaylist {
  /// Whether an EXTINF cannot be read or is missing. The duration of its segment then counts as 0.
  var hasUnreadDurations: Bool { findings.contains { $0.rule == .tagValue || $0.rule == .durationMissing } }
}
