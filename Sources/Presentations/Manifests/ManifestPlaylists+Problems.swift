import MP4DASH
import MP4HLS

extension ManifestPlaylists {
  /// What the schema requires, and is missing; and values that contradict each other.
  var problems: [ManifestOutline.Problem] {
    var result: [ManifestOutline.Problem] = []
    func add(_ line: Int, _ reason: String) { result.append(ManifestOutline.Problem(line: line, reason)) }
    if manifest.periods.isEmpty { add(0, "there is no Period") }
    if manifest.type == "dynamic", manifest.availabilityStart == nil {
      add(0, "it is dynamic, but has no availabilityStartTime")
    }
    if manifest.type == "static", manifest.duration == nil, manifest.periods.last?.duration == nil {
      add(0, "it is static, but neither it nor its last period has a duration")
    }
    for (number, period) in manifest.periods.enumerated() {
      let all = period.adaptationSets.flatMap(\.representations)
      if all.isEmpty { add(0, "period \(number + 1) has no representation") }
      var known: Set<String> = []
      for own in all {
        if own.id.isEmpty { add(own.line, "the representation has no id") }
        if !own.id.isEmpty, !known.insert(own.id).inserted {
          add(own.line, "another representation of the period has the id '\(own.id)', too")
        }
        if own.bandwidth <= 0 { add(own.line, "the representation has no bandwidth") }
        if own.common.mimeType == nil {
          add(own.line, "neither the representation nor its adaptation set has a mimeType")
        }
      }
      let origins = period.adaptationSets.filter { Self.kind(of: $0).map { $0 != .text } ?? false }
        .flatMap(\.representations).compactMap { own in (own.segments.timing?.origin).map { (own.line, $0) } }
      if let first = origins.min(by: { $0.1 < $1.1 }), let last = origins.max(by: { $0.1 < $1.1 }),
        last.1 - first.1 > 0.001
      {
        let text = String(Int(((last.1 - first.1) * 1000).rounded()))
        add(last.0, "its presentationTimeOffset is \(text) ms later than that of the representation in line \(first.0)")
      }
    }
    return result
  }
}

extension MPD.Segments {
  /// The times of its media.
  var timing: MPD.Timing? { template?.timing ?? list?.timing ?? base?.timing }
}
