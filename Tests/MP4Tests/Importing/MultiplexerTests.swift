import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Putting files together")
struct MultiplexerTests {
  private struct Input {
    var source: MemorySource
    var settings = InputSettings()

    init(_ name: String, _ kind: FourCC? = nil) throws {
      source = MemorySource(try readFile(vectorPath("files/" + name)), name: name)
      if let kind { settings.tracks = TrackSelection([.handlers([kind])]) }
    }
  }

  private func plan(_ inputs: Input...) throws -> OutputPlan {
    try Multiplexer(inputs.map(\.settings)).plan(inputs.map(\.source))
  }

  private func movie(_ inputs: Input...) throws -> Movie {
    let plan = try Multiplexer(inputs.map(\.settings)).plan(inputs.map(\.source))
    #expect(plan.severity ?? .note < .error)
    let sink = MemorySink()
    try plan.write(to: sink)
    return try Movie(reading: [MemorySource(sink.bytes)])
  }

  private func payloads(_ track: Track) throws -> [[UInt8]] { try track.samples.map { try $0.bytes() } }

  @Test("The tracks of each input follow each other with their settings, and their samples do not change")
  func settings() throws {
    let video = try Input("progressive.mp4", "vide")
    var sound = try Input("pcm.mov", "soun")
    (sound.settings.language, sound.settings.name) = ("pt-BR", "Som")
    (sound.settings.isDefault, sound.settings.alternateGroup) = (true, 3)
    let result = try movie(video, sound, Input("progressive.mp4", "soun"))
    #expect(result.tracks.map(\.handler) == ["vide", "soun", "soun"])
    #expect(result.tracks[1].language == "pt-BR")
    #expect(try result.tracks.map { try MovieWriter.Track(like: $0).name }[1] == "Som")
    #expect(result.tracks.map(\.isEnabled) == [true, true, false])
    let originals = [try Movie(reading: [video.source]).tracks[0], try Movie(reading: [sound.source]).tracks[1]]
    for (track, original) in zip(result.tracks, originals) {
      #expect(try payloads(track) == payloads(original))
      #expect(track.samples.map(\.decodeTime) == original.samples.map(\.decodeTime))
    }
  }

  @Test("The same file twice gives its tracks twice")
  func twice() throws {
    let input = try Input("pcm.mov", "soun")
    #expect(try movie(input, input).tracks.map(\.handler) == ["soun", "soun"])
  }

  @Test("Fragments and a progressive file become one movie")
  func fragments() throws {
    let inputs = [try Input("fragmented.mp4"), try Input("pcm.mov")]
    let result = try movie(inputs[0], inputs[1])
    let originals = try inputs.flatMap { try Movie(reading: [$0.source]).tracks }
    #expect(result.tracks.count == originals.count)
    for (track, original) in zip(result.tracks, originals) {
      #expect(try payloads(track) == payloads(original))
    }
  }

  @Test(
    "A delay moves a track, and a negative one hides its start",
    arguments: [(1, 2), (1, 3), (-1, 2), (-1, 3)] as [(Int64, UInt32)])
  func delay(value: Int64, timescale: UInt32) throws {
    let delay = MediaTime(value, timescale)
    let video = try Input("progressive.mp4")
    var sound = try Input("progressive.mp4", "soun")
    let before = try movie(video, sound)
    sound.settings.delay = delay
    let after = try movie(video, sound)
    func times(_ movie: Movie) throws -> [MediaTime] {
      try #require(movie.tracks.last).samples.compactMap(\.presentationTime)
    }
    let expected = try times(before).map { $0 + delay }.filter { $0 >= MediaTime(0, 1) }
    let new = try times(after)
    #expect(new.suffix(expected.count).map(\.seconds) == expected.map(\.seconds))
    // A sample of which the start is hidden is presented, too.
    #expect(new.count - expected.count <= 1)
    #expect(before.tracks[0].samples.map(\.presentationTime) == after.tracks[0].samples.map(\.presentationTime))
  }

  @Test("A delay that leaves nothing, and an input without the tracks, are errors")
  func refusals() throws {
    var input = try Input("pcm.mov", "soun")
    input.settings.delay = MediaTime(-1000, 1)
    #expect(throws: MovieError.self) { try plan(input) }
    #expect(throws: MovieError.self) { try plan(Input("pcm.mov", "meta")) }
    #expect(throws: MovieError.self) { try plan() }
    #expect(throws: MovieError.self) { try Multiplexer().plan([MemorySource([1, 2, 3])]) }
  }

  @Test("Tracks are replaced by those of other inputs")
  func replacement() throws {
    var film = try Input("progressive.mp4")
    film.settings.replaced = TrackSelection([.handlers(["soun"])])
    #expect(try movie(film, Input("pcm.mov", "soun")).tracks.map(\.handler) == ["vide", "soun"])
  }
}
