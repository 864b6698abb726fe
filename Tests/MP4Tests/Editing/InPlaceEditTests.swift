import Bytes
import ISOBMFF
import MP4
import Support
import Testing

/// An edit of a file in place, and where the edited box is expected.
struct InPlaceEditCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: @Sendable () throws -> [UInt8]
  let edit: @Sendable (MovieEditor) throws -> MovieEditor
  /// The types of the file-level boxes afterwards.
  let types: [FourCC]
  /// Bytes that were removed, and must not be in the file any more.
  var removed: [UInt8] = []

  private static func vector(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }
  @Sendable private static func titled(_ editor: MovieEditor) throws -> MovieEditor {
    try editor.setTag(#require(MetadataTag("title")), to: "A new title")
  }
  private static func written(_ editor: MovieEditor) throws -> [UInt8] {
    let sink = MemorySink()
    try editor.write(to: sink)
    return sink.bytes
  }
  /// A movie with a title, and free space after or before its movie box.
  private static func padded(after: Bool) throws -> [UInt8] {
    let editor = try MovieEditor(MemorySource(vector("progressive.mp4")))
      .setTag(#require(MetadataTag("title")), to: "The old title")
    let free = Box("free", bytes: zeros(40_000))
    return try written(after ? editor.insert(free, before: "mdat") : editor.insert(free, before: "moov"))
  }

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
      types: ["ftyp", "free", "moov", "free", "mdat"], removed: ascii("The old title")),
    InPlaceEditCase(
      testDescription: "free space before moov", bytes: { try padded(after: false) }, edit: titled,
      types: ["ftyp", "free", "moov", "free", "free", "mdat"], removed: ascii("The old title")),
    InPlaceEditCase(
      testDescription: "within a sector", bytes: { try vector("progressive.mp4") },
      edit: { try $0.setLanguage(of: TrackSelection([.id(1)]), to: "fr") }, types: ["ftyp", "moov", "free", "mdat"]),
    InPlaceEditCase(
      testDescription: "a header at the end is not in one sector",
      bytes: {
        let bytes = try vector("progressive.mp4")
        return bytes + box("uuid", zeros(16), zeros((508 - (bytes.count + 24) % 512 + 512) % 512))
      }, edit: titled, types: ["ftyp", "free", "free", "mdat", "uuid", "free", "moov"]),
    InPlaceEditCase(
      testDescription: "a box is removed",
      bytes: { try vector("progressive.mp4") + box("uuid", zeros(16), ascii("secret")) },
      edit: { try $0.remove("uuid") }, types: ["ftyp", "moov", "free", "mdat", "free"], removed: ascii("secret")),
    InPlaceEditCase(
      testDescription: "a box is appended", bytes: { try vector("fragmented.mp4") },
      edit: { try $0.append(Box("uuid", bytes: zeros(16) + ascii("new"))) }, types: []),
  ]
}

@Suite("An edit in place can be interrupted at any time")
struct InPlaceEditTests {
  private func plan(_ bytes: [UInt8], _ edit: InPlaceEditCase) throws -> InPlacePlan {
    try edit.edit(MovieEditor(MemorySource(bytes, name: "in.mp4"))).planInPlace()
  }

  /// The fields of the movie box without offsets, and the samples, as far as they can be read.
  private func contents(_ bytes: [UInt8]) throws -> (movie: [UInt8], others: [FourCC], reading: MovieReading) {
    let boxes = try [Box](reading: MemorySource(bytes))
    let moov = try #require(boxes.first { $0.type == "moov" }?.header)
    return (
      Array(bytes[moov.offset..<moov.end]), boxes.map(\.type).filter { $0 == "uuid" },
      try SampleReader.readWhatIsThere(bytes)
    )
  }

