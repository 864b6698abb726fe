import Bytes
import ISOBMFF

/// The parts of a file that can contain the samples of a movie box.
struct MediaPlaces {
  private let ranges: [Range<Int>]
  private let end: Int
  /// The range that was looked up last. Consecutive samples are usually in the same or the next range.
  private var latest = 0

  /// These ranges, in file order, up to `end`.
  init(_ ranges: [Range<Int>], end: Int) { (self.ranges, self.end) = (ranges, end) }

  /// Whether one range contains this number of bytes from `offset` on.
  mutating func hold(_ byteCount: Int, at offset: Int) -> Bool { byteCount <= room(at: offset) }

  /// The number of bytes from `offset` to the end of its range.
  mutating func room(at offset: Int) -> Int {
    if latest >= ranges.count || !ranges[latest].contains(offset) {
      latest = ranges.partition { $0.upperBound > offset }
    }
    guard latest < ranges.count, ranges[latest].contains(offset) else { return 0 }
    return max(0, min(ranges[latest].upperBound, end) - offset)
  }
}

/// Samples of a movie box whose data is missing.
extension FragmentTable {
  /// Omits the samples of one track of the movie box, which are in `fragments`, whose data is missing. Later samples
  /// keep their times. `unplaced` are samples at the end without an offset. Returns the omitted samples.
  mutating func cut(
    _ fragments: inout [TrackFragment], to places: inout MediaPlaces, _ unplaced: (samples: Int, duration: UInt64)
  ) -> [Diagnostic.Span] {
    var lost: [Diagnostic.Span] = []
    var time: UInt64 = 0
    if !fragments.allSatisfy({ hold($0, places: &places) }) {
      var kept: [TrackFragment] = []
      for fragment in fragments { kept += cut(fragment, &places, &time, &lost) }
      if kept.isEmpty, var empty = fragments.first {
        (empty.sampleCount, empty.duration) = (0, 0)
        empty.information = FragmentAuxiliaryInfo()
        kept = [empty]
      }
      fragments = kept
    } else {
      time = fragments.reduce(0) { $0 &+ $1.duration }
    }
    if unplaced.samples > 0 {
      lost.append(joining: Self.span(time, unplaced.duration, unplaced.samples))
      time &+= unplaced.duration
    }
    // Fragments without a decode time start after the full declared duration.
    if let last = fragments.indices.last, !lost.isEmpty {
      let end = (fragments[last].declaredTime ?? 0) &+ fragments[last].duration
      if fragments[last].declaredTime != nil, time > end { fragments[last].information.emptyDuration = time - end }
    }
    return lost
  }

  private static func span(_ time: UInt64, _ duration: UInt64, _ samples: Int) -> Diagnostic.Span {
    Diagnostic.Span(time: Int64(clamping: time), duration: Int64(clamping: duration), samples: samples)
  }

  /// The parts of a fragment, which starts at `time`, whose data is present.
  private mutating func cut(
    _ fragment: TrackFragment, _ places: inout MediaPlaces, _ time: inout UInt64, _ lost: inout [Diagnostic.Span]
  ) -> [TrackFragment] {
    let columns = samples[fragment.track]
    var parts: [(samples: Range<Int>, isThere: Bool)] = []
    for extent in extents(of: fragment) {
      for (samples, isThere) in columns.parts(of: extent, in: &places) {
        if let last = parts.last, last.isThere == isThere {
          parts[parts.count - 1].samples = last.samples.lowerBound..<samples.upperBound
        } else {
          parts.append((samples, isThere))
        }
      }
    }
    let information =
      fragment.hasInformation
      ? fragment.information.split(parts.map(\.samples.count), self.information[fragment.track]) : []
    var result: [TrackFragment] = []
    for (index, part) in parts.enumerated() {
      var piece = fragment
      (piece.firstSample, piece.sampleCount) = (part.samples.lowerBound, part.samples.count)
      piece.duration = columns.duration(of: part.samples)
      piece.declaredTime = time
      piece.information = information.isEmpty ? FragmentAuxiliaryInfo() : information[index]
      if part.isThere {
        result.append(piece)
      } else {
        lost.append(joining: Self.span(time, piece.duration, piece.sampleCount))
      }
      time &+= piece.duration
    }
    return result
  }

  /// Whether all samples of a fragment are in media data.
  func hold(_ fragment: TrackFragment, places: inout MediaPlaces) -> Bool {
    extents(of: fragment).allSatisfy { places.hold($0.byteCount, at: $0.offset) }
  }
}

extension SampleColumns {
  /// The parts of an extent that are in media data, and those that are not. Samples of size 0 belong to the previous
  /// part.
  fileprivate func parts(of extent: Extent, in places: inout MediaPlaces) -> [(samples: Range<Int>, isThere: Bool)] {
    if places.hold(extent.byteCount, at: extent.offset) { return [(extent.samples, true)] }
    var result: [(samples: Range<Int>, isThere: Bool)] = []
    var (first, offset) = (extent.samples.lowerBound, extent.offset)
    var isThere: Bool?
    for index in extent.samples {
      let size = size(index)
      let isNextThere = size == 0 ? isThere ?? true : places.hold(size, at: offset)
      if let last = isThere, last != isNextThere {
        result.append((first..<index, last))
        first = index
      }
      isThere = isNextThere
      offset = offset &+ size
    }
    if let isThere { result.append((first..<extent.samples.upperBound, isThere)) }
    return result
  }
}
