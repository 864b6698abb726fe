import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Samples to decode")
struct DecodingRunTests {
  /// Video at 25 pictures per second with open GOPs of six pictures, and a delay of two pictures. The pictures of the
  /// first GOP in decoding order are I0 P3 B1 B2, those of the next ones I6 B4 B5 P9 B7 B8 and I12 B10 B11.
  private static func openGOPs() throws -> Track {
    let order = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8, 12, 10, 11]
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (64, 64)
    var video = try MovieWriter.Track(Box(entry, type: "jpeg"), timescale: 25)
    video.trim = MediaTime(2, 25)
    let track = try writer.add(video)
    for (number, picture) in order.enumerated() {
      try writer.append(
        [UInt8(picture)], to: track, duration: MediaTime(1, 25),
        compositionOffset: MediaTime(Int64(picture + 2 - number), 25), isSync: picture % 6 == 0)
    }
    try writer.finish()
    return try Movie(reading: [MemorySource(sink.bytes)]).tracks[0]
  }
  private func time(_ picture: Int64) -> MediaTime { MediaTime(picture, 25) }

  @Test("Decoding starts at the sync sample from which all wanted pictures can be decoded")
  func starts() throws {
    let track = try Self.openGOPs()
    // Pictures 7 to 10; the first two of them are leading pictures of no GOP, 10 and 11 those of picture 12.
    let run = try #require(track.decodingRuns(presenting: time(7)..<time(11)).first)
    #expect(try run.samples.map { try $0.bytes() } == [[6], [4], [5], [9], [7], [8], [12], [10]])
    #expect(run.samples.filter(run.isShown).map(\.index) == [7, 8, 9, 11])
    // Pictures 4 and 5 refer to the GOP before them.
    let leading = try #require(track.decodingRuns(presenting: time(4)..<time(6)).first)
    #expect(try leading.samples.map { try $0.bytes() } == [[0], [3], [1], [2], [6], [4], [5]])
    #expect(try track.samples(presentedIn: time(4)..<time(8)).map { try $0.bytes() } == [[4], [5], [6], [7]])
    // Times need not be those of pictures, and can extend past the end.
    #expect(track.samples(presentedIn: MediaTime(101, 1000)..<MediaTime(119, 1000)).map(\.size) == [1])
    #expect(try track.samples(presentedIn: time(1)..<MediaTime(121, 1000)).map { try $0.bytes() } == [[1], [2], [3]])
    #expect(try track.samples(presentedIn: time(11)..<time(100)).map { try $0.bytes() } == [[11], [12]])
    #expect(track.decodingRuns(presenting: time(13)..<time(100)).isEmpty)
    #expect(track.decodingRuns(presenting: time(3)..<time(3)).isEmpty)
  }

  @Test("Keyframes before, after and nearest to a time")
  func keyframes() throws {
    let track = try Self.openGOPs()
    func pictures(_ find: (MediaTime) -> Sample?) throws -> [UInt8?] {
      try [0, 2, 3, 5, 6, 9, 10, 12, 20].map { try find(time($0))?.bytes()[0] }
    }
    #expect(try pictures(track.keyframe(atOrBefore:)) == [0, 0, 0, 0, 6, 6, 6, 12, 12])
    #expect(try pictures(track.keyframe(atOrAfter:)) == [0, 6, 6, 6, 6, 12, 12, 12, nil])
    #expect(try pictures(track.keyframe(nearest:)) == [0, 0, 0, 6, 6, 6, 12, 12, 12])
    #expect(track.keyframe(atOrBefore: time(-1)) == nil && track.keyframe(nearest: time(-1))?.index == 0)
  }

  @Test("Audio is decoded from the samples that its codec needs before")
  func audio() throws {
    let movie = try Movie(reading: [MemorySource(readFile(vectorPath("files/progressive.mp4")))])
    let track = try #require(movie.tracks.first { $0.isAudio })
    let second = MediaTime(1, 1)..<MediaTime(2, 1)
    let run = try #require(track.decodingRuns(presenting: second).first)
    let shown = track.samples(presentedIn: second)
    #expect(shown.first?.presentations.first?.contains(second.lowerBound) == true)
    #expect(run.range == (try #require(shown.first)).index - 1..<(try #require(shown.last)).index + 1)
    #expect(track.audioSpecificConfig?.count ?? 0 >= 2 && track.parameterSets.isEmpty)
  }

  @Test("Samples of a run have the times of the presentation, also those that are only decoded")
  func timing() throws {
    let run = try #require(try Self.openGOPs().decodingRuns(presenting: time(0)..<time(4)).first)
    #expect(run.samples.prefix(4).map { run.timing(of: $0).presentation } == [time(0), time(3), time(1), time(2)])
    #expect(run.samples.prefix(4).map { run.timing(of: $0).decode } == (-2...1).map(time))
    func movie(_ name: String) throws -> MemorySource { MemorySource(try readFile(vectorPath("files/" + name))) }
    let spans = [(1, 2), (4, 5), (6, 9)].map { PresentationSpan(from: MediaTime($0, 1), to: MediaTime($1, 1)) }
    let parts = MemorySink()
    try Cut(.keeping(spans)).plan([movie("progressive.mp4")]) { _ in true }.write(to: parts)
    var runCount = 0
    for source in try [movie("progressive.mp4"), movie("fragmented.mp4"), movie("progressive.mov")] + [
      MemorySource(parts.bytes)
    ] {
      for track in try Movie(reading: [source]).tracks where track.isVideo || track.isAudio {
        let runs = track.decodingRuns(presenting: try #require(track.presentedTimes))
        runCount += runs.count
        for run in runs {
          for sample in run.samples {
            let (presentation, decode) = run.timing(of: sample)
            #expect(presentation - decode == sample.compositionOffset)
            let end = presentation + sample.duration
            #expect(run.isShown(sample) == (presentation < run.times.upperBound && end > run.times.lowerBound))
            guard run.times.contains(presentation) else { continue }
            #expect(sample.presentations.contains { $0.lowerBound == presentation })
          }
        }
      }
    }
    #expect(runCount > 8)
  }

  @Test("A byte stream has the parameter sets, like the elementary stream that is extracted")
  func annexB() throws {
    for name in ["progressive.mp4", "fragmented.mp4"] {
      let movie = try Movie(reading: [MemorySource(readFile(vectorPath("files/\(name)")))])
      let track = try #require(movie.tracks.first { $0.isVideo })
      let sink = MemorySink()
      try TrackExtraction(of: movie.keeping(TrackSelection([.id(track.id)]))).write(to: sink)
      #expect(try track.annexB(of: 0..<track.samples.count) == sink.bytes)
      #expect(track.parameterSets.map { $0[0] & 31 } == [7, 8])
      #expect(try movie.tracks.first { $0.isAudio }?.annexB(of: 0..<1) == nil)
      #expect(try track.samples.bytes(of: 3..<40) == track.samples[3..<40].map { try $0.bytes() })
    }
  }

  @Test("Runs from wrong times do not trap")
  func damaged() throws {
    for name in namesInFolder(vectorPath("crashers")) {
      guard let movie = try? Movie(reading: [MemorySource(readFile(vectorPath("crashers/\(name)")))]) else { continue }
      for track in movie.tracks {
        for times in [MediaTime(0, 1)..<MediaTime(1, 1), MediaTime(-5, 1)..<MediaTime(Int64.max, 1)] {
          _ = track.samples(presentedIn: times).count
          for run in track.decodingRuns(presenting: times) { _ = run.samples.prefix(9).map(run.timing) }
        }
        _ = track.keyframe(nearest: MediaTime(1, 2))
      }
    }
  }
}
