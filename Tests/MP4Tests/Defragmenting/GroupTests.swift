import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Several init segments with their media segments, as downloads usually are.
@Suite("Several groups of inputs become one file")
struct GroupTests {
  private func built(_ tracks: [TrackSpec], fragments: Int = 3, start: UInt64 = 0, seed: UInt64) -> BuiltFile {
    var file = FragmentedFileBuilder(tracks, seed: seed)
    for index in 0..<fragments {
      file.addFragment { fragment in
        for track in tracks {
          let time = start + UInt64(index) * 4 * UInt64(track.trex?.duration ?? 0)
          fragment.addTraf(track.id) {
            $0.decodeTime = time
            $0.addRun(.samples(4))
          }
        }
      }
    }
    return file.build()
  }
  /// The samples of these files, under the track IDs of the output.
  private func expected(_ parts: (BuiltFile, [UInt32: UInt32])...) -> (
    samples: [UInt32: [SampleRecord]], starts: [UInt32: Seconds]
  ) {
    var samples: [UInt32: [SampleRecord]] = [:]
    var starts: [UInt32: Seconds] = [:]
    for (file, ids) in parts {
      for (old, new) in ids { (samples[new], starts[new]) = (file.samples[old], file.presentationStart[old]) }
    }
    return (samples, starts)
  }

