import ISOBMFF
import MP4Bytes

/// The results of a first pass, with which the sources are read again.
struct ReadingCorrections {
  /// The offsets of the movie fragments of each source that have outdated base data offsets.
  var staleBases: [Int: Set<Int>]?
  /// The reason for each source that is omitted because the init segment before it does not match.
  var misfits: [Int: SegmentMisfit]?
  /// For each source that begins with the same movie box as another: the first source of the same input.
  var leaders: [Int: Int] = [:]
  /// Whether it has been determined which sources with equal movie boxes are separate inputs.
  var knowsLeaders = false
}

extension MovieInputReader {
  /// Corrections for reading the sources again, if any.
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

  /// Finds the outdated base data offsets of a source that was read, or reports them.
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
