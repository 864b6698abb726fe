import ISOBMFF
import MP4Bytes
import Support
import Testing

@testable import MP4

@Suite("Movies written from samples")
struct MovieWriterTests {
  /// The kinds of output.
  enum Kind: CaseIterable, Sendable {
    case progressive, fragments, segments

    /// The output that `body` writes, as one file.
    func write(every duration: MediaTime? = MediaTime(1, 1), _ body: (MovieWriter) throws -> Void) throws -> [UInt8] {
      var all: [UInt8] = []
      let sink = MemorySink()
      let writer =
        switch self {
        case .progressive: MovieWriter(to: sink)
        case .fragments: MovieWriter(fragmentsTo: sink, every: duration)
        case .segments: MovieWriter(segmentsEvery: duration) { all += $0.bytes }
        }
      try body(writer)
      try writer.finish()
      return self == .segments ? all : sink.bytes
    }
  }

  /// Copies all tracks in the order of their decode times.
  static func copy(_ movie: Movie, to writer: MovieWriter) throws {
    let tracks = try movie.tracks.map { try writer.add(MovieWriter.Track(like: $0)) }
    let samples = zip(movie.tracks, tracks).flatMap { track, number in track.samples.map { (number, $0) } }
    for (number, sample) in samples.sorted(by: { $0.1.decodeTime < $1.1.decodeTime }) {
      try writer.append(sample, to: number)
    }
  }

  /// The compared properties of a sample; times count from the first one.
  private struct Row: Equatable {
    var time, duration, offset: MediaTime
    var presentations: [Range<MediaTime>]
    var isSync: Bool
    var entry: Int
    var bytes: [UInt8]
  }
  private func rows(_ track: Track) throws -> [Row] {
    let start = track.samples.first?.decodeTime ?? MediaTime(0, 1)
    return try track.samples.map {
      Row(
        time: $0.decodeTime - start, duration: $0.duration, offset: $0.compositionOffset,
        presentations: $0.presentations, isSync: $0.isSync, entry: $0.descriptionIndex, bytes: try $0.bytes())
    }
  }

  @Test(
    "Tracks of other movies are copied unchanged",
    arguments: Effort.some(
      ["progressive.mp4", "fragmented.mp4", "hevc-fragmented.mp4", "negative-cts.mp4", "hybrid.mp4", "pcm.mov"],
      short: 2), Kind.allCases)
  func copies(name: String, kind: Kind) throws {
    let movie = try Movie(reading: [MemorySource(readFile(vectorPath("files/" + name)))])
    let bytes = try kind.write { try Self.copy(movie, to: $0) }
    let copy = try Movie(reading: [MemorySource(bytes)])
    #expect(copy.diagnostics.filter { $0.severity > .note }.isEmpty)
    #expect(copy.tracks.count == movie.tracks.count)
    for (old, new) in zip(movie.tracks, copy.tracks) {
      #expect(old.codecs == new.codecs && old.pictureSize == new.pictureSize && old.timescale == new.timescale)
      #expect(old.language == new.language && old.handler == new.handler && old.sampleRate == new.sampleRate)
      #expect(try rows(old) == rows(new))
    }
  }

  private let entry = Box(AudioSampleEntry(), type: "mp4a")
  private func time(_ value: Int64) -> MediaTime { MediaTime(value, 1000) }

  @Test(
    "Negative offsets, priming, a delay, an end, a last sample without duration, two descriptions, an empty track",
    arguments: Kind.allCases)
  func corners(kind: Kind) throws {
    let bytes = try kind.write(every: MediaTime(1, 10)) { writer in
      var track = try MovieWriter.Track(entry, entry, timescale: 1000)
      (track.language, track.languageTag, track.name) = ("por", "pt-BR", "Som")
      (track.trim, track.delay, track.presentedDuration) = (time(30), MediaTime(1, 3), time(200))
      let (first, _) = (try writer.add(track), try writer.add(MovieWriter.Track(entry, timescale: 90_000)))
      for sample in 0..<10 {
        try writer.append(
          [UInt8](repeating: UInt8(sample), count: sample), to: first, duration: time(sample == 9 ? 0 : 40),
          compositionOffset: time(sample % 2 == 0 ? 0 : -20), isSync: sample % 3 == 0, sampleEntry: sample < 5 ? 1 : 2)
      }
    }
    let movie = try Movie(reading: [MemorySource(bytes)])
    let (track, empty) = (movie.tracks[0], movie.tracks[1])
    #expect(movie.tracks.count == 2 && empty.samples.isEmpty && track.language == "pt-BR")
    #expect(track.samples.map(\.size) == Array(0..<10) && track.samples.map(\.isSync) == (0..<10).map { $0 % 3 == 0 })
    #expect(track.samples.map(\.descriptionIndex) == [1, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    #expect(track.samples.map(\.duration) == Array(repeating: time(40), count: 9) + [time(0)])
    #expect(track.samples.map(\.compositionOffset) == (0..<10).map { time($0 % 2 == 0 ? 0 : -20) })
    // The first 30 ms are hidden, and 200 ms follow.
    #expect(track.samples[0].presentationTime == MediaTime(1, 3))
    #expect(track.samples[2].presentationTime == MediaTime(1, 3) + time(50))
    #expect(track.samples.map { $0.presentationTime == nil } == (0..<10).map { $0 >= 6 })
    #expect(try track.samples[7].bytes() == [7, 7, 7, 7, 7, 7, 7])
  }

