import ISOBMFF
public import MP4Bytes

extension MovieEditor {
  /// An editor that sets the timecode of the first picture, in a timecode track to which the video refers. A timecode
  /// track that is there is replaced, because its samples could start again at any time.
  ///
  /// - Parameters:
  ///   - start: The timecode.
  ///   - rate: The frame rate of the timecode; `nil` is that of the video, or of the timecode that is there.
  ///   - reel: The name of the reel or the tape; `nil` keeps the one that is there.
  /// - Throws: `MovieError` also if the file is fragmented or has no video, if its frame rate varies and none is given,
  ///   and if the timecode does not exist at the rate.
  public func settingTimecode(
    _ start: StartTimecode, rate: FrameRate? = nil, reel: String? = nil
  ) throws -> MovieEditor {
    try refuseFragments()
    var (media, note): ([UInt8]?, Diagnostic?) = (nil, nil)
    var editor = try editingMovie { moov in
      let video = try moov.boxes.first { trak in
        try trak.type == "trak" && trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType == "vide"
      }
      guard let video else {
        throw MovieError.impossible(
          file: source.name, Obstacle("no_video", "it has no video, to which a timecode could belong"))
      }
      let (own, times) = (try timecode(in: moov), try presentation(of: video, in: moov))
      let removed = try removeTracks(referredToAs: "tmcd", from: &moov, "its timecode is")
      guard let rate = try rate ?? own.rate ?? frameRate(of: video) else {
        let text = "the frame rate of its video varies; give the rate of the timecode"
        throw MovieError.impossible(file: source.name, Obstacle("variable_rate", text))
      }
      let track: TimecodeTrack
      do throws(Obstacle) {
        track = try TimecodeTrack(
          start, rate, reel: reel ?? own.reel, delay: times.delay, duration: times.duration)
      } catch {
        throw MovieError.impossible(file: source.name, error)
      }
      guard try addTrack(to: &moov, as: "tmcd", for: ["vide"], after: removed, track.box) else {
        let text = "its movie header or its track IDs leave no room for another track"
        throw MovieError.impossible(file: source.name, Obstacle("no_new_track", text))
      }
      media = track.media
      if let video = try frameRate(of: video), video.numerator * rate.denominator != rate.numerator * video.denominator
      {
        let text = "the timecode counts \(TimecodeTrack.text(rate)) frames per second, the video has "
        note = Diagnostic(.note, source.name, text + TimecodeTrack.text(video))
      }
    }
    if let media { editor = editor.appendMedia(media) }
    if let note { editor.diagnostics.append(note) }
    return editor
  }

  /// An editor that sets the timecode of the first picture to that of another movie, with its rate and its reel.
  ///
  /// - Throws: `MovieError` also if the other movie has no timecode.
  public func settingTimecode(from other: any ByteSource) throws -> MovieEditor {
    var own: (rate: FrameRate?, reel: String?) = (nil, nil)
    let editor = try MovieEditor(other)
    _ = try editor.editingMovie { own = try editor.timecode(in: $0) }
    let track = try Movie(reading: [other]).tracks.first { $0.handler == "tmcd" }
    guard let timecode = try track.flatMap({ try Timecode.first(of: $0) }) else {
      throw MovieError.impossible(file: other.name, Obstacle("no_timecode", "it has no timecode"))
    }
    let (code, format) = (timecode.format.timecode(max(0, timecode.frame)), timecode.format)
    let start = StartTimecode(
      Int(code.hours), Int(code.minutes), Int(code.seconds), Int(code.frames), dropsFrames: format.dropsFrames)
    return try settingTimecode(start, rate: own.rate, reel: own.reel)
  }

