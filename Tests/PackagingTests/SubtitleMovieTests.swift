import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import Support
import Testing
import TimedText

/// Compares text samples with the cues they were made from, millisecond by millisecond.
@Suite struct SubtitleMovieTests {
  static let formats = [TextFormat.webVTT, .timedText]

  /// Short cues that overlap, touch, repeat, or are never shown.
  private func cues(seed: UInt64) -> [Cue] {
    var random = SplitMix64(seed: seed)
    return (0..<Int(random.next() % 12)).map { number in
      let start = Int64(random.next() % 60)
      var cue = Cue(start: start, end: start + Int64(random.next() % 40) - 5, text: "<b>c\(number)</b>é")
      if random.next() % 2 == 0 { cue.identifier = "i\(number)" }
      if random.next() % 2 == 0 { cue.settings = "line:\(number)" }
      return cue
    }
  }

  private func subtitles(_ cues: [Cue]) -> Subtitles { Subtitles(WebVTTDocument(cues), language: "pt-BR", source: "a") }

  private func track(_ movie: SubtitleMovie) throws -> TrackReading {
    let source = try #require(movie.source.byteCount)
    let sink = MemorySink()
    try sink.copy(0..<source, of: movie.source)
    return try #require(try SampleReader.read(sink.bytes).tracks.first)
  }

