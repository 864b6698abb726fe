import ISOBMFF
import MP4Bytes

/// How far a track without syntax leads the recognizable reference track, at the borders of its runs: the times of the
/// samples before the border, in microseconds. Writers interleave by time, so these determine the sizes of runs.
struct RecoveryLead {
  /// At the ends of runs.
  private(set) var ends: ClosedRange<Int>?
  /// After a sample of the reference track that is followed by a run, and after one that is not.
  private(set) var starts: ClosedRange<Int>?
  private(set) var continues: ClosedRange<Int>?
  private var endSum = 0
  private var endCount = 0

  mutating func addStart(_ lead: Int) { starts = Self.range(starts, with: lead) }
  mutating func addContinuation(_ lead: Int) { continues = Self.range(continues, with: lead) }
  mutating func addEnd(_ lead: Int) {
    ends = Self.range(ends, with: lead)
    endSum &+= lead
    endCount += 1
  }

  /// The average at the ends of runs.
  var averageEnd: Int { endCount > 0 ? endSum / endCount : 0 }

  /// The largest deviation from the pattern that is expected.
  var tolerance: Int { max(10_000, (ends.map { $0.upperBound &- $0.lowerBound } ?? 0) / 2) }

  private static func range(_ range: ClosedRange<Int>?, with value: Int) -> ClosedRange<Int> {
    guard let range else { return value...value }
    return min(range.lowerBound, value)...max(range.upperBound, value)
  }

  /// The distance of a lead from a range; `nil` if nothing is known.
  static func distance(_ lead: Int, from range: ClosedRange<Int>?) -> Int? {
    range.map { max(0, max($0.lowerBound &- lead, lead &- $0.upperBound)) }
  }
}

extension RecoveryPattern {
  /// The lead of a track over the reference track after these numbers of samples.
  func lead(_ track: Int, _ count: Int, _ referenceCount: Int) -> Int {
    guard let reference else { return 0 }
    return tracks[track].microseconds(count) &- tracks[reference].microseconds(referenceCount)
  }

  /// The tracks whose runs end where their times say: those whose samples have a fixed size and no syntax, and packets.
  /// Timecodes and other metadata with a single run are not interleaved.
  var interleavedTracks: [Int] {
    tracks.indices.filter {
      switch tracks[$0].syntax {
      case .fixed: tracks[$0].runCount > 1 || tracks[$0].handler == "soun"
      case .packets: true
      default: false
      }
    }
  }
}

extension RecoveryPattern.Track {
  /// The decode time of a sample, in its timescale.
  func time(_ index: Int) -> Int {
    let (sum, count) = duration
    let rest = (index % count).multipliedFullWidth(by: sum)
    return index / count * sum + (count == 1 ? 0 : count.dividingFullWidth(rest).quotient)
  }
  fileprivate func microseconds(_ index: Int) -> Int {
    let (value, _) = MediaTime(Int64(time(index)), timescale).converted(to: 1_000_000)
    return Int(max(-1 << 60, min(1 << 60, value)))
  }
}

/// Data whose extent is determined by the interleaving of the pattern, because no recognizable sample follows it.
extension RecoveryScan {
  /// The lead of a track in this file after `count` more samples.
  private func lead(_ track: Int, adding count: Int = 0) -> Int {
    guard let reference = pattern.reference else { return 0 }
    return pattern.lead(track, tracks[track].timeCount + count, tracks[reference].timeCount)
  }

  /// Records the leads at the end of a group that a recognized sample follows.
  mutating func noteLeads(after group: RecoveryPattern.Group) { noteLeads(of: Set(group.runs.compactMap(\.track))) }
  mutating func noteLeads(of changed: Set<Int>) {
    for track in changed where pattern.leads[track] != nil {
      recentLeads[track, default: []].append(lead(track))
      if recentLeads[track, default: []].count > 32 { recentLeads[track]?.removeFirst(16) }
    }
  }

  /// The difference between the leads in this file and those in the pattern, if it is larger than variations between
  /// runs, because the times of the pattern do not fit or samples are missing.
  private func drift(_ track: Int) -> Int {
    guard let known = pattern.leads[track], let recent = recentLeads[track]?.suffix(16), recent.count >= 4 else {
      return 0
    }
    let difference = recent.reduce(0, &+) / recent.count &- known.averageEnd
    return abs(difference) > 2 * known.tolerance ? difference : 0
  }

