import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("The samples of a track as a collection")
struct SamplesTests {
  private static let files = 0..<Effort.count(short: 25, all: 150) as Range<UInt64>

  private func movie(_ bytes: [UInt8]) throws -> Movie { try Movie(reading: [MemorySource(bytes, name: "in.mp4")]) }

  @Test("The samples of random files have the written values and offsets", arguments: files)
  func randomFiles(seed: UInt64) throws {
    let built = RandomFiles.file(seed)
    for track in try movie(built.bytes).tracks {
      let expected = built.samples[track.id] ?? []
      #expect(difference(expected.stretched(), try track.samples.map { try record($0) }) == nil)
      #expect(track.samples.map { $0.offset..<($0.offset + $0.size) } == built.places[track.id] ?? [])
      // One by one, the result is the same as in a loop.
      for index in track.samples.indices.shuffled() {
        let sample = track.samples[index]
        #expect(
          sample.index == index && sample.decodeTime == MediaTime(Int64(expected[index].decodeTime), track.timescale))
        #expect(sample.offset == built.places[track.id]?[index].lowerBound && sample.source.name == "in.mp4")
        #expect(sample.dependencies.dependsOnOthers == [1: true, 2: false][sample.flags.rawValue >> 24 & 3])
      }
    }
  }

  /// A sample as recorded by the builder.
  private func record(_ sample: Sample) throws -> SampleRecord {
    var record = SampleRecord(
      decodeTime: Int(sample.decodeTime.value), compositionOffset: Int(sample.compositionOffset.value),
      duration: Int(sample.duration.value), flags: sample.flags.rawValue, descriptionIndex: sample.descriptionIndex,
      payload: try sample.bytes())
    #expect(sample.size == record.payload.count && sample.isSync == record.isSync)
    #expect(sample.compositionTime == sample.decodeTime + sample.compositionOffset)
    for group in try sample.groups() { record.groups[group.type.description] = group.description }
    return record
  }

  @Test("Presentation times follow the edits", arguments: files)
  func presentations(seed: UInt64) throws {
    let bytes = RandomFiles.file(seed).bytes
    let reading = try SampleReader.read(bytes)
    let movie = try movie(bytes)
    for track in movie.tracks {
      let isHybrid = reading.tracks.first { $0.id == track.id }?.chunkCount ?? 0 > 0
      // An edit of duration 0 covers the entire media.
      if isHybrid, !track.edits.isEmpty { continue }
      var own: [UInt32: [Presented]] = [:]
      var end = -1
      for sample in track.samples {
        #expect(sample.presentationTime == sample.presentations.first?.lowerBound)
        end = max(end, Int(sample.compositionTime.value + sample.duration.value))
        for range in sample.presentations where !range.isEmpty {
          // The reading has the times of the media.
          var (start, end) = (
            seconds(range.lowerBound + movie.mediaStart), seconds(range.upperBound + movie.mediaStart)
          )
          // Without edits, media is presented at its composition times; times below 0 are never shown.
          if track.edits.isEmpty { (start, end) = (max(start, Seconds(0, 1)), max(end, Seconds(0, 1))) }
          guard start < end else { continue }
          own[track.id, default: []].append(Presented(sample: sample.index, start: start, end: end))
        }
      }
      let expected = stretched(reading, track.id).presented[track.id] ?? []
      #expect(own[track.id] ?? [] == expected, "\(seed)")
    }
  }

  /// A reading in which each sample lasts until the next one.
  private func stretched(_ reading: MovieReading, _ id: UInt32) -> MovieReading {
    var reading = reading
    for index in reading.tracks.indices { reading.tracks[index].samples = reading.tracks[index].samples.stretched() }
    return reading
  }
  private func seconds(_ time: MediaTime) -> Seconds { Seconds(Int(time.value), Int(time.timescale)) }

  @Test("Searching samples by time gives the same result as a linear search", arguments: files)
  func lookup(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let movie = try movie(reordered(&random))
    let track = try #require(movie.tracks.first)
    let samples = Array(track.samples)
    let end = samples[samples.count - 1].decodeTime.value + samples[samples.count - 1].duration.value
    let last = samples.map { $0.compositionTime.value + $0.duration.value }.max() ?? 0
    let start = samples[0].decodeTime.value
    for _ in 0..<200 {
      let value = Int64.random(in: (start - 50)...(last + 50), using: &random)
      let isFraction = Bool.random(using: &random)
      let time = isFraction ? MediaTime(value * 3 + 1, track.timescale * 3) : MediaTime(value, track.timescale)
      let decoded = samples.last { $0.decodeTime <= time }?.index
      #expect(track.samples.index(atDecodeTime: time) == (value < end ? decoded : nil))
      var presented: Sample?
      for sample in samples
      where sample.compositionTime <= time
        && sample.compositionTime >= presented?.compositionTime ?? sample.compositionTime
      {
        presented = sample
      }
      let found = track.samples.index(atPresentationTime: time - movie.mediaStart)
      #expect(found == (value < last ? presented?.index : nil))
    }
    for index in samples.indices {
      #expect(track.samples.syncIndex(atOrBefore: index) == samples[...index].last(where: \.isSync)?.index)
    }
    #expect(track.samples.syncIndex(atOrBefore: -1) == nil)
    #expect(
      track.samples.index(atDecodeTime: MediaTime(.max, 1)) == nil
        && track.samples.index(atDecodeTime: MediaTime(.min, 1)) == nil)
    #expect(track.samples.index(atPresentationTime: MediaTime(.max, 1)) == nil)
    #expect(track.samples.index(atPresentationTime: MediaTime(.min, 1)) == nil)
  }

  /// A file of up to 300 samples with random composition offsets and durations, some of them 0.
  private func reordered(_ random: inout SplitMix64) -> [UInt8] {
    var file = FragmentedFileBuilder([.video()])
    let isRegular = Bool.random(using: &random)
    for number in 0..<Int.random(in: 1...3, using: &random) {
      let samples = (0..<Int.random(in: 1...100, using: &random)).map { _ in
        SampleSpec(
          1, duration: isRegular ? 512 : .random(in: 0...40, using: &random),
          flags: Int.random(in: 0..<9, using: &random) == 0 ? .sync : .depends,
          offset: isRegular ? 512 * .random(in: -2...3, using: &random) : .random(in: -90...90, using: &random))
      }
      file.addFragment { fragment in
        fragment.addTraf(1) { traf in
          if number == 0 { traf.decodeTime = UInt64.random(in: 100...4000, using: &random) }
          traf.addRun(samples, version: 1)
        }
      }
    }
    // Ensures that the presentation ends.
    file.addFragment { $0.addTraf(1, [SampleSpec(1, duration: 7, offset: 0)]) }
    return file.build().bytes
  }

  @Test("Bytes of several samples are ranges and are written in order")
  func ranges() throws {
    let track = try movie(try readFile(vectorPath("files/fragmented.mp4"))).tracks[1]
    let sink = MemorySink()
    try track.samples.write(3..<60, to: sink)
    #expect(try sink.bytes == track.samples[3..<60].flatMap { try $0.bytes() })
    let ranges = track.samples.byteRanges(of: 3..<60)
    #expect(ranges.reduce(0) { $0 + $1.bytes.count } == sink.bytes.count && ranges.count < 57)
    #expect(track.samples.byteRanges(of: 5..<5).isEmpty && ranges.allSatisfy { $0.source.name == "in.mp4" })
  }

  @Test("Tracks and samples can be passed between tasks")
  func tasks() async throws {
    let track = try movie(try readFile(vectorPath("files/fragmented.mp4"))).tracks[0]
    let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
      for sample in track.samples { group.addTask { try sample.bytes().count } }
      return try await group.reduce(0, +)
    }
    #expect(sizes == track.samples.byteCount)
  }

  @Test("A source that became shorter is an error, not a short sample")
  func shortSource() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addFragments(2)
    let source = ShrinkingSource(file.build().bytes)
    let samples = try Movie(reading: [source]).tracks[0].samples
    #expect(try samples[7].bytes().count == samples[7].size)
    source.limit = samples[7].offset + 3
    #expect(throws: MovieError.self) { try samples[7].bytes() }
  }

  private final class ShrinkingSource: ByteSource, @unchecked Sendable {
    let name = "shrinking"
    var limit: Int?
    let source: MemorySource
    init(_ bytes: [UInt8]) { source = MemorySource(bytes) }
    var byteCount: Int? { source.byteCount }
    func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
      min(try source.read(at: offset, into: &buffer), max(0, (limit ?? .max) - offset))
    }
  }
}

