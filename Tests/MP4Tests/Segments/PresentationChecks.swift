import Support
import Testing

/// Checks that presentation times are unchanged: starts exactly, ends to one movie time unit, because edits round them.
///
/// A file that is progressive again starts at 0, so all tracks may be shifted by the same time. A start that had to be
/// rounded is off by less than one unit of the media timescale.
func checkPresented(
  _ before: MovieReading, _ after: MovieReading, isMoved: Bool = false, isRounded: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let unit = Seconds(1, before.timescale)
  let (shown, others) = (before.presented, after.presented)
  var move: Seconds? = isMoved ? nil : Seconds(0, 1)
  for track in before.tracks {
    let slack = isRounded ? Seconds(2, track.timescale) : Seconds(0, 1)
    var rest = numbered(others[track.id] ?? [])
    var problem: String?
    for (number, one) in numbered(shown[track.id] ?? []) {
      guard let other = rest.removeValue(forKey: number) else {
        if unit + slack < one.end - one.start { problem = problem ?? "hides \(one)" }
        continue
      }
      let own = other.start - one.start
      if move == nil { move = own }
      let late = other.end - one.end - own
      guard let move, abs(own - move) <= slack, abs(late) <= unit + slack else {
        problem = problem ?? "\(one), then \(other)"
        continue
      }
    }
    for other in rest.values where unit + slack < other.end - other.start { problem = problem ?? "shows \(other)" }
    #expect(problem == nil, "track \(track.id)", sourceLocation: sourceLocation)
  }
}

/// Identifies each presented sample by its contents and the number of earlier presentations.
private func numbered(_ presented: [Presented]) -> [[Int]: Presented] {
  var counts: [Int: Int] = [:]
  var result: [[Int]: Presented] = [:]
  for one in presented {
    result[[one.sample, counts[one.sample, default: 0]]] = one
    counts[one.sample, default: 0] += 1
  }
  return result
}

private func abs(_ time: Seconds) -> Seconds { time < Seconds(0, 1) ? Seconds(0, 1) - time : time }
