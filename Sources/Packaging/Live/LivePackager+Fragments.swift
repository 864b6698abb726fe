import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS

/// Fragments and segments.
extension LivePackager {
  /// Starts a fragment, or a part of one.
  mutating func begin(
    _ fragment: LiveFragment, at now: LiveTimestamp, part number: Int? = nil, isContinued: Bool = false
  ) throws(MovieError) {
    guard let movie else { return }
    var piece: LiveTimeline.Piece?
    if let part = fragment.parts.first(where: { $0.track == reference }) {
      var own = LiveTimeline.Piece(part, fragment, timescale: movie.movie.tracks[reference].timescale)
      if number != nil { own.group = group(of: part) }
      guard try place(own, of: fragment, at: now) else { return isLeavingOut = true }
      piece = own
    } else if segment == nil, let part = fragment.parts.first {
      // It is too large to wait for its segment.
      let own = LiveTimeline.Piece(part, fragment, timescale: movie.movie.tracks[part.track].timescale)
      open(own, timeline.date(of: own, .continuous, cameAt: now.date))
    }
    if waitsForSource, piece != nil {
      for diagnostic in try multivariant.begin(movie, fragment, renditions[0].tracks, sounds) {
        onDiagnostic(diagnostic)
      }
      waitsForSource = false
    }
    try takeKeys(of: fragment, movie)
    expectedTracks.formUnion(fragment.parts.map(\.track))
    let isWhole =
      expectedTracks.isSubset(of: fragment.parts.map(\.track))
      && piece.map { hasSound(fragment, until: $0.end, movie) } ?? true
    self.fragment = OpenFragment(
      piece: piece, isWhole: number ?? 0 == 0 ? isWhole : nil, isContinued: isContinued)
  }

  /// Whether the sound of a fragment ends with its video. Otherwise, more of it follows in another fragment, as at the
  /// end of a clear lead.
  private func hasSound(_ fragment: LiveFragment, until end: Duration, _ movie: LiveMovie) -> Bool {
    fragment.parts.allSatisfy { part in
      let track = movie.movie.tracks[part.track]
      return track.handler != "soun" || (end - .units(part.end, timescale: track.timescale)).roundedSeconds <= 0
    }
  }

  /// Checks the encryption of a fragment.
  mutating func takeKeys(of fragment: LiveFragment, _ movie: LiveMovie) throws(MovieError) {
    let known = Set(renditions.flatMap(\.keyIDs))
    for index in renditions.indices {
      let (old, tracks) = (renditions[index].keyIDs, renditions[index].tracks)
      let new = fragment.parts.reduce(into: old) { if tracks.contains($1.track) { $0.formUnion($1.keyIDs) } }
      guard new.count > old.count else { continue }
      renditions[index].keyIDs = new
      if old.isEmpty { renditions[index].scheme = try movie.protectionScheme(ofTracks: tracks) }
      if old.count <= 1, new.count > 1, options.key != nil {
        let folder = renditions[index].folder
        onDiagnostic(Packager.Key.diagnostic(new.count, folder.isEmpty ? name : folder))
      }
    }
    let all = Set(renditions.flatMap(\.keyIDs))
    if options.key != nil {
      let isShared = known.count <= 1 && all.count > 1 && renditions.allSatisfy { $0.keyIDs.count <= 1 }
      if isShared { onDiagnostic(Packager.Key.shared(all.count)) }
    } else if known.isEmpty, let scheme = renditions.lazy.compactMap(\.scheme).first {
      onDiagnostic(Packager.Key.missing(scheme, name))
    }
  }

  /// Ends the open segment if it ends before the fragment `piece`, and starts one if there is none. Returns whether the
  /// fragment is used.
  private mutating func place(
    _ piece: LiveTimeline.Piece, of fragment: LiveFragment, at now: LiveTimestamp
  ) throws(MovieError) -> Bool {
    let step = timeline.step(to: piece)
    say(step, piece, fragment)
    switch step {
    case .repeated: return false
    case .hole, .back:
      try finishSegment(until: nil, at: now)
      isDiscontinuity = isDiscontinuity || segmentCount > 0
      cutting.reset()
    case .first, .continuous:
      guard let segment, cutting.ends(from: segment.start, before: piece) else { break }
      try finishSegment(until: piece.start, at: now)
    }
    let date = timeline.place(piece, step, cameAt: now.date)
    if segment == nil { open(piece, date) }
    return true
  }

  private mutating func open(_ piece: LiveTimeline.Piece, _ date: DateTime) {
    let start = start(with: piece)
    segment = OpenSegment(
      start: start, end: piece.start, reach: piece.start, date: (date + (start - piece.start)).inMilliseconds,
      isDiscontinuity: isDiscontinuity, beginsWithSync: piece.beginsWithSync, isIndependent: piece.isIndependent)
    isDiscontinuity = false
  }

  private func say(_ step: LiveTimeline.Step, _ piece: LiveTimeline.Piece, _ fragment: LiveFragment) {
    let moof = "moof at byte \(fragment.offset): "
    let start = piece.start.secondsText
    switch step {
    case .hole(let gap):
      let text = "no input for \(gap.secondsText) before \(start); a discontinuity marks the gap"
      onDiagnostic(Diagnostic(.error, name, moof + text))
    case .back(let amount):
      let text = "times go back by \(amount.secondsText) to \(start); a discontinuity was inserted"
      onDiagnostic(Diagnostic(.warning, name, moof + text))
    case .repeated: onDiagnostic(Diagnostic(.note, name, moof + "repeated fragment at \(start); omitted"))
    case .first, .continuous: break
    }
  }

