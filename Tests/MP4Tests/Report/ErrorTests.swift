import ISOBMFF
import MP4Bytes
import Support
import Testing

@testable import MP4

@Suite("Errors that a caller can match")
struct ErrorTests {
  /// The reason why these bytes contain no movie: the case and its message.
  private func problem(_ bytes: [UInt8]) throws -> (name: String, text: String) {
    do throws(MovieError) {
      _ = try Movie(reading: [MemorySource(bytes, name: "in.mp4")])
      return ("none", "")
    } catch {
      let name =
        switch error {
        case .empty: "empty"
        case .text: "text"
        case .otherFormat(_, .webVTT): "WebVTT"
        case .cutOff: "cut off"
        case .mediaOnly: "media only"
        case .noMovie: "no movie"
        default: "another"
        }
      return (name, error.reason)
    }
  }

  @Test("Equal errors have equal values, not only the same sentence")
  func equality() {
    func io(_ code: Int32) -> MovieError { .io(IOError(.open, file: "a.mp4", code: code, reason: "it failed")) }
    #expect(io(2).description == io(13).description && io(2) == io(2) && io(2) != io(13))
    func cut(_ code: Obstacle.Code, at time: Int64 = 0, _ sentence: String = "") -> MovieError {
      .impossible(file: "a.mp4", Obstacle(code, sentence, ["time": .time(MediaTime(time, 1))]))
    }
    #expect(cut(.openGOP) == cut(.openGOP, "other words"))
    #expect(cut(.openGOP) != cut(.noSync) && cut(.openGOP, at: 1) != cut(.openGOP, at: 2))
    #expect(MovieError.noMovie(file: "a.mp4") != .noMovie(file: "b.mp4"))
    #expect(MovieError.noMovie(file: "a.mp4") != .noTracks(file: "a.mp4"))
    #expect(MovieError.noBox(file: "a", path: "b: c") != .noBox(file: "a", path: "b"))
  }

  @Test("A file without a movie is empty, text, in another format, truncated, or something else")
  func noMovie() throws {
    let whole = try readFile(vectorPath("files/progressive.mp4"))
    let boxes = try [Box](reading: MemorySource(whole))
    let front = Array(whole[..<(try #require(boxes.first?.header?.end))])
    let media = ascii("mdat") + bytes(300) { _ in 0xaa }
    let noMovie = "no moov box; an init segment or a complete file is needed"
    #expect(try problem([]) == ("empty", "the file is empty; copy or download it again"))
    let text = "this is a text file, not MP4; use an MP4 file or an init segment"
    #expect(try problem(ascii("only words\n")) == ("text", text))
    #expect(try problem(ascii("WEBVTT\n")) == ("WebVTT", "this is WebVTT subtitles, not MP4"))
    let cutOff =
      "the file is cut off before its moov box, which is needed to locate samples; copy or download it again"
    #expect(MovieError.cutOff(file: "a").remedy == .recover && MovieError.mediaOnly(file: "a").remedy == .recover)
    #expect(try problem(front + big(UInt32(5000)) + media) == ("cut off", cutOff))
    // The size of the media data is written only at the end of a recording.
    #expect(try problem(front + big(UInt32(0)) + media) == ("cut off", cutOff))
    let mediaOnly = "no moov box, which is needed to locate the samples in mdat; copy or download it again"
    #expect(try problem(front + big(UInt32(308)) + media) == ("media only", mediaOnly))
    // A movie box inside media data whose size is too large.
    let moov = try #require(boxes.first { $0.type == "moov" }?.header)
    let large = front + big(UInt32(408)) + media + whole[moov.offset..<moov.end]
    #expect(try problem(large) == ("media only", mediaOnly))
    #expect(try problem(front) == ("no movie", noMovie))
    let pictures = big(UInt32(12)) + ascii("meta") + big(UInt32(0))
    #expect(try problem(front + pictures + big(UInt32(5000)) + media) == ("no movie", noMovie))
  }

  @Test("The obstacle of an operation is a value with a message")
  func obstacles() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(2)
    let source = MemorySource(file.build().bytes, name: "in.mp4")
    var options = Defragmenter.Options()
    options.reading.tracks = TrackSelection([.id(7)])
    do throws(MovieError) {
      _ = try Defragmenter(options).plan([source])
      Issue.record("track 7 does not exist")
    } catch {
      #expect(error.obstacle?.code == .noTrack && error.obstacle?.values == ["tracks": .list([.integer(1)])])
      #expect(error.description == "in.mp4: track 7 does not exist; it has only track 1 (vide)")
    }
    var cuts = Fragmenter.Options()
    cuts.cutting = .times([MediaTime(123, 1)])
    do throws(MovieError) {
      _ = try Fragmenter(cuts).plan(try Movie(reading: [source]))
      Issue.record("there is no sample at 123 s")
    } catch {
      guard let obstacle = error.obstacle, case .list(let nearest)? = obstacle.values["nearest"] else { throw error }
      #expect(obstacle.code == .noSync && obstacle.values["time"] == .time(MediaTime(123, 1)) && nearest.count == 1)
    }
  }
}
