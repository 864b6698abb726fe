import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Changes by a join")
struct JoinChangeTests {
  private typealias Base = TrackFragmentSpec.Base
  private func file(_ base: TrackFragmentSpec.Base, fragments: Int = 4) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<fragments {
      file.addFragment { fragment in
        for track: UInt32 in [1, 2] {
          fragment.addTraf(track) {
            $0.base = base
            $0.addRun(.samples(3))
          }
        }
      }
    }
    return file
  }

  @Test("A repeated init segment is dropped")
  func repeatedInit() throws {
    let built = JoinTests.file(4).build()
    var sources = JoinTests.sources(built, [0])
    for index in 1..<4 {
      sources.append(MemorySource(built.initialization + built.segments[index], name: "seg\(index + 1).mp4"))
    }
    let result = try Output.joining(sources)
    #expect(result.bytes == built.bytes)
    #expect(result.diagnostics.allSatisfy { $0.severity == .note })
  }

  @Test("Explicit base offsets that count from their own segment file are corrected")
  func ownBase() throws {
    for base: Base in [.explicit, .explicitData] {
      let built = file(base).build()
      let result = try Output.joining(JoinTests.sources(built, [2, 0, 3, 1]))
      #expect(result.bytes == built.bytes)
      #expect(difference(built.samples, result.movie.samples) == nil)
      check(try .defragmenting(result.bytes), built)
    }
  }

  @Test("Explicit base offsets that count from the file the segments were cut from are kept")
  func wholeBase() throws {
    let built = file(.explicit).build()
    var segments = built
    segments.segments = cut(built)
    #expect(try Output.joining(JoinTests.sources(segments, [0, 1, 2, 3])).bytes == built.bytes)
    // Without the first segment, the others move.
    let result = try Output.joining(JoinTests.sources(segments, [1, 2, 3]))
    let expected = built.samples.mapValues { Array($0[3...]) }
    #expect(difference(expected, result.movie.samples) == nil)
  }

  @Test("An mdat of size 0 gets its size, except at the end")
  func openEnd() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<3 {
      file.addFragment { fragment in
        fragment.mediaDataHeader = .toEnd
        fragment.addTraf(1, .samples(4))
        fragment.addTraf(2, .samples(4))
      }
    }
    let built = file.build()
    #expect(built.segments.allSatisfy { $0.count > 0 })
    let result = try Output.joining(JoinTests.sources(built, [0, 1, 2]))
    #expect(result.bytes == built.bytes)
    check(try .defragmenting(result.bytes), built)
    // In another order, a different segment is the last.
    let other = try Output.joining(JoinTests.sources(built, [0, 2, 1]), order: .given)
    #expect(other.bytes.count == built.bytes.count)
    #expect(other.movie.samples.mapValues(\.count) == [1: 12, 2: 12])
  }

  @Test(
    "An incomplete mdat gets its actual size, so that the next segment is found", arguments: [false, true])
  func cutMediaData(isLarge: Bool) throws {
    var file = FragmentedFileBuilder([.video()])
    for _ in 0..<3 {
      file.addFragment { fragment in
        fragment.mediaDataHeader = isLarge ? .large : .compact
        fragment.addTraf(1, .samples(4))
      }
    }
    let built = file.build()
    let sources: [any ByteSource] = [
      MemorySource(built.initialization, name: "init.mp4"), MemorySource(built.segments[0], name: "a"),
      MemorySource(Array(built.segments[1].dropLast(10)), name: "b"), MemorySource(built.segments[2], name: "c"),
    ]
    let plan = try Joiner().plan(sources)
    let sink = MemorySink()
    try plan.write(to: sink)
    #expect(sink.bytes.count == built.bytes.count - 10)
    #expect(plan.diagnostics.map(\.severity) == [.error] && plan.diagnostics.map(\.file) == ["b"])
    // All boxes are found; only a sample of the second segment has too few bytes.
    let types = try [Box](reading: MemorySource(sink.bytes)).map(\.type.description)
    #expect(types == ["ftyp", "moov", "moof", "mdat", "moof", "mdat", "moof", "mdat"])
    #expect(number(sink.bytes, built.initialization.count + built.segments[0].count) == number(built.segments[1], 0))
  }

  @Test("A moof ends before another one that starts in it and extends past its end")
  func movieFragmentInAnother() throws {
    var file = FragmentedFileBuilder([.video()])
    for order in [FragmentSpec.Order.mediaDataFirst, .movieFragmentFirst] {
      file.addFragment { fragment in
        fragment.order = order
        fragment.addTraf(1) {
          $0.base = .explicit
          $0.addRun(.samples(3))
        }
      }
    }
    let built = file.build()
    var (outer, inner) = (built.segments[0], built.segments[1])
    func offset(of type: String, in bytes: [UInt8]) throws -> Int {
      try #require(bytes.indices.first { bytes[$0...].starts(with: ascii(type)) }) - 4
    }
    // The sizes end after the first box of the other fragment, so that another box follows them.
    let places = [try offset(of: "moof", in: outer), try offset(of: "traf", in: outer)]
    let size = number(outer, places[0])
    for place in places { outer.replaceSubrange(place..<place + 4, with: big(UInt32(number(outer, place) + 24))) }
    let base = try offset(of: "tfhd", in: inner) + 20
    inner.replaceSubrange(base..<base + 4, with: big(UInt32(number(inner, base) + outer.count)))

    let plan = try Joiner().plan([MemorySource(built.initialization), MemorySource(outer + inner)])
    let sink = MemorySink()
    try plan.write(to: sink)
    let boxes = try [Box](reading: MemorySource(sink.bytes))
    #expect(boxes.map(\.type) == ["ftyp", "moov", "mdat", "moof", "moof", "mdat"])
    #expect(boxes[3].header?.declaredSize == UInt64(size))
    #expect(plan.diagnostics.contains { $0.text.hasPrefix("moof: size at byte \(places[0]) is \(size + 24)") })
    #expect(try Movie(reading: [MemorySource(sink.bytes)]).tracks.map(\.samples.count) == [6])
  }

  @Test("An incomplete moof does not include the next segment", arguments: [false, true])
  func cutMovieFragment(isExplicit: Bool) throws {
    let built = file(isExplicit ? .explicit : .moof, fragments: 3).build()
    let kept = number(built.segments[1], 0) - 5
    let sources: [any ByteSource] = [
      MemorySource(built.initialization, name: "init.mp4"), MemorySource(built.segments[0], name: "a"),
      MemorySource(Array(built.segments[1].prefix(kept)), name: "b"), MemorySource(built.segments[2], name: "c"),
    ]
    let sink = MemorySink()
    let plan = try Joiner(order: .given).plan(sources)
    try plan.write(to: sink)
    let boxes = try [Box](reading: MemorySource(sink.bytes))
    #expect(boxes.map(\.type.description) == ["ftyp", "moov", "moof", "mdat", "moof", "mdat"])
    let third = try #require(boxes[4].header)
    #expect(third.offset == sink.bytes.count - built.segments[2].count)
    #expect(plan.diagnostics.contains { $0.severity == .error && $0.file == "b" })
  }

  @Test("An incomplete mfra does not include the next segment")
  func cutRandomAccess() throws {
    var file = file(.moof, fragments: 2)
    file.randomAccess = .init()
    let built = file.build()
    let sources: [any ByteSource] = [
      MemorySource(built.initialization, name: "init.mp4"), MemorySource(built.segments[1].dropLast(20), name: "b"),
      MemorySource(built.segments[0], name: "a"),
    ]
    let sink = MemorySink()
    try Joiner(order: .given).plan(sources).write(to: sink)
    let types = try [Box](reading: MemorySource(sink.bytes)).map(\.type.description)
    #expect(types == ["ftyp", "moov", "moof", "mdat", "mfra", "moof", "mdat"])
  }

  @Test("Bytes after the last box of a segment in the middle do not hide the next one", arguments: [1, 3, 7, 12])
  func garbage(count: Int) throws {
    let built = file(.moof, fragments: 2).build()
    let sources: [any ByteSource] = [
      MemorySource(built.initialization, name: "init.mp4"),
      MemorySource(built.segments[0] + Array(repeating: 0, count: count - 1) + [3], name: "a"),
      MemorySource(built.segments[1], name: "b"),
    ]
    let result = try Output.joining(sources)
    #expect(difference(built.samples, result.movie.samples) == nil)
  }

  @Test("The offsets of mfra are corrected")
  func randomAccess() throws {
    for version: UInt8 in [0, 1] {
      var file = FragmentedFileBuilder([.video(), .audio()])
      file.randomAccess = .init(version: version, lengths: (1, 2, 4))
      for _ in 0..<3 {
        file.startSegment()
        file.addFragments(2)
      }
      let built = file.build()
      let result = try Output.joining(JoinTests.sources(built, [0, 1, 2]))
      // The index is in the last segment file only, and lists its two fragments.
      let tables = payloads(of: "tfra", in: result.bytes)
      #expect(tables.count == 2)
      let width = version == 0 ? 4 : 8
      let moofs = try [Box](reading: MemorySource(result.bytes)).filter { $0.type == "moof" }.compactMap(
        \.header?.offset)
      for table in tables {
        #expect(number(table, 12) == 2)
        let row = 2 * width + 7
        let offsets = (0..<2).map { number(table, 16 + $0 * row + width, width) }
        #expect(offsets == Array(moofs.suffix(2)))
      }
    }
  }
}
