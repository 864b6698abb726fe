import Bytes
import ISOBMFF

/// What reading the sources has shown of what they are, by which they are read once more.
struct ReadingCorrections {
  /// The movie fragments of each source, by where they start, whose base data offsets are out of date.
  var staleBases: [Int: Set<Int>]?
  /// Of each source that is omitted, since the init before it does not fit, why.
  var misfits: [Int: SegmentMisfit]?
  /// Of each source that begins with a movie box which another has too: the first source of the same input.
  var leaders: [Int: Int] = [:]
  /// Whether it is known which sources with equal movie boxes are inputs of their own.
  var knowsLeaders = false
}

extension MovieInputReader {
  /// What was found out that changes how the sources are read, if anything.
  func newCorrections() throws(MovieError) -> ReadingCorrections? {
    var result = corrections
    if corrections.staleBases == nil {
      result.staleBases = staleBases
      if !staleBases.isEmpty { return result }
    }
    if corrections.misfits == nil {
      let misfits = try InitFit(self, isForced: takesAllSegments).misfits
      result.misfits = misfits
      if !misfits.isEmpty { return result }
    }
    guard !corrections.knowsLeaders else { return nil }
    result.leaders = try EqualMovies(self).leaders
    result.knowsLeaders = true
    return result.leaders.isEmpty ? nil : result
  }

  /// Finds out which base data offsets of a source that was read are out of date, or reports them.
  mutating func noteStaleBases(_ index: Int) {
    guard let known = corrections.staleBases else {
      let found = fragments?.findStaleBases(contents[index]) ?? []
      if !found.isEmpty { staleBases[index] = found }
      return
    }
    guard let own = known[index], let first = own.min() else { return }
    diagnostics.append(Diagnostic(.staleBases(fragments: own.count, first: first), sources[index].name))
  }
}