  /// An editor that sets the timecode of the first picture to the time of day (UTC) at which the movie was created.
  ///
  /// - Throws: `MovieError` also if the movie does not declare it.
  public func settingTimecodeOfDay(rate: FrameRate? = nil, reel: String? = nil) throws -> MovieEditor {
    var (created, own): (UInt64, FrameRate?) = (0, nil)
    _ = try editingMovie { moov in
      created = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source)?.creationTime ?? 0
      let video = try moov.boxes.first { trak in
        try trak.type == "trak" && trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType == "vide"
      }
      own = try timecode(in: moov).rate ?? video.flatMap { try frameRate(of: $0) }
    }
    guard created > 0 else {
      throw MovieError.impossible(
        file: source.name, Obstacle("no_creation_time", "it does not declare when it was made"))
    }
    let (second, rate) = (Int(created % 86_400), rate ?? own)
    // Drop-frame timecodes keep step with a clock; they do not have the first numbers of most minutes.
    let frames = rate.map { ($0.numerator + $0.denominator - 1) / $0.denominator } ?? 0
    let drops = rate.map { frames % 30 == 0 && $0.numerator * 1001 == frames * 1000 * $0.denominator } ?? false
    let isDropped = drops && second % 60 == 0 && second / 60 % 10 != 0
    let start = StartTimecode(
      second / 3600, second / 60 % 60, second % 60, isDropped ? Int(frames) / 15 : 0, dropsFrames: drops)
    return try settingTimecode(start, rate: rate, reel: reel)
  }

  /// The reel of the timecode; `nil` if there is none.
  package var reel: String? {
    get throws {
      var reel: String?
      _ = try editingMovie { reel = try timecode(in: $0).reel }
      return reel
    }
  }

  /// The rate and the reel of the timecode track that is there.
  private func timecode(in moov: Box) throws -> (rate: FrameRate?, reel: String?) {
    for trak in moov.boxes where trak.type == "trak" {
      let entry = trak.first("mdia", "minf", "stbl", "stsd")?.boxes.first
      guard let entry, entry.type == "tmcd" else { continue }
      let fields = try? entry.payload(as: TimecodeSampleEntry.self, from: source).get()
      let rate = fields.flatMap { fields in
        fields.timeScale > 0 && fields.frameDuration > 0
          ? FrameRate(Int64(fields.timeScale), Int64(fields.frameDuration)) : nil
      }
      // The text follows its size and its language.
      let place = entry.first("name")?.header?.payload
      let name = try place.map { try io(source.bytes(in: $0.lowerBound..<min($0.upperBound, $0.lowerBound + 1 << 16))) }
      return (rate, name.map { String(decoding: $0.dropFirst(4), as: UTF8.self) })
    }
    return (nil, nil)
  }

  /// The frame rate of a video track; `nil` if the durations of its frames, except the last one, differ.
  private func frameRate(of trak: Box) throws -> FrameRate? {
    let timescale = try trak.payload(["mdia", "mdhd"], MediaHeaderBox.self, of: source)?.timescale ?? 0
    let stts = try trak.payload(["mdia", "minf", "stbl", "stts"], TimeToSampleBox.self, of: source)
    let entries = Array(stts?.entries ?? BoxTable()).filter { $0.sampleCount > 0 }
    guard timescale > 0, let first = entries.first, first.sampleDelta > 0,
      entries.count == 1 || entries.count == 2 && entries[1].sampleCount == 1
    else { return nil }
    let divisor = greatestCommonDivisor(UInt64(timescale), UInt64(first.sampleDelta))
    return FrameRate(Int64(UInt64(timescale) / divisor), Int64(UInt64(first.sampleDelta) / divisor))
  }

  /// When the presentation of a track begins, and its duration from there on; or else those of its media.
  private func presentation(of trak: Box, in moov: Box) throws -> (delay: MediaTime, duration: MediaTime) {
    let mvhd = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source)
    let tkhd = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)
    guard let mvhd, mvhd.timescale > 0, let tkhd, !tkhd.duration.isUnknownDuration(tkhd.version) else {
      let mdhd = try trak.payload(["mdia", "mdhd"], MediaHeaderBox.self, of: source)
      return (MediaTime(0, 1), MediaTime(Int64(clamping: mdhd?.duration ?? 0), mdhd?.timescale ?? 1))
    }
    let edits = try trak.payload(["edts", "elst"], EditListBox.self, of: source)?.entries ?? BoxTable()
    let empty = edits.first.flatMap { $0.mediaTime == -1 ? min($0.segmentDuration, tkhd.duration) : nil } ?? 0
    return (
      MediaTime(Int64(clamping: empty), mvhd.timescale),
      MediaTime(Int64(clamping: tkhd.duration - empty), mvhd.timescale)
    )
  }
}
