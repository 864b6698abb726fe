import Bytes
import HLS
import ISOBMFF
import MP4

/// Fragments and segments.
extension LivePackager {
  /// Starts a fragment, or a part of one.
  mutating func begin(
    _ fragment: LiveFragment, at now: LiveTimestamp, part number: Int? = nil, isContinued: Bool = false
  ) throws(MovieError) {
    guard let movie else { return }
    try chooseReference(fragment, movie, at: now)
    var piece: LiveTimeline.Piece?
    if let part = fragment.parts.first(where: { $0.track == reference }) {
      var own = LiveTimeline.Piece(part, fragment, timescale: movie.movie.tracks[reference].timescale)
      if number != nil { own.group = group(of: part) }
      guard try place(own, of: fragment, at: now) else { return isLeavingOut = true }
      piece = own
    }
    if piece == nil, segment == nil, let part = fragment.parts.first {
      let own = LiveTimeline.Piece(part, fragment, timescale: movie.movie.tracks[part.track].timescale)
      if rest == nil { rest = own }
      rest?.end = own.end
    }
    if waitsForSource, piece != nil {
      try multivariant.begin(movie, fragment)
      waitsForSource = false
    }
    try takeKeys(of: fragment, movie)
    seenTracks.formUnion(fragment.parts.map(\.track))
    let isWhole = seenTracks.count == Set(fragment.parts.map(\.track)).count
    self.fragment = OpenFragment(
      piece: piece, isWhole: number ?? 0 == 0 ? isWhole : nil, isContinued: isContinued)
    // Numbers must increase, but a restarted source counts from the start.
    var number = fragment.sequenceNumber
    if let latest = sequenceNumber, number <= latest { number = latest &+ 1 }
    sequenceNumber = number
    try write(fragment.bytes(sequenceNumber: number)[...])
  }

  /// Checks the encryption of a fragment.
  private mutating func takeKeys(of fragment: LiveFragment, _ movie: LiveMovie) throws(MovieError) {
    let new = fragment.parts.reduce(into: keyIDs) { $0.formUnion($1.keyIDs) }
    guard new.count > keyIDs.count else { return }
    if keyIDs.isEmpty {
      scheme = try movie.protectionScheme()
      if let scheme, options.key == nil { onDiagnostic(Packager.Key.missing(scheme, name)) }
    }
    if keyIDs.count <= 1, new.count > 1, options.key != nil { onDiagnostic(Packager.Key.diagnostic(new.count, name)) }
    keyIDs = new
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
    let date = timeline.date(of: piece, step, cameAt: now.date)
    if segment == nil { open(piece, date) }
    return true
  }

