import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Real files", .enabled(if: corpusFolder != nil, "MP4TOOL_CORPUS names the folder of the corpus"))
struct CorpusTests {
  /// Files whose samples change, and why. The test fails if one of them is unchanged after all.
  private static let exceptions: [String: Comment] = [
    "fragmented-whole/01-subs.ismt": "a byte after the last box, which the plain reader refuses",
    "fragmented-whole/05-esds.mp4": "a track fragment is damaged, which the plain reader refuses",
    "fragmented-whole/06-fragmented.mp4":
      "base data offsets of before a box was inserted; counted from moof it decodes without an error",
    "fragmented-whole/22-vp9.mp4": "cut off within the media data, which the plain reader refuses",
    "fragmented-whole/26-scte35.ismv": "fragments declare times again (row 13)",
    "fragmented-whole/43-bbb.mp4": "the first sample comes again (row 13)",
    "sets/01-enca-mp4a": "durations of 49152 where the times step by 1068; they are scaled",
    "sets/02-avc1": "durations of 49152 where the times step by 1068; they are scaled",
    "sets/11-enca-mp4a": "the media data is missing, which the plain reader refuses",
    "sets/12-enca-mp4a": "the media data is missing, which the plain reader refuses",
    "sets/29-stpp": "all segments declare the same times (row 13)",
  ]

  private static let sets: [String] = folders("sets")
  private static let wholes: [String] = corpus().filter { $0.contains("/fragmented-whole/") }
  private static func folders(_ name: String) -> [String] {
    guard let corpusFolder else { return [] }
    return namesInFolder(corpusFolder + "/" + name).map { corpusFolder + "/\(name)/" + $0 }
  }
  private static func name(_ path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  @Test("Every file is defragmented or refused with its name, without a trap and in time", arguments: corpus())
  func every(path: String) throws {
    let source = MemorySource(try readFile(path), name: path)
    let clock = WorkClock()
    switch Result(catching: { () throws(MovieError) in try Defragmenter().plan([source]) }) {
    case .failure(let error): #expect(error.description.hasPrefix(path))
    case .success(let plan):
      let sink = MemorySink()
      if plan.byteCount < 100_000_000 { try plan.write(to: sink) }
      #expect(sink.bytes.count == plan.byteCount)
    }
    #expect(clock.elapsed < .seconds(10))
  }

  @Test("The segments of a set are joined to their concatenation, also in reverse order", arguments: sets)
  func joined(folder: String) throws {
    let files = try segments(folder)
    guard files.count > 1 else { return }
    let whole = files.flatMap(\.bytes)
    for order in [Array(files[1...]), files[1...].reversed()] {
      let plan = try Joiner().plan([files[0]] + order)
      let sink = MemorySink()
      try plan.write(to: sink)
      #expect(sink.bytes == whole, "\(plan.diagnostics)")
    }
  }

  @Test("A defragmented set contains the same samples", arguments: sets)
  func set(folder: String) throws {
    try compare(try segments(folder), Self.name(folder))
  }

  @Test("A defragmented file contains the same samples", arguments: wholes)
  func whole(path: String) throws {
    try compare([MemorySource(try readFile(path), name: path)], Self.name(path))
  }

  private func segments(_ folder: String) throws -> [MemorySource] {
    let names = namesInFolder(folder)
    return try (names.filter { $0.hasPrefix("init") } + names.filter { !$0.hasPrefix("init") }).map {
      MemorySource(try readFile(folder + "/" + $0), name: $0)
    }
  }

  private func compare(_ files: [MemorySource], _ name: String) throws {
    guard let reason = Self.exceptions[name] else { return try #expect(difference(files) == nil) }
    withKnownIssue(reason) { try #expect(difference(files) == nil) }
  }

  /// The first difference in payload, decode time relative to the first one, composition offset, sync flag or
  /// description.
  private func difference(_ files: [MemorySource]) throws -> String? {
    func plain(_ samples: [UInt32: [SampleRecord]]) -> [UInt32: [SampleRecord]] {
      samples.mapValues { records in
        records.rebased().withSyncOnly().map { record in
          var record = record
          // A gap extends the sample before it.
          record.duration = 0
          return record
        }
      }
    }
    let before = try SampleReader.samples(files.flatMap(\.bytes))
    return Support.difference(plain(before), plain(try Output.defragmenting(files).movie.samples))
  }
}
