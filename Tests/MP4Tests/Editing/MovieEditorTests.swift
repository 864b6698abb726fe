import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Editing boxes keeps the positions of media data valid")
struct MovieEditorTests {
  static let files = [
    "progressive.mp4", "progressive.mov", "progressive-moov-last.mp4", "negative-cts.mp4", "pcm.mov", "fragmented.mp4",
    "hevc-fragmented.mp4", "base-data-offset.mp4", "omit-tfhd-offset.mp4", "separate-moof.mp4", "hybrid.mp4",
    "global-sidx.mp4", "encrypted-cenc.mp4", "encrypted-cbcs.mp4", "ismv.ismv", "prft.mp4",
  ]

  private func bytes(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }
  private func written(_ editor: MovieEditor) throws -> [UInt8] {
    let sink = MemorySink()
    let plan = try editor.plan()
    try plan.write(to: sink)
    #expect(sink.bytes.count == plan.byteCount)
    return sink.bytes
  }
  /// An unused box of this size.
  private func filler(_ size: Int) -> Box {
    var box = UnknownBox()
    box.data = Array(repeating: 7, count: size - 8)
    return Box(box)
  }
  private struct UnknownBox: BoxPayload {
    static let info = BoxInfo("fill", "Filler", in: [], "None 1.0")
    var data: [UInt8] = []
    mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.bytes("data", &data) }
  }

  /// Checks that both files have the same samples, and that index entries refer to fragments.
  private func check(_ name: String, _ before: [UInt8], _ after: [UInt8]) throws {
    let (old, new) = (try SampleReader.readWithInformation(before), try SampleReader.readWithInformation(after))
    let text = difference(old.samples, new.samples)
    #expect(text == nil, "\(name)")
    for tfra in try randomAccess(after) {
      for entry in tfra.entries {
        let place = Int(entry.moofOffset)
        #expect(Array(after[(place + 4)..<(place + 8)]) == ascii("moof"), "\(name)")
      }
    }
    #expect(try parts(before) == parts(after), "\(name)")
  }
  private func randomAccess(_ bytes: [UInt8]) throws -> [TrackFragmentRandomAccessBox] {
    let source = MemorySource(bytes)
    let boxes = try [Box](reading: source).flatMap { $0.type == "mfra" ? $0.boxes : [] }
    return try boxes.filter { $0.type == "tfra" }.map { try $0.payload(from: source).get() }
  }
  /// The types of the boxes that start in each part that an index refers to, without added boxes.
  private func parts(_ bytes: [UInt8]) throws -> [[FourCC]] {
    let source = MemorySource(bytes)
    let boxes = try [Box](reading: source)
    return try boxes.filter { $0.type == "sidx" }.flatMap { box in
      let sidx = try box.payload(as: SegmentIndexBox.self, from: source).get()
      var start = (box.header?.end ?? 0) + Int(sidx.firstOffset)
      return sidx.references.map { reference in
        defer { start += Int(reference.referencedSize) }
        let range = start..<start + Int(reference.referencedSize)
        return boxes.filter { range.contains($0.header?.offset ?? -1) && $0.type != "fill" }.map(\.type)
      }
    }
  }

  @Test("Samples do not change when the movie box grows, wherever it is", arguments: files)
  func movieBox(name: String) throws {
    let before = try bytes(name)
    let after = try written(try MovieEditor(MemorySource(before)).appending(filler(1000), to: "moov"))
    #expect(after.count == before.count + 1000)
    try check(name, before, after)
    let back = try written(try MovieEditor(MemorySource(after)).removing("moov/fill"))
    #expect(back == before, "\(name) is what it was when it is edited back")
  }

  @Test("Samples do not change when boxes in and between fragments grow", arguments: files)
  func fragments(name: String) throws {
    let before = try bytes(name)
    guard try SampleReader.read(before).boxTypes.contains("moof") else { return }
    var editor = try MovieEditor(MemorySource(before)).inserting(filler(24), before: "moof")
    editor = try editor.inserting(filler(16), before: "moof/traf[1]").appending(filler(9), to: "moof/traf")
    let after = try written(editor)
    #expect(after.count > before.count)
    try check(name, before, after)
  }

  @Test("If no size changes, all other bytes are kept", arguments: files)
  func inPlace(name: String) throws {
    let before = try bytes(name)
    let source = MemorySource(before)
    var places: [Int] = []
    var parser = BoxParser(source)
    while let node = try parser.next() {
      if node.type == "mdhd" {
        places.append(
          node.header.payload.lowerBound + (before[node.header.payload][node.header.payload.lowerBound] == 1 ? 32 : 20))
      }
    }
    let after = try written(
      try MovieEditor(source).editing("moov/trak/mdia/mdhd", MediaHeaderBox.self) { $0.language = "fra" })
    var expected = before
    for place in places {
      expected.replaceSubrange(place..<place + 2, with: big(LanguageCode(stringLiteral: "fra").rawValue))
    }
    #expect(after == expected && !places.isEmpty)
  }

  @Test("An edit can require a later version, which enlarges the box; bytes after its fields are kept")
  func version() throws {
    let before = try bytes("progressive.mp4")
    let source = MemorySource(before)
    var box = try #require([Box](reading: source).first { $0.type == "moov" }?.first("mvhd"))
    try box.edit(MovieHeaderBox.self, of: source) { $0.duration = 1 << 40 }
    guard case .edited(let payload, _) = box.fields else { return }
    box.fields = .edited(payload, rest: ascii("rest"))
    let first = try written(try MovieEditor(source).replacing("moov/mvhd", with: box))
    try check("mvhd", before, first)
    let second = try written(
      try MovieEditor(MemorySource(first)).editing("/moov/mvhd", MovieHeaderBox.self) { $0.nextTrackID = 77 })
    let mvhd = try #require(payloads(of: "mvhd", in: second).first)
    #expect(mvhd.count == 112 + 4 && Array(mvhd.suffix(8)) == big(UInt32(77)) + ascii("rest"))
    #expect(second.count == before.count + 12 + 4)
  }

  @Test("Chunk offsets become 64-bit if necessary, without reading the whole file")
  func largeOffsets() throws {
    let small = try bytes("progressive.mp4")
    let boxes = try [Box](reading: MemorySource(small))
    let mdat = try #require(boxes.first { $0.type == "mdat" }?.header)
    // A hole in the media data moves all samples to the limit of 32 bits.
    let shift = Int(UInt32.max) - mdat.end
    var shifted = small
    for trak in try #require(boxes.first { $0.type == "moov" }).boxes where trak.type == "trak" {
      let table = try #require(trak.first("mdia", "minf", "stbl", "stco")?.header).payload
      for place in stride(from: table.lowerBound + 8, to: table.upperBound, by: 4) {
        shifted.replaceSubrange(place..<place + 4, with: big(UInt32(number(small, place) + shift)))
      }
    }
    let front =
      shifted[..<mdat.offset] + big(UInt32(1)) + ascii("mdat") + big(UInt64(mdat.size + shift))
    let sparse = SparseSource(
      [(0, Array(front)), (mdat.payload.lowerBound + shift, Array(small[mdat.payload]))], size: mdat.end + shift)
    let output = NotingSink(keeping: { $0.upperBound <= mdat.offset })
    try MovieEditor(sparse).appending(filler(1000), to: "moov").write(to: output)
    #expect(sparse.bytesRead < 1 << 20)
    let (old, new) = (payloads(of: "stco", in: shifted), payloads(of: "co64", in: output.head))
    #expect(!new.isEmpty && new.count <= old.count)
    let last = try #require(new.last)
    let place = number(last, last.count - 8, 8)
    let places = old.map { number($0, $0.count - 4, 4) }
    #expect(place > Int(UInt32.max) && places.contains(output.origin(of: place) ?? 0))
  }

  @Test("Chunk offsets after the declared number of them are corrected too, as readers use them")
  func uncountedOffsets() throws {
    var before = try bytes("progressive.mp4")
    let stco = try #require(
      [Box](reading: MemorySource(before)).first { $0.type == "moov" }?.first("trak", "mdia", "minf", "stbl", "stco"))
    let count = try #require(stco.header).payload.lowerBound + 4
    before.replaceSubrange(count..<count + 4, with: big(UInt32(3)))
    let after = try written(MovieEditor(MemorySource(before)).appending(filler(1000), to: "moov"))
    let (old, new) = (try Movie(reading: [MemorySource(before)]), try Movie(reading: [MemorySource(after)]))
    #expect(old.tracks[0].samples.count == 600 && new.tracks.count == 2)
    for (old, new) in zip(old.tracks, new.tracks) {
      #expect(try old.samples.map { try $0.bytes() } == new.samples.map { try $0.bytes() })
    }
  }

  @Test("A truncated file is edited with warnings", arguments: [false, true])
  func truncated(hasOpenMediaData: Bool) throws {
    var file = Array(try bytes("progressive.mp4").prefix(40_000))
    let header = try #require([Box](reading: MemorySource(file)).first { $0.type == "mdat" }?.header)
    if hasOpenMediaData { file.replaceSubrange(header.offset..<header.offset + 4, with: big(UInt32(0))) }
    let plan = try MovieEditor(MemorySource(file)).appending(filler(10), to: "moov").plan()
    #expect(plan.diagnostics.map(\.severity) == [.warning, .warning])
    #expect(plan.diagnostics.map(\.track?.id) == [1, 2])
    #expect(
      plan.diagnostics[0].text == "track 1: no data for 507 samples from 3.720 s to 24.000 s; the file may be cut off")

    let uncut = try MovieEditor(MemorySource(try bytes("progressive.mp4"))).appending(filler(10), to: "moov").plan()
    #expect(uncut.diagnostics.isEmpty)
  }

  @Test(
    "Counts of boxes cannot be set, and offsets and sizes only if all samples still have data",
    arguments: [
      ("//stsd", "entry_count", 5, "follows from other fields"),
      ("//dref", "entry_count", 7, "follows from other fields"),
      ("//stco", "chunk_offset[1]", 99_999_999, "would have no data after these edits"),
      ("//stsz", "entry_size[518]", 500_000, "would have no data after these edits"),
    ] as [(String, String, UInt64, String)])
  func unreadable(path: String, field: String, value: UInt64, problem: String) throws {
    let source = MemorySource(try bytes("progressive.mp4"))
    #expect {
      _ = try MovieEditor(source).setting(field, of: path, to: .unsigned(value)).plan()
    } throws: {
      "\($0)".contains(problem)
    }
  }

  @Test("A truncated file without samples is edited with a warning")
  func truncatedWithoutSamples() throws {
    let file = try bytes("progressive.mp4")
    let boxes = try [Box](reading: MemorySource(file))
    let type = try #require(boxes.first { $0.type == "ftyp" }?.header)
    let cut = Array(file[type.offset..<type.end]) + big(UInt32(100)) + Array("mdat".utf8) + [1, 2, 3]
    let plan = try MovieEditor(MemorySource(cut)).appending(filler(10)).plan()
    #expect(
      plan.diagnostics.map(\.text) == [
        "mdat at byte \(type.end) is cut off, so samples may be missing: it has 11 of 100 bytes"
      ])
  }

  @Test("Items keep their bytes, and counts of boxes are updated")
  func items() throws {
    let item = big(UInt16(1)) + big(UInt16(0)) + big(UInt16(1)) + big(UInt32(0)) + big(UInt32(4))
    let meta = fullBox(
      "meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), fullBox("iinf", big(UInt16(0))),
      fullBox("iloc", [0x44, 0], big(UInt16(1)), item))
    var before = box("ftyp", ascii("heic"), zeros(4)) + meta + box("mdat", ascii("item"))
    let place = before.count - 12 - 8
    before.replaceSubrange((place)..<(place + 4), with: big(UInt32(before.count - 4)))
    func text(_ bytes: [UInt8]) throws -> [UInt8] {
      let iloc = try ItemLocationBox(decoding: try #require(payloads(of: "iloc", in: bytes).first)[...])
      let extent = try #require(iloc.items.first?.extents.first)
      return Array(bytes[Int(extent.offset)..<Int(extent.offset + extent.length)])
    }
    #expect(try text(before) == ascii("item"))
    var entry = ItemInformationEntry()
    entry.itemID = 1
    let editor = try MovieEditor(MemorySource(before)).appending(Box(entry), to: "meta/iinf")
    let after = try written(editor)
    #expect(try text(after) == ascii("item"))
    #expect(payloads(of: "iinf", in: after).first?.prefix(6) == [0, 0, 0, 0, 0, 1])
    #expect(try written(try editor.removing("meta/iinf/infe")) == before)
  }

  @Test("Item offsets become wider if necessary")
  func itemWidths() throws {
    // Two extents with a base offset, in fields without room for extent offsets.
    let item = big(UInt16(1)) + big(UInt16(0)) + big(UInt32(0)) + big(UInt16(2)) + big(UInt32(4)) + big(UInt32(2))
    let meta = fullBox(
      "meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)),
      fullBox("iloc", [0x04, 0x40], big(UInt16(1)), item))
    var before = box("ftyp", ascii("heic"), zeros(4)) + meta + box("mdat", ascii("item"))
    let place = before.count - 12 - 14
    before.replaceSubrange(place..<(place + 4), with: big(UInt32(before.count - 4)))
    func pieces(_ bytes: [UInt8]) throws -> [[UInt8]] {
      let iloc = try ItemLocationBox(decoding: try #require(payloads(of: "iloc", in: bytes).first)[...])
      let item = try #require(iloc.items.first)
      return item.extents.map { extent in
        let start = Int(item.baseOffset + extent.offset)
        return Array(bytes[start..<start + Int(extent.length)])
      }
    }
    #expect(try pieces(before) == [ascii("item"), ascii("it")])
    let after = try written(try MovieEditor(MemorySource(before)).inserting(filler(40), before: "meta"))
    #expect(try pieces(after) == [ascii("item"), ascii("it")])
    #expect(after.count == before.count + 40 + 16, "two offsets of 64 bits are new")
  }

  @Test("Items in a movie fragment keep their bytes")
  func itemsOfFragments() throws {
    let item = big(UInt16(1)) + big(UInt16(0)) + big(UInt16(1)) + big(UInt32(0)) + big(UInt32(4))
    let meta = fullBox(
      "meta", fullBox("hdlr", zeros(4), ascii("meta"), zeros(13)), fullBox("iloc", [0x44, 0], big(UInt16(1)), item))
    let moof = box("moof", fullBox("mfhd", big(UInt32(1))), meta)
    var before = box("styp", ascii("msdh"), zeros(4)) + moof + box("mdat", ascii("item"))
    let place = before.count - 12 - 8
    before.replaceSubrange(place..<(place + 4), with: big(UInt32(before.count - 4)))
    let after = try written(try MovieEditor(MemorySource(before)).inserting(filler(40), before: "moof"))
    let iloc = try ItemLocationBox(decoding: try #require(payloads(of: "iloc", in: after).first)[...])
    #expect(iloc.items.first?.extents.first?.offset == UInt64(after.count - 4))
  }

  @Test("The levels of an index are corrected together with its parts")
  func levels() throws {
    let parts = (0..<2).map { _ in box("moof", fullBox("mfhd", big(UInt32(1)))) + box("mdat", ascii("0123456789")) }
    let sizes = parts.map { UInt32($0.count) }
    let levels = sizes.flatMap { big(UInt32(2)) + [0] + big($0 - 6).suffix(3) + [1, 0, 0, 6] }
    let ssix = fullBox("ssix", big(UInt32(2)), levels)
    let references = sizes.flatMap { big($0) + big(UInt32(1)) + zeros(4) }
    let sidx = fullBox(
      "sidx", big(UInt32(1)), big(UInt32(1)), zeros(4), big(UInt32(ssix.count)), zeros(2), big(UInt16(2)), references)
    let before = sidx + ssix + parts.flatMap { $0 }
    let after = try written(try MovieEditor(MemorySource(before)).appending(filler(20), to: "moof[2]"))
    let read = try SubsegmentIndexBox(decoding: try #require(payloads(of: "ssix", in: after).first)[...])
    #expect(read.subsegments.map { $0.ranges.map(\.rangeSize) } == [[sizes[0] - 6, 6], [sizes[1] - 6 + 20, 6]])
    let index = try SegmentIndexBox(decoding: try #require(payloads(of: "sidx", in: after).first)[...])
    #expect(index.references.map(\.referencedSize) == [sizes[0], sizes[1] + 20])
    let huge = try MovieEditor(MemorySource(before)).appending(filler(1 << 24), to: "moof[1]")
    #expect(throws: MovieError.self) { try huge.plan() }
  }

  @Test("An impossible edit is an error with the path")
  func errors() throws {
    struct Stop: Error {}
    let source = MemorySource(try bytes("progressive.mp4"), name: "a.mp4")
    let editor = try MovieEditor(source)
    func error(_ body: () throws -> MovieEditor) -> (any Error)? {
      do { try body().write(to: MemorySink()) } catch { return error }
      return nil
    }
    func code(_ body: () throws -> MovieEditor) -> Obstacle.Code? {
      let error = error(body) as? MovieError
      #expect(error?.file == "a.mp4")
      return error?.obstacle?.code
    }
    #expect(
      error { try editor.editing("moov/trak[9]/tkhd", TrackHeaderBox.self) { _ in } } as? MovieError
        == .noBox(file: "a.mp4", path: "moov/trak[9]/tkhd"))
    for path in ["moov/trak[", "trak[0]", "moov/", ""] {
      #expect(code { try editor.removing(path) } == "not_a_path", "\(path)")
    }
    #expect(code { try editor.editing("moov/mvhd", MediaHeaderBox.self) { _ in } } == "other_fields")
    #expect(error { try editor.editing("//mdhd", MediaHeaderBox.self) { _ in throw Stop() } } is Stop)
    #expect(code { try editor.removing("mdat") } == "removed_data")
    let wide = code {
      try editor.editing("moov/trak[1]/mdia/minf/stbl/stsz", SampleSizeBox.self) { $0.sameSizeCount = 1 }
    }
    #expect(wide == "unwritable")
    // Media data can be removed together with the fragments that refer to it.
    let fragmented = try MovieEditor(MemorySource(try bytes("fragmented.mp4"), name: "b.mp4"))
    #expect(error { try fragmented.removing("moof").removing("mdat").removing("mfra") } == nil)
  }

  @Test("Edits that leave no usable movie are refused, and a file without a movie can be edited")
  func unusable() throws {
    let editor = try MovieEditor(MemorySource(try bytes("progressive.mp4"), name: "a.mp4"))
    let parts: [String: Obstacle.Code] = [
      "moov": "no_movie_left", "moov/trak": "unusable_movie", "moov/mvhd": "unusable_movie",
      "moov/trak[2]/mdia/minf/stbl/stsd": "unusable_movie", "moov/trak[2]/mdia/minf/stbl/stco": "no_samples_left",
    ]
    for (path, code) in parts {
      let error = #expect(throws: MovieError.self) { try editor.removing(path).plan() }
      #expect(error == .impossible(file: "a.mp4", Obstacle(code, "")))
      if code == "unusable_movie", path != "moov/trak" {
        #expect(error?.description.hasSuffix(": \(path): the box is missing") == true)
      }
    }
    #expect(throws: MovieError.impossible(file: "a.mp4", Obstacle("no_container", "", ["path": .text("moov/mvhd")]))) {
      try editor.appending(Box("free", bytes: []), to: "moov/mvhd")
    }
    let language = Box("elng", bytes: zeros(4) + ascii("en") + [0])
    let inserted = try editor.appending(language, to: "moov").setting("extended_language", of: "moov/elng", to: "fr")
    #expect(payloads(of: "moov", in: try written(inserted))[0].suffix(3) == ascii("fr") + [0])
    let renumbered = try editor.setting("track_ID", of: "moov/trak[2]/tkhd", to: .unsigned(1))
    #expect(throws: MovieError.impossible(file: "a.mp4", Obstacle("same_track_id", "", ["track": .integer(1)]))) {
      try renumbered.plan()
    }
    #expect(throws: MovieError.self) { try editor.replacing("moov", with: filler(8)).plan() }
    #expect(throws: MovieError.self) { try editor.appending(Box("moov", boxes: [])).plan() }
    let one = try written(try editor.removing("moov/trak[2]"))
    #expect(try Movie(reading: [MemorySource(one)]).tracks.count == 1)
    let free = box("free", zeros(4)) + box("skip")
    #expect(try written(try MovieEditor(MemorySource(free)).removing("skip")) == box("free", zeros(4)))
  }

  @Test("Edits that remove the data of a movie fragment are refused")
  func unusableFragments() throws {
    let whole = try bytes("fragmented.mp4")
    let editor = try MovieEditor(MemorySource(whole, name: "a.mp4")).appending(filler(1000), to: "moov")
    #expect(try editor.plan().byteCount == whole.count + 1000)
    let boxes = try [Box](reading: MemorySource(whole))
    let last = "mdat[\(boxes.count { $0.type == "mdat" })]"
    #expect(throws: MovieError.self) { try editor.removing(last).plan() }
  }

  @Test("Custom boxes can be edited, and a box that extended to the end of the file gets a size")
  func ownBoxes() throws {
    var before = try bytes("progressive.mp4")
    let mdat = try #require([Box](reading: MemorySource(before)).last?.header)
    #expect(mdat.type == "mdat")
    before.replaceSubrange(mdat.offset..<mdat.offset + 4, with: zeros(4))
    let registry = BoxRegistry.standard.adding(UnknownBox.self)
    let source = MemorySource(before)
    let first = try written(try MovieEditor(source, registry: registry).appending(filler(12)))
    #expect(Array(first[mdat.offset..<mdat.offset + 4]) == big(UInt32(mdat.size)))
    let editor = try MovieEditor(MemorySource(first), registry: registry)
    let second = try written(try editor.editing("fill", UnknownBox.self) { $0.data += [1] })
    #expect(second.suffix(13) == (big(UInt32(13)) + ascii("fill") + [7, 7, 7, 7, 1])[...])
    try check("open end", try bytes("progressive.mp4"), second)
    let last = try written(try editor.inserting(filler(8), before: "moov").removing("fill[2]"))
    try check("before moov", first, last)
  }

  @Test("Metadata items are named by their keys")
  func keys() throws {
    let keys = fullBox("keys", big(UInt32(1)), box("mdta", ascii("com.example.note")))
    let data = box("data", big(UInt32(1)), zeros(4), ascii("old"))
    let meta = box(
      "meta", fullBox("hdlr", zeros(4), ascii("mdta"), zeros(13)), keys,
      box("ilst", big(UInt32(8 + data.count)) + big(UInt32(1)) + data))
    let bytes = box("moov", meta)
    let editor = try MovieEditor(MemorySource(bytes))
    let after = try written(try editor.removing("moov/meta/ilst/[com.example.note]"))
    #expect(after == box("moov", box("meta", fullBox("hdlr", zeros(4), ascii("mdta"), zeros(13)), keys, box("ilst"))))
    #expect(throws: MovieError.self) { try editor.removing("moov/meta/ilst/[com.example.other]") }
  }
}
