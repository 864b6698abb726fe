import ISOBMFF

/// What is refused, and what is told as lost.
extension Defragmenter {
  /// Refuses what only a file that means harm can ask for, before anything goes through its samples: samples over and
  /// over the same bytes.
  func checkClaims(_ presentation: Presentation) throws(MovieError) {
    let file = presentation.sources[0].name
    let available = presentation.sources.reduce(0) { $0 + ($1.byteCount ?? 0) }
    let claimed = presentation.fragments.store.runs.reduce(0) { min($0 + $1.byteCount, Int.max / 4) }
    guard claimed <= 1 << 20 || claimed / 2 <= available else {
      let reason = "its samples claim \(claimed) bytes of media, but there are \(available) bytes in all"
      throw .impossible(file: file, reason: reason)
    }
    var counts = Array(repeating: 0, count: presentation.tracks.count)
    for fragment in presentation.fragments.trackFragments {
      counts[fragment.track] += fragment.sampleCount
      let track = presentation.tracks[fragment.track]
      guard !track.externalDescriptions.isEmpty, fragment.sampleCount > 0 else { continue }
      if track.externalDescriptions.contains(Int(fragment.descriptionIndex)) {
        throw .impossible(
          file: presentation.sources[fragment.source].name,
          reason: "track \(track.id): its samples lie in another file, which its dref names; take the other tracks only"
        )
      }
    }
    for (track, count) in zip(presentation.tracks, counts) where count > Int(UInt32.max) {
      throw .impossible(file: file, reason: "track \(track.id) has \(count) samples, too many for a sample table")
    }
  }

  /// Samples without a description can be presented by nobody: where the track has none, they are left out; in place,
  /// nothing is changed then.
  func describe(_ presentation: inout Presentation, keepsPlaces: Bool) -> [Notice] {
    var counts: [[Notice.Description: Int]] = presentation.tracks.map { _ in [:] }
    for index in presentation.fragments.trackFragments.indices {
      let fragment = presentation.fragments.trackFragments[index]
      let known = presentation.tracks[fragment.track].descriptionCount
      guard fragment.sampleCount > 0, fragment.descriptionIndex == 0 || fragment.descriptionIndex > known else {
        continue
      }
      let problem: Notice.Description = known == 0 ? .missing : fragment.descriptionIndex == 0 ? .zero : .unknown
      counts[fragment.track][problem, default: 0] += fragment.sampleCount
      if problem == .zero { presentation.fragments.trackFragments[index].descriptionIndex = 1 }
    }
    let missing = Set(counts.indices.filter { counts[$0][.missing] != nil })
    if !missing.isEmpty, !keepsPlaces {
      presentation.fragments.trackFragments.removeAll { missing.contains($0.track) }
    }
    return counts.enumerated().flatMap { track, problems in
      [.missing, .unknown, .zero].compactMap { (problem: Notice.Description) in
        problems[problem].map {
          Notice(
            .undescribed(problem, samples: $0), presentation.name(ofTrack: track),
            presentation.tracks.reference(track))
        }
      }
    }
  }

  /// What a progressive file has no place for, or what is not carried over.
  func losses(_ presentation: Presentation, _ timeline: FragmentTimeline, _ layout: MediaLayout) -> [Notice] {
    var notices: [Notice] = []
    for (index, builder) in layout.builders.enumerated() {
      let (track, file) = (presentation.tracks.reference(index), presentation.name(ofTrack: index))
      if builder.sampleCount == 0 { notices.append(Notice(.emptyTrack, file, track)) }
      if builder.cutDurations > 0 {
        let time = timeline.tracks[index].firstGap(longerThan: Int64(UInt32.max))
        notices.append(Notice(.gapTooLong(count: builder.cutDurations, time: time), file, track))
      }
    }
    let file = presentation.sources[0].name
    var events: [FourCC: Int] = [:]
    for contents in presentation.contents { events.merge(contents.events) { $0 + $1 } }
    for (type, count) in events.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      notices.append(Notice(.noPlace(type, count: count), file))
    }
    return notices + presentation.fragments.droppedBoxes(file)
  }

  /// Refuses to make a movie of nothing out of a file that has lost everything.
  func checkSamples(_ layout: MediaLayout, _ notices: [Notice]) throws(MovieError) {
    guard layout.builders.allSatisfy({ $0.sampleCount == 0 }) else { return }
    guard let loss = notices.first(where: { $0.severity == .loss }) else { return }
    let lost = notices.reduce(0) { sum, notice in
      if case .missingData(let spans) = notice.kind { sum + spans.reduce(0) { $0 + $1.samples } } else { sum }
    }
    let reason =
      switch lost {
      case 0: "no sample in it can be used, so that nothing would be left: \(loss.text)"
      case 1: "its only sample has no data in it, so that nothing would be left"
      default: "none of its \(lost) samples has its data in it, so that nothing would be left"
      }
    throw .impossible(file: loss.file, reason: reason)
  }
}
