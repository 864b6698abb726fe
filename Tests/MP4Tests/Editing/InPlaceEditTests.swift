import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

/// An in-place edit of a file, and the expected position of the edited box.
struct InPlaceEditCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: @Sendable () throws -> [UInt8]
  let edit: @Sendable (MovieEditor) throws -> MovieEditor
  /// The types of the file-level boxes after the edit.
  let types: [FourCC]
  /// Removed bytes, which must no longer be in the file.
  var removed: [UInt8] = []

  private static func vector(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }
  @Sendable private static func titled(_ editor: MovieEditor) throws -> MovieEditor {
    try editor.settingTag(#require(MetadataTag("title")), to: "A new title")
  }
  private static func written(_ editor: MovieEditor) throws -> [UInt8] {
    let sink = MemorySink()
    try editor.write(to: sink)
    return sink.bytes
  }
  /// A movie with a title, and free space after or before its movie box.
  private static func padded(after: Bool) throws -> [UInt8] {
    let editor = try MovieEditor(MemorySource(vector("progressive.mp4")))
      .settingTag(#require(MetadataTag("title")), to: "The old title")
    let free = Box("free", bytes: zeros(40_000))
    return try written(after ? editor.inserting(free, before: "mdat") : editor.inserting(free, before: "moov"))
  }

  /// A file with `boxes` before its media data.
  private static func spaced(_ name: String, _ boxes: [Box], before path: String = "mdat") throws -> [UInt8] {
    try written(boxes.reduce(MovieEditor(MemorySource(vector(name)))) { try $0.inserting($1, before: path) })
  }
  private static func free(_ count: Int) -> Box { Box("free", bytes: zeros(count)) }

  static let all = [
    InPlaceEditCase(
      testDescription: "moov first, nothing free", bytes: { try vector("progressive.mp4") }, edit: titled,
      types: ["ftyp", "free", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "moov first, other boxes last",
      bytes: { try vector("progressive.mp4") + box("uuid", zeros(20)) },
      edit: titled, types: ["ftyp", "free", "free", "mdat", "uuid", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "after an interrupted change",
      bytes: { try vector("progressive.mp4") + zeros(4) + ascii("free") + [0, 0, 1] }, edit: titled,
      types: ["ftyp", "free", "free", "mdat", "free", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "moov last", bytes: { try vector("progressive-moov-last.mp4") }, edit: titled,
      types: ["ftyp", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "free space after moov", bytes: { try padded(after: true) }, edit: titled,
      types: ["ftyp", "free", "moov", "mdat"], removed: ascii("The old title")),
    InPlaceEditCase(
      testDescription: "free space before moov", bytes: { try padded(after: false) }, edit: titled,
      types: ["ftyp", "free", "moov", "free", "free", "mdat"], removed: ascii("The old title")),
    InPlaceEditCase(
      testDescription: "free space before moov that is too small for a copy",
      bytes: { try spaced("progressive.mp4", [free(2000)], before: "moov") }, edit: titled,
      types: ["ftyp", "free", "moov", "free", "mdat", "free", "free"]),
    InPlaceEditCase(
      testDescription: "within a sector", bytes: { try vector("progressive.mp4") },
      edit: { try $0.settingLanguage(of: TrackSelection([.id(1)]), to: "fr") },
      types: ["ftyp", "moov", "free", "mdat"]),
    InPlaceEditCase(
      testDescription: "a header at the end is not in one sector",
      bytes: {
        let bytes = try vector("progressive.mp4")
        return bytes + box("uuid", zeros(16), zeros((508 - (bytes.count + 24) % 512 + 512) % 512))
      }, edit: titled, types: ["ftyp", "free", "free", "mdat", "uuid", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "a box is removed",
      bytes: { try vector("progressive.mp4") + box("uuid", zeros(16), ascii("secret")) },
      edit: { try $0.removing("uuid") }, types: ["ftyp", "moov", "free", "mdat", "free"], removed: ascii("secret")),
    InPlaceEditCase(
      testDescription: "a box is appended", bytes: { try vector("fragmented.mp4") },
      edit: { try $0.appending(Box("uuid", bytes: zeros(16) + ascii("new"))) }, types: []),
    InPlaceEditCase(
      testDescription: "free space in several boxes after moov",
      bytes: { try spaced("progressive.mp4", [free(6000), Box("skip", bytes: zeros(5000)), free(7000)]) },
      edit: titled, types: ["ftyp", "free", "moov", "mdat"]),
    InPlaceEditCase(
      testDescription: "free space in several boxes before moov",
      bytes: { try spaced("progressive.mp4", [free(9000), free(9000)], before: "moov") },
      edit: titled, types: ["ftyp", "free", "moov", "free", "free", "mdat"]),
    InPlaceEditCase(
      testDescription: "moov last, free space first",
      bytes: { try spaced("progressive-moov-last.mp4", [free(3000), free(3000)]) },
      edit: titled, types: ["ftyp", "free", "moov", "free", "mdat", "free"]),
    InPlaceEditCase(
      testDescription: "moov last, free space first, other boxes between them",
      bytes: {
        let other = Box("uuid", bytes: zeros(16) + ascii("other"))
        return try spaced("progressive-moov-last.mp4", [free(6000), other])
      },
      edit: titled, types: ["ftyp", "free", "moov", "free", "uuid", "mdat", "free"]),
    InPlaceEditCase(
      testDescription: "moov first, free space last",
      bytes: { try vector("progressive.mp4") + box("free", zeros(20_000)) }, edit: titled,
      types: ["ftyp", "free", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "moov first, free space last without an end",
      bytes: { try vector("progressive.mp4") + big(UInt32(0)) + ascii("free") + zeros(20_000) }, edit: titled,
      types: ["ftyp", "free", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "free space with a long header",
      bytes: { try vector("progressive.mp4") + big(UInt32(1)) + ascii("free") + big(UInt64(20_016)) + zeros(20_000) },
      edit: titled, types: ["ftyp", "free", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "a sample entry is renamed", bytes: { try vector("progressive.mp4") },
      edit: { try $0.renamingSampleEntries(to: "avc3").settingName(of: TrackSelection([.id(1)]), to: "Camera") },
      types: ["ftyp", "free", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "a title that does not fit the free space",
      bytes: { try spaced("progressive.mp4", [free(9000)]) },
      edit: { try $0.settingTag(#require(MetadataTag("title")), to: String(repeating: "long ", count: 3000)) },
      types: ["ftyp", "free", "free", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "a fragmented file with free space after moov",
      bytes: {
        let editor = try MovieEditor(MemorySource(vector("fragmented.mp4"))).inserting(free(3000), before: "moof[1]")
        return try written(editor)
      }, edit: titled, types: []),
    InPlaceEditCase(
      testDescription: "a fragmented file with free space before moov",
      bytes: { try spaced("fragmented.mp4", [free(1500), free(1500)], before: "moov") }, edit: titled, types: []),
    InPlaceEditCase(
      testDescription: "QuickTime becomes MP4, moov last", bytes: { try vector("progressive.mov") },
      edit: { try $0.convertingToMP4() }, types: ["ftyp", "mdat", "free", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "QuickTime becomes MP4, moov last, other boxes before it",
      bytes: {
        let editor = try MovieEditor(MemorySource(vector("progressive.mov")))
        return try written(editor.inserting(Box("uuid", bytes: zeros(16) + ascii("other")), before: "moov"))
      }, edit: { try $0.convertingToMP4() }, types: ["ftyp", "mdat", "uuid", "free", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "QuickTime becomes MP4, free space first",
      bytes: { try spaced("progressive.mov", [free(9000)]) },
      edit: { try titled($0.convertingToMP4()) }, types: ["ftyp", "free", "moov", "free", "mdat", "free"]),
    InPlaceEditCase(
      testDescription: "QuickTime becomes MP4, moov first",
      bytes: {
        let bytes = try vector("progressive.mov")
        let moov = try #require([Box](reading: MemorySource(bytes)).first { $0.type == "moov" })
        let front = try MovieEditor(MemorySource(bytes)).inserting(moov, before: "mdat").removing("moov[2]")
        return try written(front)
      }, edit: { try $0.convertingToMP4() }, types: ["ftyp", "free", "moov", "free", "mdat", "free", "free"]),
    InPlaceEditCase(
      testDescription: "a brand and a title", bytes: { try vector("progressive.mp4") },
      edit: { try titled($0.settingBrand("iso2")) }, types: ["ftyp", "free", "free", "mdat", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "a field of a fragmented file", bytes: { try vector("fragmented.mp4") },
      edit: { try $0.rotating(TrackSelection([.id(1)]), to: 90) }, types: []),
  ]
}

@Suite("An in-place edit can be interrupted at any time")
struct InPlaceEditTests {
  private func plan(_ bytes: [UInt8], _ edit: InPlaceEditCase) throws -> InPlacePlan {
    try edit.edit(MovieEditor(MemorySource(bytes, name: "in.mp4"))).planInPlace()
  }

  /// The fields of the movie box without offsets, and the readable samples.
  private func contents(_ bytes: [UInt8]) throws -> (movie: [UInt8], others: [FourCC], reading: MovieReading) {
    let boxes = try [Box](reading: MemorySource(bytes))
    let ftyp = try #require(boxes.first { $0.type == "ftyp" }?.header)
    let moov = try #require(boxes.first { $0.type == "moov" }?.header)
    return (
      Array(bytes[ftyp.offset..<ftyp.end] + bytes[moov.offset..<moov.end]), boxes.map(\.type).filter { $0 == "uuid" },
      try SampleReader.readTruncated(bytes)
    )
  }

  @Test("At any time the file is the old one or the new one", arguments: InPlaceEditCase.all)
  func everyMoment(_ edit: InPlaceEditCase) throws {
    let before = try edit.bytes()
    let recorder = InPlaceRecorder()
    try plan(before, edit).write(to: recorder)
    let after = recorder.finished(before)
    let (old, new) = (try contents(before), try contents(after))
    #expect(old.movie != new.movie || old.others != new.others)
    #expect(difference(old.reading.samples, new.reading.samples) == nil)
    var count = (old: 0, new: 0)
    for state in Effort.some(recorder.interruptions(of: before), short: 12) {
      let now = try contents(state.bytes)
      let expected = state.isFinished ? new : old
      #expect(now.movie == expected.movie, "\(state.moment)")
      // A box that is being appended is hidden until the end, and there can be other boxes between the last writes.
      #expect(now.others == expected.others || state.isFinished && now.others.isEmpty, "\(state.moment)")
      #expect(difference(old.reading.samples, now.reading.samples) == nil, "\(state.moment)")
      if state.isFinished { count.new += 1 } else { count.old += 1 }
    }
    #expect(count.old > 0 && count.new > 0)
  }

  @Test("Removed bytes are no longer in the file, and media data stays in place", arguments: InPlaceEditCase.all)
  func result(_ edit: InPlaceEditCase) throws {
    let before = try edit.bytes()
    let recorder = InPlaceRecorder()
    try plan(before, edit).write(to: recorder)
    let after = recorder.finished(before)
    let types = try [Box](reading: MemorySource(after)).map(\.type)
    if !edit.types.isEmpty { #expect(types == edit.types) }
    if !edit.removed.isEmpty {
      #expect(before.indices.contains { before[$0...].starts(with: edit.removed) })
      #expect(!after.indices.contains { after[$0...].starts(with: edit.removed) })
    }
    #expect(try SampleReader.read(before).tracks.map(\.places) == SampleReader.read(after).tracks.map(\.places))
    // Equal to an edit to another file, except for offsets.
    let sink = MemorySink()
    try edit.edit(MovieEditor(MemorySource(before))).write(to: sink)
    #expect(difference(try SampleReader.read(sink.bytes).samples, try SampleReader.read(after).samples) == nil)
  }

  @Test("Each edit has one commit, which is within a sector")
  func writes() throws {
    for edit in InPlaceEditCase.all {
      let recorder = InPlaceRecorder()
      try plan(edit.bytes(), edit).write(to: recorder)
      var commits = 0
      for case .commit(let bytes, let offset) in recorder.events {
        #expect(!bytes.isEmpty && offset / 512 == (offset + bytes.count - 1) / 512, "\(edit.testDescription)")
        commits += 1
      }
      #expect(commits == 1, "\(edit.testDescription)")
    }
  }

  @Test("Repeated edits use the space that became free")
  func repeated() throws {
    var bytes = try readFile(vectorPath("files/progressive.mp4"))
    var sizes: [Int] = []
    for round in 0..<6 {
      let title = try #require(MetadataTag("title"))
      let plan = try MovieEditor(MemorySource(bytes)).settingTag(title, to: "Title \(round)").planInPlace()
      let recorder = InPlaceRecorder()
      try plan.write(to: recorder)
      bytes = recorder.finished(bytes)
      sizes.append(bytes.count)
    }
    #expect(Set(sizes.dropFirst(1)).count == 1, "\(sizes)")
  }

  @Test("A movie box that grows stays before the media data where it fits, and the file grows once")
  func front() throws {
    let sink = MemorySink()
    try MovieEditor(MemorySource(readFile(vectorPath("files/progressive.mp4"))))
      .inserting(Box("free", bytes: zeros(2000)), before: "moov").write(to: sink)
    let start = sink.bytes
    var (bytes, sizes) = (start, [Int]())
    for round in 1...6 {
      let title = String(repeating: "long ", count: 40 * round)
      let recorder = InPlaceRecorder()
      let plan = try MovieEditor(MemorySource(bytes)).settingTag(#require(MetadataTag("title")), to: title)
        .planInPlace()
      #expect(!plan.diagnostics.contains { "\($0)".contains("moov moves") }, "\(plan.diagnostics)")
      try plan.write(to: recorder)
      bytes = recorder.finished(bytes)
      sizes.append(bytes.count)
      let types = try [Box](reading: MemorySource(bytes)).map(\.type)
      let (moov, mdat) = (types.firstIndex(of: "moov"), types.firstIndex(of: "mdat"))
      #expect(moov != nil && mdat != nil && moov! < mdat!, "\(types)")
      #expect(bytes.indices.contains { bytes[$0...].starts(with: ascii(title)) })
    }
    #expect(Set(sizes).count == 1 && sizes[0] < start.count + 2 * 10_000, "\(sizes)")
    #expect(difference(try SampleReader.read(start).samples, try SampleReader.read(bytes).samples) == nil)
  }

  @Test("The movie box is placed before the media: in a new file, and in free space in place, at each moment whole")
  func movieFirst() throws {
    let last = try readFile(vectorPath("files/progressive-moov-last.mp4"))
    func types(_ bytes: [UInt8]) throws -> [FourCC] { try [Box](reading: MemorySource(bytes)).map(\.type) }
    let samples = try SampleReader.read(last).samples
    let copy = MemorySink()
    try MovieEditor(MemorySource(last)).placingMovieFirst().write(to: copy)
    #expect(try types(copy.bytes).prefix { $0 != "mdat" }.contains("moov"))
    #expect(difference(samples, try SampleReader.read(copy.bytes).samples) == nil && copy.bytes.count == last.count)

    let space = MemorySink()
    try MovieEditor(MemorySource(last)).inserting(Box("free", bytes: zeros(20_000)), before: "mdat").write(to: space)
    for editor in [
      try MovieEditor(MemorySource(space.bytes)).placingMovieFirst(),
      try MovieEditor(MemorySource(space.bytes)).placingMovieFirst()
        .settingTag(#require(MetadataTag("title")), to: "Title"),
    ] {
      let plan = try editor.planInPlace()
      let recorder = InPlaceRecorder()
      try plan.write(to: recorder)
      for state in Effort.some(recorder.interruptions(of: space.bytes), short: 12) {
        #expect(difference(samples, try SampleReader.read(state.bytes).samples) == nil, "\(state.moment)")
      }
      let types = try types(recorder.finished(space.bytes))
      #expect(try #require(types.firstIndex(of: "moov")) < #require(types.firstIndex(of: "mdat")), "\(types)")
      #expect(plan.byteCount == 0 && plan.diagnostics.isEmpty, "\(plan.diagnostics)")
    }
    // Nothing to do, and no room.
    #expect(try MovieEditor(MemorySource(copy.bytes)).placingMovieFirst().planInPlace().isEmpty)
    let error = #expect(throws: MovieError.self) {
      try MovieEditor(MemorySource(last, name: "a.mp4")).placingMovieFirst().planInPlace()
    }
    #expect("\(try #require(error))".contains("more would be needed"), "\(String(describing: error))")
  }

  @Test("Repeated changes of chapters use free space, and each moment has the old or the new chapters")
  func chapters() throws {
    func chapters(_ round: Int) -> ChapterList {
      ChapterList((0..<3).map { Chapter(time: MediaTime($0 * 2, 1), title: "Round \(round), part \($0)") })
    }
    func titles(_ bytes: [UInt8]) throws -> [String] {
      try Movie(reading: [MemorySource(bytes, name: "a.mp4")]).chapters().map(\.title)
    }
    for vector in ["progressive.mp4", "progressive-moov-last.mp4"] {
      var (bytes, sizes) = (try readFile(vectorPath("files/\(vector)")), [Int]())
      for round in 0..<8 {
        let plan = try MovieEditor(MemorySource(bytes, name: "a.mp4")).settingChapters(chapters(round)).planInPlace()
        let recorder = InPlaceRecorder()
        try plan.write(to: recorder)
        let (old, new) = (try titles(bytes), chapters(round).chapters.map(\.title))
        for state in Effort.some(recorder.interruptions(of: bytes), short: 12) {
          #expect(try titles(state.bytes) == (state.isFinished ? new : old), "\(vector), \(round): \(state.moment)")
        }
        bytes = recorder.finished(bytes)
        #expect(try titles(bytes) == new, "\(vector), \(round)")
        let before = ascii("Round \(round - 1), part")
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: before) }, "\(vector), \(round)")
        sizes.append(bytes.count)
      }
      #expect(Set(sizes.dropFirst(2)).count == 1, "\(vector): \(sizes)")
    }
  }

  /// A file whose boxes are edited in place repeatedly, and its size after each edit.
  private func sizes(_ start: [UInt8], count: Int, _ value: (Int) -> String) throws -> [Int] {
    var bytes = start
    let title = try #require(MetadataTag("title"))
    let samples = try SampleReader.read(start).samples
    var sizes: [Int] = []
    for round in 0..<count {
      let recorder = InPlaceRecorder()
      try MovieEditor(MemorySource(bytes)).settingTag(title, to: value(round)).planInPlace().write(to: recorder)
      bytes = recorder.finished(bytes)
      sizes.append(bytes.count)
      let moov = try #require([Box](reading: MemorySource(bytes)).first { $0.type == "moov" }?.header)
      let text = ascii(value(round))
      let starts = (moov.offset..<moov.end).filter { bytes[$0] == text[0] }
      #expect(starts.contains { bytes[$0..<moov.end].starts(with: text) })
    }
    #expect(difference(samples, try SampleReader.read(bytes).samples) == nil)
    return sizes
  }

  @Test("Growing titles make a file larger only at first, and not if there is free space")
  func growing() throws {
    let title = { (round: Int) -> String in "\(round) " + String(repeating: "x", count: round * 15) }
    let first = try readFile(vectorPath("files/progressive.mp4"))
    let last = try readFile(vectorPath("files/progressive-moov-last.mp4"))
    let fragmented = try InPlaceEditCase.all.filter { $0.testDescription.hasPrefix("a fragmented file with") }
      .map { try $0.bytes() }
    // moov moves twice: its first space is before the media data.
    let count = Effort.count(short: 12, all: 50)
    let ofFirst = try sizes(first, count: count, title)
    #expect(Set(ofFirst.dropFirst()).count == 1, "\(ofFirst)")
    #expect(ofFirst[count - 1] < first.count + 2 * (15_183 + 2048 + 200))
    let ofLast = try sizes(last, count: count, title)
    #expect(Set(ofLast).count == 1 && ofLast[count - 1] < last.count + 4847 + 2048 + 200, "\(ofLast)")
    for bytes in fragmented { #expect(Set(try sizes(bytes, count: min(count, 30), title)) == [bytes.count]) }
    // A shorter one uses the first space again.
    let shorter = try sizes(first, count: min(count, 20)) { $0 % 2 == 0 ? "A longer title \($0)" : "\($0)" }
    #expect(Set(shorter.dropFirst(2)).count == 1, "\(shorter)")
  }

  @Test("Free boxes that contain samples or items are not overwritten")
  func hidden() throws {
    // The media data is in a box with the type of free space.
    let start = try readFile(vectorPath("files/progressive.mp4"))
    var bytes = start
    bytes.replaceSubrange(15_227..<15_231, with: ascii("free"))
    let title = try #require(MetadataTag("title"))
    let recorder = InPlaceRecorder()
    try MovieEditor(MemorySource(bytes)).settingTag(title, to: "x").planInPlace().write(to: recorder)
    let after = recorder.finished(bytes)
    #expect(after[15_231..<start.count] == start[15_231...])
    #expect(try [Box](reading: MemorySource(after)).last?.type == "moov")
  }

  @Test("Free space that is removed is cleared and remains, with a note")
  func removedSpace() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4")) + box("free", ascii("secret"))
    let plan = try MovieEditor(MemorySource(bytes)).removing("free[2]").planInPlace()
    #expect(plan.diagnostics.map(\.severity) == [.note])
    let recorder = InPlaceRecorder()
    try plan.write(to: recorder)
    #expect(recorder.finished(bytes) == bytes.dropLast(6) + zeros(6))
  }

  @Test("Nothing is written if nothing changes; an edit that needs several steps is refused")
  func refusals() throws {
    let progressive = MemorySource(try readFile(vectorPath("files/progressive.mp4")), name: "in.mp4")
    #expect(try MovieEditor(progressive).settingLanguage(of: TrackSelection([.id(1)]), to: "und").planInPlace().isEmpty)
    func refusal(_ editor: MovieEditor) -> Obstacle? {
      do { _ = try editor.planInPlace() } catch MovieError.impossible(_, let obstacle) {
        return obstacle
      } catch { Issue.record(error) }
      return nil
    }
    let title = try #require(MetadataTag("title"))
    let twice = try MovieEditor(progressive).settingBrand("mp42").settingTag(title, to: "x")
    #expect(refusal(twice) == Obstacle("several_changes", "", ["types": .list([.text("ftyp"), .text("moov")])]))
    let fragmented = MemorySource(try readFile(vectorPath("files/fragmented.mp4")), name: "in.mp4")
    #expect(
      refusal(try MovieEditor(fragmented).settingTag(title, to: "x"))
        == Obstacle("no_room", "", ["type": .text("moov")]))
    // Readers find no sample data in moov, but they do in free space.
    var outside = try readFile(vectorPath("files/progressive-moov-last.mp4"))
    let table = try #require(outside.indices.last { outside[$0...].starts(with: ascii("stco")) }) - 4
    let last = table + number(outside, table) - 4
    outside.replaceSubrange(last..<last + 4, with: big(UInt32(46_000)))
    let hidden = try MovieEditor(MemorySource(outside, name: "in.mp4"))
      .settingTag(title, to: String(repeating: "long ", count: 2000))
    #expect(
      throws: MovieError.impossible(file: "in.mp4", Obstacle("samples_found_elsewhere", "", ["track": .integer(2)]))
    ) {
      try hidden.planInPlace()
    }
    let cut = MemorySource(progressive.bytes + [0, 0, 0], name: "in.mp4")
    #expect(refusal(try MovieEditor(cut).settingTag(title, to: "x")) == Obstacle("open_end", ""))
  }
}
