import ISOBMFF
import MP4Bytes

/// Prepares the samples of a presentation before an output is planned.
extension MovieInput {
  /// Reads movies and their fragments, with their samples. Rejects sources that do not belong together, and with
  /// `needsSamples` also movies without samples.
  init(
    reading sources: [any ByteSource], parts: [SourcePart] = [], _ options: ReadingOptions = ReadingOptions(),
    followers: [any ByteSource] = [], needsSamples: Bool = true, onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    self = try MovieInputReader.read(
      sources, parts: parts, keepsSamples: true, options.tracks, takesAllSegments: options.takesAllSegments,
      followers: followers, onProgress: onProgress)
    overlaps = options.overlaps
    try checkGroups()
    if needsSamples, let missingSamples { throw missingSamples }
    // In a single file, this is damage. With segments, it means that the init segment is the wrong one.
    if self.sources.count > 1, !options.takesAllSegments { try checkTracks() }
    if options.outputKind == .iso { try convertQuickTime() }
  }

  /// Omits the last movie fragment of a source if its data is cut off, including the data that is present.
  mutating func omitTruncatedFragments() {
    var last: [Int: Int] = [:]
    for fragment in fragments.trackFragments where fragment.sampleCount > 0 {
      last[fragment.source] = fragment.fragment
    }
    let cut = Set(fragments.trackFragments.filter { $0.isCut && last[$0.source] == $0.fragment }.map(\.fragment))
    guard !cut.isEmpty else { return }
    for fragment in cut.sorted() {
      let header = fragments.headers[fragment]
      let text = "the movie fragment at byte \(header.offset) is cut off; omitted"
      diagnostics.append(Diagnostic(.error, sources[header.source].name, text))
    }
    fragments.trackFragments.removeAll { cut.contains($0.fragment) }
  }

  /// Rejects samples in other files, and files that declare the same bytes as samples many times, before iterating over
  /// the samples. Only malicious files do the latter.
  func checkClaims() throws(MovieError) {
    let file = sources[0].name
    var counts = Array(repeating: 0, count: tracks.count)
    for fragment in fragments.trackFragments {
      counts[fragment.track] += fragment.sampleCount
      let track = tracks[fragment.track]
      guard !track.externalDescriptions.isEmpty, fragment.sampleCount > 0 else { continue }
      if track.externalDescriptions.contains(Int(fragment.descriptionIndex)) {
        let text = "its samples are in another file (see dref); use only the other tracks"
        throw .impossible(
          file: sources[fragment.source].name, Obstacle("external_samples", text).inTrack(track.id))
      }
    }
    let available = sources.reduce(0) { $0 + ($1.byteCount ?? 0) }
    let claimed = fragments.trackFragments.reduce(0) { claimed, fragment in
      min(claimed + min(fragments.samples[fragment.track].byteCount(of: fragment.samples), Int.max / 4), Int.max / 4)
    }
    guard claimed <= 1 << 20 || claimed / 2 <= available else {
      let text =
        "its samples declare \(counted(claimed, "byte")) of media data, but it has only "
        + counted(available, "byte")
      throw .impossible(file: file, Obstacle("excessive_claims", text))
    }
    for (index, count) in counts.enumerated() where count >= Int(UInt32.max) {
      throw .impossible(
        file: name(ofTrack: index), .tooManySamples(track: tracks[index].id, count: count))
    }
  }

  /// Assigns an existing description to samples that refer to a missing one.
  mutating func describe() {
    var counts: [[Diagnostic.Description: Int]] = tracks.map { _ in [:] }
    for index in fragments.trackFragments.indices {
      let fragment = fragments.trackFragments[index]
      let known = tracks[fragment.track].descriptionCount
      guard fragment.sampleCount > 0, fragment.descriptionIndex == 0 || fragment.descriptionIndex > known else {
        continue
      }
      let problem: Diagnostic.Description = fragment.descriptionIndex == 0 ? .zero : .unknown
      counts[fragment.track][problem, default: 0] += fragment.sampleCount
      fragments.trackFragments[index].descriptionIndex = problem == .zero ? 1 : UInt32(clamping: known)
    }
    diagnostics += counts.enumerated().flatMap { track, problems in
      [.unknown, .zero].compactMap { (problem: Diagnostic.Description) in
        problems[problem].map {
          Diagnostic(.undescribed(problem, samples: $0), name(ofTrack: track), tracks.reference(track))
        }
      }
    }
  }

