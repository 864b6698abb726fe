import Support
import Testing

@Suite struct FragmentedFileBuilderTests {
  @Test("A second run without a data offset continues after the first")
  func secondRunContinues() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragment {
      $0.addTraf(1) {
        $0.addRun(.samples(3), firstSampleFlags: .sync)
        $0.addRun(.samples(2), dataOffset: .absent)
      }
    }
    let built = file.build()
    #expect(built.samples[1]?.map(\.decodeTime) == [0, 512, 1024, 1536, 2048])
    #expect(try difference(built.samples, SampleReader.samples(built.bytes)) == nil)
  }

  @Test("A later track fragment without a base starts where the data of the previous one ends")
  func noBase() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      fragment.addTraf(1) {
        $0.base = .none
        $0.addRun(.samples(2))
      }
      fragment.addTraf(2) {
        $0.base = .none
        $0.defaultSize = 9
        $0.addRun(.inherited(4), dataOffset: .absent)
      }
    }
    let built = file.build()
    #expect(built.samples[2]?.map(\.payload.count) == [9, 9, 9, 9])
    #expect(try difference(built.samples, SampleReader.samples(built.bytes)) == nil)
  }

  @Test("Bases, defaults, versions, gaps and data orders result in the declared samples")
  func everyForm() throws {
    var file = FragmentedFileBuilder([
      .video().with(\.edits, [.empty(500), .media(from: 1024)]), .audio().with(\.samples, .samples(6)), .text(),
    ])
    file.fragmentDuration = 0
    file.randomAccess = .init(version: 0, lengths: (1, 2, 4))
    file.parts.append(.index(track: 1))
    file.addFragment { fragment in
      fragment.order = .mediaDataFirst
      fragment.dataOrder = [(1, 0), (0, 1), (0, 0)]
      fragment.addTraf(1) {
        $0.base = .explicit
        $0.defaultFlags = .disposable
        $0.addRun([SampleSpec(5, offset: 1024), SampleSpec(6, offset: -512), SampleSpec(0)], unusedBytesBefore: 3)
        $0.addRun([SampleSpec(7, duration: 1, flags: .sync)])
      }
      fragment.addTraf(2, .samples(3))
    }
    file.addBoxes(fullBox("prft"), box("free", zeros(5)))
    file.addFragment { fragment in
      fragment.mediaDataHeader = .large
      fragment.addTraf(1) {
        $0.base = .explicitData
        $0.decodeTime = 9000
        $0.addRun(.samples(2), dataOffset: .absent)
        $0.addRun([])
      }
      fragment.addTraf(1) {
        $0.tfdt = .absent
        $0.addRun(.samples(2, duration: 700))
      }
      fragment.addTraf(3) {
        $0.isDurationEmpty = true
        $0.defaultDuration = 250
      }
      fragment.addTraf(3) {
        $0.tfdt = .version0
        $0.addRun(.samples(1), version: 1)
      }
    }
    file.parts.append(.initialization)
    let built = file.build()
    #expect(built.samples[2]?.count == 9)
    #expect(built.samples[3]?.first?.decodeTime == 250)
    // The second sample is presented first, at media time 0: 1024 units before the edit.
    #expect(built.presentationStart[1] == Seconds(1, 2) - Seconds(1024, 12_800))
    let read = try SampleReader.read(built.bytes)
    // The tables of moov contain no flags except for sync samples.
    #expect(
      difference(built.samples.mapValues { $0.withSyncOnly() }, read.samples.mapValues { $0.withSyncOnly() }) == nil)
    #expect(read.presentationStart == built.presentationStart)
    #expect(built.places == Dictionary(uniqueKeysWithValues: read.tracks.map { ($0.id, $0.places) }))
  }

  @Test("If offsets count from the moof, init segment and segments are parts of the whole file")
  func segments() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<3 {
      file.startSegment()
      file.addBoxes(box("styp", ascii("msdh"), zeros(4)))
      file.addFragments(2)
    }
    let built = file.build()
    #expect(built.segments.count == 3)
    #expect(built.initialization + built.segments.joined() == built.bytes)
  }

  @Test("An explicit base counts from the start of its own segment file")
  func explicitBaseInSegments() throws {
    var file = FragmentedFileBuilder([.audio()])
    for _ in 0..<2 {
      file.addFragment {
        $0.mediaDataHeader = .toEnd
        $0.addTraf(2) {
          $0.base = .explicit
          $0.addRun(.samples(3))
        }
      }
    }
    let built = file.build()
    #expect(built.segments.count == 2)
    #expect(built.initialization + built.segments.joined() != built.bytes)
    #expect(built.bytes.count == built.initialization.count + built.segments.reduce(0) { $0 + $1.count })
    #expect(try difference(built.samples, SampleReader.samples(built.bytes)) == nil)
  }

  @Test("A truncated file keeps the samples whose data is present")
  func truncation() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addFragments(2, samples: 3)
    let built = file.build()
    let places = try #require(built.places[2])
    #expect(built.truncated(to: places[4].upperBound).samples[2]?.count == 5)
    #expect(built.truncated(to: places[4].upperBound - 1).samples[2]?.count == 4)
    #expect(built.truncated(to: places[3].lowerBound - 30).samples[2]?.count == 3)
  }

  @Test(
    "Fragmented and progressive vectors contain the same samples", arguments: ["base-data-offset", "omit-tfhd-offset"])
  func vectors(name: String) throws {
    let expected = try SampleReader.read(readFile(vectorPath("files/fragmented.mp4")))
    let read = try SampleReader.read(readFile(vectorPath("files/\(name).mp4")))
    #expect(expected.samples.values.map(\.count).sorted() == [131, 152])
    #expect(difference(expected.samples, read.samples) == nil)
  }

  @Test("The segments of the HLS vector contain the samples of their progressive source")
  func vectorSegments() throws {
    let names = ["init.mp4"] + (1...12).map { "segment\($0).m4s" }
    let joined = try names.flatMap { try readFile(vectorPath("files/hls/" + $0)) }
    let source = try SampleReader.read(readFile(vectorPath("files/progressive.mp4")))
    let read = try SampleReader.samples(joined)
    #expect(difference(source.samples.mapValues { $0.withSyncOnly() }, read.mapValues { $0.withSyncOnly() }) == nil)
  }

  @Test("Every box vector is one complete box and names its source")
  func boxVectors() throws {
    let vectors = Support.vectors()
    #expect(vectors.count > 300)
    for vector in vectors {
      let size = vector.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      #expect(size < 2 || size == vector.bytes.count, "\(vector)\n\(hexDump(vector.bytes))")
      let text = try readFile(vectorPath("boxes/\(vector.name).hex"))
      #expect(text.starts(with: ascii("# written ")), "\(vector)")
    }
  }

  @Test("Output and exit status of a program are returned, and a missing tool is not found")
  func running() throws {
    let result = try run("cat", ["-", "/nowhere"], input: ascii("hello"))
    #expect(result.text == "hello" && result.exitCode == 1 && !result.errorOutput.isEmpty)
    #expect(which("sh") != nil && which("no-such-tool") == nil)
    let folder = try TemporaryFolder()
    try folder.write("a b", [1])
    #expect(try run("ls", folder: folder.path).text == "a b\n")
    let clock = WorkClock()
    #expect(try run("sleep", ["9"], seconds: 1).exitCode == 124)
    #expect(clock.elapsed < .seconds(7))
  }
}
