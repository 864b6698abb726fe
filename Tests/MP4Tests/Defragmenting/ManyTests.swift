import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Elements that occur by the thousands must not be compared pairwise, which would take far longer in each test.
@Suite("Large numbers of elements are iterated over once", .serialized)
struct ManyTests {
  typealias File = HostileFile

  private func plan(_ sources: [UInt8]..., keepsEvents: Bool = false) throws -> OutputPlan {
    var options = Defragmenter.Options()
    options.reading.keepsEvents = keepsEvents
    let clock = WorkClock()
    let plan = try Defragmenter(options).plan(named(sources))
    #expect(clock.elapsed < .seconds(20))
    return plan
  }
  /// A file with one sample, these tracks, and other boxes after its fragment.
  private func file(_ traks: [[UInt8]], movie: [UInt8] = [], _ boxes: [[UInt8]] = []) -> [UInt8] {
    let file = File(traks: traks, boxes: [File.moof(File.traf(1, File.trun(1))), box("mdat", zeros(8))] + boxes)
    let moov = file.movie.dropFirst(8) + movie
    return File.fileType + box("moov", Array(moov)) + file.boxes.flatMap(\.self)
  }
  private func pssh(_ number: Int) -> [UInt8] { fullBox("pssh", zeros(16), big(UInt32(4)), big(UInt32(number))) }

  @Test("Tracks of two movies with the same thousands of IDs")
  func numbers() throws {
    let count = Effort.count(short: 1500, all: 3000)
    let traks = (1...count).map { File.trak(UInt32($0)) }
    let plan = try plan(file(traks), file(traks + [File.trak(UInt32(count + 1))]))
    let others = Array(count + 2...2 * count + 1)
    let ids: [Int] = Array(1...count) + others + [count + 1]
    #expect(plan.report?.tracks.map { Int($0.id) } == ids)
  }

  @Test("Thousands of alternate groups")
  func alternates() throws {
    let count = Effort.count(short: 1500, all: 4000)
    let traks = (1...count).map { number in
      var trak = File.trak(UInt32(number))
      trak.replaceSubrange(50..<52, with: big(UInt16(number)))
      return trak
    }
    let bytes = file(traks)
    let movie = try MovieDescription(reading: MemorySource(bytes), in: 0..<bytes.count)
    let groups = [Int16](1...Int16(count))
    #expect(movie.tracks.map(\.alternateGroup) == groups)
    #expect(try plan(bytes).report?.tracks.count == count)
  }

  @Test("Thousands of boxes for protection systems, of movies and of fragments")
  func protection() throws {
    let count = Effort.count(short: 200, all: 800)
    let fragments = (0..<count).map { File.moof(pssh($0)) }
    let plan = try plan(
      file([File.trak()], movie: (0..<count).flatMap { pssh($0 + count) }, fragments),
      file([File.trak()], movie: (0..<count).flatMap { pssh($0 + 2 * count) }))
    let sink = MemorySink()
    try plan.write(to: sink)
    let moov = try #require(try [Box](reading: MemorySource(sink.bytes)).first { $0.type == "moov" })
    #expect(moov.boxes.filter { $0.type == "pssh" }.count == 3 * count)
  }

  @Test("Thousands of events before as many fragments without samples")
  func events() throws {
    let count = Effort.count(short: 5000, all: 20_000)
    let events = (0..<count).map { number in
      fullBox("emsg", ascii("a\0b\0"), [1000, 1, 1, number].flatMap { big(UInt32($0)) })
    }
    let fragments = (0..<count).map { _ in File.moof() }
    let plan = try plan(file([File.trak()], events + fragments), keepsEvents: true)
    #expect(plan.report?.tracks.count == 2)
  }
}