  /// The timelines of all tracks.
  func timeline() throws(MovieError) -> FragmentTimeline {
    let timeline = try io(FragmentTimeline(fragments, sources, keepsFirst: overlaps == .keep))
    guard overlaps == .fail else { return timeline }
    for (index, track) in timeline.tracks.enumerated() {
      for event in track.events {
        guard case .replaced(let samples) = event.kind else { continue }
        let time = MediaTime(event.time, tracks[index].timescale)
        let text =
          "different fragments declare \(samples == 1 ? "a sample" : "\(samples) samples") for the same times, from "
          + "\(time) on"
        throw .impossible(
          file: sources[fragments.trackFragments[event.after].source].name,
          Obstacle("overlapping_samples", text).inTrack(tracks[index].id))
      }
    }
    return timeline
  }

  /// The diagnostics of reading. Samples without data are not lost if another copy of their fragment has the data.
  func diagnostics(after timeline: FragmentTimeline) -> [Diagnostic] {
    // The times of later periods changed after they had been reported.
    guard parts.allSatisfy({ $0.period == parts[0].period }) else { return diagnostics }
    var (complete, incomplete): (Set<String>, Set<String>) = ([], [])
    let all = withExcessiveSizes(diagnostics).flatMap { diagnostic in
      guard case .missingData(let spans) = diagnostic.kind, let track = diagnostic.track else { return [diagnostic] }
      let times = timeline.tracks[track.index]
      let (found, lost) = (spans.filter(times.covers), spans.filter { !times.covers($0) })
      if lost.isEmpty { complete.insert(diagnostic.file) } else { incomplete.insert(diagnostic.file) }
      guard !found.isEmpty else { return [diagnostic] }
      let text = "\(diagnostic.missing(found)); another fragment has samples for this time"
      let note = Diagnostic(.other(.note, text), diagnostic.file, track)
      return lost.isEmpty ? [note] : [Diagnostic(.missingData(lost), diagnostic.file, track), note]
    }
    complete.subtract(incomplete)
    // Gaps can be caused by truncation of a file.
    guard !complete.isEmpty, timeline.tracks.allSatisfy({ $0.firstGap(longerThan: 0) == nil }) else { return all }
    return all.map { diagnostic in
      guard case .damagedBox("mdat", _, next: nil) = diagnostic.kind, complete.contains(diagnostic.file) else {
        return diagnostic
      }
      return Diagnostic(.note, diagnostic.file, diagnostic.text)
    }
  }

  /// Diagnostics in which media data that is shorter than declared is not damaged if its file has all samples.
  private func withExcessiveSizes(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    func excess(_ diagnostic: Diagnostic) -> Diagnostic.Kind? {
      guard case .damagedBox("mdat", let error, next: nil) = diagnostic.kind, case .sizeTooLarge = error.problem else {
        return nil
      }
      return .excessiveSize("mdat", error)
    }
    let damaged = Set(diagnostics.filter { $0.severity == .error && excess($0) == nil }.map(\.file))
    return diagnostics.map { diagnostic in
      guard !damaged.contains(diagnostic.file), let kind = excess(diagnostic) else { return diagnostic }
      return Diagnostic(kind, diagnostic.file, diagnostic.track)
    }
  }

  /// The information about tracks for planning edits; starts and ends of samples are in composition time.
  func times(_ timeline: FragmentTimeline, _ compositions: [(start: Int64, end: Int64)]) -> [EditPlan.TrackTimes] {
    let (movieDurations, continuing) = (fragments.movieDurations, fragments.continuesInFragments)
    return tracks.enumerated().map { index, track in
      EditPlan.TrackTimes(
        timescale: track.timescale, movieTimescale: group(of: index)?.movie.timescale ?? 1,
        edits: track.edits, start: timeline.tracks[index].entries.isEmpty ? nil : timeline.tracks[index].start,
        compositionStart: compositions[index].start, compositionEnd: compositions[index].end,
        movieDuration: movieDurations[index], continuesInFragments: continuing[index],
        isVideo: track.handler == "vide",
        isSoundWithPreRoll: track.handler == "soun" && track.groupDescriptions.contains { $0.groupingType == "roll" },
        followsStart: follows(track: index))
    }
  }

  /// The changes made by edits.
  func diagnostics(of edits: EditPlan) -> [Diagnostic] {
    var diagnostics = PeriodConcatenator.diagnostics(self, from: edits.hiddenPriming ?? edits.start)
    if edits.start.value > 0 {
      let start = MediaTime(edits.start.value &+ edits.rest.value, edits.start.timescale)
      diagnostics.append(Diagnostic(.rebased(start, to: edits.rest), sources[0].name))
    }
    if let start = edits.hiddenPriming { diagnostics.append(Diagnostic(.hiddenPriming(start), sources[0].name)) }
    if edits.isRounded { diagnostics.append(Diagnostic(.roundedStart, sources[0].name)) }
    return diagnostics + edits.shifted.map { Diagnostic(.shifted, name(ofTrack: $0), tracks.reference($0)) }
  }
}
