import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Options of the defragmenter")
struct OptionTests {
  private func defragmenting(_ bytes: [UInt8], _ change: (inout Defragmenter.Options) -> Void) throws -> Output {
    var options = Defragmenter.Options()
    change(&options)
    return try Output(Defragmenter(options).plan(named([bytes])))
  }
  /// Video that starts at 10 s with an edit that cuts off 1024 units, and audio that starts half a second later.
  private func late() -> BuiltFile {
    let tracks = [TrackSpec.video().with(\.edits, [.media(from: 1024)]), .audio()]
    var file = FragmentedFileBuilder(tracks)
    for index in 0..<3 {
      file.addFragment { fragment in
        for (track, start, step) in [(1, 129_024, 2048), (2, 504_000, 4096)] {
          fragment.addTraf(UInt32(track)) {
            $0.decodeTime = UInt64(start + index * step)
            $0.addRun(.samples(4))
          }
        }
      }
    }
    return file.build()
  }

  @Test("The start is kept as an empty edit")
  func keepsStart() throws {
    let built = late()
    let result = try defragmenting(built.bytes) { $0.reading.keepsStart = true }
    check(result, built)
    #expect(result.movie.presentationStart == built.presentationStart)
    #expect(result[1]?.edits.first == .empty(10_000) && result[2]?.edits.first == .empty(10_500))
    #expect(result.texts(.note) == [])
  }

  @Test("Without edits there is no edit list, and tracks with shifted times are reported")
  func noEdits() throws {
    let result = try defragmenting(late().bytes) { $0.reading.keepsEdits = false }
    #expect(result.movie.tracks.map(\.edits) == [[], []])
    #expect(
      result.texts(.warning) == [
        "init.mp4: track 2: without an edit list, it is presented at a different time"
      ])
    var file = FragmentedFileBuilder([.video(), .audio().with(\.edits, [.media(from: 2048)])])
    file.addFragments(2)
    let primed = try defragmenting(file.build().bytes) { $0.reading.keepsEdits = false }
    #expect(primed.movie.tracks.map(\.edits) == [[], []])
    #expect(primed.texts(.warning).count == 1)
  }

  @Test("Tracks are selected by ID and by kind, also of a progressive file")
  func tracks() throws {
    var file = FragmentedFileBuilder([.video(), .audio(), .text()])
    file.addFragments(2)
    let built = file.build()
    let one = try defragmenting(built.bytes) { $0.reading.tracks = TrackSelection([.id(2)]) }
    check(one, built.samples.filter { $0.key == 2 }, built.presentationStart.filter { $0.key == 2 })
    #expect(one.diagnostics == [])
    let two = try defragmenting(built.bytes) { $0.reading.tracks = TrackSelection([.handlers(["soun"]), .id(1)]) }
    check(two, built.samples.filter { $0.key < 3 }, built.presentationStart.filter { $0.key < 3 })
    let progressive = try Output.defragmenting(built.bytes).bytes
    let again = try defragmenting(progressive) { $0.reading.tracks = TrackSelection([.id(3)]) }
    check(again, built.samples.filter { $0.key == 3 }, built.presentationStart.filter { $0.key == 3 })
  }

  @Test("A missing track is an error that lists the existing ones")
  func noSuchTrack() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(2)
    let bytes = file.build().bytes
    let error = #expect(throws: MovieError.self) {
      try defragmenting(bytes) { $0.reading.tracks = TrackSelection([.id(1), .id(7)]) }
    }
    let known: [String: Obstacle.Value] = ["tracks": .list([.integer(1), .integer(2)])]
    #expect(error == .impossible(file: "init.mp4", Obstacle(.noTrack, "", known)))
    let other = #expect(throws: MovieError.self) {
      try defragmenting(bytes) { $0.reading.tracks = TrackSelection([.handlers(["text"])]) }
    }
    #expect(other == error)
  }

  @Test("The movie box can be last, with the same samples")
  func movieLast() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addBoxes(box("abcd", [1, 2, 3]))
    file.addFragments(3)
    let built = file.build()
    let result = try defragmenting(built.bytes) { $0.isMovieFirst = false }
    #expect(result.movie.boxTypes == ["ftyp", "abcd", "mdat", "moov"])
    #expect(
      difference(built.samples.mapValues { $0.withSyncOnly() }, result.movie.samples.mapValues { $0.withSyncOnly() })
        == nil)
    let back = try Output.defragmenting(result.bytes)
    #expect(back.movie.boxTypes == ["ftyp", "moov", "abcd", "mdat"])
  }

  @Test("Planning reports its progress and can be stopped")
  func stopping() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(5)
    let source = MemorySource(file.build().bytes, name: "in.mp4")
    var places: [Int] = []
    _ = try Defragmenter().plan([source]) {
      places.append($0)
      return true
    }
    #expect(places.count > 5 && places == places.sorted() && places[0] == 0)
    var left = 4
    let error = #expect(throws: MovieError.self) {
      try Defragmenter().plan([source]) { _ in
        left -= 1
        return left > 0
      }
    }
    #expect(error?.description == "in.mp4: it was stopped" && left == 0)
    #expect(throws: MovieError.self) { try Defragmenter().planInPlace(source) { _ in false } }
    #expect(throws: MovieError.self) { try Joiner().plan([source, source]) { _ in false } }
  }
}
