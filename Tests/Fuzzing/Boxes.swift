// What libFuzzer runs for `Tests/Fuzzing/run --target boxes`.
import BoxCatalog
import Bytes
import FileIO
import ISOBMFF
import MP4

/// Counts what is written and keeps nothing; stops where an output is larger than a fuzzer should wait for.
private final class CountingSink: ByteSink {
  let name = "sink"
  private(set) var position = 0
  private static let limit = 64 << 20

  func write(_ bytes: RawSpan) throws(IOError) { try advance(bytes.byteCount) }

  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    guard range.upperBound <= source.byteCount ?? 0 else {
      fatalError("the bytes \(range) are copied of a source of \(source.byteCount ?? 0)")
    }
    try advance(range.count)
  }

  private func advance(_ count: Int) throws(IOError) {
    position += count
    if position > Self.limit { throw IOError(.write, file: name, reason: "the limit is reached") }
  }
}

/// How many samples each track has, and how long they last.
private func samples(_ report: DefragmentReport?) -> [[Int64]] {
  report?.tracks.map { [Int64($0.sampleCount), $0.mediaDuration] } ?? []
}

/// Reads a file that was written: nothing in it is lost, and it has the samples of the report. A file that was changed
/// in place keeps boxes that are damaged, which can be lost when it is arranged in another way.
private func checkReading(_ bytes: [UInt8], _ report: DefragmentReport, isMovieFirst: Bool, isInPlace: Bool = false) {
  // What is arranged again is read sample by sample.
  var arranging = Defragmenter.Options()
  arranging.isMovieFirst = !isMovieFirst
  do {
    let again = try Defragmenter(arranging).plan([MemorySource(bytes)])
    guard samples(again.report) == samples(report) else {
      fatalError("\(samples(report)) samples were written, \(samples(again.report)) are read")
    }
    let isWhole = isInPlace ? again.report?.lostSampleCount == 0 : again.severity ?? .note < .error
    guard isWhole else { fatalError("the output is read with losses: \(again.diagnostics)") }
  } catch {
    // A file that is progressive already may say that its samples lie elsewhere.
    if report.fragmentCount == 0, error.reason.contains("in another file") { return }
    fatalError("the output cannot be read: \(error)")
  }
}

/// Makes a progressive file, and reads it back: it has every sample that the report tells of, and none of them is lost.
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

/// Makes a fragmented file and its segments, and reads the file back: it has every sample that was to be in it.
private func checkFragmenting(_ sources: [any ByteSource], _ change: (inout Fragmenter.Options) -> Void) {
  var options = Fragmenter.Options()
  change(&options)
  guard let movie = try? Movie(reading: sources), let plan = try? Fragmenter(options).plan(movie),
    plan.byteCount < 8 << 20
  else { return }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil else { fatalError("the fragmented file cannot be written") }
  guard sink.bytes.count == plan.byteCount else {
    fatalError("\(plan.byteCount) bytes planned, \(sink.bytes.count) written")
  }
  for index in plan.segments.indices.prefix(3) {
    let segment = CountingSink()
    guard (try? plan.writeSegment(index, to: segment)) != nil, segment.position == plan.byteCount(ofSegment: index)
    else { fatalError("segment \(index + 1) cannot be written") }
  }
  guard (try? plan.writeReport(to: CountingSink(), output: nil, isMade: false)) != nil else {
    fatalError("the report cannot be written")
  }
  let count = plan.segments.flatMap(\.tracks).reduce(0) { $0 + $1.sampleCount }
  do {
    let again = try Movie(reading: [MemorySource(sink.bytes)])
    let read = try Fragmenter(options).plan(again).segments.flatMap(\.tracks).reduce(0) { $0 + $1.sampleCount }
    guard read == count else { fatalError("\(count) samples were put into fragments, \(read) are read") }
  } catch MovieError.impossible {
    // What was shifted once need not have room to be shifted again.
    guard case .apple = options.profile else { fatalError("the fragmented file cannot be fragmented again") }
  } catch {
    fatalError("the fragmented file cannot be read: \(error)")
  }
}

