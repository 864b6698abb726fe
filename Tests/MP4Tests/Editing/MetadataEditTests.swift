import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Editing metadata and tracks")
struct MetadataEditTests {
  private func source(_ name: String) throws -> MemorySource { MemorySource(try readFile(vectorPath("files/" + name))) }
  private func written(_ editor: MovieEditor) throws -> MemorySource {
    let sink = MemorySink()
    try editor.write(to: sink)
    return MemorySource(sink.bytes)
  }
  private func movie(_ source: MemorySource) throws -> Box {
    try #require([Box](reading: source, registry: .standard).first { $0.type == "moov" })
  }
  private func tag(_ name: String) throws -> MetadataTag { try #require(MetadataTag(name)) }
  /// The iTunes metadata items, each with its type and the fields of its value.
  private func items(_ source: MemorySource) throws -> [(type: FourCC, value: MetadataDataBox)] {
    try (movie(source).first("udta", "meta", "ilst")?.boxes ?? []).map {
      ($0.type, try #require($0.first("data")).payload(as: MetadataDataBox.self, from: source).get())
    }
  }
  private func text(_ text: String) -> MetadataValue { .text(BoxString(text, form: .unterminated)) }

  @Test("Tags are iTunes metadata items with the right format; an empty value removes a tag")
  func items() throws {
    var editor = try MovieEditor(source("progressive.mp4")).settingTag(tag("title"), to: "Täst")
    for (name, value) in [("track", "3/12"), ("compilation", "yes"), ("tempo", "120"), ("©too", "me"), ("disc", "2")] {
      editor = try editor.settingTag(tag(name), to: value)
    }
    let file = try written(editor.settingTag(tag("com.example:LABEL"), to: "own"))
    let found = try items(file)
    #expect(found.map(\.type) == ["©nam", "trkn", "cpil", "tmpo", "©too", "disk", "----"])
    #expect(
      found.map(\.value.value) == [
        text("Täst"), .place(3, of: 12, before: 0, after: 0, size: 8), .signed(1, bits: 8), .signed(120, bits: 16),
        text("me"), .place(2, of: 0, before: 0, after: 0, size: 6), text("own"),
      ])
    #expect(found.map(\.value.type) == [1, 0, 21, 21, 1, 0, 1])
    // A changed value keeps its position.
    let changed = try written(
      MovieEditor(file).settingTag(tag("track"), to: "4").settingTag(tag("com.example:LABEL"), to: ""))
    #expect(try items(changed).map(\.type) == ["©nam", "trkn", "cpil", "tmpo", "©too", "disk"])
    #expect(try items(changed)[1].value.value == .place(4, of: 0, before: 0, after: 0, size: 8))
    var none = try MovieEditor(changed)
    for name in ["title", "track", "compilation", "tempo", "encoder", "disc"] {
      none = try none.settingTag(tag(name), to: "")
    }
    #expect(try movie(written(none)).first("udta") == nil)
  }

  @Test("The boxes of a movie fragment are not read one by one")
  func reads() throws {
    var file = FragmentedFileBuilder([.audio()])
    let count = 500
    for _ in 0..<count { file.addFragment { $0.addTraf(2) { $0.addRun(.samples(1)) } } }
    let source = CountingSource(file.build().bytes)
    try MovieEditor(source).settingTag(tag("title"), to: "Title").write(to: MemorySink())
    #expect(source.callCount < count)
  }

  @Test("A QuickTime movie has keys; the same value elsewhere is removed")
  func keys() throws {
    let first = try written(
      MovieEditor(source("progressive.mov")).settingTag(tag("title"), to: "One").settingTag(
        tag("com.example.own"), to: "Two"))
    let meta = try #require(movie(first).first("meta"))
    let keys = try #require(meta.first("keys")).payload(as: MetadataItemKeysBox.self, from: first).get()
    #expect(keys.keys.map(\.keyValue.description) == ["com.apple.quicktime.title", "com.example.own"])
    #expect(meta.first("ilst")?.boxes.map(\.type.rawValue) == [1, 2])
    #expect(try items(first).isEmpty)
    let second = try written(MovieEditor(first).settingTag(tag("title"), to: ""))
    let left = try #require(movie(second).first("meta"))
    let names = try #require(left.first("keys")).payload(as: MetadataItemKeysBox.self, from: second).get()
    #expect(names.keys.map(\.keyValue.description) == ["com.example.own"])
    #expect(left.first("ilst")?.boxes.map(\.type.rawValue) == [1])
    let none = try written(MovieEditor(second).settingTag(tag("com.example.own"), to: ""))
    #expect(try none.bytes == source("progressive.mov").bytes)
  }

  @Test(
    "A value that does not suit its tag is refused",
    arguments: [
      ("track", "three"), ("track", "1/2/3"), ("compilation", "perhaps"), ("tempo", "70000"), ("cover", "picture.jpg"),
      ("media-kind", "-200"), ("location", "Munich"), ("location", "48.1,11.5"), ("location", "+48.1"),
      ("location", "+1+2x"),
    ])
  func unsuitable(name: String, value: String) throws {
    #expect(throws: MovieError.self) { try MovieEditor(source("progressive.mp4")).settingTag(tag(name), to: value) }
  }

  @Test("A cover declares its format, and replaces the existing one")
  func cover() throws {
    let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3]
    let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 4, 5]
    let file = try written(MovieEditor(source("progressive.mp4")).settingCover(png).settingCover(jpeg))
    let found = try items(file)
    #expect(found.map(\.type) == ["covr"] && found[0].value.type == 13 && found[0].value.value == .picture(jpeg))
    #expect(throws: MovieError.self) { try MovieEditor(file).settingCover(ascii("GIF89a")) }
    #expect(try movie(written(MovieEditor(file).settingCover([]))).first("udta") == nil)
  }

  @Test("The location is removed everywhere, and other metadata is kept")
  func location() throws {
    let (xyz, make) = (FourCC(rawValue: 0xa978_797a), FourCC(rawValue: 0xa96d_616b))
    func text(_ text: String) -> [UInt8] { big(UInt16(text.utf8.count)) + big(UInt16(0x15c7)) + ascii(text) }
    let user = Box(
      "udta",
      boxes: [
        Box(xyz, bytes: text("+50.1-008.7/")), Box("loci", bytes: zeros(4) + ascii("xx\0")),
        Box(make, bytes: text("me")),
      ])
    let keyed = try MovieEditor(source("progressive.mov")).appending(user, to: "moov")
      .settingTag(tag("com.apple.quicktime.location.ISO6709"), to: "+50.1-008.7/")
      .settingTag(tag("com.apple.quicktime.location.accuracy.horizontal"), to: "9")
      .settingTag(tag("com.apple.quicktime.model"), to: "X1")
    let file = try written(MovieEditor(written(keyed), registry: .standard).stripping(.location))
    let moov = try movie(file)
    #expect(moov.first("udta")?.boxes.map(\.type) == [make])
    let keys = try #require(moov.first("meta", "keys")).payload(as: MetadataItemKeysBox.self, from: file).get()
    #expect(keys.keys.map(\.keyValue.description) == ["com.apple.quicktime.model"])
    #expect(!file.bytes.indices.contains { file.bytes[$0...].starts(with: ascii("+50.1")) })
    let bare = try movie(written(MovieEditor(file).stripping(.metadata)))
    #expect(bare.first("udta") == nil && bare.first("meta") == nil)
  }

  @Test("Values with keys in user data, as ffmpeg writes them, are changed and removed there")
  func keysInUserData() throws {
    var keys = MetadataItemKeysBox()
    for name in ["title", "com.apple.quicktime.location.ISO6709", "com.android.version"] {
      var key = MetadataItemKeysBox.Key()
      key.keyValue = BoxString(name, form: .unterminated)
      keys.keys.append(key)
    }
    let items = (1...3 as ClosedRange<UInt32>).map { number in
      var data = MetadataDataBox()
      data.value = text(["Old", "+50.1-008.7/", "11"][Int(number) - 1])
      return Box(FourCC(rawValue: number), boxes: [Box(data)])
    }
    var hdlr = HandlerBox()
    hdlr.handlerType = "mdta"
    let meta = Box(MetaBox(), boxes: [Box(hdlr), Box(keys), Box("ilst", boxes: items)])
    let file = try written(
      MovieEditor(source("progressive.mp4")).replacing("moov/udta", with: Box("udta", boxes: [meta])))
    let edited = try written(MovieEditor(file).settingTag(tag("title"), to: "New").stripping(.location))
    let found = try #require(movie(edited).first("udta", "meta"))
    let names = try #require(found.first("keys")).payload(as: MetadataItemKeysBox.self, from: edited).get()
    #expect(names.keys.map(\.keyValue.description) == ["title", "com.android.version"])
    #expect(
      try found.first("ilst")?.boxes.map {
        try #require($0.first("data")).payload(as: MetadataDataBox.self, from: edited).get().value
      } == [text("New"), text("11")])
    #expect(try movie(edited).first("meta") == nil)
    #expect(!edited.bytes.indices.contains { edited.bytes[$0...].starts(with: ascii("+50.1")) })
  }

  @Test("Tag names of other tools are accepted, and invented codes are not")
  func names() {
    #expect(MetadataTag("year")?.name == "date" && MetadataTag("ALBUM_ARTIST")?.name == "album-artist")
    #expect(MetadataTag("Track Number")?.name == "track" && MetadataTag("cpil")?.name == "compilation")
    for name in ["foo", "isrc", "tilte:x", "nam", ""] { #expect(MetadataTag(name) == nil, "\(name)") }
  }

  @Test("In a truncated file all offsets are moved, so that the missing data can still be appended")
  func cutOff() throws {
    let whole = try source("progressive.mp4").bytes
    let title = try tag("title")
    let edited = try written(MovieEditor(MemorySource(whole)).settingTag(title, to: "A title"))
    let cut = try written(MovieEditor(MemorySource(Array(whole.prefix(100_000)))).settingTag(title, to: "A title"))
    #expect(Array(edited.bytes.prefix(cut.bytes.count)) == cut.bytes && cut.bytes.count < edited.bytes.count)
  }

  @Test("Zeros at the end of a list stay at its end, and damaged boxes are not edited")
  func ends() throws {
    let title = try tag("title")
    let ended = try written(
      MovieEditor(source("progressive.mov")).appending(Box("udta", boxes: [Box("©mak", bytes: zeros(4))]), to: "moov"))
    var bytes = ended.bytes
    let place = try #require(movie(ended).first("udta")?.header)
    // The movie box comes last.
    bytes += zeros(4)
    for header in [place, try #require(movie(ended).header)] {
      bytes.replaceSubrange(header.offset..<header.offset + 4, with: big(UInt32(header.size + 4)))
    }
    let edited = try written(
      MovieEditor(MemorySource(bytes), registry: .standard).appending(Box("name", bytes: [65]), to: "moov/udta"))
    #expect(try movie(edited).first("udta")?.boxes.filter(\.hasHeader).map(\.type) == ["©mak", "name"])
    #expect(edited.bytes.suffix(4) == zeros(4)[...])
    bytes.replaceSubrange(place.offset + 8..<place.offset + 12, with: big(UInt32(99)))
    let values: [String: Obstacle.Value] = ["type": .text("©mak"), "offset": .integer(place.offset + 8)]
    #expect(throws: MovieError.impossible(file: "source", Obstacle("wrong_size", "", values))) {
      try MovieEditor(MemorySource(bytes, name: "source"), registry: .standard).settingTag(title, to: "x")
    }
  }

  @Test("Samples that cannot be read may contain locations, which is a warning")
  func located() throws {
    let words = "the samples of track 2 may include locations; not removed, because "
    let file = try written(
      MovieEditor(source("progressive.mp4")).replacing(
        "moov/trak[2]/mdia/minf/stbl/stsd/mp4a", with: Box("camm", bytes: [])))
    let plan = try MovieEditor(file).stripping(.location).plan()
    #expect(
      plan.diagnostics.first?.text.hasPrefix(words) == true && plan.severity == .warning)
    #expect(
      try MovieEditor(source("progressive.mp4")).stripping(.location).plan().diagnostics.map(\.text)
        == ["no location was found"])
    // QuickTime's timed metadata declares its keys.
    for (key, isNamed) in [
      ("com.apple.quicktime.location.ISO6709", true), ("com.apple.quicktime.detected-face", false),
    ] {
      let keys = box("keys", box("\0\0\0\u{1}", box("keyd", ascii("mdta" + key))))
      let timed = try written(
        MovieEditor(source("progressive.mp4")).replacing(
          "moov/trak[2]/mdia/minf/stbl/stsd/mp4a", with: Box("mebx", bytes: zeros(6) + [0, 1] + keys)))
      let texts = try MovieEditor(timed).stripping(.location).plan().diagnostics.map(\.text)
      #expect(texts.contains { $0.hasPrefix(words) } == isNamed, "\(texts)")
    }
  }

  @Test("A file without a movie has no tags")
  func noMovie() throws {
    let image = box("ftyp", ascii("heic"), zeros(4)) + box("meta", zeros(4)) + box("mdat")
    #expect(throws: MovieError.noMovie(file: "image")) {
      try MovieEditor(MemorySource(image, name: "image")).settingTag(tag("title"), to: "x")
    }
  }

  @Test("Names, languages, rotation and flags of tracks")
  func tracks() throws {
    let (video, audio) = (TrackSelection([.id(1)]), TrackSelection([.handlers(["soun"])]))
    var editor = try MovieEditor(source("progressive.mp4")).settingLanguage(of: audio, to: "pt-BR")
    editor = try editor.settingName(of: audio, to: "Commentary").rotating(video, to: 270).settingEnabled(audio, false)
    let file = try written(
      editor.settingAlternateGroup(of: audio, to: 7).settingCreationTime(3_800_000_000).settingBrand("mp42"))
    let traks = try movie(file).boxes.filter { $0.type == "trak" }
    let mdhd = try #require(traks[1].first("mdia", "mdhd")).payload(as: MediaHeaderBox.self, from: file).get()
    #expect(mdhd.language == "por" && mdhd.creationTime == 3_800_000_000)
    let elng = try #require(traks[1].first("mdia", "elng")).payload(as: ExtendedLanguageBox.self, from: file).get()
    #expect(elng.extendedLanguage.description == "pt-BR")
    let name = try #require(traks[1].first("udta", "name")).payload(as: UserDataNameBox.self, from: file).get()
    #expect(name.text.description == "Commentary")
    let heads = try traks.map { try #require($0.first("tkhd")).payload(as: TrackHeaderBox.self, from: file).get() }
    #expect(heads[1].flags & 1 == 0 && heads[1].alternateGroup == 7 && heads[0].flags & 1 == 1)
    let one: Int32 = 1 << 16
    #expect(heads[0].matrix.values == [0, -one, 0, one, 0, 0, 0, Int32(heads[0].width), 1 << 30])
    let ftyp = try #require([Box](reading: file).first).payload(as: FileTypeBox.self, from: file).get()
    #expect(ftyp.majorBrand == "mp42" && ftyp.compatibleBrands.contains("mp42"))
    let back = try movie(written(MovieEditor(file).settingLanguage(of: audio, to: "en").settingName(of: audio, to: "")))
    #expect(back.boxes.filter { $0.type == "trak" }[1].first("mdia", "elng") == nil)
    #expect(back.boxes.filter { $0.type == "trak" }[1].first("udta") == nil)
  }

  @Test("The default track is enabled, and its alternatives are disabled")
  func defaultTrack() throws {
    let three = try written(MovieEditor(source("progressive.mp4")).settingAlternateGroup(of: TrackSelection(), to: 3))
    let heads = try movie(written(MovieEditor(three).settingDefault(2))).boxes.filter { $0.type == "trak" }
    let flags = try heads.map {
      try #require($0.first("tkhd")).payload(
        as: TrackHeaderBox.self, from: written(MovieEditor(three).settingDefault(2))
      )
      .get().flags & 1
    }
    #expect(flags == [0, 1])
    #expect(throws: MovieError.self) { try MovieEditor(three).settingDefault(9) }
  }

  @Test("A box given as text has the given fields, and the default values of a new box in the others")
  func boxesAsText() throws {
    let kind = try #require(try Box(text: #"kind{schemeURI="urn:a,b",value=main}"#, in: "udta", registry: .standard))
    let file = try written(MovieEditor(source("progressive.mp4")).appending(kind, to: "moov/udta"))
    let read = try #require(movie(file).first("udta", "kind")).payload(from: file, registry: .standard)?.get()
    func value(_ name: String) -> String? { if case .text(let text)? = read?[name] { text.description } else { nil } }
    #expect(value("schemeURI") == "urn:a,b" && value("value") == "main")
    #expect(throws: FieldError.self) { try Box(text: "kind{scheme=x}", in: "udta", registry: .standard) }
    #expect(try Box(text: "file.bin", in: "udta", registry: .standard) == nil)
    #expect(throws: MovieError.self) { try [Box](allOf: [0, 0, 0, 9] + ascii("free"), name: "bytes") }
    #expect(try [Box](allOf: box("free") + box("skip", [1]), name: "bytes").map(\.type) == ["free", "skip"])
  }
}
