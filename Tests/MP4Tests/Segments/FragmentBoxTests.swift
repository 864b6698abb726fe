import FileIO
import ISOBMFF
import MP4
import Support
import Testing

@Suite("The boxes of fragmented movies")
struct FragmentBoxTests {
  private func sourced(_ brand: String, _ tracks: [TrackSpec], _ fill: (inout FragmentedFileBuilder) -> Void = { _ in })
    -> [UInt8]
  {
    var file = FragmentedFileBuilder(tracks)
    file.fileType = box("ftyp", ascii(brand), zeros(4), ascii(brand + "mp41"))
    fill(&file)
    return file.build().bytes
  }
  private let pictures = TrackSpec.pictures(100)

  @Test("One track without edits, all of whose segments can be started at, is cmfc and cmf2")
  func cmafTrack() throws {
    let output = try FragmentedOutput(sourced("isom", [pictures])) { $0.cutting = .interval(time(1)) }
    #expect(output.plan.cmafBrands == ["cmfc", "cmf2"] && output.movie.brands == ["iso6", "iso6", "cmfc", "cmf2"])
    #expect(output.fragments.allSatisfy { $0.trackFragments.count == 1 })
    let sink = MemorySink()
    try output.plan.writeSegment(1, to: sink)
    #expect(sink.bytes.prefix(24).elementsEqual(big(UInt32(24)) + ascii("stypmsdh") + zeros(4) + ascii("msdhcmfs")))
  }

  @Test("Sound with priming has an edit that says so, and is cmfc and cmf2; pictures with an edit are cmfc only")
  func cmafEdits() throws {
    let sound = try FragmentedOutput(sourced("isom", [.sound(200).with(\.edits, [.media(from: 1024)])]))
    #expect(sound.plan.cmafBrands == ["cmfc", "cmf2"] && sound[2]?.edits == [.media(from: 1024)])
    let trimmed = try FragmentedOutput(sourced("isom", [pictures.with(\.edits, [.media(from: 5120)])]))
    #expect(trimmed.plan.cmafBrands == ["cmfc"] && trimmed.movie.brands == ["iso6", "iso6", "cmfc"])
  }

  @Test("What breaks the rules of CMAF has none of its brands")
  func notCMAF() throws {
    let late = TrackSpec.sound(100).with(\.edits, [.empty(500), .media(from: 1024)])
    let ends = TrackSpec.pictures(100).with(\.edits, [.media(from: 0, duration: 1000)])
    let noSync = TrackSpec.pictures(100, group: 1000).with(\.samples, .samples(100, flags: .depends))
    let open = TrackSpec.pictures(99, group: 3, offsets: [1024, 0, 512])
    for tracks in [[pictures, .sound(200)], [late], [ends], [noSync], [open]] {
      let output = try FragmentedOutput(sourced("isom", tracks)) { $0.cutting = .interval(time(0, 100)) }
      #expect(output.plan.cmafBrands.isEmpty && output.movie.brands == ["iso6", "iso6"], "\(tracks[0].edits ?? [])")
    }
    let apple = try FragmentedOutput(named([sourced("isom", [pictures])]), options: .apple)
    #expect(apple.plan.cmafBrands.isEmpty && apple.movie.brands == ["iso6", "iso6"])
  }

  @Test("QuickTime stays QuickTime, and its segments do not say that they are CMAF")
  func quickTime() throws {
    let output = try FragmentedOutput(sourced("qt  ", [pictures]))
    #expect(output.movie.brands.prefix(3) == ["qt  ", "qt  ", "iso6"] && output.plan.cmafBrands.isEmpty)
    let sink = MemorySink()
    try output.plan.writeSegment(0, to: sink)
    #expect(sink.bytes.prefix(20).elementsEqual(big(UInt32(20)) + ascii("stypmsdh") + zeros(4) + ascii("msdh")))
  }

