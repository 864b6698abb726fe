// The target of libFuzzer; `Tests/Fuzzing/run` builds and runs it.
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

/// Plans, writes, and compares how much was written with what was planned.
private func check(_ plan: () throws(MovieError) -> OutputPlan) {
  guard let plan = try? plan() else { return }
  let sink = CountingSink()
  guard (try? plan.write(to: sink)) != nil else { return }
  guard sink.position == plan.byteCount else { fatalError("\(plan.byteCount) bytes planned, \(sink.position) written") }
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
  check { () throws(MovieError) in try Defragmenter().plan([source]) }
  let parts = sources(bytes)
  var options = Defragmenter.Options()
  options.keepsEvents = true
  check { () throws(MovieError) in try Defragmenter(options).plan(parts) }
  if parts.count > 1 {
    check { () throws(MovieError) in try Joiner().plan(parts) }
  }
  return 0
}
