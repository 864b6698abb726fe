import ISOBMFF
import MP4Bytes

/// Sources that begin with equal movie boxes. They are one input, such as segments that each contain their init
/// segment, unless they have different samples at the same times: then they are separate inputs, such as two tracks of
/// one encoder.
struct EqualMovies {
  /// For each source that begins with the same movie box as another: the first source of the same input. Empty if equal
  /// movie boxes always belong to one input.
  private(set) var leaders: [Int: Int] = [:]
  private let reader: MovieInputReader
  private let fragments: FragmentTable
  /// For each source, the last source up to it that begins with a movie box.
  private let openers: [Int]
  /// The track fragments of each opener.
  private var trackFragments: [Int: [Int]] = [:]
  /// The maximum number of inputs with one movie box that are distinguished.
  private static let limit = 256

  init(_ reader: MovieInputReader) throws(MovieError) {
    var openers: [Int] = []
    for (index, contents) in reader.contents.enumerated() {
      openers.append(contents.startsWithMovie ? index : openers.last ?? 0)
    }
    self.openers = openers
    self.reader = reader
    guard reader.keepsSamples, reader.parts.isEmpty, let fragments = reader.fragments?.table else {
      self.fragments = FragmentTable()
      return
    }
    self.fragments = fragments
    var members: [Int: [Int]] = [:]
    for opener in openers.indices where openers[opener] == opener {
      members[reader.contents[opener].group, default: []].append(opener)
    }
    members = members.filter { $0.value.count > 1 }
    guard !members.isEmpty else { return }
    for (index, fragment) in fragments.trackFragments.enumerated() {
      trackFragments[openers[fragment.source], default: []].append(index)
    }
    for (group, members) in members {
      let inputs = try inputs(members, of: reader.groups[group])
      guard inputs.count > 1 else { continue }
      for input in inputs {
        guard let first = input.min() else { continue }
        for member in input { leaders[member] = first }
      }
    }
  }

  /// Divides sources with the same movie box into inputs.
  private func inputs(_ members: [Int], of group: MovieGroup) throws(MovieError) -> [[Int]] {
    var pending = [members]
    if group.movie.tracks.contains(where: \.hasSamples) { pending = try dividedByMedia(members) }
    var result: [[Int]] = []
    while let input = pending.popLast() {
      let parts = pending.count + result.count < Self.limit ? try divided(input, group.tracks) : [input]
      if parts.count > 1 { pending += parts } else { result += parts }
    }
    return result
  }

  // MARK: Samples of the movie box

  /// Groups the sources by the bytes that the samples of their movie boxes refer to.
  private func dividedByMedia(_ members: [Int]) throws(MovieError) -> [[Int]] {
    var result: [[Int]] = []
    for member in members {
      var place = 0
      while place < result.count, !(try hasSameMedia(result[place][0], member)) { place += 1 }
      if place < result.count { result[place].append(member) } else { result.append([member]) }
    }
    return result
  }

  private func hasSameMedia(_ first: Int, _ second: Int) throws(MovieError) -> Bool {
    let (a, b) = (mediaOfMovie(first), mediaOfMovie(second))
    guard a == b else { return false }
    for range in a where !(try reader.sources[first].hasSameBytes(range, of: reader.sources[second])) { return false }
    return true
  }

  /// The boxes before the fragments, which can contain the samples of the movie box.
  private func mediaOfMovie(_ index: Int) -> [Range<Int>] {
    let first = fragments.headers.first { $0.source == index }?.offset ?? .max
    return reader.contents[index].places.map(\.range).filter { $0.lowerBound < first }
  }

  // MARK: Samples of fragments

  /// Divides sources that have different samples at the same times; if there are none, the sources are one input.
  private func divided(_ members: [Int], _ tracks: Range<Int>) throws(MovieError) -> [[Int]] {
    guard members.count > 1 else { return [members] }
    var conflicts: [Int: Set<Int>] = [:]
    var spans: [Int: (start: MediaTime, end: MediaTime)] = [:]
    let own = members.flatMap { trackFragments[$0] ?? [] }
    for track in tracks {
      let indices = own.filter { fragments.trackFragments[$0].track == track }
      let timeline = try io(
        TrackTimeline(fragments.trackFragments, of: indices, fragments.samples[track], reader.sources))
      let timescale = fragments.tracks[track].timescale
      for entry in timeline.entries {
        let (opener, start, end) = (
          opener(of: entry.index), MediaTime(entry.start, timescale), MediaTime(entry.end, timescale)
        )
        let span = spans[opener] ?? (start, end)
        spans[opener] = (min(span.start, start), max(span.end, end))
      }
      var durations: [Int: UInt64] = [:]
      for index in indices {
        durations[opener(of: index), default: 0] += min(fragments.trackFragments[index].duration, 1 << 32)
      }
      for (pair, replaced) in replacements(timeline) {
        // A few differing samples where two sources meet do not make them separate inputs.
        let shorter = min(durations[pair.before] ?? 0, durations[pair.after] ?? 0)
        guard replaced > Int64(clamping: shorter / 10) else { continue }
        conflicts[pair.before, default: []].insert(pair.after)
        conflicts[pair.after, default: []].insert(pair.before)
      }
    }
    return conflicts.isEmpty ? [members] : divided(members, conflicts, spans)
  }

  private struct Pair: Hashable {
    var before: Int
    var after: Int
  }

  /// The duration of the samples of one source that are replaced by different samples of another.
  private func replacements(_ timeline: TrackTimeline) -> [Pair: Int64] {
    var result: [Pair: Int64] = [:]
    for event in timeline.events {
      guard case .replaced = event.kind else { continue }
      let pair = Pair(before: opener(of: event.before), after: opener(of: event.after))
      if pair.before != pair.after { result[pair, default: 0] += event.amount }
    }
    return result
  }

  private func opener(of trackFragment: Int) -> Int { openers[fragments.trackFragments[trackFragment].source] }

  /// Assigns each source to the first input that it continues, or else to the first with which it has no conflict.
  private func divided(
    _ members: [Int], _ conflicts: [Int: Set<Int>], _ spans: [Int: (start: MediaTime, end: MediaTime)]
  ) -> [[Int]] {
    var result: [[Int]] = []
    var ends: [MediaTime?] = []
    for member in members {
      let against = conflicts[member] ?? []
      let free = result.indices.filter { against.isDisjoint(with: result[$0]) }
      let span = spans[member]
      if let place = free.first(where: { ends[$0] != nil && ends[$0] == span?.start }) ?? free.first {
        result[place].append(member)
        ends[place] = [ends[place], span?.end].compactMap(\.self).max()
      } else {
        result.append([member])
        ends.append(span?.end)
      }
    }
    return result
  }
}
