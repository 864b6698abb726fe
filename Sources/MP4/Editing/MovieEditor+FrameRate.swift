import ISOBMFF
import MP4Bytes

extension MovieEditor {
  /// An editor that gives video tracks a constant frame rate: every frame gets the same duration, in presentation
  /// order. Composition offsets, edits and durations are adapted; other tracks do not change. A note reports by how
  /// much the video becomes longer or shorter. Parameter sets of H.264 and H.265 that declare a rate get this one.
  ///
  /// - Throws: `MovieError` also if a track is not video, or if the file has movie fragments.
  public func settingFrameRate(of tracks: TrackSelection, to rate: FrameRate) throws -> MovieEditor {
    try refuseFragments()
    var movieTimescale: UInt32 = 0
    _ = try editingMovie { moov in
      movieTimescale = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source)?.timescale ?? 0
    }
    guard movieTimescale > 0 else {
      throw MovieError.impossible(file: source.name, .noTimescale(path: "moov/mvhd"))
    }
    var notes: [Diagnostic] = []
    let edited = try editingTracks(tracks) { trak in
      notes += try setFrameRate(of: &trak, to: rate, movieTimescale: movieTimescale)
    }
    var editor = try edited.editingMovie { moov in
      let durations = try moov.boxes.filter { $0.type == "trak" }.compactMap { trak in
        try trak.payload(["tkhd"], TrackHeaderBox.self, of: source).flatMap {
          $0.duration.isUnknownDuration($0.version) ? nil : $0.duration
        }
      }
      try moov.edit(["mvhd"], MovieHeaderBox.self, of: source) { mvhd in
        if !mvhd.duration.isUnknownDuration(mvhd.version), let longest = durations.max() { mvhd.duration = longest }
      }
    }
    editor.diagnostics += notes
    return try editor.declaringFrameRate(rate, of: tracks)
  }

  private func setFrameRate(of trak: inout Box, to rate: FrameRate, movieTimescale: UInt32) throws -> [Diagnostic] {
    let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
    func refusal(_ obstacle: Obstacle) -> MovieError { .impossible(file: source.name, obstacle) }
    guard try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType == "vide" else {
      throw refusal(Obstacle("not_video", "track \(id) is not video, so it has no frame rate"))
    }
    let table: [FourCC] = ["mdia", "minf", "stbl"]
    let old = try trak.payload(["mdia", "mdhd"], MediaHeaderBox.self, of: source)?.timescale ?? 0
    guard old > 0 else { throw refusal(.noTimescale(path: "mdhd of track \(id)")) }
    let elst = try trak.payload(["edts", "elst"], EditListBox.self, of: source)
    let times: ConstantFrameRate
    let samples = ConstantFrameRate.Samples(
      track: id, timescale: old, stts: try trak.payload(table + ["stts"], TimeToSampleBox.self, of: source) ?? .init(),
      ctts: try trak.payload(table + ["ctts"], CompositionOffsetBox.self, of: source),
      hasEdits: elst?.entries.isEmpty == false)
    do throws(Obstacle) { times = try ConstantFrameRate(rate, samples) } catch { throw refusal(error) }

    try trak.edit(table + ["stts"], TimeToSampleBox.self, of: source) { $0.entries = times.timeToSample.entries }
    try trak.edit(table + ["ctts"], CompositionOffsetBox.self, of: source) { times.write(to: &$0) }
    try trak.edit(table + ["cslg"], CompositionToDecodeBox.self, of: source) { times.write(to: &$0) }
    func inMovie(_ value: Int64, _ timescale: UInt32) -> Int64 {
      max(0, MediaTime(value, timescale).converted(to: movieTimescale).value)
    }
    var presented = (before: MediaTime(times.oldDuration, old), after: MediaTime(times.duration, times.timescale))
    var duration = inMovie(times.duration, times.timescale)
    if elst?.entries.isEmpty == false {
      var sums = (before: Int64(0), after: Int64(0))
      try trak.edit(["edts", "elst"], EditListBox.self, of: source) { elst in
        try elst.change { _, entry in
          let length = Int64(clamping: entry.segmentDuration)
          var newLength = length
          if entry.mediaTime >= 0 {
            let isPlaying = entry.mediaRateInteger != 0
            guard entry.mediaRateFraction == 0, (0...1).contains(entry.mediaRateInteger) else {
              throw refusal(Obstacle("edit_speed", "track \(id) has an edit with a speed other than 1"))
            }
            let start = times.time(entry.mediaTime)
            if isPlaying, length > 0 {
              // Durations are rounded to the timescale of the movie.
              let unit = Int64(old / movieTimescale) + 1
              let end = entry.mediaTime.addingSaturating(MediaTime(length, movieTimescale).converted(to: old).value)
              newLength = inMovie(times.time(end, tolerance: unit) - start, times.timescale)
            } else if isPlaying {
              newLength = 0
            }
            entry.mediaTime = start
          }
          entry.segmentDuration = UInt64(newLength)
          sums = (sums.before.addingSaturating(length), sums.after.addingSaturating(newLength))
        }
      }
      presented = (MediaTime(sums.before, movieTimescale), MediaTime(sums.after, movieTimescale))
      duration = sums.after
    }
    try trak.edit(["tkhd"], TrackHeaderBox.self, of: source) { tkhd in
      if !tkhd.duration.isUnknownDuration(tkhd.version) { tkhd.duration = UInt64(duration) }
    }
    try trak.edit(["mdia", "mdhd"], MediaHeaderBox.self, of: source) { mdhd in
      mdhd.timescale = times.timescale
      mdhd.duration = UInt64(times.duration)
    }
    let change = presented.after - presented.before
    let difference = MediaTime(abs(change.value), change.timescale)
    let length =
      change.value == 0 ? "as long as before" : "\(difference) \(change.value > 0 ? "longer" : "shorter")"
    let text = "track \(id): each frame lasts \(times.frame)/\(times.timescale) s; the video is \(length)"
    var notes = [Diagnostic(.note, source.name, text)]
    if trak.first("tref", "tmcd") != nil {
      notes.append(Diagnostic(.note, source.name, "track \(id): its timecode keeps the frame rate that it declares"))
    }
    return notes
  }
}

extension Int64 {
  /// The sum, clamped to the largest number.
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