@Suite("Presentation times according to edits")
struct PresentationTests {
  /// Ten frames of 100 units at 1000 units per second, with an edit list of these rows: duration, media time, rate.
  private func track(_ rows: [(duration: UInt32, media: Int32, rate: UInt32)]) throws -> Track {
    let list = fullBox(
      "elst", big(UInt32(rows.count)) + rows.flatMap { big($0.duration) + big($0.media) + big($0.rate) })
    var file = FragmentedFileBuilder([
      .video().with(\.timescale, 1000).with(\.boxes, rows.isEmpty ? [:] : ["trak": box("edts", list)])
    ])
    file.movieTimescale = 100
    file.addFragment { $0.addTraf(1, .samples(10, duration: 100)) }
    return try #require(try Movie(reading: [MemorySource(file.build().bytes)]).tracks.first)
  }
  private func times(_ track: Track) -> [Int64?] {
    track.samples.map { $0.presentationTime?.converted(to: 1000).value }
  }
  private func ranges(_ track: Track, _ index: Int) -> [Range<Int64>] {
    track.samples[index].presentations.map {
      $0.lowerBound.converted(to: 1000).value..<$0.upperBound.converted(to: 1000).value
    }
  }
  private func index(_ track: Track, _ time: Int64) -> Int? {
    track.samples.index(atPresentationTime: MediaTime(time, 1000))
  }

