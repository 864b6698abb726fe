import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS

/// Assigns the samples of all tracks to segments.
///
/// One track determines where segments begin. The samples of other tracks belong to the segment in which that track has
/// samples at their times: they wait until those have arrived, and fragments that extend into the next segment are
/// divided. Where that track has no samples, segments follow one of the others.
extension LivePackager {
  /// Whether a fragment is used when it is complete, because it may be divided, separated or changed, or its samples
  /// have to wait.
  func isHeld(_ fragment: LiveFragment) -> Bool {
    guard fragment.mediaByteCount <= Self.mostHeldBytes else { return false }
    if isDivided || !waiting.isEmpty || pending != nil { return true }
    if fragment.hasUndeclaredTracks || followsMain(fragment) { return true }
    guard let movie, !fragment.parts.isEmpty else { return false }
    let piece = LivePiece(0, fragment, [], of: movie)
    if let part = fragment.parts.first(where: { $0.track == reference }) {
      let end = Duration.units(part.end, timescale: movie.movie.tracks[reference].timescale)
      return joint(before: fragment) != nil || !cuts(of: fragment).isEmpty || piece.place(before: end) != .before
    }
    return segment.map { piece.place(before: $0.end) != .before } ?? true
  }

  /// Takes a complete fragment.
  ///
  /// If it is divided into several segments, and the sound of its times is in other fragments, it is used when they
  /// have arrived.
  mutating func take(_ fragment: LiveFragment, _ media: [UInt8], at now: LiveTimestamp) throws(MovieError) {
    if fragment.parts.contains(where: { $0.track == reference }) || followsMain(fragment) {
      if pending != nil { expectsOthers = false }
      try placePending(at: now)
      if expectsOthers, !cuts(of: fragment).isEmpty, !hasAllTracks(fragment) { return pending = (fragment, media) }
    } else if !fragment.parts.isEmpty {
      expectsOthers = true
    }
    try place(fragment, media, at: now)
    if let (fragment, _) = pending, hasAllTracks(fragment) { try placePending(at: now) }
  }
  mutating func placePending(at now: LiveTimestamp) throws(MovieError) {
    guard let (fragment, media) = pending else { return }
    pending = nil
    try place(fragment, media, at: now)
  }
  /// Whether the sound of a fragment has arrived up to the end of its video.
  private func hasAllTracks(_ fragment: LiveFragment) -> Bool {
    guard let movie, let own = fragment.parts.first(where: { $0.track == reference }) else { return true }
    let end = Duration.units(own.end, timescale: timescale(reference))
    let parts = fragment.parts + waiting.flatMap(\.fragment.parts)
    return expectedTracks.allSatisfy { track in
      guard movie.movie.tracks[track].handler == "soun" else { return true }
      let last = parts.last { $0.track == track }
      return last.map { (end - .units($0.end, timescale: timescale(track))).roundedSeconds <= 0 } ?? false
    }
  }

  /// Uses a fragment.
  private mutating func place(_ fragment: LiveFragment, _ media: [UInt8], at now: LiveTimestamp) throws(MovieError) {
    guard let movie else { return }
    if followsMain(fragment) { try followMain(at: now) }
    guard let part = fragment.parts.first(where: { $0.track == reference }) else {
      return try hold(fragment, media, at: now)
    }
    try placeWaiting(before: LiveTimeline.Piece(part, fragment, timescale: timescale(reference)), at: now)
    var (changed, media) = (fragment, media)
    if let joint = joint(before: fragment) {
      let diagnostic = try changed.startDecoder(ofTrack: reference, of: movie, media: &media)
      // Players start again at a discontinuity anyway.
      if var diagnostic, joint == .splice || diagnostic.severity == .note {
        diagnostic.file = name
        onDiagnostic(diagnostic)
      }
    }
    let cuts = cuts(of: fragment)
    let parts = cuts.isEmpty ? nil : try changed.divided(at: cuts, ofTrack: reference, of: movie, media: media)
    // A fragment that cannot be divided is used unchanged.
    let all = parts ?? [(changed, media)]
    for (index, (fragment, media)) in all.enumerated() {
      guard fragment.parts.contains(where: { $0.track == reference }) else {
        try hold(fragment, media, at: now)
        continue
      }
      guard let pieces = try pieces(of: fragment, media) else {
        sayLost(fragment, "its tracks cannot be separated")
        continue
      }
      try begin(fragment, at: now, part: parts == nil ? nil : index, isContinued: index < all.count - 1)
      if !isLeavingOut {
        let earlier = waiting
        waiting = []
        for piece in earlier + pieces { try settle(piece) }
      }
      try endFragment(at: now)
    }
  }

