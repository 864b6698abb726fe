// The libFuzzer target of `Tests/Fuzzing/run --target transport`.
import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO

/// Reads transport streams or packed audio as one movie: all of its samples can be read, and so can the movie that is
/// written.
private func check(_ inputs: [any ByteSource], _ choice: Int) {
  let isStream = (try? ImportedSources.isStream(inputs[0])) ?? false
  guard isStream else { return }
  guard let movie = try? Movie(reading: inputs) else { return }
  for track in movie.tracks {
    var last: Int64?
    for sample in track.samples.prefix(100_000) {
      guard (try? sample.bytes()) != nil else { fatalError("a sample of track \(track.id) cannot be read") }
      guard last ?? .min <= sample.decodeTime.value else { fatalError("samples of track \(track.id) go back in time") }
      last = sample.decodeTime.value
    }
  }
  var options = Defragmenter.Options()
  options.isMovieFirst = choice % 2 == 0
  guard let plan = try? Defragmenter(options).plan(inputs), plan.byteCount < 8 << 20 else { return }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil else { fatalError("the output cannot be written") }
  guard sink.bytes.count == plan.byteCount else {
    fatalError("\(plan.byteCount) bytes planned, \(sink.bytes.count) written")
  }
  guard let report = plan.report else { fatalError("there is no report") }
  checkReading(sink.bytes, report, isMovieFirst: options.isMovieFirst)
}

/// A file as packets of a size, whose payloads and times depend on its bytes.
private func packets(_ stream: [UInt8], type: UInt8, _ choice: Int, _ bytes: [UInt8]) -> [UInt8] {
  let isVideo = type == 0x1b || type == 0x24 || type == 2
  var builder = TransportStreamBuilder([.init(256, type: type, streamID: isVideo ? 0xe0 : 0xc0)])
  if choice % 7 == 0 { builder.headerSplit = 1 + choice % 20 }
  builder.addTables()
  var (time, rest, number) = (Int64(choice) << 28, stream[...], 0)
  while !rest.isEmpty {
    // The bytes of the input decide where PES packets end and how far the time jumps.
    let byte = bytes[number % bytes.count]
    let count = min(rest.count, 20 + Int(byte) * (choice % 5 + 1))
    let reordering: Int64? = isVideo && byte & 1 > 0 ? time - 3600 : nil
    builder.add(
      Array(rest.prefix(count)), to: 0, at: byte & 2 > 0 ? time : nil, decode: byte & 2 > 0 ? reordering : nil)
    if byte & 0x70 == 0x70 { builder.removePacket(builder.packets.count - 1) }
    if byte & 0x70 == 0x60 { builder.repeatPacket(builder.packets.count - 1) }
    if byte == 77 { time += Int64(byte) << 25 }
    time += byte & 4 > 0 ? 3600 : Int64(byte) * 30 - 900
    rest = rest.dropFirst(count)
    number += 1
  }
  return builder.bytes(stride: [188, 192, 204][choice % 3])
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.isEmpty { return 0 }
  let choice = Int(bytes.choice(of: 30))
  check([MemorySource(bytes)], choice)
  let half = bytes.count / 2
  check([MemorySource(Array(bytes[..<half])), MemorySource(Array(bytes[half...]))], choice)
  let types: [UInt8] = [0x1b, 0x24, 0x0f, 0x11, 0x02, 0x03, 0x81, 0x87]
  if choice % 4 == 3 { check([MemorySource(packets(bytes, type: types[choice % 8], choice, bytes))], choice) }
  // The seeds are movies, whose tracks are seeds of streams.
  guard let movie = try? Movie(reading: sources(bytes)) else { return 0 }
  for index in movie.tracks.indices.prefix(2) {
    guard let stream = try? TrackExtraction(of: movie.keeping(tracks: [index])), stream.byteCount < 1 << 20 else {
      continue
    }
    let sink = MemorySink()
    guard (try? stream.write(to: sink)) != nil, !sink.bytes.isEmpty else { continue }
    let isVideo = movie.tracks[index].handler == "vide"
    for type in isVideo ? types[..<2] : types[2..<3] {
      check([MemorySource(packets(sink.bytes, type: type, choice, bytes))], choice)
    }
  }
  return 0
}
