import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target fragment`.
import MP4Bytes
import MP4FileIO

/// Writes a fragmented file and its segments, and reads the file back: it has every expected sample.
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
  guard (try? plan.writeReport(to: CountingSink(), output: nil, isWritten: false)) != nil else {
    fatalError("the report cannot be written")
  }
  let count = plan.segments.flatMap(\.tracks).reduce(0) { $0 + $1.sampleCount }
  do {
    let again = try Movie(reading: [MemorySource(sink.bytes)])
    let read = try Fragmenter(options).plan(again).segments.flatMap(\.tracks).reduce(0) { $0 + $1.sampleCount }
    guard read == count else { fatalError("\(count) samples were put into fragments, \(read) are read") }
  } catch MovieError.impossible {
    // Times that were shifted once may not fit when they are shifted a second time.
    guard case .apple = options.profile else { fatalError("the fragmented file cannot be fragmented again") }
  } catch {
    fatalError("the fragmented file cannot be read: \(error)")
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  switch bytes.choice(of: 2) {
  case 0: checkFragmenting([MemorySource(bytes)]) { _ in }
  default:
    checkFragmenting(sources(bytes)) {
      $0.profile = .apple(timeOffset: FragmentProfile.appleTimeOffset)
      $0.cutting = .interval(MediaTime(1, 10))
      $0.fragmentDuration = MediaTime(1, 20)
      $0.hasIndex = true
      $0.hasRandomAccess = true
    }
  }
  return 0
}