  /// Completes all segments, because the following times are unrelated.
  mutating func finishTracks(at now: LiveTimestamp) throws(MovieError) {
    try placePending(at: now)
    if let start = segment?.start {
      let pieces = waiting
      waiting = []
      for piece in pieces {
        if (piece.reach - start).roundedSeconds <= cutting.most { try append(piece) } else { waiting.append(piece) }
      }
    }
    try followWaiting(at: now)
    try finishOwnTimes(at: now)
  }

  // MARK: The track that determines segments

  private func timescale(_ track: Int) -> UInt32 { movie?.movie.tracks[track].timescale ?? 1 }

  /// The track of the waiting data that determines segments if the current one has no samples.
  private var bestWaitingTrack: Int? {
    guard let movie, let first = waiting.min(by: { $0.onset < $1.onset }) else { return nil }
    let tracks = Set(waiting.flatMap { $0.fragment.parts.map(\.track) }).sorted()
    return tracks.first { movie.movie.tracks[$0].handler == "vide" }
      ?? tracks.first { movie.movie.tracks[$0].handler == "soun" } ?? first.fragment.parts.first?.track
  }

  /// Makes segments of all data that waits.
  private mutating func followWaiting(at now: LiveTimestamp) throws(MovieError) {
    while let track = bestWaitingTrack {
      let size = waitingSize
      try follow(track, at: now)
      // Data that starts no segment would wait forever.
      if waitingSize >= size { try writeWaiting(at: now) }
    }
  }
  private var waitingSize: Int { waiting.reduce(0) { $0 + $1.byteCount } }

  /// Follows another track with the data that waits, because the current one has no samples at its times.
  private mutating func follow(_ track: Int, at now: LiveTimestamp) throws(MovieError) {
    let own = waiting.filter { $0.has(track) }
    let duration = (own.map(\.reach).max() ?? .zero) - (own.map(\.onset).min() ?? .zero)
    if let tracks = movie?.movie.tracks, duration.roundedSeconds > 0 {
      let text = "track \(tracks[reference].id) has stopped; segments now follow track \(tracks[track].id)"
      onDiagnostic(Diagnostic(.warning, name, text))
    }
    try change(to: track, at: now)
    waiting.removeAll { $0.has(track) }
    for piece in own { try place(piece.fragment, piece.media, at: now) }
  }

  private mutating func change(to track: Int, at now: LiveTimestamp) throws(MovieError) {
    try finishOwnTimes(at: now)
    isDiscontinuity = segmentCount > 0
    reference = track
    timeline.beginTrack()
    cutting.reset()
  }

  /// Whether the track that should determine segments has samples again.
  private func followsMain(_ fragment: LiveFragment) -> Bool {
    guard let movie, reference != movie.reference else { return false }
    return fragment.parts.contains { $0.track == movie.reference && !$0.syncTimes.isEmpty }
  }
  private mutating func followMain(at now: LiveTimestamp) throws(MovieError) {
    guard let movie else { return }
    let text = "track \(movie.movie.tracks[movie.reference].id) continues; segments follow it again"
    onDiagnostic(Diagnostic(.note, name, text))
    try change(to: movie.reference, at: now)
  }

  /// Makes segments of the waiting data that is long before `piece`, such as the sound before the first picture or
  /// beside lost pictures.
  private mutating func placeWaiting(before piece: LiveTimeline.Piece, at now: LiveTimestamp) throws(MovieError) {
    let first = start(with: piece)
    guard first < piece.start, (piece.end - first).roundedSeconds > cutting.most else { return }
    var parts: [LivePiece] = []
    for own in waiting {
      if own.place(before: piece.start) == .across {
        parts += try divided(own, at: piece.start)
      } else {
        parts.append(own)
      }
    }
    waiting = parts.filter { $0.middle < piece.start }
    guard !waiting.isEmpty else { return waiting = parts }
    let (main, before) = (reference, timeline)
    try followWaiting(at: now)
    try change(to: main, at: now)
    timeline.continueTrack(of: before)
    waiting = parts.filter { $0.middle >= piece.start }
  }

