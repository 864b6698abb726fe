import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target deep`.
import MP4Bytes
import MP4FileIO
import MP4Inspection

/// Reads and decodes all media, as far as it is parsed without reconstructing pictures and sound.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.isEmpty { return 0 }
  var check = Check()
  check.depth = bytes.choice(of: 4) == 0 ? .media : .decode
  guard let result = try? check.run(sources(bytes)) else { fatalError("a file in memory cannot be checked") }
  _ = try? result.writeSARIF(version: "0", to: CountingSink())
  return 0
}
