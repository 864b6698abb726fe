import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target inplace`.
import MP4Bytes
import MP4FileIO

/// Applies an in-place change to a copy of the bytes.
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
  func overwrite(_ new: [UInt8], at offset: Int) {
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }
  func synchronize() {}

  private func put(_ new: [UInt8]) {
    bytes.removeSubrange(min(position, bytes.count)..<min(position + new.count, bytes.count))
    bytes.insert(contentsOf: new, at: position)
    position += new.count
  }
}

/// Changes the file in place; the result is progressive.
private func checkInPlace(_ source: MemorySource) {
  guard let plan = try? Defragmenter().planInPlace(source), !plan.isEmpty else { return }
  let copy = InPlaceCopy(source.bytes)
  guard (try? plan.write(to: copy)) != nil else { return }
  guard let again = try? Defragmenter().planInPlace(MemorySource(copy.bytes)), again.isEmpty else {
    fatalError("a file that was changed in place is not progressive")
  }
  if let report = plan.report { checkReading(copy.bytes, report, isMovieFirst: true, isInPlace: true) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  checkInPlace(MemorySource(unsafe Array(UnsafeBufferPointer(start: start, count: count))))
  return 0
}
