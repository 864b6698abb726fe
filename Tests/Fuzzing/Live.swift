import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target live`.
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging

/// Packages the bytes as they arrive in pieces of a size, a piece each second or all at once.
private func package(_ bytes: [UInt8], piece: Int, takesTime: Bool, _ options: LivePackager.Options) -> (
  recorder: LiveRecorder, isDamaged: Bool
) {
  let recorder = LiveRecorder()
  var packager = LivePackager("stream", to: recorder, options: options)
  var isDamaged = false
  packager.onDiagnostic = { isDamaged = isDamaged || $0.severity == .error }
  let moment = {
    LiveTimestamp(uptime: recorder.now, date: DateTime(sinceEpoch: .seconds(1_700_000_000) + recorder.now))
  }
  do throws(MovieError) {
    for start in stride(from: 0, to: bytes.count, by: piece) {
      if takesTime { recorder.now += .seconds(1) }
      try packager.append(bytes[start..<min(start + piece, bytes.count)], at: moment())
    }
    try packager.end(at: moment())
  } catch { packager.giveUp() }
  // The source can have longer pictures than were declared, which is a diagnostic.
  if let problem = recorder.problems.first(where: { !$0.contains("EXT-X-TARGETDURATION") }) { fatalError(problem) }
  guard recorder.open == nil else { fatalError("a segment is neither finished nor discarded") }
  return (recorder, isDamaged)
}

/// Reads each segment with its init segment. That can fail, because the samples of a stream are not examined.
private func readSegments(_ recorder: LiveRecorder) {
  for segment in recorder.segments.prefix(4) where !segment.initialization.isEmpty {
    _ = try? Movie(reading: [MemorySource(segment.initialization), MemorySource(segment.bytes)])
  }
  for folder in recorder.folders.values { readSegments(folder) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  var options = LivePackager.Options()
  let choice = bytes.choice(of: 8)
  if choice & 1 != 0 { options.segmentDuration = MediaTime(1, 4) }
  if choice & 2 != 0 { options.keepsAll = true } else { options.windowCount = 2 }
  if choice & 4 != 0 { options.targetDuration = MediaTime(2, 1) }
  // However the bytes arrive, the segments are the same. Where boxes are damaged, the next one can be found in bytes
  // that have not arrived yet, and waiting for them would delay every stream.
  let whole = package(bytes, piece: max(count, 1), takesTime: false, options)
  let pieces = package(bytes, piece: max(count / 17, 64), takesTime: false, options)
  guard whole.isDamaged || pieces.isDamaged || whole.recorder.files == pieces.recorder.files else {
    fatalError("the segments depend on how the bytes arrive")
  }
  readSegments(whole.recorder)
  _ = package(bytes, piece: max(count / 50, 64), takesTime: true, options)
  return 0
}
