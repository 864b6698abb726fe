import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target mux`.
import MP4Bytes
import MP4FileIO

/// Reads a stream as a movie: all of its samples can be read, and the movie can be put together with others.
private func check(_ source: any ByteSource, _ choice: Int) {
  var settings = InputSettings()
  if choice % 3 > 0 { settings.stream.frameRate = FrameRate(Int64(choice), 3) }
  settings.stream.isQuickTime = choice % 4 == 1
  if let stream = try? ElementaryStream(source, settings.stream) {
    let movie = try? Movie(reading: [stream.movie])
    guard let movie, let track = movie.tracks.first, movie.tracks.count == 1 else {
      fatalError("a stream of \(stream.format) cannot be read")
    }
    var count = 0
    for sample in track.samples.prefix(100_000) { count += (try? sample.bytes().count) ?? -1 }
    guard count >= 0 else { fatalError("a sample of \(stream.format) cannot be read") }
  }
  switch choice % 5 {
  case 0: settings.delay = MediaTime(Int64(choice) - 15, 10)
  case 1: (settings.language, settings.name, settings.isDefault) = ("de-AT", "name", true)
  case 2: settings.replaced = TrackSelection([.handlers(["soun"])])
  default: break
  }
  var other = InputSettings()
  other.stream = settings.stream
  var multiplexer = Multiplexer(choice % 2 == 0 ? [settings] : [other, settings])
  multiplexer.isQuickTime = settings.stream.isQuickTime
  let inputs = multiplexer.settings.map { _ in source }
  guard let plan = try? multiplexer.plan(inputs), plan.byteCount < 8 << 20 else { return }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil else { fatalError("the output cannot be written") }
  guard sink.bytes.count == plan.byteCount else {
    fatalError("\(plan.byteCount) bytes planned, \(sink.bytes.count) written")
  }
  guard let report = plan.report else { fatalError("there is no report") }
  checkReading(sink.bytes, report, isMovieFirst: true)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.isEmpty { return 0 }
  let choice = Int(bytes.choice(of: 30))
  check(MemorySource(bytes), choice)
  // The seeds are movies, whose tracks are seeds of streams.
  guard let movie = try? Movie(reading: sources(bytes)) else { return 0 }
  for index in movie.tracks.indices.prefix(2) {
    guard let stream = try? TrackExtraction(of: movie.keeping(tracks: [index]), isRaw: choice % 4 == 0),
      stream.byteCount < 1 << 20
    else { continue }
    let sink = MemorySink()
    if (try? stream.write(to: sink)) != nil { check(MemorySource(sink.bytes), choice) }
  }
  return 0
}
