import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target cut`.
import MP4Bytes
import MP4FileIO

/// Writes parts of a movie and reads them back: no track is longer than the requested ranges.
private func check(_ cutter: MovieCutter, _ ranges: [Range<MediaTime>]) {
  guard let plan = try? cutter.plan(ranges), plan.byteCount < 8 << 20 else { return }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil else { fatalError("the output cannot be written") }
  guard sink.bytes.count == plan.byteCount else {
    fatalError("\(plan.byteCount) bytes planned, \(sink.bytes.count) written")
  }
  guard let movie = try? Movie(reading: [MemorySource(sink.bytes)]) else { fatalError("the output cannot be read") }
  // Each edit is rounded to a unit of the movie timescale.
  let length = ranges.reduce(MediaTime(0, 1)) { $0 + ($1.upperBound - $1.lowerBound) }
  for track in movie.tracks where length.value >= 0 && length < MediaTime(1 << 30, 1) {
    guard
      track.duration <= length + MediaTime(Int64(ranges.count + 1), track.movieTimescale)
        + MediaTime(1, track.timescale)
    else {
      fatalError("\(track.duration) of \(length) is presented")
    }
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.isEmpty { return 0 }
  guard let cutter = try? MovieCutter(reading: [MemorySource(bytes)]) else { return 0 }
  let end = cutter.duration
  func part(_ number: Int64) -> MediaTime {
    cutter.frameStart(near: MediaTime(end.value / 8 &* number, end.timescale))
  }
  switch bytes.choice(of: 4) {
  case 0: check(cutter, [part(1)..<max(part(1), part(3))])
  case 1: check(cutter, [part(0)..<max(part(0), part(2)), max(part(2), part(4))..<max(part(4), part(2), part(7))])
  case 2: check(cutter, [cutter.keyframe(before: part(5))..<max(cutter.keyframe(before: part(5)), end)])
  default:
    guard let first = try? cutter.time(ofFrame: 3), let last = try? cutter.time(ofFrame: 8), first <= last else {
      return 0
    }
    check(cutter, [first..<last])
  }
  _ = try? cutter.time(ofTimecode: 1, 0, 0, 0)
  return 0
}
