import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Written PCM")
struct PCMWritingTests {
  /// Frames of a stereo track with 16 bits: the number of each frame, and its negative.
  private func frames(_ range: Range<Int>) -> [UInt8] {
    range.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8), UInt8(-$0 & 0xff), UInt8(-$0 >> 8 & 0xff)] }
  }
  private func track() throws -> MovieWriter.Track { try .pcm(bits: 16, sampleRate: 48_000, channelCount: 2) }
  private func written(
    _ track: MovieWriter.Track, isFragmented: Bool, _ append: (MovieWriter, Int) throws -> Void
  ) throws -> (movie: Movie, bytes: [UInt8]) {
    let sink = MemorySink()
    let writer = isFragmented ? MovieWriter(fragmentsTo: sink, every: MediaTime(1, 4)) : MovieWriter(to: sink)
    try append(writer, writer.add(track))
    return (try Movie(reading: [MemorySource(sink.bytes)]), sink.bytes)
  }
  private func content(_ track: Track) throws -> [UInt8] {
    try track.samples.bytes(of: 0..<track.samples.count).flatMap(\.self)
  }

  @Test("Buffers with times or durations become samples of one frame each", arguments: [false, true], [false, true])
  func buffers(isFragmented: Bool, isTimed: Bool) throws {
    let (movie, bytes) = try written(track(), isFragmented: isFragmented) { writer, track in
      for start in stride(from: 0, to: 48_000, by: 1000) {
        let bytes = frames(start..<start + 1000)
        if isTimed {
          // The clock of the device is precise to a microsecond.
          let time = MediaTime(Int64(start) * 1_000_000 / 48_000, 1_000_000) + MediaTime(7, 1)
          try writer.append(bytes, to: track, presentationTime: time)
        } else {
          try writer.append(bytes, to: track, duration: MediaTime(1000, 48_000))
        }
      }
      try writer.finish()
    }
    let samples = movie.tracks[0].samples
    #expect(samples.count == 48_000 && movie.duration == MediaTime(1, 1))
    #expect(samples.allSatisfy { $0.size == 4 && $0.isSync && $0.duration == MediaTime(1, 48_000) })
    #expect(try content(movie.tracks[0]) == frames(0..<48_000))
    #expect(movie.fragmentCount == (isFragmented ? 4 : 0))
    // The tables do not grow with the number of frames.
    #expect(bytes.count - 48_000 * 4 < 2500)
  }

  @Test("A clock that is slower than the sample rate does not end a recording")
  func drift() throws {
    let (movie, _) = try written(track(), isFragmented: false) { writer, track in
      for number in 0..<3000 {
        let time = MediaTime(Int64(number * 99), 48_000)
        try writer.append(frames(0..<100), to: track, presentationTime: time)
      }
      try writer.finish()
    }
    #expect(movie.tracks[0].samples.count == 300_000 && movie.duration == MediaTime(300_000, 48_000))
  }

  @Test("Frames that are appended long before the video are divided among its fragments")
  func early() throws {
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink, every: MediaTime(1, 10))
    let sound = try writer.add(track())
    let video = try writer.add(MovieWriter.Track(Box(VisualSampleEntry(), type: "jpeg"), timescale: 10))
    try writer.append(frames(0..<48_000), to: sound)
    for index in 0..<10 { try writer.append([UInt8(index)], to: video, duration: MediaTime(1, 10)) }
    try writer.finish()
    let movie = try Movie(reading: [MemorySource(sink.bytes)])
    #expect(movie.fragmentCount == 10 && movie.tracks[0].samples.count == 48_000)
    #expect(try content(movie.tracks[0]) == frames(0..<48_000))
    #expect(try movie.tracks[1].samples.map { try $0.bytes() } == (0..<10).map { [UInt8($0)] })
  }

  @Test("Frames without times follow each other")
  func frames() throws {
    let (movie, _) = try written(track(), isFragmented: true) { writer, track in
      for start in stride(from: 0, to: 9000, by: 1000) { try writer.append(frames(start..<start + 1000), to: track) }
      try writer.finish()
    }
    #expect(try content(movie.tracks[0]) == frames(0..<9000) && movie.duration == MediaTime(9000, 48_000))
    let writer = MovieWriter(to: MemorySink())
    let other = try writer.add(MovieWriter.Track(Box(SampleEntry(), type: "abcd"), timescale: 10))
    #expect(throws: MovieWriterError.self) { try writer.append([1, 2] as [UInt8], to: other) }
    #expect(throws: MovieWriterError.self) { try writer.append([1, 2] as [UInt8], to: 7) }
    let timed = try writer.add(track())
    try writer.append(frames(0..<1), to: timed, presentationTime: MediaTime(0, 1))
    #expect(throws: MovieWriterError.self) { try writer.append(frames(1..<2), to: timed) }
  }

  @Test("A gap lengthens the last frame, an overlap is closed")
  func gaps() throws {
    let (movie, _) = try written(track(), isFragmented: false) { writer, track in
      for (start, time) in [(0, 0), (100, 150), (200, 240), (300, 400)] {
        try writer.append(
          frames(start..<start + 100), to: track, presentationTime: MediaTime(Int64(time), 48_000))
      }
      try writer.finish(endTime: MediaTime(600, 48_000))
    }
    let samples = movie.tracks[0].samples
    let times = stride(from: 0, to: 400, by: 100).map { samples[$0].decodeTime.converted(to: 48_000).value }
    #expect(times == [0, 150, 250, 400])
    #expect(samples[99].duration == MediaTime(51, 48_000) && samples[199].duration == MediaTime(1, 48_000))
    #expect(samples[399].duration == MediaTime(101, 48_000) && samples.count == 400)
    #expect(try content(movie.tracks[0]) == frames(0..<400))
  }

  @Test(
    "The sample entry says what the values are",
    arguments: [(16, false), (24, false), (32, false), (32, true), (64, true)], [8_000, 48_000, 96_000] as [UInt32])
  func entries(format: (bits: Int, isFloat: Bool), rate: UInt32) throws {
    let track = try MovieWriter.Track.pcm(
      bits: format.bits, isFloat: format.isFloat, isLittleEndian: false, sampleRate: rate, channelCount: 3)
    let (movie, _) = try written(track, isFragmented: false) { writer, track in
      let bytes = [UInt8](repeating: 1, count: format.bits / 8 * 3 * 10)
      try writer.append(bytes, to: track, duration: MediaTime(10, rate))
      try writer.finish()
    }
    let configuration = movie.tracks[0].decoderConfigurations[0]
    #expect(configuration.codedFormat == (format.isFloat ? "fpcm" : "ipcm"))
    let sound = try #require(configuration.sound)
    #expect(sound.channelCount == 3 && sound.sampleRate == Int(rate))
    let box = try #require(configuration.box(PCMConfigurationBox.self))
    #expect(box.formatFlags == 0 && Int(box.pcmSampleSize) == format.bits)
    #expect(configuration.box(SamplingRateBox.self)?.samplingRate == (rate > 65_535 ? rate : nil))
    #expect(movie.diagnostics.isEmpty)
    // A copy of the track keeps the version of `stsd`, on which the layout of the entry depends.
    let copy = try written(MovieWriter.Track(like: movie.tracks[0]), isFragmented: true) { writer, track in
      for sample in movie.tracks[0].samples { try writer.append(sample, to: track) }
      try writer.finish()
    }
    #expect(copy.movie.tracks[0].decoderConfigurations[0].sound?.sampleRate == Int(rate))
    #expect(try content(copy.movie.tracks[0]) == content(movie.tracks[0]))
    // So does a track that is made from the bytes of the entry, and it takes frames.
    let entry = try #require(try movie.tracks[0].sampleEntries().first)
    let other = try written(MovieWriter.Track(sampleEntry: entry, handler: "soun"), isFragmented: false) {
      writer, track in
      try writer.append(content(movie.tracks[0]), to: track, presentationTime: MediaTime(0, 1))
      try writer.finish()
    }
    #expect(other.movie.tracks[0].decoderConfigurations[0].sound?.sampleRate == Int(rate))
    #expect(other.movie.tracks[0].samples.count == 10 && other.movie.duration == MediaTime(10, rate))
  }

  @Test("Parts of frames, durations shorter than the frames, and formats that MP4 does not have are errors")
  func errors() throws {
    let writer = MovieWriter(to: MemorySink())
    let track = try writer.add(track())
    for count in [0, 3, 6] {
      let error = #expect(throws: MovieWriterError.self) {
        try writer.append([UInt8](repeating: 0, count: count), to: track, duration: MediaTime(1, 48_000))
      }
      #expect("\(error.map { "\($0)" } ?? "")".hasSuffix("are no whole number of frames"))
    }
    #expect(throws: MovieWriterError.self) {
      try writer.append([0, 0, 0, 0, 0, 0, 0, 0], to: track, duration: MediaTime(1, 48_000))
    }
    for (bits, isFloat, rate, count) in [(8, false, 1, 1), (16, true, 1, 1), (16, false, 0, 1), (16, false, 1, 0)] {
      #expect(throws: MovieWriterError.self) {
        try MovieWriter.Track.pcm(bits: bits, isFloat: isFloat, sampleRate: UInt32(rate), channelCount: count)
      }
    }
  }
}