  @Test("At every moment the file is the old one or the new one", arguments: InPlaceEditCase.all)
  func everyMoment(_ edit: InPlaceEditCase) throws {
    let before = try edit.bytes()
    let recorder = InPlaceRecorder()
    try plan(before, edit).write(to: recorder)
    let after = recorder.finished(before)
    let (old, new) = (try contents(before), try contents(after))
    #expect(old.movie != new.movie || old.others != new.others)
    #expect(difference(old.reading.samples, new.reading.samples) == nil)
    var count = (old: 0, new: 0)
    for state in Effort.some(recorder.interruptions(of: before), short: 40) {
      let now = try contents(state.bytes)
      let expected = state.isFinished ? new : old
      #expect(now.movie == expected.movie, "\(state.moment)")
      // A box that is being appended is hidden until the end, and other boxes can be between the last writes.
      #expect(now.others == expected.others || state.isFinished && now.others.isEmpty, "\(state.moment)")
      #expect(difference(old.reading.samples, now.reading.samples) == nil, "\(state.moment)")
      if state.isFinished { count.new += 1 } else { count.old += 1 }
    }
    #expect(count.old > 0 && count.new > 0)
  }

  @Test("What was removed is not in the file any more, and media stays in its place", arguments: InPlaceEditCase.all)
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
    // The same as in another file, but for offsets.
    let sink = MemorySink()
    try edit.edit(MovieEditor(MemorySource(before))).write(to: sink)
    #expect(difference(try SampleReader.read(sink.bytes).samples, try SampleReader.read(after).samples) == nil)
  }

  @Test("Commits are within a sector, and there is one")
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
      let plan = try MovieEditor(MemorySource(bytes)).setTag(title, to: "Title \(round)").planInPlace()
      let recorder = InPlaceRecorder()
      try plan.write(to: recorder)
      bytes = recorder.finished(bytes)
      sizes.append(bytes.count)
    }
    #expect(Set(sizes.dropFirst(1)).count == 1, "\(sizes)")
  }

  @Test("Nothing is written if nothing changes, and what is not possible in one step is refused")
  func refusals() throws {
    let progressive = MemorySource(try readFile(vectorPath("files/progressive.mp4")), name: "in.mp4")
    #expect(try MovieEditor(progressive).setLanguage(of: TrackSelection([.id(1)]), to: "und").planInPlace().isEmpty)
    func refusal(_ editor: MovieEditor) -> InPlaceObstacle? {
      do { _ = try editor.planInPlace() } catch MovieError.impossible(_, let obstacle as InPlaceObstacle) {
        return obstacle
      } catch { Issue.record(error) }
      return nil
    }
    let title = try #require(MetadataTag("title"))
    let twice = try MovieEditor(progressive).setBrand("mp42").setTag(title, to: "x")
    #expect(refusal(twice) == .severalChanges(["ftyp", "moov"]))
    let fragmented = MemorySource(try readFile(vectorPath("files/fragmented.mp4")), name: "in.mp4")
    #expect(refusal(try MovieEditor(fragmented).setTag(title, to: "x")) == .noRoom("moov"))
    let table = "moov/trak[2]/mdia/minf/stbl/stco"
    // Readers find no sample in moov, but they do in free space.
    let outside = MemorySink()
    try MovieEditor(MemorySource(readFile(vectorPath("files/progressive-moov-last.mp4"))))
      .edit(table, ChunkOffsetBox.self) { $0.offsets = BoxTable($0.offsets.dropLast() + [46_000]) }.write(to: outside)
    let hidden = try MovieEditor(MemorySource(outside.bytes, name: "in.mp4"))
      .setTag(title, to: String(repeating: "long ", count: 2000))
    #expect(throws: MovieError.impossible(file: "in.mp4", LayoutObstacle.foundSamples(track: 2))) {
      try hidden.planInPlace()
    }
    let cut = MemorySource(progressive.bytes + [0, 0, 0], name: "in.mp4")
    #expect(refusal(try MovieEditor(cut).setTag(title, to: "x")) == .openEnd)
  }
}
