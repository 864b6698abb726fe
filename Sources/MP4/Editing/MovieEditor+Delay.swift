import ISOBMFF
import MP4Bytes

/// Moves tracks in time by their edit lists.
extension MovieEditor {
  /// An editor that presents tracks later, or earlier if `delay` is negative: then, empty edits at the start become
  /// shorter, and what would be presented before the start of the movie is hidden.
  ///
  /// The movie timescale changes if it cannot express the delay. Timecode tracks move with the tracks that refer to
  /// them.
  public func settingDelay(of tracks: TrackSelection, by delay: MediaTime) throws -> MovieEditor {
    guard delay.value != 0 else { return try editingTracks(tracks) { _ in } }
    var (timescale, isFragmented) = (UInt32(0), false)
    _ = try editingMovie { moov in
      timescale = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source)?.timescale ?? 0
      isFragmented = moov.first("mvex") != nil
    }
    guard timescale > 0 else { throw MovieError.impossible(file: source.name, .noTimescale(path: "moov/mvhd")) }
    var editor = self
    if !delay.converted(to: timescale).isExact, let common = commonTimescale(timescale, delay.timescale) {
      editor = try settingTimescale(to: common)
      timescale = common
    }
    let units = delay.converted(to: timescale).value
    let moved = TrackSelection(try editor.withTimecodes(of: tracks).map { .id($0) })
    editor = try editor.editingTracks(moved) { trak in
      let tkhd = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)
      guard let mdhd = try trak.payload(["mdia", "mdhd"], MediaHeaderBox.self, of: source), mdhd.timescale > 0 else {
        throw MovieError.impossible(file: source.name, .noTimescale(path: "moov/trak/mdia/mdhd"))
      }
      var entries = Array(try trak.payload(["edts", "elst"], EditListBox.self, of: source)?.entries ?? BoxTable())
      if entries.isEmpty {
        let duration = MediaTime(Int64(clamping: mdhd.duration), mdhd.timescale).converted(to: timescale).value
        entries = [EditListBox.Entry(segmentDuration: isFragmented ? 0 : UInt64(max(0, duration)), mediaTime: 0)]
      }
      if units > 0, let first = entries.first, first.mediaTime < 0 {
        entries[0].segmentDuration = first.segmentDuration.addingReportingOverflow(UInt64(units)).partialValue
      } else if units > 0 {
        entries.insert(EditListBox.Entry(segmentDuration: UInt64(units), mediaTime: -1), at: 0)
      } else {
        guard entries.allSatisfy({ $0.isPlain }) else {
          let text = "track \(tkhd?.trackID ?? 0) has edits with another speed, which cannot start earlier"
          throw MovieError.impossible(file: source.name, Obstacle("edit_speed", text))
        }
        entries.hide(units.magnitude, MediaTime(units == .min ? .max : -units, timescale), mdhd.timescale)
        if entries.isEmpty {
          let text = "track \(tkhd?.trackID ?? 0) would end before the movie starts"
          throw MovieError.impossible(file: source.name, Obstacle("delay_too_early", text))
        }
      }
      try trak.setEdits(entries, of: source)
    }
    if isFragmented { return editor }
    return try editor.updatingDurations()
  }

  /// The IDs of tracks, and of the timecode tracks to which they refer.
  private func withTimecodes(of tracks: TrackSelection) throws -> [UInt32] {
    var ids: [UInt32] = []
    _ = try editingTracks(tracks) { trak in
      if let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID { ids.append(id) }
      let place = trak.first("tref", "tmcd")?.header?.payload
      guard let place, place.count < 1 << 10 else { return }
      let bytes = try io(source.bytes(in: place))
      for at in stride(from: 0, to: bytes.count - 3, by: 4) {
        ids.append(bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) })
      }
    }
    var known: Set<UInt32> = []
    _ = try editingTracks(TrackSelection()) { trak in
      if let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID { known.insert(id) }
    }
    var seen: Set<UInt32> = []
    return ids.filter { known.contains($0) && seen.insert($0).inserted }
  }

  /// An editor that moves the chapters of Nero's list; those that would be before the start are at the start.
  func movingChapterList(by delay: MediaTime) throws -> MovieEditor {
    try editingMovie { moov in
      let place = moov.first("udta", "chpl")?.header?.payload
      guard let place, place.count < 1 << 20, let list = ChapterList(nero: try io(source.bytes(in: place))) else {
        return
      }
      let moved = list.chapters.map { Chapter(time: max(MediaTime(0, 1), $0.time + delay), title: $0.title) }
      // Of several at the start, the last one is current.
      let first = moved.lastIndex { $0.time.value == 0 } ?? 0
      moov.edit("udta") { udta in
        guard let index = udta.boxes.firstIndex(where: { $0.type == "chpl" }) else { return }
        udta.boxes[index] = ChapterList(Array(moved[first...])).box()
      }
    }
  }

  /// Sets the durations of tracks with edits, and that of the movie.
  private func updatingDurations() throws -> MovieEditor {
    try editingMovie { moov in
      var longest: UInt64 = 0
      for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
        let elst = try moov.boxes[index].payload(["edts", "elst"], EditListBox.self, of: source)
        try moov.boxes[index].edit(["tkhd"], TrackHeaderBox.self, of: source) { tkhd in
          if let elst, !elst.entries.isEmpty {
            tkhd.duration = elst.entries.reduce(0) { $0.addingReportingOverflow($1.segmentDuration).partialValue }
          }
          longest = max(longest, tkhd.duration.isUnknownDuration(tkhd.version) ? 0 : tkhd.duration)
        }
      }
      try moov.edit(["mvhd"], MovieHeaderBox.self, of: source) { $0.duration = longest }
    }
  }
}

extension EditListBox.Entry {
  /// Whether it is empty, or presents media at its normal speed.
  fileprivate var isPlain: Bool { mediaTime < 0 || (mediaRateInteger, mediaRateFraction) == (1, 0) }
}

extension [EditListBox.Entry] {
  /// Hides the start of a presentation: `units` of the movie timescale, which are `time`.
  fileprivate mutating func hide(_ units: UInt64, _ time: MediaTime, _ mediaTimescale: UInt32) {
    var (left, hidden) = (units, time)
    while left > 0, let first = first {
      // A duration of 0 means all of the media.
      if first.segmentDuration > left || first.segmentDuration == 0 && first.mediaTime >= 0 {
        if first.segmentDuration > 0 { self[0].segmentDuration -= left }
        if first.mediaTime >= 0 {
          let (start, overflow) = first.mediaTime.addingReportingOverflow(hidden.converted(to: mediaTimescale).value)
          self[0].mediaTime = overflow ? .max : start
        }
        return
      }
      left -= first.segmentDuration
      hidden = MediaTime(Int64(left), hidden.timescale)
      removeFirst()
    }
  }
}

extension Box {
  /// Replaces the edit list of a track.
  fileprivate mutating func setEdits(_ entries: [EditListBox.Entry], of source: any ByteSource) throws {
    if first("edts", "elst") == nil {
      boxes.removeAll { $0.type == "edts" }
      let at = boxes.firstIndex { $0.type == "mdia" } ?? boxes.endIndex
      boxes.insert(Box("edts", boxes: [Box(EditListBox())]), at: at)
    }
    try edit(["edts", "elst"], EditListBox.self, of: source) { elst in
      elst.entries = BoxTable(entries)
      try elst.change { _, _ in }
    }
  }
}