  @Test(
    "At every millisecond, the sample has the visible cues in the order of their starts", arguments: formats
  )
  func samples(format: TextFormat) throws {
    for seed in 0..<60 {
      let cues = cues(seed: UInt64(seed))
      let cuts: [Int64] = [7, 30, 31, 90]
      let track = try track(
        SubtitleMovie(
          subtitles(cues), format, cuts: cuts.map { MediaTime($0, 1000) }, end: MediaTime(100, 1000)))
      let order = cues.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      let starts = Set(track.samples.map { Int64($0.decodeTime) })
      #expect(starts.isSuperset(of: cuts) && track.samples.reduce(0) { $0 + $1.duration } == 100)
      for sample in track.samples {
        let (start, end) = (Int64(sample.decodeTime), Int64(sample.decodeTime + sample.duration))
        #expect(start < end)
        for time in start..<end {
          let shown = order.map(\.element).filter { $0.startMilliseconds <= time && time < $0.endMilliseconds }
          #expect(
            try texts(in: sample.payload, format) == shown.map { expected($0, format) }, "seed \(seed) at \(time)")
        }
      }
    }
  }

  /// Parses a sample according to the standards: the identifier, settings and text of each cue.
  private func texts(in sample: [UInt8], _ format: TextFormat) throws -> [[String]] {
    if format == .timedText {
      let count = Int(sample[0]) << 8 | Int(sample[1])
      let text = String(decoding: sample[2..<(2 + count)], as: UTF8.self)
      let styles = Array(sample[(2 + count)...])
      let lines = text.split(separator: "\n").map { [String($0)] }
      // A style box with a bold run for each text.
      guard !lines.isEmpty else { return styles.isEmpty ? [] : [["styles"]] }
      #expect(styles.count == 10 + 12 * lines.count && Int(styles[9]) == lines.count)
      return lines
    }
    return try boxes(in: sample).compactMap { type, content in
      if type == "vtte" { return content.isEmpty && sample.count == 8 ? nil : ["vtte"] }
      #expect(type == "vttc")
      var parts = ["iden": "", "sttg": "", "payl": ""]
      for (type, content) in try boxes(in: content) where type != "vsid" {
        parts[type] = String(decoding: content, as: UTF8.self)
      }
      return [parts["iden"] ?? "", parts["sttg"] ?? "", parts["payl"] ?? ""]
    }
  }
  private func expected(_ cue: Cue, _ format: TextFormat) -> [String] {
    format == .timedText ? [CueText(cue.text).text] : [cue.identifier, cue.settings, cue.text]
  }
  private func boxes(in bytes: [UInt8]) throws -> [(String, [UInt8])] {
    var (result, rest): ([(String, [UInt8])], ArraySlice<UInt8>) = ([], bytes[...])
    while !rest.isEmpty {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      try #require(size >= 8 && size <= rest.count)
      result.append(
        (String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self), Array(rest.prefix(size).dropFirst(8))))
      rest = rest.dropFirst(size)
    }
    return result
  }

  @Test("Parts of one cue have the same number, and cues with internal times declare the start of their sample")
  func parts() throws {
    let document = WebVTTDocument([
      Cue(start: 0, end: 10, text: "a <00:00:00.005>b"), Cue(start: 5, end: 10, text: "c"),
      Cue(start: 20, end: 30, text: "d"),
    ])
    let samples = try track(SubtitleMovie(Subtitles(document, language: "en"), .webVTT)).samples
    let ids = try samples.map { sample in
      try boxes(in: sample.payload).map { try boxes(in: $0.1).first { $0.0 == "vsid" }.map { $0.1 } }
    }
    #expect(ids[0] == [[0, 0, 0, 0]] && ids[1] == [[0, 0, 0, 0], nil] && ids[3] == [nil])
    let times = try samples.prefix(2).map { sample in
      try boxes(in: boxes(in: sample.payload)[0].1).first { $0.0 == "ctim" }.map {
        String(decoding: $0.1, as: UTF8.self)
      }
    }
    #expect(times == ["00:00:00.000", "00:00:00.005"])
    // The last sample is empty, so that players hide the last text.
    #expect(samples.last?.duration == 1 && samples.last.map { Array($0.payload[4...]) } == Array("vtte".utf8))
  }

  @Test("An X-TIMESTAMP-MAP with an offset is not used, which is reported")
  func timestampMap() throws {
    for (map, count) in [(TimestampMap(mpegTS: 900_000), 1), (TimestampMap(local: .seconds(10), mpegTS: 900_000), 0)] {
      var document = WebVTTDocument([Cue(start: 1000, end: 2000, text: "a")])
      document.timestampMap = map
      let movie = try SubtitleMovie(Subtitles(document, language: "en"), .webVTT)
      #expect(movie.diagnostics.map(\.severity) == Array(repeating: .note, count: count))
      #expect(try track(movie).samples.map(\.decodeTime) == [0, 1000, 2000])
    }
  }

  @Test("Without cues there is no movie unless an end is given, and too many bytes are refused")
  func refused() throws {
    #expect(throws: MovieError.self) { _ = try SubtitleMovie(subtitles([]), .webVTT) }
    #expect(
      try track(SubtitleMovie(subtitles([]), .timedText, end: MediaTime(5, 1000))).samples.map(\.payload) == [[0, 0]])
    let long = String(repeating: "x", count: 60_000)
    let many = (0..<100).map { Cue(start: Int64($0), end: 1_000_000, text: long) }
    #expect(throws: MovieError.self) { _ = try SubtitleMovie(subtitles(many), .webVTT) }
    let huge = try SubtitleMovie(subtitles([Cue(start: 0, end: 1, text: long + long)]), .timedText)
    #expect(huge.diagnostics.map(\.severity) == [.error])
    // Cues after 49 days are not shown.
    let late = [
      Cue(start: 0, end: CueTime.latest, text: "a"), Cue(start: CueTime.latest - 1, end: CueTime.latest, text: "b"),
    ]
    #expect(try track(SubtitleMovie(subtitles(late), .webVTT)).samples.count == 1)
  }

  @Test("Samples of a text track can have times, and divided cues of several calls have their own numbers")
  func numbers() throws {
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    let (timed, live) = (try writer.add(.text()), try writer.add(.text(.webVTT)))
    for time in [1, 2] { try writer.append([0, 1, 0x61], to: timed, presentationTime: MediaTime(seconds: time)) }
    for start in [0, 1000] as [Int64] {
      let cues = [
        Cue(start: start, end: start + 1000, text: "same"), Cue(start: start + 500, end: start + 900, text: "x"),
      ]
      try writer.append(cues, to: live)
    }
    try writer.finish()
    let movie = try Movie(reading: [MemorySource(sink.bytes)])
    #expect(try movie.tracks[1].cues()?.map(\.text) == ["same", "x", "same", "x"])
    #expect(movie.tracks[0].samples.count == 3)
  }

  @Test(
    "Cues appended to a movie are those of a subtitle file; later ones follow without a gap",
    arguments: [TextFormat.timedText, .webVTT])
  func appended(format: TextFormat) throws {
    let cues = [
      Cue(start: 500, end: 2000, text: "one"), Cue(start: 1000, end: 2000, text: "<i>two</i> &amp; more"),
      Cue(start: 2000, end: 3000, text: "three"),
    ]
    var subtitles = Subtitles(WebVTTDocument(cues), language: "en-GB")
    subtitles.isDefault = true
    let whole = try Movie(reading: [SubtitleMovie(subtitles, format).source])
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    let track = try writer.add(.text(format, language: "en-GB", isDefault: true))
    try writer.append(Array(cues[..<2]), to: track)
    try writer.append([Cue](), to: track)
    try writer.append(Array(cues[2...]), to: track)
    try writer.finish()
    let movie = try Movie(reading: [MemorySource(sink.bytes)])
    #expect(try movie.tracks[0].cues() == whole.tracks[0].cues())
    // The parts of the second cue are those of one cue in 3GPP text only after joining; samples are the same.
    #expect(
      try movie.tracks[0].samples.map { try $0.bytes() } == whole.tracks[0].samples.map { try $0.bytes() })
    #expect(movie.tracks[0].samples.map(\.decodeTime) == whole.tracks[0].samples.map(\.decodeTime))
    #expect(movie.tracks[0].language == "en-GB" && movie.duration == whole.duration)
    let later = Cue(start: 5000, end: 6000, text: "late")
    #expect(throws: MovieWriterError.self) { try writer.append([later], to: track) }
    let other = MovieWriter(to: MemorySink())
    let sound = try other.add(.pcm(bits: 16, sampleRate: 48_000, channelCount: 2))
    #expect(throws: MovieWriterError.self) { try other.append(cues, to: sound) }
    let text = try other.add(.text())
    let long = Cue(start: 0, end: 1, text: String(repeating: "x", count: 70_000))
    #expect(throws: MovieWriterError.self) { try other.append([long], to: text) }
    #expect(throws: MovieWriterError.self) { try other.append(cues, to: 9) }
  }
}