  mutating func write(_ bytes: ArraySlice<UInt8>) throws(MovieError) {
    if !isLeavingOut { try renditions[0].write(bytes) }
  }
  func correct(_ bytes: [UInt8], at offset: Int) throws(MovieError) {
    if !isLeavingOut, fragment != nil { try renditions[0].correct(bytes, at: offset) }
  }

  mutating func endFragment(at now: LiveTimestamp) throws(MovieError) {
    defer { isLeavingOut = false }
    guard let fragment else { return }
    self.fragment = nil
    renditions[0].endFragment()
    guard let piece = fragment.piece else { return timeline.appendOther() }
    timeline.append(piece)
    cutting.append(piece, isWhole: fragment.isWhole)
    guard var segment else { return }
    (segment.end, segment.isEmpty) = (max(segment.end, piece.end), false)
    self.segment = segment
    if !fragment.isContinued, cutting.ends(from: segment.start, after: piece) {
      try finishSegment(until: nil, at: now)
    }
  }

  mutating func loseFragment() throws(MovieError) {
    isLeavingOut = false
    guard fragment != nil else { return }
    fragment = nil
    try renditions[0].loseFragment()
    if let segment, segment.isEmpty {
      // The segment was started for this fragment, and the next one starts at another time.
      isDiscontinuity = isDiscontinuity || segment.isDiscontinuity
      self.segment = nil
    }
  }

  /// Completes the open segment, which ends where the next fragment starts if both are adjacent.
  mutating func finishSegment(until next: Duration?, at now: LiveTimestamp) throws(MovieError) {
    let hasData = renditions.contains { $0.segmentSize > 0 }
    guard let segment, hasData, fragment == nil else { return }
    self.segment = nil
    segmentCount += 1
    let duration = max(.zero, (next ?? segment.end) - segment.start)
    let whole = segment.start..<(segment.start + duration)
    let listings = renditions.map { rendition in
      let isOther = isDivided && !rendition.tracks.contains(reference)
      return isOther ? rendition.listing(in: whole, isDiscontinuity: segment.isDiscontinuity) : whole
    }
    let entries = zip(renditions, listings).map { rendition, listing -> LiveWindow.Entry in
      var entry = LiveWindow.Entry(
        name: "segment\(segmentCount).m4s", initialization: "", duration: listing.duration,
        date: (segment.date + (listing.lowerBound - segment.start)).inMilliseconds,
        isDiscontinuity: segment.isDiscontinuity)
      entry.isIndependent = rendition.folder.isEmpty ? segment.isIndependent : true
      if let scheme = rendition.scheme, let key = options.key {
        entry.keys = [(rendition.folder.isEmpty ? key : key.located("../", baseURL: "")).tag(scheme)]
      }
      return entry
    }
    let target = cutting.settle(entries.map(\.duration).max() ?? duration)
    for (rendition, entry) in zip(renditions, entries) {
      var duration = entry.duration
      // Sound that cannot be divided may end much later than the video.
      let isOwn = !isDivided || rendition.tracks.contains(reference)
      if isOwn, (segment.reach - segment.end).roundedSeconds > 0 { duration = segment.reach - segment.start }
      if duration.roundedSeconds > target { sayTooLong(rendition.path(entry.name), duration, target) }
    }
    for rendition in renditions where rendition.segmentSize == 0 && !rendition.endsWithGap {
      let text = "segment\(segmentCount).m4s has no samples; the playlist has a gap from there on"
      onDiagnostic(Diagnostic(.warning, rendition.folder.isEmpty ? name : rendition.folder, text))
    }
    if !segment.beginsWithSync {
      let text = "segment\(segmentCount).m4s does not begin with a sync sample; players cannot start there"
      onDiagnostic(Diagnostic(.warning, name, text))
    }
    // A rendition that starts later has the same segments before; they are gaps.
    var first: LiveWindow?
    if renditions.contains(where: { $0.window == nil }) {
      first =
        renditions[0].window.map(LiveWindow.init(gapsOf:))
        ?? LiveWindow(count: options.keepsAll ? nil : options.windowCount, targetDuration: .seconds(target))
    }
    var sizes: [String: (byteCount: Int, duration: Duration)] = [:]
    // A playlist that refers to others is written after them.
    for index in renditions.indices.reversed() {
      let end = listings[index].upperBound
      let byteCount = try renditions[index].finish(entries[index], until: end, in: first, at: now)
      if byteCount > 0 { sizes[renditions[index].folder] = (byteCount, entries[index].duration) }
    }
    let bytes = multivariant.append(
      sizes, initialization: renditions[0].initialization, kept: renditions[0].window?.initializations ?? [],
      isIndependent: isIndependent, targetDuration: .seconds(target))
    if let bytes {
      try io(output.write(bytes, as: Self.mainName))
    }
  }

  private func sayTooLong(_ segment: String, _ duration: Duration, _ target: Int) {
    let kind = Diagnostic.Kind.overTarget(
      segment: segment, duration: duration.inMilliseconds, declared: target, needed: duration.roundedSeconds)
    onDiagnostic(Diagnostic(kind, name))
  }
}

extension DateTime {
  /// The time truncated to milliseconds.
  fileprivate var inMilliseconds: DateTime {
    let (seconds, attoseconds) = sinceEpoch.components
    return DateTime(
      sinceEpoch: .seconds(seconds) + .milliseconds(attoseconds / 1_000_000_000_000_000), zone: zone)
  }
}

extension Range<Duration> {
  fileprivate var duration: Duration { upperBound - lowerBound }
}

extension Duration {
  /// A text such as `2.000 s`.
  var secondsText: String { inMilliseconds.description }
  fileprivate var inMilliseconds: MediaTime {
    let (seconds, attoseconds) = components
    return MediaTime(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1000)
  }
}
