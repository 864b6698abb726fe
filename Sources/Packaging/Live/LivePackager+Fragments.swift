import HLS
import ISOBMFF
import MP4

/// Fragments, and the segments that they become.
extension LivePackager {
  mutating func begin(_ fragment: LiveFragment, at now: LiveMoment) throws(MovieError) {
    guard let movie else { return }
    try chooseReference(fragment, movie, at: now)
    var piece: LiveTimeline.Piece?
    if let part = fragment.parts.first(where: { $0.track == reference }) {
      let own = LiveTimeline.Piece(part, fragment, timescale: movie.movie.tracks[reference].timescale)
      guard try place(own, of: fragment, at: now) else { return isLeavingOut = true }
      piece = own
    }
    if main == nil, piece != nil { main = try LiveMain(movie, fragment, uri: Self.indexName) }
    seenTracks.formUnion(fragment.parts.map(\.track))
    self.fragment = OpenFragment(piece: piece, isWhole: seenTracks.count == Set(fragment.parts.map(\.track)).count)
    // Numbers rise; a source that began anew counts from the start.
    var number = fragment.sequenceNumber
    if let latest = sequenceNumber, number <= latest { number = latest &+ 1 }
    sequenceNumber = number
    try write(fragment.bytes(sequenceNumber: number)[...])
  }

  /// Ends the open segment if it ends before the fragment `piece`, and begins one if there is none. Returns whether the
  /// fragment is used.
  private mutating func place(
    _ piece: LiveTimeline.Piece, of fragment: LiveFragment, at now: LiveMoment
  ) throws(MovieError) -> Bool {
    let step = timeline.step(to: piece)
    say(step, piece, fragment)
    switch step {
    case .repeated: return false
    case .hole, .back:
      try finishSegment(until: nil, at: now)
      isDiscontinuity = isDiscontinuity || segmentCount > 0
      cutting.beginAnew()
    case .first, .continuous:
      guard let segment, cutting.ends(from: segment.start, before: piece) else { break }
      try finishSegment(until: piece.start, at: now)
    }
    let date = timeline.date(of: piece, step, cameAt: now.date)
    if segment == nil {
      segment = OpenSegment(
        start: piece.start, end: piece.start, date: date.inMilliseconds, isDiscontinuity: isDiscontinuity,
        beginsWithSync: piece.beginsWithSync)
      isDiscontinuity = false
    }
    return true
  }

  private func say(_ step: LiveTimeline.Step, _ piece: LiveTimeline.Piece, _ fragment: LiveFragment) {
    let moof = "moof at byte \(fragment.offset): "
    let start = piece.start.secondsText
    switch step {
    case .hole(let gap):
      let text = "nothing came for \(gap.secondsText) before \(start); a discontinuity stands for it"
      onNotice(Notice(.loss, name, moof + text))
    case .back(let amount):
      let text = "times go back by \(amount.secondsText) to \(start); a discontinuity begins"
      onNotice(Notice(.warning, name, moof + text))
    case .repeated: onNotice(Notice(.note, name, moof + "it is a fragment that came before, at \(start); left out"))
    case .first, .continuous: break
    }
  }

  /// Lets another track say when segments begin, when nothing comes of the one that did.
  private mutating func chooseReference(
    _ fragment: LiveFragment, _ movie: LiveMovie, at now: LiveMoment
  ) throws(MovieError) {
    guard let part = fragment.parts.first, !fragment.parts.contains(where: { $0.track == reference }) else {
      if !fragment.parts.isEmpty { absence = .zero }
      return
    }
    absence += .units(part.duration, timescale: movie.movie.tracks[part.track].timescale)
    guard absence > cutting.longest else { return }
    let tracks = movie.movie.tracks
    let text =
      "nothing comes of track \(tracks[reference].id); segments begin as track \(tracks[part.track].id) does now"
    onNotice(Notice(.warning, name, text))
    try finishSegment(until: nil, at: now)
    isDiscontinuity = segmentCount > 0
    (reference, absence) = (part.track, .zero)
    timeline.beginMovie(isRepeated: false)
    cutting.beginAnew()
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

  mutating func endFragment(at now: LiveMoment) throws(MovieError) {
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
    if cutting.ends(from: segment.start, behind: piece) { try finishSegment(until: nil, at: now) }
  }

  mutating func loseFragment() throws(MovieError) {
    isLeavingOut = false
    guard fragment != nil else { return }
    fragment = nil
    fragmentSize = 0
    do throws(IOError) { try output.truncate(to: segmentSize) } catch { throw .io(error) }
    if let segment, segment.start == segment.end {
      // It was begun for this fragment, and the next one starts at another time.
      isDiscontinuity = isDiscontinuity || segment.isDiscontinuity
      self.segment = nil
    }
  }

  /// Completes the open segment, which ends when the next fragment starts if that follows it.
  mutating func finishSegment(until next: Duration?, at now: LiveMoment) throws(MovieError) {
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
      onNotice(Notice(.warning, self.name, "\(name) begins without a sync sample; players cannot begin with it"))
    }
    let entry = LiveWindow.Entry(
      name: name, initialization: initializationName, duration: duration, date: segment.date,
      isDiscontinuity: segment.isDiscontinuity)
    var window =
      self.window ?? LiveWindow(count: options.keepsAll ? nil : options.windowCount, targetDuration: target)
    window.append(entry, at: now.uptime)
    self.window = window
    try publish(at: now)
    if let bytes = main?.playlist(with: (byteCount, duration), targetDuration: target) {
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
    let text =
      "\(segment) lasts \(duration.secondsText), but the playlist has declared at most \(target) s, which cannot change; "
      + "players may stall. --target-duration \(duration.roundedSeconds) would have made room"
    onNotice(Notice(.warning, name, text))
  }

  /// Writes the playlist, and removes files that were in it long ago.
  mutating func publish(at now: LiveMoment) throws(MovieError) {
    guard let bytes = window?.playlist.bytes else { return }
    do throws(IOError) { try output.write(bytes, as: Self.indexName) } catch { throw .io(error) }
    for name in window?.takeExpired(at: now.uptime) ?? [] { output.remove(name) }
  }
}

extension DateTime {
  /// The time without what is finer than a millisecond.
  fileprivate var inMilliseconds: DateTime {
    let (seconds, attoseconds) = sinceEpoch.components
    return DateTime(
      sinceEpoch: .seconds(seconds) + .milliseconds(attoseconds / 1_000_000_000_000_000), zone: zone)
  }
}

extension Duration {
  /// Such as `2.000 s`.
  fileprivate var secondsText: String {
    let (seconds, attoseconds) = components
    return "\(MediaTime(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1000))"
  }
}