  private mutating func open(_ piece: LiveTimeline.Piece, _ date: DateTime) {
    segment = OpenSegment(
      start: piece.start, end: piece.start, date: date.inMilliseconds, isDiscontinuity: isDiscontinuity,
      beginsWithSync: piece.beginsWithSync, isIndependent: piece.isIndependent)
    (isDiscontinuity, rest) = (false, nil)
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

  /// Chooses another track to determine segments if the current one has no more samples.
  private mutating func chooseReference(
    _ fragment: LiveFragment, _ movie: LiveMovie, at now: LiveTimestamp
  ) throws(MovieError) {
    guard let part = fragment.parts.first, !fragment.parts.contains(where: { $0.track == reference }) else {
      if !fragment.parts.isEmpty { absence = .zero }
      return
    }
    absence += .units(part.duration, timescale: movie.movie.tracks[part.track].timescale)
    guard absence > cutting.longest else { return }
    let tracks = movie.movie.tracks
    let text =
      "track \(tracks[reference].id) has stopped; segments now follow track \(tracks[part.track].id)"
    onDiagnostic(Diagnostic(.warning, name, text))
    try finishSegment(until: nil, at: now)
    isDiscontinuity = segmentCount > 0
    (reference, absence) = (part.track, .zero)
    timeline.beginMovie(isRepeated: false)
    cutting.reset()
  }

  mutating func write(_ bytes: ArraySlice<UInt8>) throws(MovieError) {
    if isLeavingOut { return }
    fragmentSize += bytes.count
    do throws(IOError) { try output.append(bytes) } catch { throw .io(error) }
  }

  func correct(_ bytes: [UInt8], at offset: Int) throws(MovieError) {
    if isLeavingOut || fragment == nil { return }
    do throws(IOError) { try output.overwrite(bytes, at: segmentSize + offset) } catch { throw .io(error) }
  }

  mutating func endFragment(at now: LiveTimestamp) throws(MovieError) {
    defer { isLeavingOut = false }
    guard let fragment else { return }
    self.fragment = nil
    segmentSize += fragmentSize
    fragmentSize = 0
    guard let piece = fragment.piece else { return }
    timeline.append(piece)
    cutting.append(piece, isWhole: fragment.isWhole)
    guard var segment else { return }
    segment.end = max(segment.end, piece.end)
    self.segment = segment
    if !fragment.isContinued, cutting.ends(from: segment.start, after: piece) {
      try finishSegment(until: nil, at: now)
    }
  }

  mutating func loseFragment() throws(MovieError) {
    isLeavingOut = false
    guard fragment != nil else { return }
    fragment = nil
    fragmentSize = 0
    do throws(IOError) { try output.truncate(to: segmentSize) } catch { throw .io(error) }
    if let segment, segment.start == segment.end {
      // The segment was started for this fragment, and the next one starts at another time.
      isDiscontinuity = isDiscontinuity || segment.isDiscontinuity
      self.segment = nil
    }
  }

  /// Completes the open segment, which ends where the next fragment starts if both are adjacent.
  mutating func finishSegment(until next: Duration?, at now: LiveTimestamp) throws(MovieError) {
    if segment == nil, segmentSize > 0, let rest {
      open(rest, timeline.date(of: rest, .continuous, cameAt: now.date))
      segment?.end = rest.end
    }
    guard let segment, segmentSize > 0, fragment == nil else { return }
    let duration = max(.zero, (next ?? segment.end) - segment.start)
    try writeInitialization()
    let name = "segment\(segmentCount + 1).m4s"
    do throws(IOError) { try output.finish(as: name) } catch { throw .io(error) }
    let byteCount = segmentSize
    (self.segment, segmentSize) = (nil, 0)
    segmentCount += 1
    let target = cutting.settle(duration)
    if duration.roundedSeconds > target { sayTooLong(name, duration, target) }
    if !segment.beginsWithSync {
      onDiagnostic(
        Diagnostic(.warning, self.name, "\(name) does not begin with a sync sample; players cannot start there"))
    }
    var entry = LiveWindow.Entry(
      name: name, initialization: initializationName, duration: duration, date: segment.date,
      isDiscontinuity: segment.isDiscontinuity)
    entry.isIndependent = segment.isIndependent
    if let scheme, let key = options.key { entry.keys = [key.tag(scheme)] }
    var window =
      self.window ?? LiveWindow(count: options.keepsAll ? nil : options.windowCount, targetDuration: .seconds(target))
    window.append(entry, at: now.uptime)
    self.window = window
    try publish(at: now)
    let bytes = multivariant.append(
      (byteCount, duration), initialization: initializationName, of: window, targetDuration: .seconds(target))
    if let bytes {
      do throws(IOError) { try output.write(bytes, as: Self.mainName) } catch { throw .io(error) }
    }
  }

  /// Writes the init segment before the first segment that needs it.
  private mutating func writeInitialization() throws(MovieError) {
    guard let bytes = waitingInitialization else { return }
    waitingInitialization = nil
    initializationCount += 1
    initializationName = initializationCount == 1 ? "init.mp4" : "init\(initializationCount).mp4"
    do throws(IOError) { try output.write(bytes, as: initializationName) } catch { throw .io(error) }
  }

  private func sayTooLong(_ segment: String, _ duration: Duration, _ target: Int) {
    let kind = Diagnostic.Kind.overTarget(
      segment: segment, duration: duration.inMilliseconds, declared: target, needed: duration.roundedSeconds)
    onDiagnostic(Diagnostic(kind, name))
  }

  /// Writes the playlist, and deletes files that were removed from it long ago.
  mutating func publish(at now: LiveTimestamp) throws(MovieError) {
    guard let bytes = window?.playlist.bytes else { return }
    do throws(IOError) { try output.write(bytes, as: Self.indexName) } catch { throw .io(error) }
    for name in window?.takeExpired(at: now.uptime) ?? [] { output.remove(name) }
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

extension Duration {
  /// A text such as `2.000 s`.
  fileprivate var secondsText: String { inMilliseconds.description }
  fileprivate var inMilliseconds: MediaTime {
    let (seconds, attoseconds) = components
    return MediaTime(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1000)
  }
}