  @Test("An empty edit is a delay, and start and end are trimmed")
  func trimmed() throws {
    let track = try track([(50, -1, 0x1_0000), (40, 250, 0x1_0000)])
    #expect(times(track) == [nil, nil, 500, 550, 650, 750, 850, nil, nil, nil])
    #expect(ranges(track, 2) == [500..<550] && ranges(track, 6) == [850..<900])
    #expect([499, 500, 549, 550, 899, 900].map { index(track, $0) } == [nil, 2, 2, 3, 6, nil])
    #expect(track.duration == MediaTime(400, 1000))
  }

  @Test("Edits can repeat media")
  func again() throws {
    let track = try track([(30, 700, 0x1_0000), (20, 0, 0x1_0000), (0, 650, 0x1_0000)])
    #expect(times(track) == [300, 400, nil, nil, nil, nil, 500, 0, 100, 200])
    #expect(ranges(track, 7) == [0..<100, 550..<650] && ranges(track, 6) == [500..<550])
    #expect([0, 299, 300, 499, 500, 849, 850].map { index(track, $0) } == [7, 9, 0, 1, 6, 9, nil])
    #expect(track.duration == MediaTime(850, 1000))
  }

  @Test("Media rates other than 1, and a sample that is shown continuously")
  func rates() throws {
    let track = try track([(20, 400, 0), (10, 200, 0x2_0000), (40, 0, 0x8000)])
    #expect(ranges(track, 4) == [0..<200] && ranges(track, 2) == [200..<250] && ranges(track, 3) == [250..<300])
    #expect(ranges(track, 0) == [300..<500] && ranges(track, 1) == [500..<700])
    #expect([0, 199, 200, 260, 499, 500, 700].map { index(track, $0) } == [4, 4, 2, 3, 0, 1, nil])
    #expect(track.duration == MediaTime(700, 1000))
  }

  @Test("An edit longer than the media presents all of it; so does a track without edits")
  func plain() throws {
    let long = try track([(500, 0, 0x1_0000)])
    #expect(long.duration == MediaTime(1, 1) && times(long) == (0..<10).map { $0 * 100 } && index(long, 1000) == nil)
    let none = try track([])
    #expect(none.duration == MediaTime(1, 1) && times(none) == times(long))
    #expect(try track([(10, -1, 0x1_0000)]).samples.allSatisfy { $0.presentationTime == nil })
  }
}