  @Test("Fragments end before sync samples, and at requested cuts")
  func fragments() throws {
    var segments: [MovieWriter.Segment] = []
    let writer = MovieWriter(segmentsEvery: time(100)) { segments.append($0) }
    let sound = try writer.add(MovieWriter.Track(entry, timescale: 1000))
    let video = try writer.add(MovieWriter.Track(Box(VisualSampleEntry(), type: "avc1"), timescale: 90_000))
    for sample in 0..<20 {
      try writer.append([1], to: video, duration: time(40), isSync: sample % 5 == 0)
      try writer.append([2, 2], to: sound, duration: time(50))
      if sample == 12 { try writer.cut() }
    }
    try writer.finish()
    // Sync samples are at 0, 200, 400 and 600 ms; the one at 600 ms is only 80 ms after the cut.
    #expect(segments.map(\.index) == [0, 1, 2, 3, 4, 5].prefix(segments.count).map(\.self))
    #expect(segments.dropFirst().map(\.start) == [0, 200, 400, 520].map(time))
    #expect(segments.dropFirst().map(\.duration) == [200, 200, 120, 280].map(time))
    let movie = try Movie(reading: segments.map { MemorySource($0.bytes) })
    #expect(movie.tracks.map(\.samples.count) == [20, 20] && movie.diagnostics.isEmpty)
    // Audio is in the fragment that covers its decode time.
    let second = try Movie(reading: [segments[0], segments[2]].map { MemorySource($0.bytes) })
    #expect(second.tracks.map(\.samples.count) == [4, 5])
  }

  @Test("Media is written while samples are appended, in chunks of half a second")
  func memory() throws {
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    let tracks = try [writer.add(.init(entry, timescale: 100)), writer.add(.init(entry, timescale: 100))]
    for sample in 0..<1000 {
      for track in tracks {
        try writer.append([UInt8](repeating: 1, count: 50), to: track, duration: MediaTime(1, 100))
      }
      #expect(sink.position >= 100 * (sample - 50))
    }
    // A long sample does not keep others in memory.
    for _ in 0..<10 {
      try writer.append([UInt8](repeating: 1, count: 1 << 19), to: 0, duration: MediaTime(0, 1))
    }
    #expect(sink.position >= 8 << 19)
    try writer.finish()
    let boxes = try [Box](reading: MemorySource(sink.bytes))
    #expect(boxes.map(\.type) == ["ftyp", "mdat", "moov"])
    let movie = try Movie(reading: [MemorySource(sink.bytes)])
    #expect(movie.tracks.map(\.samples.count) == [1010, 1000])
  }

  // MARK: Invalid calls

  private func fails(_ isExpected: @escaping (MovieWriterError) -> Bool, _ body: () throws -> Void) {
    #expect(performing: body, throws: { ($0 as? MovieWriterError).map(isExpected) ?? false })
  }

