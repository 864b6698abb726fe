import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// The reference is a copy, which has its own tests.
@Suite("A change in place has the same samples as a copy, and keeps the file readable until its last write")
struct InPlaceAgreementTests {
  private func source(_ bytes: [UInt8]) -> MemorySource { MemorySource(bytes, name: "in.mp4") }

  /// Changes a file in place, and compares it with a copy. Returns whether the change was possible.
  @discardableResult
  private func compare(_ bytes: [UInt8], _ what: String) throws -> Bool {
    let recorder = InPlaceRecorder()
    let plan: InPlacePlan
    do throws(MovieError) { plan = try Defragmenter().planInPlace(source(bytes)) } catch {
      #expect(error.description.hasPrefix("in.mp4: "), "\(what)")
      return false
    }
    try plan.write(to: recorder)
    guard !plan.isEmpty else { return true }
    let copy = try samples(bytes)
    #expect(try SampleReader.readTruncated(recorder.finished(bytes)).samples == copy, "\(what)")
    var state = bytes
    for event in recorder.events where !event.isCommit { event.apply(to: &state) }
    #expect(try samples(state) == copy, "before the last write: \(what)")
    let again = try Defragmenter().planInPlace(source(recorder.finished(bytes)))
    #expect(again.isEmpty, "\(what)")
    return true
  }

  /// The samples of a copy.
  private func samples(_ bytes: [UInt8]) throws -> [UInt32: [SampleRecord]] {
    let sink = MemorySink()
    try Defragmenter().plan([source(bytes)]).write(to: sink)
    return try SampleReader.read(sink.bytes).samples
  }

  @Test("Random files", arguments: 0..<Effort.count(short: 10, all: 40) as Range<UInt64>)
  func random(seed: UInt64) throws {
    try compare(RandomFiles.file(seed).bytes, "seed \(seed)")
  }

  private static let vectors = [
    "fragmented.mp4", "base-data-offset.mp4", "omit-tfhd-offset.mp4", "hybrid.mp4", "ismv.ismv", "negative-cts.mp4",
    "encrypted-cenc.mp4", "hevc-fragmented.mp4", "separate-moof.mp4", "global-sidx.mp4",
  ]

  @Test("All fragmented vectors", arguments: vectors)
  func whole(name: String) throws {
    #expect(try compare(readFile(vectorPath("files/" + name)), name))
  }

  @Test("Vectors truncated at any byte", arguments: vectors)
  func cut(name: String) throws {
    let bytes = try readFile(vectorPath("files/" + name))
    var random = SplitMix64(seed: 5)
    var possible = 0
    for _ in 0..<Effort.count(short: 4, all: 20) {
      let count = Int.random(in: 0..<bytes.count, using: &random)
      if try compare(Array(bytes.prefix(count)), "\(name) to \(count)") { possible += 1 }
    }
    // A truncated progressive file with its movie box at the end has no movie box.
    #expect(!Effort.all || (possible > 0) == (name != "encrypted-cenc.mp4"))
  }

  @Test("Vectors with damage between and after the fragments", arguments: vectors)
  func damaged(name: String) throws {
    let bytes = try readFile(vectorPath("files/" + name))
    let boxes = try [Box](reading: source(bytes)).compactMap(\.header)
    let movieEnd = boxes.first { $0.type == "moov" }?.end ?? 0
    let places = boxes.filter { $0.offset >= movieEnd }.map(\.offset) + [bytes.count]
    var possible = 0
    for seed in 0..<Effort.count(short: 4, all: 20) as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var damaged = bytes
      let place = places.randomElement(using: &random) ?? 0
      let header = place..<min(place + 4, bytes.count)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: damaged.replaceSubrange(header, with: zeros(header.count))
      case 1: damaged.replaceSubrange(header, with: header.map { _ in 0x7f })
      case 2: damaged.insert(contentsOf: random.bytes(Int.random(in: 1..<60, using: &random)), at: place)
      case 3: damaged.insert(contentsOf: zeros(Int.random(in: 1..<2000, using: &random)), at: place)
      case 4: damaged.removeLast(Int.random(in: 0...(bytes.count - movieEnd), using: &random))
      default: damaged.removeSubrange(place..<min(place + 40, bytes.count))
      }
      if try compare(damaged, "\(name) with \(seed)") { possible += 1 }
    }
    #expect(!Effort.all || possible > 10)
  }
}
