import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
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

  @Test(
    "One track without edits whose segments all start with an access point is cmfc, and cmf2 if the profile is",
    arguments: [(.source, ["cmfc"]), (.cmaf, ["cmfc"]), (.cmf2, ["cmfc", "cmf2"])] as [(FragmentProfile, [FourCC])])
  func cmafTrack(profile: FragmentProfile, brands: [FourCC]) throws {
    let output = try FragmentedOutput(sourced("isom", [pictures])) {
      ($0.profile, $0.cutting) = (profile, .interval(time(1)))
    }
    #expect(output.plan.cmafBrands == brands && output.movie.brands == ["iso6", "iso6"] + brands.map(\.description))
    #expect(output.fragments.allSatisfy { $0.trackFragments.count == 1 })
    let sink = MemorySink()
    try output.plan.writeSegment(1, to: sink)
    #expect(sink.bytes.prefix(24).elementsEqual(big(UInt32(24)) + ascii("stypmsdh") + zeros(4) + ascii("msdhcmfs")))
  }

  @Test("Audio with a priming edit is cmfc and cmf2; video with an edit is only cmfc")
  func cmafEdits() throws {
    let cmf2 = Fragmenter.Options.with { $0.profile = .cmf2 }
    let sound = try FragmentedOutput(
      named([sourced("isom", [.sound(200).with(\.edits, [.media(from: 1024)])])]), options: cmf2)
    #expect(sound.plan.cmafBrands == ["cmfc", "cmf2"] && sound[2]?.edits == [.media(from: 1024)])
    let trimmed = try FragmentedOutput(
      named([sourced("isom", [pictures.with(\.edits, [.media(from: 5120)])])]), options: cmf2)
    #expect(trimmed.plan.cmafBrands == ["cmfc"] && trimmed.movie.brands == ["iso6", "iso6", "cmfc"])
  }

  @Test("Movies that violate CMAF rules have none of its brands")
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

  @Test("QuickTime files stay QuickTime files, and their segments have no CMAF brands")
  func quickTime() throws {
    let output = try FragmentedOutput(sourced("qt  ", [pictures]))
    #expect(output.movie.brands.prefix(3) == ["qt  ", "qt  ", "iso6"] && output.plan.cmafBrands.isEmpty)
    let sink = MemorySink()
    try output.plan.writeSegment(0, to: sink)
    #expect(sink.bytes.prefix(20).elementsEqual(big(UInt32(20)) + ascii("stypmsdh") + zeros(4) + ascii("msdh")))
  }

  @Test("mvex follows the tracks, before boxes that can be large")
  func extendsFirst() throws {
    let output = try FragmentedOutput(
      sourced("isom", [pictures, .sound(200)]) { $0.movieBoxes = box("udta", box("name", zeros(40_000))) })
    let moov = try #require([Box](reading: MemorySource(output.bytes)).first { $0.type == "moov" })
    #expect(moov.boxes.map(\.type) == ["mvhd", "trak", "trak", "mvex", "udta"])
  }

  @Test("An index that cannot contain so many segments is refused")
  func fullIndex() throws {
    var sound = TrackSpec.sound(65_536)
    sound.samples = .samples(65_536, size: 1)
    let movie = try Movie(reading: [MemorySource(progressive([sound]).bytes, name: "in.mp4")])
    var options = Fragmenter.Options()
    (options.cutting, options.hasIndex) = (.interval(time(0, 1)), true)
    let error = #expect(throws: MovieError.self) { try Fragmenter(options).plan(movie) }
    #expect(error?.obstacle?.code == "too_many_references")
    guard Effort.all else { return }
    options.hasIndex = false
    #expect(try Fragmenter(options).plan(movie).segments.count == 65_536)
  }

  @Test("Language, names, references, user data, metadata and unknown boxes are kept")
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
    #expect(Array(output.bytes[place..<place + 4]) == ascii("item"), "\(output.plan.diagnostics)")
    // References to omitted tracks are removed.
    var reading = ReadingOptions()
    reading.tracks = TrackSelection([.id(2)])
    let alone = try FragmentedOutput(named([source]), reading: reading)
    #expect(try alone.moov().all("trak", "tref", "cdsc").isEmpty && alone.plan.trackIDs == [2])
  }

  @Test("A selection of tracks keeps their times and bytes")
  func keeping() throws {
    let tracks = [pictures, .sound(200).with(\.edits, [.empty(500), .media(from: 1024)]), .pictures(50, id: 9)]
    let movie = try Movie(reading: named([progressive(tracks).bytes]))
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

  @Test("Tracks of a fragment are interleaved every half second, and a single track has one run")
  func turns() throws {
    let tracks = [
      TrackSpec.pictures(150, group: 150), .sound(282), .sound(282, id: 3).with(\.edits, [.media(from: 2048)]),
    ]
    let output = try FragmentedOutput(sourced("isom", tracks)) { $0.cutting = .interval(time(100)) }
    #expect(output.fragments.count == 1 && output.fragments[0].trackFragments.count == 3)
    // The position of each run, and the half second in which its first sample is presented.
    var runs: [(place: Int, track: UInt32, slot: Int)] = []
    for traf in output.fragments[0].trackFragments {
      let reading = try #require(output[traf.track])
      var sample = 0
      for run in traf.runs {
        let place = output.fragments[0].offset + run.dataOffset
        #expect(reading.places[sample].lowerBound == place)
        let shown = reading.samples[sample].compositionTime - (traf.track == 3 ? 2048 : 0)
        runs.append((place, traf.track, max(0, shown * 2 / reading.timescale)))
        sample += run.sampleCount
      }
      #expect(sample == reading.samples.count)
    }
    runs.sort { $0.place < $1.place }
    #expect(runs.map(\.track) == Array(repeating: [1, 2, 3], count: runs.count / 3).flatMap(\.self))
    #expect(runs.map(\.slot) == (0..<runs.count).map { $0 / 3 } && runs.count == 36)
    let alone = try FragmentedOutput(sourced("isom", [tracks[0]])) { $0.cutting = .interval(time(100)) }
    #expect(alone.fragments[0].trackFragments[0].runs.count == 1)
  }

  @Test("Equal flags take no space in each sample")
  func flagsOfRuns() throws {
    // Some sync samples are declared independent, others are not.
    var sound = TrackSpec.sound(0)
    sound.trex = nil
    var file = FragmentedFileBuilder([sound])
    file.addFragment {
      $0.addTraf(2, (0..<40).map { SampleSpec(20, duration: 1024, flags: $0 % 3 == 0 ? 0 : .sync) })
    }
    let output = try FragmentedOutput(file.build().bytes)
    #expect(output.fragments[0].trackFragments.map { $0.runs[0].flags } == [0x1])
    #expect(output[2]?.samples.allSatisfy { $0.flags == .sync } == true)
  }
}
