import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Damaged vectors")
struct MutationTests {
  /// The init segment and one media segment, or a whole file.
  private static let files = [
    ["fragmented.mp4"], ["base-data-offset.mp4"], ["omit-tfhd-offset.mp4"], ["hybrid.mp4"], ["ismv.ismv"],
    ["negative-cts.mp4"], ["progressive-moov-last.mp4"], ["encrypted-cenc.mp4"], ["pcm.mov"],
    ["hls/init.mp4", "hls/segment1.m4s", "hls/segment12.m4s"],
  ]

  /// The number of mutations per file.
  private static let count: UInt64 = Effort.count(short: 10, all: 40)

  @Test("Damage never causes a trap or unreadable output", arguments: files)
  func mutations(names: [String]) throws {
    let originals = try names.map { try readFile(vectorPath("files/" + $0)) }
    // Only boxes are mutated, since damage in media data has no effect.
    let places = try originals.map { bytes in
      try [Box](reading: MemorySource(bytes)).compactMap(\.header).flatMap { header in
        Array(header.offset..<(header.type == "mdat" ? header.offset + 16 : header.end))
      }
    }
    for seed in 0..<Self.count {
      var random = SplitMix64(seed: seed)
      var files = originals
      let file = Int.random(in: files.indices, using: &random)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        guard let place = places[file].randomElement(using: &random), place < files[file].count else { continue }
        damage(&files[file], place, &random)
      }
      let clock = WorkClock()
      let sources = files.map { MemorySource($0) }
      check("\(names[file]) with \(seed)") { () throws(MovieError) in try Defragmenter().plan(sources) }
      if sources.count > 1 {
        check("\(names[file]) with \(seed), joined") { () throws(MovieError) in try Joiner().plan(sources) }
      }
      #expect(clock.elapsed < .seconds(5), "\(names[file]) with \(seed)")
    }
  }

  /// Changes a byte or a number, truncates the file, or inserts bytes.
  private func damage(_ bytes: inout [UInt8], _ place: Int, _ random: inout SplitMix64) {
    let number = place..<min(place + 4, bytes.count)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = .random(in: 0...255, using: &random)
    case 2: bytes.replaceSubrange(number, with: big(UInt32.max))
    case 3: bytes.replaceSubrange(number, with: zeros(4))
    case 4: bytes.replaceSubrange(number, with: big(UInt32(0x7fff_ffff)))
    case 5: bytes.insert(.random(in: 0...255, using: &random), at: place)
    case 6: bytes.remove(at: place)
    default: bytes.removeLast(.random(in: 0...bytes.count / 8, using: &random))
    }
  }

  /// Plans and writes; an error must have a reason, and an output must consist of undamaged boxes.
  private func check(_ what: String, _ plan: () throws(MovieError) -> OutputPlan) {
    switch Result(catching: plan) {
    case .failure(let error): #expect(error.description.hasPrefix("memory: "), "\(what)")
    case .success(let plan):
      let payload = plan.byteCount
      // Damage can make samples overlap, so that the output of a small file is huge; it is not written here.
      guard payload < 50_000_000 else { return }
      let sink = MemorySink()
      do throws(IOError) {
        try plan.write(to: sink)
        #expect(sink.bytes.count == payload, "\(what)")
        var parser = BoxParser(MemorySource(sink.bytes))
        var problem: BoxError? = BoxError(.notABox(count: 0), field: "moov", offset: 0)
        while let node = try parser.next() {
          if node.type == "moov", node.depth == 0 { problem = node.problem }
          parser.skipBoxes()
        }
        #expect(problem == nil, "\(what)")
        try checkReadBack(MemorySource(sink.bytes), plan, what)
      } catch {
        Issue.record("\(what): \(error)")
      }
    }
  }

  /// The output for a damaged file is complete.
  private func checkReadBack(_ source: MemorySource, _ plan: OutputPlan, _ what: String) throws(IOError) {
    guard let report = plan.report else { return }
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    do throws(MovieError) {
      let again = try Defragmenter(options).plan([source])
      #expect(again.report?.sampleCount == report.sampleCount, "\(what)")
      #expect(again.report?.severity ?? .note < .error, "\(what): \(again.diagnostics)")
    } catch {
      // Samples in another file are referenced, not copied.
      #expect(error.obstacle?.code == "external_samples", "\(what): \(error)")
    }
  }
}
