import ISOBMFF
import MP4Bytes

extension MovieInput {
  /// The places in the tracks of a timeline after which samples are missing or come from another recording.
  func joints(of timeline: FragmentTimeline) throws(MovieError) -> [TrackJoints] {
    guard timeline.tracks.contains(where: { !$0.events.isEmpty }) || parts.contains(where: { $0.period > 0 }) else {
      return timeline.tracks.map { _ in TrackJoints() }
    }
    let properties = try trackProperties()
    let breaks = sequenceBreaks
    return timeline.tracks.indices.map { index in
      guard tracks[index].handler == "vide" else { return TrackJoints() }
      let track = timeline.tracks[index]
      func configuration(_ entry: TrackTimeline.Entry) -> DecoderConfiguration? {
        let number = Int(fragments.trackFragments[entry.index].descriptionIndex) - 1
        let all = properties[index].configurations
        return all.indices.contains(number) ? all[number] : nil
      }
      var gaps: Set<Int> = []
      var replaced: Set<[Int]> = []
      for event in track.events {
        switch event.kind {
        case .gap: gaps.insert(event.after)
        case .replaced: replaced.formUnion([[event.before, event.after], [event.after, event.before]])
        case .stepBack, .repeated, .overrun, .impossible: break
        }
      }
      var result = TrackJoints()
      var sample = 0
      for (number, (before, entry)) in zip(track.entries, track.entries.dropFirst()).enumerated() {
        sample += before.used
        guard
          isPeriodStart(before, entry)
            || gaps.contains(entry.index) && isIncomplete(before, entry, track: index, breaks)
            || replaced.contains([before.index, entry.index])
        else { continue }
        result.joints.append(
          TrackJoints.Joint(
            sample: sample, configuration: configuration(entry), previous: configuration(before), number: number))
      }
      return result
    }
  }

  private func isPeriodStart(_ before: TrackTimeline.Entry, _ entry: TrackTimeline.Entry) -> Bool {
    let sources = (fragments.trackFragments[before.index].source, fragments.trackFragments[entry.index].source)
    guard sources.0 < parts.count, sources.1 < parts.count else { return false }
    return parts[sources.0].period != parts[sources.1].period
  }

  /// For each movie fragment, how many up to it have a sequence number that does not follow that of the one before.
  private var sequenceBreaks: [Int] {
    let headers = fragments.headers
    var count = 0
    return headers.indices.map { index in
      if index > 0, headers[index].sequenceNumber != headers[index - 1].sequenceNumber &+ 1 { count += 1 }
      return count
    }
  }

  /// Whether samples are missing in a gap: it is longer than a sample, and the sequence numbers from one fragment to
  /// the other are not consecutive or the first one is cut off. Writers also leave gaps where a sample lasts longer
  /// than they declare, and where they declare a duration without samples.
  private func isIncomplete(
    _ before: TrackTimeline.Entry, _ entry: TrackTimeline.Entry, track: Int, _ breaks: [Int]
  ) -> Bool {
    let (first, second) = (fragments.trackFragments[before.index], fragments.trackFragments[entry.index])
    let duration = fragments.samples[track].duration(before.first + before.used - 1)
    guard before.used > 0, entry.start - before.end >= max(1, Int64(duration)) else { return false }
    guard fragments.headers.indices.contains(first.fragment), fragments.headers.indices.contains(second.fragment) else {
      return true
    }
    let numbers = (
      fragments.headers[first.fragment].sequenceNumber, fragments.headers[second.fragment].sequenceNumber
    )
    let isConsecutive =
      numbers.1 == numbers.0 &+ 1
      || first.fragment < second.fragment && breaks[first.fragment] == breaks[second.fragment]
    return first.isCut || numbers.0 == 0 || !isConsecutive
  }
}