  @Test("Invalid samples are an error, and the movie does not change", arguments: Kind.allCases)
  func errors(kind: Kind) throws {
    let bytes = try kind.write { writer in
      fails({ if case .noTracks = $0 { true } else { false } }) { try writer.finish() }
      fails({ if case .noSampleEntry(1, track: 0) = $0 { true } else { false } }) {
        _ = try writer.add(MovieWriter.Track(timescale: 1000))
      }
      let track = try writer.add(MovieWriter.Track(entry, timescale: 1000))
      for wrong in [MediaTime(1, 3000), MediaTime(-1, 1000), MediaTime(1 << 32, 1000), MediaTime(.max, 1)] {
        fails({ if case .time(wrong, track: 0) = $0 { true } else { false } }) {
          try writer.append([1], to: track, duration: wrong)
        }
      }
      fails({ if case .time = $0 { true } else { false } }) {
        try writer.append([1], to: track, duration: time(1), compositionOffset: time(1 << 31))
      }
      fails({ if case .noTrack(1) = $0 { true } else { false } }) { try writer.append([1], to: 1, duration: time(1)) }
      fails({ if case .noSampleEntry(2, track: 0) = $0 { true } else { false } }) {
        try writer.append([1], to: track, duration: time(1), sampleEntry: 2)
      }
      var negative = try MovieWriter.Track(entry, timescale: 1000)
      negative.trim = time(-1)
      fails({ if case .time = $0 { true } else { false } }) { _ = try writer.add(negative) }
      negative = try MovieWriter.Track(entry, timescale: 1000)
      negative.delay = time(-1)
      fails({ if case .time = $0 { true } else { false } }) { _ = try writer.add(negative) }
      let checked = try WrittenTrack(MovieWriter.Track(entry, timescale: 1000), number: 3)
      fails({ if case .sampleTooLarge(byteCount: 1 << 32, track: 3) = $0 { true } else { false } }) {
        _ = try checked.sample(byteCount: 1 << 32, time(1), time(0), SampleFlags(rawValue: 0), 1)
      }
      try writer.append([1, 2, 3], to: track, duration: time(1))
      try writer.cut()
      if kind != .progressive {
        fails({ if case .tooLateForTrack = $0 { true } else { false } }) {
          _ = try writer.add(MovieWriter.Track(entry, timescale: 1000))
        }
      }
    }
    let movie = try Movie(reading: [MemorySource(bytes)])
    #expect(try movie.tracks.map { try $0.samples.map { try $0.bytes() } } == [[[1, 2, 3]]])
    let writer = MovieWriter(to: MemorySink())
    _ = try writer.add(MovieWriter.Track(entry, timescale: 1000))
    try writer.finish()
    fails({ if case .finished = $0 { true } else { false } }) { try writer.append([1], to: 0, duration: time(1)) }
    fails({ if case .finished = $0 { true } else { false } }) { try writer.finish() }
  }

  @Test("A sample entry from a file needs its source, and encrypted tracks are not copied")
  func foreignEntries() throws {
    let source = MemorySource(try readFile(vectorPath("files/encrypted-cenc.mp4")))
    let track = try Movie(reading: [source]).tracks[0]
    fails({ if case .encrypted = $0 { true } else { false } }) { _ = try MovieWriter.Track(like: track) }
    let moov = try #require(try [Box](reading: source).first { $0.type == "moov" })
    let stsd = try #require(moov.first("trak", "mdia", "minf", "stbl", "stsd"))
    fails({ if case .source(.io) = $0 { true } else { false } }) {
      _ = try MovieWriter.Track(stsd.boxes[0], timescale: 1000)
    }
    let own = try MovieWriter.Track(stsd.boxes[0], from: source, timescale: 1000, handler: track.handler)
    #expect(own.entries.count == 1 && own.entries[0].count == stsd.boxes[0].header?.size)
    fails({ if case .encrypted = $0 { true } else { false } }) {
      let writer = MovieWriter(to: MemorySink())
      try writer.append(track.samples[0], to: try writer.add(own))
    }
  }

  /// A disk with space for this many bytes.
  private final class FullDisk: RewritableSink {
    let name = "disk"
    let room: Int
    private(set) var position = 0
    init(room: Int) { self.room = room }
    func write(_ bytes: RawSpan) throws(IOError) {
      guard position + bytes.byteCount <= room else { throw IOError(.write, file: name, reason: "it is full") }
      position += bytes.byteCount
    }
    func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {}
    func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {}
  }

  @Test("After an error of the sink, nothing more is written", arguments: [10, 30, 50, 100])
  func fullDisk(room: Int) throws {
    let writer = MovieWriter(to: FullDisk(room: room))
    let track = try writer.add(MovieWriter.Track(entry, timescale: 10))
    fails({ if case .io = $0 { true } else { false } }) {
      for _ in 0..<10 { try writer.append([UInt8](repeating: 0, count: 20), to: track, duration: MediaTime(1, 2)) }
      try writer.finish()
    }
    fails({ if case .finished = $0 { true } else { false } }) { try writer.finish() }
  }
}
