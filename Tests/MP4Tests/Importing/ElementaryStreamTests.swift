import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Elementary streams as movies")
struct ElementaryStreamTests {
  func movie(
    _ bytes: [UInt8], rate: FrameRate? = nil, isQuickTime: Bool = false
  ) throws -> (movie: Movie, diagnostics: [Diagnostic]) {
    var options = ElementaryStream.Options()
    (options.frameRate, options.isQuickTime) = (rate, isQuickTime)
    let stream = try #require(try ElementaryStream(MemorySource(bytes, name: "in"), options))
    return (try Movie(reading: [stream.movie]), stream.diagnostics)
  }

  func obstacle(_ bytes: [UInt8]) throws -> Obstacle? {
    do throws(MovieError) {
      _ = try ElementaryStream(MemorySource(bytes, name: "in"))
      return nil
    } catch { return error.obstacle }
  }

  struct Row: Equatable {
    var bytes: [UInt8]
    var time: MediaTime
    var duration: MediaTime
    var isSync: Bool
  }
  func rows(_ track: Track) throws -> [Row] {
    let start = track.samples.first?.decodeTime ?? MediaTime(0, 1)
    return try track.samples.map {
      Row(bytes: try $0.bytes(), time: $0.compositionTime - start, duration: $0.duration, isSync: $0.isSync)
    }
  }

  // MARK: What this library extracts

  @Test(
    "An extracted track is the same track again",
    arguments: [
      ("progressive.mp4", 1, 1), ("progressive.mp4", 2, 2), ("fragmented.mp4", 1, 1), ("hevc-fragmented.mp4", 1, 1),
      ("pcm.mov", 1, 1),
    ])
  func roundTrip(name: String, id: UInt32, _: Int) throws {
    let source = MemorySource(try readFile(vectorPath("files/" + name)))
    let track = try #require(try Movie(reading: [source]).tracks.first { $0.id == id })
    let sink = MemorySink()
    try TrackExtraction(of: TrackSelection([.id(id)]), in: [source]).write(to: sink)
    let rate = track.isVideo ? track.frameRate : nil
    let result = try movie(sink.bytes, rate: rate)
    let copy = try #require(result.movie.tracks.first)
    #expect(result.diagnostics.isEmpty && result.movie.tracks.count == 1)
    let (old, new) = (try rows(track), try rows(copy))
    #expect(old.count == new.count && old.count > 10)
    // The last duration of a stream is not known, and its clock can be another.
    for (old, new) in zip(old.dropLast(), new) { #expect(old == new) }
    #expect(copy.decoderConfigurations[0].codecs == track.decoderConfigurations[0].codecs)
  }

  struct Bits {
    private(set) var bits: [UInt8] = []
    mutating func put(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(UInt8(value >> bit & 1)) }
    }
    mutating func golomb(_ value: Int) {
      let count = Int.bitWidth - (value + 1).leadingZeroBitCount
      put(0, count - 1)
      put(value + 1, count)
    }
    /// The bytes with a stop bit and emulation prevention.
    func unit(_ header: [UInt8]) -> [UInt8] {
      let all = bits + [1] + Array(repeating: 0, count: (7 - bits.count % 8 + 8) % 8)
      var (result, zeros) = (header, 0)
      for at in stride(from: 0, to: all.count, by: 8) {
        let byte = all[at..<at + 8].reduce(0) { $0 << 1 | $1 }
        if zeros == 2, byte < 4 {
          result.append(3)
          zeros = 0
        }
        zeros = byte == 0 ? zeros + 1 : 0
        result.append(byte)
      }
      return result
    }
  }

  /// A sequence parameter set of the Main profile: 32 x 32, with or without a frame rate.

  @Test("Files of other formats are no elementary streams")
  func others() throws {
    for bytes in [[], [0], Array("WEBVTT".utf8), try readFile(vectorPath("files/progressive.mp4"))] as [[UInt8]] {
      #expect(try ElementaryStream(MemorySource(bytes)) == nil)
    }
  }
}

private func == (a: (bytes: [UInt8], severities: [Diagnostic.Severity]), b: ([UInt8], [Diagnostic.Severity])) -> Bool {
  a.bytes == b.0 && a.severities == b.1
}
