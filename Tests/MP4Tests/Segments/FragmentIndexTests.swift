import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("The indexes of fragmented movies")
struct FragmentIndexTests {
  @Test("The index lists the size, duration and access point of each segment, with the right offsets")
  func index() throws {
    for tracks in [[TrackSpec.pictures(250, group: 20)], [.sound(400), .pictures(250, group: 20)], [.sound(400)]] {
      let output = try FragmentedOutput(progressive(tracks).bytes) {
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

  @Test("The index of a segment lists its fragments and their access points", arguments: [1024, 0])
  func segmentIndex(delay: Int) throws {
    // Every other fragment has a sync sample in the middle; the samples are reordered.
    let pictures = TrackSpec.pictures(200, group: 28, offsets: [1024, 2048, 512, 512])
      .with(\.edits, [.media(from: 1024)])
    for tracks in [[pictures], [.sound(370), pictures]] {
      let output = try FragmentedOutput(progressive(tracks).bytes) {
        ($0.cutting, $0.fragmentDuration, $0.hasIndex) = (.interval(time(3)), time(0, 500), true)
        $0.profile = delay > 0 ? .cmaf : .cmf2
      }
      // The times in an index are those of the presentation.
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
          #expect(earliest - delay == shown)
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
      #expect(shown + delay == reference.samples.map { $0.compositionTime + $0.duration }.max())
    }
  }

  @Test("An index declares the time from the start of a fragment to its access point")
  func openIndex() throws {
    let open = TrackSpec.pictures(99, group: 3, offsets: [1024, 0, 512])
    for (leading, type) in [(UInt8(0x40), 3), (0xc0, 2), (0, 0)] {
      var pictures = open
      pictures.boxes["stbl"] = fullBox("sdtp", (0..<99).map { $0 % 3 == 0 ? 0x20 : leading })
      let output = try FragmentedOutput(progressive([pictures]).bytes) {
        ($0.cutting, $0.hasIndex) = (.interval(time(1)), true)
      }
      let sidx = try #require(BoxOutline.all(in: output.bytes).first { $0.type == "sidx" })
      let rows = references(sidx)
      #expect(rows.count == 4 && rows.reduce(0) { $0 + $1.duration } == 99 * 512)
      // The sync sample is presented 512 units after the first of its leading samples.
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

  @Test("The random access table names the right track fragment if the description of another track changes")
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
    let output = try FragmentedOutput(file.build().bytes) {
      ($0.cutting, $0.hasRandomAccess) = (.interval(time(6)), true)
    }
    #expect(output.fragments.map { $0.trackFragments.map(\.track) } == [[1, 2], [1], [1], [1]])
    let mfra = try #require(try BoxOutline.all(in: output.bytes).last)
    try checkRandomAccess(output, mfra, at: mfra.range.lowerBound)
  }

  @Test("An index that cannot be written is refused if it was requested, and left out if the file had one")
  func impossibleIndex() throws {
    var file = HostileFile()
    file.sampleDuration = .max
    let moof = HostileFile.moof(HostileFile.traf(1, at: 0, HostileFile.trun(2)))
    let media = box("mdat", zeros(2))
    let sidx = fullBox(
      "sidx", big(UInt32(1)), big(UInt32(1000)), zeros(8), zeros(2), big(UInt16(1)),
      big(UInt32(moof.count + media.count)), big(UInt32.max), big(UInt32(0x9000_0000)))
    file.boxes = [sidx, moof, media]
    let movie = try Movie(reading: [MemorySource(file.bytes, name: "in.mp4")])
    var fragmenter = Fragmenter()
    let plan = try fragmenter.plan(movie)
    #expect(plan.sourceFragments == .kept && plan.segments.count == 1)
    #expect(plan.diagnostics.contains { $0.severity == .note && $0.text.contains("an index (sidx)") })
    let sink = MemorySink()
    try plan.write(to: sink)
    #expect(sink.bytes.count == plan.byteCount)
    #expect(try BoxOutline.all(in: sink.bytes).allSatisfy { $0.type != "sidx" })
    fragmenter.options.hasIndex = true
    #expect {
      try fragmenter.plan(movie)
    } throws: {
      ($0 as? MovieError)?.obstacle?.code == "long_reference"
    }
  }
}
