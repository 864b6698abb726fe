import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Putting files together")
struct MultiplexerTests {
  private func source(_ name: String) throws -> MemorySource {
    MemorySource(try readFile(vectorPath("files/" + name)), name: name)
  }

  private func movie(_ inputs: [Multiplexer.Input]) throws -> Movie {
    let plan = try Multiplexer().plan(inputs)
    #expect(plan.severity ?? .note < .error)
    let sink = MemorySink()
    try plan.write(to: sink)
    return try Movie(reading: [MemorySource(sink.bytes)])
  }

  /// The uncompressed audio of a movie with video.
  private func sound() throws -> Multiplexer.Input {
    var input = try Multiplexer.Input(source("pcm.mov"))
    input.tracks = TrackSelection([.handlers(["soun"])])
    return input
  }

  private func payloads(_ track: Track) throws -> [[UInt8]] { try track.samples.map { try $0.bytes() } }

  @Test("The tracks of each input follow each other with their settings, and their samples do not change")
  func settings() throws {
    var (video, sound) = (try Multiplexer.Input(source("progressive.mp4")), try sound())
    video.tracks = TrackSelection([.handlers(["vide"])])
    (sound.language, sound.name, sound.isDefault, sound.alternateGroup) = ("pt-BR", "Som", true, 3)
    var other = try Multiplexer.Input(source("progressive.mp4"))
    other.tracks = TrackSelection([.handlers(["soun"])])
    let result = try movie([video, sound, other])
    #expect(result.tracks.map(\.handler) == ["vide", "soun", "soun"])
    #expect(result.tracks[1].language == "pt-BR")
    let names = try result.tracks.map { try MovieWriter.Track(like: $0).name }
    #expect(names[1] == "Som")
    #expect(result.tracks.map(\.isEnabled) == [true, true, false])
    let originals = [try Movie(reading: [video.source]).tracks[0], try Movie(reading: [sound.source]).tracks[1]]
    for (track, original) in zip(result.tracks, originals) {
      #expect(try payloads(track) == payloads(original))
      #expect(track.samples.map(\.decodeTime) == original.samples.map(\.decodeTime))
    }
  }

  @Test("The same file twice gives its tracks twice")
  func twice() throws {
    #expect(try movie([sound(), sound()]).tracks.map(\.handler) == ["soun", "soun"])
  }

  @Test("Fragments and a progressive file become one movie in sync")
  func fragments() throws {
    let inputs = try ["fragmented.mp4", "pcm.mov"].map { Multiplexer.Input(try source($0)) }
    let result = try movie(inputs)
    let originals = try inputs.flatMap { try Movie(reading: [$0.source]).tracks }
    #expect(result.tracks.count == originals.count)
    for (track, original) in zip(result.tracks, originals) {
      #expect(try payloads(track) == payloads(original))
    }
  }

  @Test(
    "A delay moves a track, and a negative one hides its start",
    arguments: [(1, 2), (1, 3), (-1, 2), (-1, 3)] as [(Int64, UInt32)]
  )
  func delay(value: Int64, timescale: UInt32) throws {
    let delay = MediaTime(value, timescale)
    let video = try Multiplexer.Input(source("progressive.mp4"))
    var sound = try Multiplexer.Input(source("progressive.mp4"))
    sound.tracks = TrackSelection([.handlers(["soun"])])
    let before = try movie([video, sound])
    sound.delay = delay
    let after = try movie([video, sound])
    func times(_ movie: Movie) throws -> [MediaTime] {
      try #require(movie.tracks.last).samples.compactMap(\.presentationTime)
    }
    let old = try times(before).map { $0 + delay }
    let expected = old.filter { $0 >= MediaTime(0, 1) }
    let new = try times(after)
    // A sample of which the start is hidden is presented, too.
    #expect(new.suffix(expected.count).map(\.seconds) == expected.map(\.seconds))
    #expect(new.count - expected.count <= 1)
    #expect(before.tracks[0].samples.map(\.presentationTime) == after.tracks[0].samples.map(\.presentationTime))
  }

  @Test("A delay that leaves nothing, and an input without the tracks, are errors; nothing is written")
  func refusals() throws {
    var input = try sound()
    input.delay = MediaTime(-1000, 1)
    #expect(throws: MovieError.self) { try Multiplexer().plan([input]) }
    var other = try sound()
    other.tracks = TrackSelection([.handlers(["meta"])])
    #expect(throws: MovieError.self) { try Multiplexer().plan([other]) }
    #expect(throws: MovieError.self) { try Multiplexer().plan([]) }
    #expect(throws: MovieError.self) { try Multiplexer().plan([Multiplexer.Input(MemorySource([1, 2, 3]))]) }
  }

  @Test("Omitted tracks are replaced by those of other inputs")
  func replacement() throws {
    var film = try Multiplexer.Input(source("progressive.mp4"))
    film.omitted = TrackSelection([.handlers(["soun"])])
    let result = try movie([film, sound()])
    #expect(result.tracks.map(\.handler) == ["vide", "soun"])
  }
}