  /// The deviation from the pattern if a group ends here with these runs; `nil` if nothing is known.
  private func deviation(_ runs: [RecoveryPattern.Run]) -> (distance: Int, isExpected: Bool)? {
    var worst: (distance: Int, isExpected: Bool)?
    for track in Set(runs.compactMap(\.track)) {
      guard case .fixed(let size) = syntaxes[track], size > 0, let known = pattern.leads[track] else { continue }
      let count = runs.reduce(0) { $0 + ($1.track == track ? $1.byteCount / size : 0) }
      let own = lead(track, adding: count) &- drift(track)
      guard let distance = RecoveryLead.distance(own, from: known.ends) else { continue }
      if distance >= worst?.distance ?? 0 { worst = (distance, distance <= known.tolerance) }
    }
    return worst
  }

  /// The deviation from the pattern if a run ends after `count` more samples of a track; `nil` if nothing is known.
  func deviation(of track: Int, adding count: Int) -> Int? {
    RecoveryLead.distance(lead(track, adding: count) &- drift(track), from: pattern.leads[track]?.ends)
  }

  /// Whether, by its times, a run of one of these tracks is less likely here than another sample of the reference
  /// track.
  private func continuesReference(_ tracks: Set<Int>) -> Bool {
    tracks.allSatisfy { track in
      guard let known = pattern.leads[track] else { return true }
      let own = lead(track) &- drift(track)
      guard let other = RecoveryLead.distance(own, from: known.continues) else { return known.starts == nil }
      return RecoveryLead.distance(own, from: known.starts).map { other <= $0 } ?? true
    }
  }

  /// The runs of samples without syntax that start at `at` and end at `stop` or before. A recognizable sample starts at
  /// `stop` if `isFollowed`; otherwise the file may end there in the middle of a run or of the sample after it.
  mutating func expectedRuns(
    from at: Int, to stop: Int, isFollowed: Bool
  ) throws(IOError) -> [RecoveryPattern.Run] {
    let groups = (pattern.groups[latest] ?? []).filter { group in
      group.runs.contains { run in run.track.map { pattern.leads[$0] != nil } ?? false }
    }
    let count = stop - at
    guard let first = groups.first, count > 0 else { return [] }
    let largest = groups.map(\.byteCount).max() ?? 0
    let isAlone = groups.allSatisfy { Set($0.runs.map(\.track)).count == 1 }
    let all = RecoveryPattern.Run(track: first.runs[0].track, byteCount: count)
    let deviations = groups.map { deviation($0.runs) }
    let best = groups.indices.min { (deviations[$0]?.distance ?? .max, $0) < (deviations[$1]?.distance ?? .max, $1) }
    let expected = best.flatMap { deviations[$0]?.isExpected == true ? groups[$0] : nil }
    if isFollowed {
      if isAlone, deviation([all])?.isExpected ?? (count <= largest) || count < expected?.byteCount ?? 0 {
        return [all]
      }
      return expected.map { $0.byteCount <= count ? $0.runs : [] } ?? []
    }
    let isCut = try isCutPicture(at)
    if isCut, continuesReference(Set(first.runs.compactMap(\.track))) { return [] }
    if let expected {
      // At the end of a recording, the rest of the sound is written without pictures.
      let isRest = isAlone && expected.byteCount < count && count <= largest
      if isRest, try !isCutPicture(at + expected.byteCount) { return [all] }
      return expected.prefix(count)
    }
    // The times do not fit; the start of a picture shows where the runs end.
    if isCut { return [] }
    for group in groups where group.byteCount < count {
      if try isCutPicture(at + group.byteCount) { return group.runs }
    }
    return groups.min { $0.byteCount < $1.byteCount }?.prefix(count) ?? []
  }

  /// Whether a picture seems to start at `offset` that extends past the end of the file.
  mutating func isCutPicture(_ offset: Int) throws(IOError) -> Bool {
    for track in recognizable {
      if case .pictures(let syntax) = syntaxes[track], try syntax.isCut(at: offset, before: end, in: &window) {
        return true
      }
    }
    return false
  }
}

extension RecoveryPattern.Group {
  /// The runs in the first `count` bytes. The last one can be shorter.
  fileprivate func prefix(_ count: Int) -> [RecoveryPattern.Run] {
    var (left, result) = (count, [RecoveryPattern.Run]())
    for var run in runs where left > 0 {
      run.byteCount = min(run.byteCount, left)
      left -= run.byteCount
      result.append(run)
    }
    return result
  }
}