@Suite("Sample encryption")
struct SampleEncryptionTests {
  private static let key: [UInt8] = hexBytes(ascii("00112233445566778899aabbccddeeff"))

  @Test(
    "Vectors and subsamples equal the auxiliary information",
    arguments: ["encrypted-cenc.mp4", "encrypted-cbcs.mp4"])
  func files(name: String) throws {
    let bytes = try readFile(vectorPath("files/" + name))
    let reading = try SampleReader.readWithInformation(bytes)
    let movie = try Movie(reading: [MemorySource(bytes)])
    for (track, expected) in zip(movie.tracks, reading.tracks) {
      #expect(
        track.protectionScheme == (name.contains("cenc") ? "cenc" : "cbcs")
          && track.samples.count == expected.samples.count)
      for (sample, record) in zip(track.samples, expected.samples) {
        let own = try #require(try sample.encryption())
        let subsamples = own.subsamples.flatMap { big(UInt16($0.clearByteCount)) + big(UInt32($0.protectedByteCount)) }
        let list = own.subsamples.isEmpty ? [] : big(UInt16(own.subsamples.count)) + subsamples
        #expect(own.scheme == track.protectionScheme)
        if name.contains("cenc") {
          #expect(own.initializationVector + list == record.auxiliary && own.cryptByteBlock == 0)
        } else {
          #expect(list == record.auxiliary && own.initializationVector.count == 16)
          #expect(
            (own.cryptByteBlock, own.skipByteBlock)
              == (track.handler == "vide" ? (1, 9) : (own.cryptByteBlock, own.skipByteBlock)))
        }
        #expect(
          own.subsamples.isEmpty
            || own.subsamples.reduce(0) { $0 + $1.clearByteCount + $1.protectedByteCount } == sample.size)
        #expect(own.keyID.count == 16)
      }
    }
    #expect(
      try Movie(reading: [MemorySource(try readFile(vectorPath("files/fragmented.mp4")))]).tracks[0].samples[0]
        .encryption() == nil)
  }

  @Test("A group can declare another key or clear samples")
  func groups() throws {
    let encrypted = fullBox("tenc", [0, 0, 1, 8] + Self.key)
    let scheme = fullBox("schm", ascii("cenc") + big(UInt32(0x1_0000)))
    let entry = EntryBytes.audio(
      "enca", channels: 1, rate: 48_000, box("sinf", box("frma", ascii("mp4a")), scheme, box("schi", encrypted)))
    var file = FragmentedFileBuilder([.audio().with(\.sampleEntries, [entry])])
    let other = [0, 0x19, 1, 0] + Array(repeating: UInt8(7), count: 16) + [2, 0xaa, 0xbb]
    let vectors = (0..<4).map { [UInt8](repeating: UInt8($0 + 1), count: 8) }
    let samples: [SampleSpec] = .samples(4).withAuxiliary([vectors[0], [], [], []])
      .inGroup("seig", other, at: 1..<2).inGroup("seig", [0, 0, 0, 0] + zeros(16), at: 2..<3)
      .inGroup("seig", [0, 0, 1], at: 3..<4)
    file.addFragment { fragment in
      fragment.addTraf(2) { traf in
        traf.addRun(samples)
        traf.auxiliaryPlace = .offsets
      }
    }
    let track = try Movie(reading: [MemorySource(file.build().bytes)]).tracks[0]
    let own = try #require(try track.samples[0].encryption())
    #expect(own.keyID == Self.key && own.initializationVector == vectors[0] && own.subsamples.isEmpty)
    let grouped = try #require(try track.samples[1].encryption())
    #expect(grouped.keyID == Array(repeating: 7, count: 16) && grouped.initializationVector == [0xaa, 0xbb])
    #expect((grouped.cryptByteBlock, grouped.skipByteBlock) == (1, 9))
    #expect(try track.samples[2].encryption() == nil)
    #expect(throws: MovieError.self) { try track.samples[3].encryption() }
    #expect(try track.samples.map { try $0.groups().map(\.descriptionIndex) } == [[], [1], [2], [3]])
  }
}