  /// Where a segment starts whose first sample is that of `piece`: earlier if other tracks have samples long before.
  func start(with piece: LiveTimeline.Piece) -> Duration {
    guard let earliest = waiting.map(\.onset).min() else { return piece.start }
    let first = max(earliest, timeline.end ?? earliest)
    return (piece.start - first).roundedSeconds > 0 ? first : piece.start
  }

  /// Completes the open segment where its last track ends.
  private mutating func finishOwnTimes(at now: LiveTimestamp) throws(MovieError) {
    if let own = segment, (own.reach - own.end).roundedSeconds > 0 { segment?.end = own.reach }
    try finishSegment(until: nil, at: now)
  }

  // MARK: Other tracks

  /// Keeps a fragment without the track that determines segments for its segments.
  private mutating func hold(_ fragment: LiveFragment, _ media: [UInt8], at now: LiveTimestamp) throws(MovieError) {
    guard let movie, !fragment.parts.isEmpty else { return }
    guard let pieces = try pieces(of: fragment, media) else {
      return sayLost(fragment, "its tracks cannot be separated")
    }
    try takeKeys(of: fragment, movie)
    expectedTracks.formUnion(fragment.parts.map(\.track))
    timeline.appendOther()
    for piece in pieces {
      let follows = waiting.contains { other in piece.fragment.parts.contains { other.has($0.track) } }
      if follows { waiting.append(piece) } else { try settle(piece) }
    }
    guard let first = waiting.map(\.onset).min(), let last = waiting.map(\.onset).max() else { return }
    let isAbsent = last - max(first, timeline.end ?? first) > cutting.longest
    guard isAbsent || waitingSize > Self.mostHeldBytes else { return }
    if pending != nil { return try placePending(at: now) }
    if let track = bestWaitingTrack { try follow(track, at: now) }
  }

  /// Appends the samples of a piece up to the end of the open segment; the others wait.
  private mutating func settle(_ piece: LivePiece) throws(MovieError) {
    guard let segment, pending == nil else { return waiting.append(piece) }
    let end = max(segment.end, fragment?.piece?.end ?? segment.end)
    // Samples of the track that determines segments are in this one, also where other tracks are much longer.
    switch piece.place(before: end) {
    case .before: try append(piece)
    case .after where !piece.has(reference): waiting.append(piece)
    case .after where (piece.reach - end).roundedSeconds <= 0: try append(piece)
    case .after, .across:
      for part in try divided(piece, at: end) {
        if part.onset < end || part.has(reference) { try append(part) } else { waiting.append(part) }
      }
    }
  }

  /// Writes all data that waits to the open segment.
  mutating func writeWaiting(at now: LiveTimestamp) throws(MovieError) {
    try placePending(at: now)
    for piece in waiting { try append(piece) }
    waiting = []
  }

  /// The samples of a piece before and after a time; all of them if it cannot be divided.
  private func divided(_ piece: LivePiece, at time: Duration) throws(MovieError) -> [LivePiece] {
    guard let movie, let track = piece.fragment.parts.first?.track else { return [piece] }
    let cut = time.inNanoseconds.converted(to: timescale(track)).value
    let parts = try piece.fragment.divided(at: [cut], ofTrack: track, of: movie, media: piece.media)
    return parts?.map { LivePiece(piece.rendition, $0.fragment, $0.media, of: movie) } ?? [piece]
  }

  /// A fragment for each rendition; `nil` if samples would be lost.
  private func pieces(of fragment: LiveFragment, _ media: [UInt8]) throws(MovieError) -> [LivePiece]? {
    guard let movie else { return nil }
    guard isDivided else {
      let declared =
        fragment.hasUndeclaredTracks
        ? try fragment.separated(into: [Array(movie.movie.tracks.indices)], of: movie, media: media)?.first : nil
      return (declared ?? [(fragment, media)]).map { LivePiece(0, $0.fragment, $0.media, of: movie) }
    }
    let groups = try fragment.separated(into: renditions.map(\.tracks), of: movie, media: media)
    return groups.map { groups in
      groups.enumerated().flatMap { index, own in own.map { LivePiece(index, $0.fragment, $0.media, of: movie) } }
    }
  }

