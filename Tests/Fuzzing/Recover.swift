import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target recover`.
import MP4Bytes
import MP4FileIO

/// Recovers `broken` and reads the output back: it has the reported samples, and each byte of the media data is counted
/// at most once, as part of a sample, as unknown or as padding.
private func check(_ broken: [UInt8], like good: [UInt8]?) {
  guard
    let recovery = try? Recovery(
      of: MemorySource(broken, name: "broken"), like: good.map { MemorySource($0, name: "good") })
  else { return }
  guard recovery.plan.byteCount < 8 << 20 else { return }
  let sink = MemorySink()
  guard (try? recovery.write(to: sink)) != nil else { fatalError("the output cannot be written") }
  guard sink.bytes.count == recovery.plan.byteCount else {
    fatalError("\(recovery.plan.byteCount) bytes planned, \(sink.bytes.count) written")
  }
  guard case .pattern = recovery.means else { return }
  let media = recovery.tracks.reduce(0) { $0 + $1.byteCount }
  guard media + recovery.unknownByteCount + recovery.paddingByteCount <= broken.count else {
    fatalError("\(media) + \(recovery.unknownByteCount) + \(recovery.paddingByteCount) of \(broken.count) bytes")
  }
  guard zip(recovery.unknown, recovery.unknown.dropFirst()).allSatisfy({ $0.upperBound < $1.lowerBound }) else {
    fatalError("\(recovery.unknown)")
  }
  do {
    let counts = try Movie(reading: [MemorySource(sink.bytes)]).tracks.map(\.samples.count)
    guard counts == recovery.tracks.map(\.sampleCount) else { fatalError("\(recovery.tracks) written, \(counts) read") }
  } catch {
    fatalError("the output cannot be read: \(error)")
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard !bytes.isEmpty else { return 0 }
  guard let boxes = try? [Box](reading: MemorySource(bytes)),
    let moov = boxes.first(where: { $0.type == "moov" })?.header, moov.end <= bytes.count
  else {
    check(bytes, like: nil)
    return 0
  }
  // The file without its movie box, complete or truncated, with itself as the reference.
  let rest = Array(bytes[..<moov.offset] + bytes[moov.end...])
  switch bytes.choice(of: 6) {
  case 0: check(bytes, like: nil)
  case 1: check(Array(rest.prefix(rest.count / 2)), like: bytes)
  case 2: check(Array(rest.suffix(rest.count / 2)), like: bytes)
  case 3:
    check(
      Array(rest.prefix(rest.count / 3)) + Array(repeating: 0, count: 2000) + rest.suffix(rest.count / 2), like: bytes)
  default: check(rest, like: bytes)
  }
  return 0
}