  @Test("The index names every segment with its size, its duration and how it starts, and leads to each of them")
  func index() throws {
    for tracks in [[TrackSpec.pictures(250, group: 20)], [.sound(400), .pictures(250, group: 20)], [.sound(400)]] {
      let output = try FragmentedOutput(sourced("isom", tracks)) {
        ($0.cutting, $0.hasIndex, $0.hasRandomAccess) = (.interval(time(2)), true, true)
      }
      let boxes = try BoxOutline.all(in: output.bytes)
      #expect(boxes.map(\.type).prefix(4) == ["ftyp", "moov", "sidx", "moof"] && boxes.last?.type == "mfra")
      let sidx = try #require(boxes.first { $0.type == "sidx" })
      let reference = output.movie.tracks[output.plan.reference]
      #expect(sidx.payload[0] == 1 && number(sidx.payload, 4) == Int(reference.id))
      #expect(number(sidx.payload, 8) == reference.timescale && number(sidx.payload, 12, 8) == 0)
      #expect(number(sidx.payload, 20, 8) == 0 && number(sidx.payload, 30, 2) == output.plan.segments.count)
      var offset = sidx.range.upperBound
      for (index, segment) in output.plan.segments.enumerated() {
        let row = 32 + index * 12
        #expect(offset == segment.offset && output.fragments(ofSegment: index).first?.offset == offset)
        #expect(number(sidx.payload, row) == segment.byteCount)
        #expect(number(sidx.payload, row + 4) == Int(segment.duration.value))
        #expect(number(sidx.payload, row + 8) == 0x9000_0000)
        offset += segment.byteCount
      }
      try checkRandomAccess(output, try #require(boxes.last), at: offset)
    }
  }

  /// The references of an index: the size, the duration, and the last 32 bits.
  private func references(_ sidx: BoxOutline) -> [(size: Int, duration: Int, access: Int)] {
    (0..<number(sidx.payload, 30, 2)).map { row in
      let at = 32 + row * 12
      return (number(sidx.payload, at), number(sidx.payload, at + 4), number(sidx.payload, at + 8))
    }
  }

  @Test("The index of a segment names each of its fragments, and where in it decoding can start")
  func segmentIndex() throws {
    // A sync sample is half way through every other fragment; pictures are reordered.
    let pictures = TrackSpec.pictures(200, group: 28, offsets: [1024, 2048, 512, 512])
      .with(\.edits, [.media(from: 1024)])
    for tracks in [[pictures], [.sound(370), pictures]] {
      let output = try FragmentedOutput(sourced("isom", tracks)) {
        ($0.cutting, $0.fragmentDuration, $0.hasIndex) = (.interval(time(3)), time(0, 500), true)
      }
      let reference = output.movie.tracks[output.plan.reference]
      var sample = 0
      var shown = 0
      for (index, segment) in output.plan.segments.enumerated() {
        let sink = MemorySink()
        try output.plan.writeSegment(index, to: sink)
        let boxes = try BoxOutline.all(in: sink.bytes)
        let sidx = boxes[1]
        let rows = references(sidx)
        #expect(rows.count == segment.fragmentSizes.count && rows.count > 2)
        #expect(rows.map(\.size) == segment.fragmentSizes && sidx.range.upperBound == boxes[2].range.lowerBound)
        #expect(number(sidx.payload, 12, 8) == shown)
        for (row, fragment) in zip(rows, output.fragments(ofSegment: index)) {
          let count = fragment.trackFragments.filter { $0.track == reference.id }.flatMap(\.runs)
            .reduce(0) { $0 + $1.sampleCount }
          let own = reference.samples[sample..<sample + count]
          let earliest = own.map(\.compositionTime).min() ?? 0
          #expect(earliest == shown)
          shown += row.duration
          let sync = own.firstIndex { $0.isSync }
          let isFirst = sync == own.startIndex
          let delta = sync.map { reference.samples[$0].compositionTime - earliest } ?? 0
          let isClosed = sync.map { own[$0...].allSatisfy { $0.compositionTime - earliest >= delta } } ?? false
          let type = sync == nil || !isClosed ? 0 : 1
          #expect(row.access == (isFirst ? 1 << 31 : 0) + type << 28 + delta, "\(index): \(row)")
          sample += count
        }
      }
      #expect(sample == reference.samples.count)
      #expect(shown == reference.samples.map { $0.compositionTime + $0.duration }.max())
    }
  }

  @Test("An index says by how much decoding from a sync sample presents later what its fragment presents first")
  func openIndex() throws {
    let open = TrackSpec.pictures(99, group: 3, offsets: [1024, 0, 512])
    for (leading, type) in [(UInt8(0x40), 3), (0xc0, 2), (0, 0)] {
      var pictures = open
      pictures.boxes["stbl"] = fullBox("sdtp", (0..<99).map { $0 % 3 == 0 ? 0x20 : leading })
      let output = try FragmentedOutput(sourced("isom", [pictures])) {
        ($0.cutting, $0.hasIndex) = (.interval(time(1)), true)
      }
      let sidx = try #require(BoxOutline.all(in: output.bytes).first { $0.type == "sidx" })
      let rows = references(sidx)
      #expect(rows.count == 4 && rows.reduce(0) { $0 + $1.duration } == 99 * 512)
      // The sync sample is presented 512 units behind the first of those that lead it.
      #expect(rows.allSatisfy { $0.access == 1 << 31 + type << 28 + (type == 2 ? 0 : 512) }, "\(type) \(rows)")
    }
  }

  private func checkRandomAccess(_ output: FragmentedOutput, _ mfra: BoxOutline, at offset: Int) throws {
    #expect(mfra.range == offset..<output.bytes.count)
    let reference = output.movie.tracks[output.plan.reference]
    let (tfra, mfro) = (try mfra.all("tfra")[0].payload, try mfra.all("mfro")[0].payload)
    #expect(number(mfro, 4) == mfra.range.count && number(tfra, 4) == Int(reference.id))
    #expect(tfra[0] == 1 && number(tfra, 8) == 0 && number(tfra, 12) == output.plan.segments.count)
    for row in 0..<number(tfra, 12) {
      let entry = Array(tfra[16 + row * 19..<35 + row * 19])
      let moof = try #require(output.fragments.first { $0.offset == number(entry, 8, 8) })
      let traf = moof.trackFragments[Int(entry[16]) - 1]
      #expect(traf.track == reference.id && entry[17] == 1 && entry[18] == 1)
      let place = moof.offset + traf.runs[0].dataOffset
      let at = try #require(reference.places.firstIndex { $0.lowerBound == place })
      #expect(reference.samples[at].isSync && reference.samples[at].compositionTime == number(entry, 0, 8))
    }
  }

  @Test("The table of access points names the right track fragment where a track has several in a movie fragment")
  func accessInDescriptions() throws {
    let sound = TrackSpec.audio(id: 1).with(\.sampleEntries, [EntryBytes.mp4a(), EntryBytes.mp4a(rate: 44_100)])
    var file = FragmentedFileBuilder([sound, .video(id: 2)])
    for number in 0..<4 {
      file.addFragment {
        $0.addTraf(1, .samples(10))
        $0.trafs[0].description = number % 2 == 0 ? 1 : 2
        $0.addTraf(2, .samples(5), firstSampleFlags: .sync)
      }
    }
    let output = try FragmentedOutput(file.build().bytes) { $0.hasRandomAccess = true }
    #expect(output.fragments[0].trackFragments.map(\.track) == [1, 1, 1, 1, 2])
    let mfra = try #require(try BoxOutline.all(in: output.bytes).last)
    try checkRandomAccess(output, mfra, at: mfra.range.lowerBound)
  }

  @Test("An index that has no room for so many segments is refused")
  func fullIndex() throws {
    var sound = TrackSpec.sound(65_536)
    sound.samples = .samples(65_536, size: 1)
    let movie = try TimedMovie(reading: [MemorySource(progressive([sound]).bytes, name: "in.mp4")])
    var options = Fragmenter.Options()
    (options.cutting, options.hasIndex) = (.interval(time(0, 1)), true)
    let error = #expect(throws: MovieError.self) { try Fragmenter(options).plan(movie) }
    #expect(error?.description.contains("there are 65536 segments") == true)
    options.hasIndex = false
    #expect(try Fragmenter(options).plan(movie).segments.count == 65_536)
  }

  @Test("Language, names, references, user data, metadata and unknown boxes stay")
  func keptBoxes() throws {
    let title = box("udta", box("name", ascii("A title")))
    let other = box("uuid", zeros(16), ascii("mine"))
    func file(_ place: Int) -> [UInt8] {
      sourced(
        "isom",
        [
          pictures,
          .sound(200).with(\.language, "fra").with(\.boxes, ["trak": box("tref", box("cdsc", big(UInt32(1)))) + title]),
        ]
      ) {
        let iloc = fullBox(
          "iloc", [0x44, 0, 0, 1], big(UInt16(1)), big(UInt16(0)), big(UInt16(1)), big(UInt32(place)), big(UInt32(4)))
        $0.movieBoxes = title + other
        $0.boxesBeforeMovie =
          other + fullBox("meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), iloc)
          + box("free", ascii("item"))
      }
    }
    let item = try #require(BoxOutline.all(in: file(0)).first { $0.type == "free" })
    let source = file(item.range.lowerBound + 8)
    let output = try FragmentedOutput(source)
    let moov = try output.moov()
    for path in [["udta"], ["uuid"]] { #expect(try moov.children().filter { [$0.type] == path }.count == 1) }
    #expect(try moov.all("trak", "udta").count == 1)
    #expect(try moov.all("trak", "tref").map(\.payload) == [box("cdsc", big(UInt32(1)))])
    #expect(
      try moov.all("trak", "mdia", "mdhd").map { Array($0.payload[20..<22]) }.last == big(UInt16(6 << 10 | 18 << 5 | 1))
    )
    let boxes = try BoxOutline.all(in: output.bytes)
    #expect(boxes.contains { $0.type == "uuid" && $0.payload == zeros(16) + ascii("mine") })
    let iloc = try #require(payloads(of: "iloc", in: output.bytes).first)
    let place = number(iloc, 14)
    #expect(Array(output.bytes[place..<place + 4]) == ascii("item"), "\(output.plan.notices)")
    // References to tracks that are not taken go.
    var reading = Defragmenter.Options()
    reading.tracks = TrackSelection([.id(2)])
    let alone = try FragmentedOutput(named([source]), reading: reading)
    #expect(try alone.moov().all("trak", "tref", "cdsc").isEmpty && alone.plan.trackIDs == [2])
  }

  @Test("Some of the tracks of a movie that was read keep their times and their bytes")
  func keeping() throws {
    let tracks = [pictures, .sound(200).with(\.edits, [.empty(500), .media(from: 1024)]), .pictures(50, id: 9)]
    let movie = try TimedMovie(reading: named([progressive(tracks).bytes]))
    let whole = try FragmentedOutput(progressive(tracks).bytes)
    for kept in [[0], [1], [2], [0, 2], [1, 2], [0, 1, 2]] {
      let sink = MemorySink()
      let plan = try Fragmenter().plan(movie.keeping(tracks: kept))
      try plan.write(to: sink)
      let reading = try SampleReader.read(sink.bytes)
      #expect(reading.tracks.map(\.id) == kept.map { tracks[$0].id } && plan.trackIDs == reading.tracks.map(\.id))
      for track in reading.tracks {
        #expect(
          track.samples == whole[track.id]?.samples && reading.presented[track.id] == whole.movie.presented[track.id])
      }
    }
  }
}