  /// Appends a piece to the open segment of its rendition.
  ///
  /// Where a track pauses, some writers extend the sample before the pause, and where it begins late, the first one.
  /// Such a sample is shortened, because it would be longer than a segment.
  private mutating func append(_ piece: LivePiece) throws(MovieError) {
    let rendition = renditions[piece.rendition]
    if let segment, !isDivided || rendition.tracks.contains(reference) {
      self.segment?.reach = max(segment.reach, piece.reach)
    }
    if let movie, let segment, isDivided, rendition.tracks.count == 1, rendition.tracks[0] != reference {
      var (start, end) = (piece.start, piece.end)
      if rendition.isInGap, (segment.start - start).roundedSeconds > 0 {
        let latest = piece.fragment.parts.first?.sampleCount == 1 ? piece.end : piece.onset
        start = segment.start < latest ? segment.start : piece.onset
      }
      let first = rendition.times?.start ?? start
      if (end - first).roundedSeconds > cutting.most { end = first + .seconds(cutting.most) }
      let lead = start - piece.start
      let shortened =
        lead == .zero && end == piece.end
        ? nil
        : try piece.fragment.shortened(
          atStart: lead.inNanoseconds, atEnd: (piece.end - end).inNanoseconds, of: movie, media: piece.media)
      if let (fragment, media) = shortened {
        let amount = (lead + (piece.end - end)).secondsText
        let text = "a sample that lasts several segments was shortened by \(amount)"
        onDiagnostic(Diagnostic(.note, name, "moof at byte \(fragment.offset): \(text)"))
        return try renditions[piece.rendition].append(LivePiece(piece.rendition, fragment, media, of: movie))
      }
    }
    try renditions[piece.rendition].append(piece)
  }

  func sayLost(_ fragment: LiveFragment, _ reason: String) {
    onDiagnostic(Diagnostic(.error, name, "moof at byte \(fragment.offset): \(reason); fragment omitted"))
  }
}

/// A fragment of the tracks of one rendition, and its times.
struct LivePiece {
  /// The index of the rendition.
  var rendition: Int
  var fragment: LiveFragment
  var media: [UInt8]
  private(set) var start = Duration.zero
  private(set) var end = Duration.zero
  /// The same times if none of its samples is extended to the start of another track or over a pause.
  private(set) var onset = Duration.zero
  private(set) var reach = Duration.zero

  /// Where the samples of a piece are.
  enum Place { case before, across, after }

  init(_ rendition: Int, _ fragment: LiveFragment, _ media: [UInt8], of movie: LiveMovie) {
    (self.rendition, self.fragment, self.media) = (rendition, fragment, media)
    for (index, part) in fragment.parts.enumerated() {
      let timescale = movie.movie.tracks[part.track].timescale
      let own = [part.start, part.extent.lowerBound, part.extent.upperBound, part.end].map {
        Duration.units($0, timescale: timescale)
      }
      (start, onset) = index == 0 ? (own[0], own[1]) : (min(start, own[0]), min(onset, own[1]))
      (reach, end) = index == 0 ? (own[2], own[3]) : (max(reach, own[2]), max(end, own[3]))
    }
  }

  /// About the memory that it needs.
  var byteCount: Int { media.count + fragment.box.count + 256 }
  /// The time that decides to which segment it belongs: most of it should be in one.
  var middle: Duration { onset + (reach - onset) / 2 }
  /// Whether it has samples of a track.
  func has(_ track: Int) -> Bool { fragment.parts.contains { $0.track == track } }

  /// Where its samples are, relative to a time: on one side of it, apart from less than half a second, or on both.
  func place(before time: Duration) -> Place {
    if (time - onset).roundedSeconds > 0, (reach - time).roundedSeconds > 0 { return .across }
    return middle < time ? .before : .after
  }
}

extension Duration {
  /// The same time in nanoseconds; longer times are clamped.
  fileprivate var inNanoseconds: MediaTime {
    let (seconds, attoseconds) = components
    let limit: Int64 = 1 << 32
    return MediaTime(max(-limit, min(seconds, limit)) * 1_000_000_000 + attoseconds / 1_000_000_000, 1_000_000_000)
  }
}
