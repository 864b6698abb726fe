import Bytes
import ISOBMFF

/// How a timeline sees whether the durations that fragments give are wrong, and what it does about it.
extension TrackTimeline {
  /// Whether more than half of the fragments end where the next one starts, give or take less than a sample. In the order
  /// of the files, this distinguishes two takes over the same time, whose durations are right, from one with wrong ones.
  var mostlyMeet: Bool {
    let count = entries.indices.dropLast().count { index in
      let entry = entries[index]
      let distance = (entries[index + 1].start - entry.end).magnitude
      return distance == 0 || distance < (entry.end - entry.start).magnitude / UInt64(max(1, entry.used))
    }
    return count * 2 > entries.count - 1
  }

  /// Whether more than half of the fragments last longer than until the next one, by more than a sample and without
  /// repeating it. Then it is the durations that are wrong: some encoders give 49152 where times step by 1024.
  func overrunsAgainAndAgain(_ samples: SampleColumns) throws(IOError) -> Bool {
    var count = 0
    for index in entries.indices.dropLast() {
      let (entry, next) = (entries[index], entries[index + 1])
      guard next.start < entry.end, next.start > entry.start else { continue }
      if samples.count == 0 {
        if entry.end - next.start > (entry.end - entry.start) / Int64(entry.used) { count += 1 }
        continue
      }
      // No fragment is used in pieces yet.
      let own = entry.first..<(entry.first + entry.used)
      let left = samples.index(at: next.start - entry.start, in: own)..<own.upperBound
      if !left.isEmpty, try !samples.isSame(left, next.first..<(next.first + next.used)) { count += 1 }
    }
    return count > 1 && count * 2 > entries.count - 1
  }
}
