import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target lists`.
import MP4Bytes
import MP4Inspection
import MP4Records

/// A movie without tracks, whose properties are tested.
private let movie =
  [0, 0, 0, 116] + Array("moov".utf8) + [0, 0, 0, 108] + Array("mvhd".utf8) + [UInt8](repeating: 0, count: 12)
  + [0, 0, 3, 232] + [UInt8](repeating: 1, count: 84)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if let specification = try? Specification(bytes, name: "fuzz") {
    var check = Check()
    check.specification = specification
    guard let result = try? check.run([MemorySource(movie)]), result.specified.count == 1 else {
      fatalError("a movie in memory is not tested")
    }
    // What was read says what was written.
    guard let again = try? Specification(Array(specification.text.utf8), name: "fuzz"), again.text == specification.text
    else { fatalError("a specification is read differently: \(specification.text)") }
  }
  _ = try? CutList(bytes, name: "fuzz")
  _ = HashSidecar(bytes)
  if let value = JSONNode(bytes), JSONNode(bytes) != value { fatalError("JSON is read differently") }
  return 0
}
