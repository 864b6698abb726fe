import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Samples of encoders, with their times")
struct EncoderTests {
  private func movie(_ name: String) throws -> Movie { try Movie(reading: [MemorySource(readFile(vectorPath(name)))]) }

  private func file(_ write: (MovieWriter) throws -> Void, fragmentsEvery duration: MediaTime? = nil) throws -> Movie {
    let sink = MemorySink()
    try write(duration.map { MovieWriter(fragmentsTo: sink, every: $0) } ?? MovieWriter(to: sink))
    return try Movie(reading: [MemorySource(sink.bytes)])
  }

  /// A time in nanoseconds near another one, which is off by less than half a millisecond.
  private func jittered(_ time: MediaTime, _ index: Int) -> MediaTime {
    MediaTime(time.converted(to: 1_000_000_000).value + Int64(index * 7919 % 800_000 - 400_000), 1_000_000_000)
  }

  @Test("H.264 with B-frames and AAC: progressive and in fragments, with jittering times", arguments: [false, true])
  func movies(isFragmented: Bool) throws {
    let source = try movie("files/progressive.mp4")
    let (video, audio) = (source.tracks[0], source.tracks[1])
    // The clock of the encoder does not start at 0, and the units of the track are coarse.
    let clock = MediaTime(123_456_789, 1000)
    let copy = try file(
      { writer in
        writer.startTime = clock
        let tracks = [
          try writer.add(.avc(parameterSets: video.parameterSets, timescale: 600)),
          try writer.add(.aac(audioSpecificConfig: try #require(audio.audioSpecificConfig))),
        ]
        // The edit list of the source hides the start of its media.
        let origins = try [video, audio].map { track in
          let first = try #require(track.samples.first { $0.presentationTime != nil })
          return first.compositionTime - (first.presentationTime ?? MediaTime(0, 1))
        }
        var samples = (Array(video.samples.indices), Array(audio.samples.indices))
        while !samples.0.isEmpty || !samples.1.isEmpty {
          let isVideo =
            (samples.0.first.map { video.samples[$0].decodeTime } ?? MediaTime(1000, 1))
            <= (samples.1.first.map { audio.samples[$0].decodeTime } ?? MediaTime(1000, 1))
          let sample = isVideo ? video.samples[samples.0.removeFirst()] : audio.samples[samples.1.removeFirst()]
          let origin = origins[isVideo ? 0 : 1]
          try writer.append(
            sample.bytes(), to: tracks[isVideo ? 0 : 1],
            presentationTime: clock + jittered(sample.compositionTime - origin, isVideo ? sample.index : 0),
            decodeTime: clock + jittered(sample.decodeTime - origin, isVideo ? sample.index : 0), isSync: sample.isSync)
        }
        try writer.finish(endTime: clock + MediaTime(24, 1))
      }, fragmentsEvery: isFragmented ? MediaTime(2, 1) : nil)
    #expect((copy.fragmentCount > 10) == isFragmented && copy.tracks.map(\.codecs) == source.tracks.map(\.codecs))
    for (old, new) in zip(source.tracks, copy.tracks) {
      #expect(try old.samples.map { try $0.bytes() } == new.samples.map { try $0.bytes() })
      #expect(old.samples.map(\.isSync) == new.samples.map(\.isSync))
      // No error is larger than half a unit and the jitter, from the first to the last sample.
      let limit = MediaTime(1, 1200) + MediaTime(1, 2000)
      for (sample, other) in zip(old.samples, new.samples) {
        guard let time = sample.presentationTime, let written = other.presentationTime else {
          #expect(sample.presentationTime == nil && other.presentationTime == nil)
          continue
        }
        #expect(max(time, written) - min(time, written) <= limit, "\(time) \(written)")
      }
    }
    #expect(copy.tracks[0].pictureSize == video.pictureSize)
    #expect(copy.tracks.map(\.presentedTimes?.upperBound).allSatisfy { $0 == MediaTime(24, 1) }, "\(copy.duration)")
    #expect(
      copy.tracks[0].decoderConfigurations[0].box(AVCConfigurationBox.self)
        == video.decoderConfigurations[0].box(AVCConfigurationBox.self))
  }

  @Test("A later track has a delay, and an earlier one is trimmed; before the movie box, and after it")
  func starts() throws {
    for isFragmented in [false, true] {
      for (isLate, time) in [(false, MediaTime(5, 2)), (false, MediaTime(-1, 1)), (true, MediaTime(5, 2))] {
        let copy = try file(
          { writer in
            let entry = Box(SampleEntry(), type: "abcd")
            let tracks = [
              try writer.add(MovieWriter.Track(entry, timescale: 10)),
              try writer.add(MovieWriter.Track(entry, timescale: 1000)),
            ]
            func second() throws {
              for index in 0..<3 {
                try writer.append(
                  [2, UInt8(index)], to: tracks[1], presentationTime: time + MediaTime(Int64(index), 1))
              }
            }
            if !isLate { try writer.append([1, 0], to: tracks[0], presentationTime: MediaTime(0, 1)); try second() }
            for index in (isLate ? 0 : 1)..<5 {
              try writer.append([1, UInt8(index)], to: tracks[0], presentationTime: MediaTime(Int64(index), 1))
            }
            if isLate {
              try writer.cut()
              try second()
            }
            try writer.finish()
          }, fragmentsEvery: isFragmented ? MediaTime(2, 1) : nil)
        let starts = copy.tracks[1].samples.map(\.presentationTime)
        let expected = (0..<3).map { time + MediaTime($0, 1) }
        #expect(starts == expected.map { $0 < MediaTime(0, 1) ? nil : $0 }, "\(isFragmented) \(isLate) \(time)")
        #expect(copy.tracks[0].samples.map(\.presentationTime) == (0..<5).map { MediaTime($0, 1) })
        // The last sample is as long as the one before it.
        #expect(copy.tracks[0].samples.last?.duration == MediaTime(1, 1))
      }
    }
  }

  @Test("The movie starts with the earliest track, or at 0 after priming; unless the start is given")
  func earliest() throws {
    // First presentation times of two tracks, the start that is given, and the expected starts; `nil` is hidden.
    let rows: [(first: Int64, second: Int64, start: Int64?, expected: [Int64?])] = [
      (8000, 0, nil, [8000, 0]), (1_008_000, 1_000_000, nil, [8000, 0]), (0, 8000, nil, [0, 8000]),
      (0, -2000, nil, [0, nil]), (-2000, 0, nil, [nil, 0]), (-9000, -8000, nil, [0, 1000]),
      (8000, 0, 8000, [0, nil]), (8000, 9000, 0, [8000, 9000]),
    ]
    for isFragmented in [false, true] {
      for row in rows {
        let copy = try file(
          { writer in
            writer.startTime = row.start.map { MediaTime($0, 1000) }
            let entry = Box(SampleEntry(), type: "abcd")
            let tracks = try (0..<2).map { _ in try writer.add(MovieWriter.Track(entry, timescale: 1000)) }
            for index in 0..<3 {
              for (track, first) in zip(tracks, [row.first, row.second]) {
                let time = MediaTime(first + Int64(index) * 2000, 1000)
                try writer.append([UInt8(index)], to: track, presentationTime: time)
              }
            }
            try writer.finish()
          }, fragmentsEvery: isFragmented ? MediaTime(100, 1) : nil)
        let starts = copy.tracks.map { track in track.samples[0].presentationTime?.converted(to: 1000).value }
        #expect(starts == row.expected, "\(row) \(isFragmented)")
      }
    }
  }

  @Test("A track that begins after the movie box is on the clock of the movie, not on that of the first sample")
  func late() throws {
    for (first, second) in [(-20, 0), (10_000, 9900)] as [(Int64, Int64)] {
      let copy = try file(
        { writer in
          let entry = Box(SampleEntry(), type: "abcd")
          let tracks = try (0..<3).map { _ in try writer.add(MovieWriter.Track(entry, timescale: 1000)) }
          for index in 0..<4 {
            for (track, start) in zip(tracks, [first, second]) {
              let time = MediaTime(start + Int64(index) * 1000, 1000)
              try writer.append([UInt8(index)], to: track, presentationTime: time)
            }
          }
          try writer.cut()
          let time = MediaTime(second + 20_000, 1000)
          try writer.append([9], to: tracks[2], presentationTime: time)
          try writer.finish()
        }, fragmentsEvery: MediaTime(100, 1))
      #expect(copy.tracks[2].samples[0].presentationTime == MediaTime(20, 1), "\(first)")
    }
  }

  @Test("A start that is out of range is an error, also after samples")
  func extremes() throws {
    for time in [MediaTime(.min, 1), MediaTime(.max, 1)] {
      let writer = MovieWriter(to: MemorySink())
      let track = try writer.add(MovieWriter.Track(Box(SampleEntry(), type: "abcd"), timescale: 25))
      try writer.append([1], to: track, presentationTime: MediaTime(0, 1))
      writer.startTime = time
      #expect(throws: MovieWriterError.self) { try writer.finish() }
    }
  }

  @Test("Times in the wrong order, and durations beside times")
  func errors() throws {
    let writer = MovieWriter(to: MemorySink())
    let track = try writer.add(MovieWriter.Track(Box(SampleEntry(), type: "abcd"), timescale: 25))
    try writer.append([1], to: track, presentationTime: MediaTime(1, 1))
    #expect { try writer.append([2], to: track, presentationTime: MediaTime(1, 2)) } throws: {
      if case MovieWriterError.unordered(MediaTime(1, 2), track: 0) = $0 { true } else { false }
    }
    #expect(throws: MovieWriterError.self) { try writer.append([2], to: track, duration: MediaTime(1, 25)) }
    #expect(throws: MovieWriterError.self) {
      try writer.append([2], to: track, presentationTime: MediaTime(.max, 1))
    }
    #expect(throws: MovieWriterError.self) { try writer.append([2], to: 1, presentationTime: MediaTime(2, 1)) }
    // Samples that were refused are not written.
    try writer.append([3], to: track, presentationTime: MediaTime(2, 1))
    try writer.finish()
    let other = try writerWithDurations()
    #expect(throws: MovieWriterError.self) { try other.append([2], to: 0, presentationTime: MediaTime(2, 1)) }
    for headers in [[[UInt8]](), [[0x67]], [[0x67, 1, 2], [0x68]]] {
      #expect(throws: MovieWriterError.self) { try MovieWriter.Track.avc(parameterSets: headers) }
      #expect(throws: MovieWriterError.self) { try MovieWriter.Track.hevc(parameterSets: headers) }
    }
    #expect(throws: MovieWriterError.self) { try MovieWriter.Track.av1(sequenceHeader: [10, 1, 0]) }
    #expect(throws: MovieWriterError.self) { try MovieWriter.Track.aac(audioSpecificConfig: []) }
    #expect(throws: MovieWriterError.self) { try MovieWriter.Track.opus(header: ascii("OpusHead")) }
    #expect(throws: MovieWriterError.self) { try MovieWriter.Track.flac(streamInfo: zeros(34)) }
  }

  private func writerWithDurations() throws -> MovieWriter {
    let writer = MovieWriter(to: MemorySink())
    _ = try writer.add(MovieWriter.Track(Box(SampleEntry(), type: "abcd"), timescale: 25))
    try writer.append([1], to: 0, duration: MediaTime(1, 25))
    return writer
  }

  /// The track that the headers in a sample entry describe; `nil` for other codecs.
  static func track(like configuration: DecoderConfiguration, _ source: Track) throws -> MovieWriter.Track? {
    switch configuration.codedFormat {
    case "avc1", "avc3": return try .avc(parameterSets: source.parameterSets)
    case "hvc1", "hev1": return try .hevc(parameterSets: source.parameterSets)
    case "av01":
      guard let units = configuration.box(AV1CodecConfigurationBox.self)?.configOBUs, !units.isEmpty else { return nil }
      return try .av1(sequenceHeader: units)
    case "mp4a": return try source.audioSpecificConfig.map { try .aac(audioSpecificConfig: $0) }
    case "Opus":
      guard let box = configuration.box(OpusSpecificBox.self) else { return nil }
      let numbers = [box.preSkip & 255, box.preSkip >> 8].map { UInt8($0) }
      let rate = (0..<4).map { UInt8(box.inputSampleRate >> ($0 * 8) & 255) }
      let gain = [UInt8(truncatingIfNeeded: box.outputGain), UInt8(truncatingIfNeeded: box.outputGain >> 8)]
      let table = box.channelMappingTable
      return try .opus(
        header: ascii("OpusHead") + [1, box.outputChannelCount] + numbers + rate + gain + [box.channelMappingFamily]
          + (box.channelMappingFamily == 0 ? [] : [table.streamCount, table.coupledCount] + table.channelMapping))
    case "fLaC":
      let bytes = try configuration.box(FLACSpecificBox.self)?.encoded()
      return try bytes.map { try .flac(streamInfo: Array($0.dropFirst(8).prefix(34))) }
    default: return nil
    }
  }

  /// Checks that a sample entry from headers says the same as the one of a track.
  private func check(_ source: Track, _ name: String) throws {
    guard let configuration = source.decoderConfigurations.first, let made = try Self.track(like: configuration, source)
    else { return }
    let copy = try file { writer in
      let number = try writer.add(made)
      for sample in source.samples.prefix(3) {
        try writer.append(sample.bytes(), to: number, presentationTime: sample.decodeTime)
      }
      try writer.finish()
    }.tracks[0]
    let own = copy.decoderConfigurations[0]
    let format = configuration.codecs.replacing("hev1", with: "hvc1").replacing("avc3", with: "avc1")
    // The profile flags in this file are in the wrong order.
    if name.hasSuffix("28-apple_hevc.mp4") { return }
    #expect(own.codecs == format, "\(name)")
    #expect(own.sequenceParameters?.width == configuration.sequenceParameters?.width, "\(name)")
    #expect(own.sound?.channelCount == configuration.sound?.channelCount, "\(name)")
    if let box = configuration.box(AV1CodecConfigurationBox.self) {
      var known = box
      (known.initialPresentationDelayMinusOne, known.chromaSamplePosition) = (nil, 0)
      #expect(own.box(AV1CodecConfigurationBox.self) == known, "\(name)")
    }
    #expect(own.box(OpusSpecificBox.self) == configuration.box(OpusSpecificBox.self), "\(name)")
    if let box = own.box(HEVCConfigurationBox.self), let other = configuration.box(HEVCConfigurationBox.self) {
      #expect(box.generalProfileCompatibilityFlags == other.generalProfileCompatibilityFlags, "\(name)")
      #expect(box.generalConstraintIndicatorFlags == other.generalConstraintIndicatorFlags, "\(name)")
      #expect(box.generalLevelIDC == other.generalLevelIDC, "\(name)")
      #expect(box.bitDepthLumaMinus8 == other.bitDepthLumaMinus8, "\(name)")
    }
  }

  @Test("Sample entries from headers say the same as those in files", arguments: ["hevc-fragmented", "progressive"])
  func entries(name: String) throws {
    for track in try movie("files/\(name).mp4").tracks { try check(track, name) }
  }

  @Test(
    "Sample entries from headers say the same as those in real files",
    .enabled(if: corpusFolder != nil, "MP4TOOL_CORPUS names the folder of the corpus"))
  func realEntries() throws {
    for file in corpus() {
      guard let source = try? FileSource(#require(Pathname(file))), let movie = try? Movie(reading: [source]) else {
        continue
      }
      for track in movie.tracks where track.protectionScheme == nil {
        do { try check(track, file) } catch { Issue.record("\(file): \(error)") }
      }
    }
  }
}

extension String {
  /// The text with all occurrences of one text replaced by another.
  fileprivate func replacing(_ old: String, with new: String) -> String {
    guard hasPrefix(old) else { return self }
    return new + dropFirst(old.count)
  }
}