  @Test("Video and audio with the same ID get distinct IDs, and the later start of one is kept")
  func videoAndAudio() throws {
    let video = built([.video(id: 1)], seed: 1)
    let audio = built([.audio(id: 1)], start: 24_000, seed: 2)
    let sources = named([video.initialization] + video.segments + [audio.initialization] + audio.segments)
    let result = try Output.defragmenting(sources)
    let wanted = expected((video, [1: 1]), (audio, [1: 2]))
    check(result, wanted.samples, wanted.starts)
    #expect(result.movie.tracks.map(\.handler) == ["vide", "soun"])
    #expect(result[2]?.edits.first == .empty(500))
    #expect(
      result.texts(.note) == [
        "segment4.m4s: it has its own moov; its tracks are merged with those of init.mp4"
      ])
    #expect(number(try #require(payloads(of: "mvhd", in: result.bytes).first), 96) == 3)
  }

  @Test("Groups can be whole files, fragmented or progressive, and segments in any order")
  func wholeFiles() throws {
    let video = built([.video(id: 7)], seed: 1)
    var table = FragmentedFileBuilder([.audio(id: 7).with(\.samples, .samples(9))], seed: 2)
    table.tracks[0].trex = nil
    let audio = table.build()
    let wanted = expected((video, [7: 7]), (audio, [7: 1]))
    check(try .defragmenting(named([video.bytes, audio.bytes])), wanted.samples, wanted.starts)
    let parts = [video.initialization, video.segments[2], video.segments[0], video.segments[1], audio.bytes]
    check(try .defragmenting(named(parts)), wanted.samples, wanted.starts)
    let other = expected((video, [7: 1]), (audio, [7: 7]))
    check(try .defragmenting(named([audio.bytes, video.bytes])), other.samples, other.starts)
  }

  @Test("A repeated init segment continues its group")
  func goesOn() throws {
    let video = built([.video(id: 1)], seed: 1)
    let audio = built([.audio(id: 2)], seed: 2)
    let sources = named([
      video.initialization + video.segments[0], audio.initialization + audio.segments[0],
      video.initialization + video.segments[1], video.segments[2], audio.initialization, audio.segments[1],
      audio.segments[2],
    ])
    let wanted = expected((video, [1: 1]), (audio, [2: 2]))
    check(try .defragmenting(sources), wanted.samples, wanted.starts)
  }

  @Test("References are updated to the new IDs, and those to unselected tracks are removed")
  func references() throws {
    let tref = box("tref", box("cdsc", big(UInt32(1)), big(UInt32(2))), box("chap", big(UInt32(2))))
    let first = built([.video(id: 1)], seed: 1)
    let tracks = [TrackSpec.video(id: 1), .audio(id: 2), .text(id: 3).with(\.boxes, ["trak": tref])]
    let second = built(tracks, seed: 2)
    let sources = named([first.bytes, second.bytes])
    let all = try Output.defragmenting(sources)
    #expect(all.movie.tracks.map(\.id) == [1, 4, 2, 3])
    #expect(payloads(of: "cdsc", in: all.bytes) == [big(UInt32(4)) + big(UInt32(2))])
    var options = Defragmenter.Options()
    options.reading.tracks = TrackSelection([.handlers(["vide", "text"])])
    let some = try Output(Defragmenter(options).plan(sources))
    #expect(some.movie.tracks.map(\.id) == [1, 2, 3])
    #expect(payloads(of: "cdsc", in: some.bytes) == [big(UInt32(2))])
    #expect(payloads(of: "chap", in: some.bytes) == [])
  }

  @Test("The same alternate group means alternatives only for tracks of one kind")
  func alternateGroups() throws {
    func numbers(_ tracks: [TrackSpec]) throws -> [Int] {
      let files = tracks.enumerated().map { index, track in
        var bytes = built([track], seed: UInt64(index)).bytes
        let tkhd = bytes.indices.first { Array(bytes[$0..<min($0 + 4, bytes.count)]) == ascii("tkhd") } ?? 0
        bytes[tkhd + 4 + 4 + 20 + 8 + 3] = 1
        return bytes
      }
      let result = try Output.defragmenting(named(files))
      return payloads(of: "tkhd", in: result.bytes).map { number($0, 34, 2) }
    }
    #expect(try numbers([.audio(id: 1), .audio(id: 2)]) == [1, 1])
    #expect(try numbers([.video(id: 1), .audio(id: 2), .audio(id: 3)]) == [1, 2, 2])
  }

  @Test("Keys of other movies are added once, and replacing an existing one is reported")
  func movieBoxes() throws {
    var first = FragmentedFileBuilder([.video(id: 1)], seed: 1)
    var second = FragmentedFileBuilder([.audio(id: 2)], seed: 2)
    let shared = fullBox("pssh", zeros(16), zeros(4))
    let own = fullBox("pssh", zeros(16), big(UInt32(1)), [9])
    first.movieBoxes = shared + box("udta", box("name", ascii("first")))
    second.movieBoxes = shared + own + box("udta", box("name", ascii("second"))) + box("abcd", [1])
    first.addFragments(2)
    second.addFragments(2)
    let result = try Output.defragmenting(named([first.build().bytes, second.build().bytes]))
    #expect(payloads(of: "pssh", in: result.bytes).count == 2)
    #expect(payloads(of: "udta", in: result.bytes) == [box("name", ascii("first"))])
    #expect(payloads(of: "abcd", in: result.bytes) == [[1]])
    #expect(result.texts(.note).last == "segment1.m4s: moov/udta: the output has that of init.mp4; omitted")
  }

  @Test("An init segment without samples and a file without movie and fragments are refused by name")
  func nothing() throws {
    let video = built([.video(id: 1)], seed: 1)
    let audio = built([.audio(id: 2)], seed: 2)
    let error = #expect(throws: MovieError.self) {
      try Defragmenter().plan(named([video.bytes, audio.initialization]))
    }
    let expected = MovieError.impossible(file: "segment1.m4s", Obstacle("no_segments", ""))
    #expect(error == expected)
    let other = #expect(throws: MovieError.self) {
      try Defragmenter().plan(named([video.bytes, audio.initialization, audio.segments[0], box("free")]))
    }
    #expect(other == .impossible(file: "segment3.m4s", Obstacle("not_a_segment", "")))
    let stranger = #expect(throws: MovieError.self) {
      try Defragmenter().plan(named([video.bytes, audio.initialization, video.segments[0]]))
    }
    // The segment is assigned to the matching init segment, so the other one has none.
    #expect(stranger == expected)
  }
}
