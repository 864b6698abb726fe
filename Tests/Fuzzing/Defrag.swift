import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target defrag`.
import MP4Bytes
import MP4FileIO

/// Writes a progressive file and reads it back: it has every sample of the report, and none is lost.
private func checkDefragmenting(_ sources: [any ByteSource], _ change: (inout Defragmenter.Options) -> Void) {
  var options = Defragmenter.Options()
  change(&options)
  guard let plan = try? Defragmenter(options).plan(sources), plan.byteCount < 8 << 20 else { return }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil else { fatalError("the output cannot be written") }
  guard sink.bytes.count == plan.byteCount else {
    fatalError("\(plan.byteCount) bytes planned, \(sink.bytes.count) written")
  }
  guard let report = plan.report else { fatalError("there is no report") }
  checkReading(sink.bytes, report, isMovieFirst: options.isMovieFirst)
}

/// Joins an init segment and its media segments. If nothing is lost, defragmenting the joined file gives the same
/// result as defragmenting the parts. Joining concatenates, so data missing in one part may be taken from the next.
private func checkJoining(_ parts: [any ByteSource]) {
  guard let plan = try? Joiner().plan(parts), plan.byteCount < 8 << 20 else { return }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil else { return }
  guard sink.bytes.count == plan.byteCount else {
    fatalError("\(plan.byteCount) bytes planned, \(sink.bytes.count) written")
  }
  guard let before = try? Defragmenter().plan(parts), before.severity ?? .note < .error else { return }
  do {
    let joined = try Defragmenter().plan([MemorySource(sink.bytes)])
    guard samples(joined.report) == samples(before.report) else {
      fatalError("of the parts \(samples(before.report)) are read, of the joined file \(samples(joined.report))")
    }
  } catch {
    fatalError("the joined file cannot be read: \(error)")
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  switch bytes.choice(of: 4) {
  case 0: checkDefragmenting([MemorySource(bytes)]) { _ in }
  case 1:
    checkDefragmenting(sources(bytes)) {
      $0.reading.keepsEvents = true
      $0.reading.keepsStart = true
      $0.isCompact = true
    }
  case 2:
    checkDefragmenting(sources(bytes) + [MemorySource(bytes)]) {
      $0.interleave = MediaTime(1, 10)
      $0.isMovieFirst = false
    }
  default: checkJoining(sources(bytes))
  }
  return 0
}
