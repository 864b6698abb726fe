// The libFuzzer target of `Tests/Fuzzing/run --target boxes`.
import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let source = MemorySource(bytes)
  var dump = BoxDump(source)
  switch bytes.choice(of: 4) {
  case 0:
    let copy = MemorySink()
    guard let boxes = try? [Box](reading: source) else { break }
    let isWritten = (try? BoxSerializer(boxes).write(to: copy, from: source)) != nil
    guard isWritten, copy.bytes == bytes else { fatalError("the boxes are not written as they were read") }
  case 1:
    let json = JSONSink(CountingSink(), file: nil)
    _ = try? dump.run(to: json)
    json.finish()
  case let choice:
    let text = TextSink(CountingSink(), verbosity: choice == 2 ? 0 : 3)
    _ = try? dump.run(to: text)
    text.finish()
  }
  return 0
}