/// Does to a copy of the bytes what a change in place does to a file.
private final class InPlaceCopy: InPlaceSink {
  let name = "sink"
  private(set) var position = 0
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func append(at offset: Int) {
    guard offset <= bytes.count, offset + 8 > bytes.count else { fatalError("\(offset) is not the end of the file") }
    position = offset
  }
  func write(_ new: RawSpan) throws(IOError) { put(unsafe new.withUnsafeBytes { unsafe Array($0) }) }
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    let sink = MemorySink()
    try sink.copy(range, of: source)
    put(sink.bytes)
  }
  func replace(_ new: [UInt8], at offset: Int) {
    guard !new.isEmpty, offset / 512 == (offset + new.count - 1) / 512 else { fatalError("not in one sector") }
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }
  func commit(_ new: [UInt8], at offset: Int) { replace(new, at: offset) }
  func synchronize() {}

  private func put(_ new: [UInt8]) {
    bytes.removeSubrange(min(position, bytes.count)..<min(position + new.count, bytes.count))
    bytes.insert(contentsOf: new, at: position)
    position += new.count
  }
}

/// Changes the file in place; what comes out is progressive.
private func checkInPlace(_ source: MemorySource) {
  guard let plan = try? Defragmenter().planInPlace(source), !plan.isEmpty else { return }
  let copy = InPlaceCopy(source.bytes)
  guard (try? plan.write(to: copy)) != nil else { return }
  guard let again = try? Defragmenter().planInPlace(MemorySource(copy.bytes)), again.isEmpty else {
    fatalError("a file that was changed in place is not progressive")
  }
  if let report = plan.report { checkReading(copy.bytes, report, isMovieFirst: true, isInPlace: true) }
}

/// Joins an init and its segments: where nothing is lost, a defragmenter makes the same of the joined file as of the
/// parts. Joining is a concatenation, in which the data that one part lacks may come next.
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

/// The bytes as a source; cut in two where a movie box ends, as an init and a segment.
private func sources(_ bytes: [UInt8]) -> [any ByteSource] {
  let whole = MemorySource(bytes)
  guard let boxes = try? [Box](reading: whole), let moov = boxes.first(where: { $0.type == "moov" })?.header,
    moov.end < bytes.count
  else { return [whole] }
  return [MemorySource(Array(bytes[..<moov.end])), MemorySource(Array(bytes[moov.end...]))]
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let source = MemorySource(bytes)
  for verbosity in [0, 3] {
    let sink = TextSink(CountingSink(), verbosity: verbosity)
    var dump = BoxDump(source)
    _ = try? dump.run(to: sink)
    sink.finish()
  }
  let json = JSONSink(CountingSink(), file: nil)
  var dump = BoxDump(source)
  _ = try? dump.run(to: json)
  json.finish()

  let copy = MemorySink()
  if count < 1 << 20, let boxes = try? [Box](reading: source) {
    let isWritten = (try? BoxSerializer(boxes).write(to: copy, from: source)) != nil
    guard isWritten, copy.bytes == bytes else { fatalError("the boxes are not written as they were read") }
  }
  checkDefragmenting([source]) { _ in }
  checkInPlace(source)
  let parts = sources(bytes)
  checkDefragmenting(parts) {
    $0.keepsEvents = true
    $0.keepsStart = true
    $0.isCompact = true
  }
  checkDefragmenting(parts + [source]) {
    $0.interleave = MediaTime(1, 10)
    $0.isMovieFirst = false
  }
  checkFragmenting([source]) { _ in }
  checkFragmenting(parts) {
    $0.profile = .apple(timeOffset: FragmentProfile.appleTimeOffset)
    $0.cutting = .interval(MediaTime(1, 10))
    $0.fragmentDuration = MediaTime(1, 20)
    $0.hasIndex = true
    $0.hasRandomAccess = true
  }
  checkJoining(parts)
  return 0
}
