// The libFuzzer target of `Tests/Fuzzing/run --target edit`.
import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO

/// Applies an in-place change to a copy of the bytes.
private final class InPlaceCopy: InPlaceSink {
  let name = "sink"
  private(set) var position = 0
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func append(at offset: Int) { position = offset }
  func write(_ new: RawSpan) throws(IOError) { put(unsafe new.withUnsafeBytes { unsafe Array($0) }) }
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    let sink = MemorySink()
    try sink.copy(range, of: source)
    put(sink.bytes)
  }
  func replace(_ new: [UInt8], at offset: Int) { overwrite(new, at: offset) }
  func overwrite(_ new: [UInt8], at offset: Int) { bytes.replaceSubrange(offset..<offset + new.count, with: new) }
  func commit(_ new: [UInt8], at offset: Int) {
    guard !new.isEmpty, offset / 512 == (offset + new.count - 1) / 512 else { fatalError("not in one sector") }
    overwrite(new, at: offset)
  }
  func synchronize() {}

  private func put(_ new: [UInt8]) {
    bytes.removeSubrange(min(position, bytes.count)..<min(position + new.count, bytes.count))
    bytes.insert(contentsOf: new, at: position)
    position += new.count
  }
}

/// The sample sizes of each track; with `chapters`, without text tracks. `nil` if the movie is damaged: the position of
/// the next box after damage, and the choice between contradictory tables, are guesses that can depend on the file
/// layout.
private func sizes(_ bytes: [UInt8], chapters: Bool, isWhole: Bool = false) -> [[Int]]? {
  guard let movie = try? Movie(reading: [MemorySource(bytes)]) else { return nil }
  if isWhole {
    if movie.diagnostics.contains(where: { $0.severity > .note }) { return nil }
    // Damage in the movie box is not among the diagnostics of the movie.
    var parser = BoxParser(MemorySource(bytes))
    while let node = try? parser.next() { if node.problem != nil { return nil } }
  }
  return movie.tracks.filter { !chapters || $0.handler != "text" }.map { $0.samples.map { Int($0.size) } }
}

/// Chapters with times and titles derived from the bytes.
private func chapters(_ bytes: [UInt8]) -> ChapterList {
  ChapterList(
    bytes.prefix(8).map { byte in
      let title = String(repeating: "é", count: Int(byte) / 2)
      return Chapter(time: MediaTime(Int64(byte) * 100, 1000), title: title)
    })
}

private func edited(_ source: MemorySource, _ choice: Int) throws -> MovieEditor {
  let editor = try MovieEditor(source, registry: .standard)
  let title = MetadataTag("title")
  switch choice {
  case 0: return try title.map { try editor.settingTag($0, to: "A title that is longer than the one before") } ?? editor
  case 1: return try editor.strip(.all)
  case 2:
    return try editor.settingLanguage(of: TrackSelection(), to: "pt-BR").settingName(of: TrackSelection(), to: "Name")
  case 3: return try editor.rotating(TrackSelection(), to: 90).settingCreationTime(1)
  case 4: return try editor.set("version", of: "//*", to: 1)
  case 5: return try editor.settingChapters(chapters(source.bytes))
  case 6: return try editor.settingChapters(nil).settingChapters(chapters(source.bytes)).convertingToMP4()
  case 7: return try editor.convertingToMP4()
  case 8: return try editor.convertingToMP4().settingTimescale(to: 600)
  case 9:
    let names = MovieEditor.sampleEntryNames
    return try editor.renamingSampleEntries(to: names[source.bytes.count % names.count])
  case 10:
    let rates = [FrameRate(25, 1), FrameRate(24000, 1001), FrameRate(1, 1000), FrameRate(1_000_000, 1)]
    let video = TrackSelection([.handlers(["vide"])])
    return try editor.settingFrameRate(of: video, to: rates[source.bytes.count % rates.count])
  case 11:
    let timescales: [UInt32] = [90_000, 1, .max, 705_600_000]
    return try editor.settingTimescale(of: TrackSelection(), to: timescales[source.bytes.count % timescales.count])
  case 12:
    let tags = ["artist", "com.apple.quicktime.make", "a.b:c"].compactMap { MetadataTag($0) }
    return try tags.reduce(editor) { try $0.settingTag($1, to: ["One", "", "Two"]) }
  default: return try editor.remove("//udta,//meta,//uuid")
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.isEmpty { return 0 }
  let source = MemorySource(bytes)
  let choice = Int(bytes.choice(of: 14))
  guard let editor = try? edited(source, choice) else { return 0 }
  let hasChapters = (5...6).contains(choice)
  let before = sizes(bytes, chapters: hasChapters, isWhole: true)
  let sink = MemorySink()
  if (try? editor.write(to: sink)) != nil, let before, sizes(sink.bytes, chapters: hasChapters) != before {
    fatalError("an edit changed the samples")
  }
  if let plan = try? editor.planInPlace(), !plan.isEmpty {
    let copy = InPlaceCopy(bytes)
    guard (try? plan.write(to: copy)) != nil else { fatalError("a planned change cannot be made") }
    if let before, sizes(copy.bytes, chapters: hasChapters) != before {
      fatalError("an edit in place changed the samples")
    }
  }
  return 0
}
