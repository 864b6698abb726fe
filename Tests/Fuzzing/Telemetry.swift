// The libFuzzer target of `Tests/Fuzzing/run --target telemetry`.
import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection
import MP4Records

/// The sample entries of telemetry; that of QuickTime metadata declares two keys.
private let entries: [[UInt8]] = {
  func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
    let size = UInt32(payload.count + 8)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(type.utf8) + payload
  }
  func key(_ number: String, _ name: String, _ type: UInt8) -> [UInt8] {
    box("\0\0\0" + number, box("keyd", Array("mdta\(name)".utf8)) + box("dtyp", [0, 0, 0, 0, 0, 0, 0, type]))
  }
  let start: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
  let keys = box("keys", key("\u{1}", "location.ISO6709", 1) + key("\u{2}", "gps", 23) + key("\u{3}", "tilt", 66))
  return ["gpmd", "camm", "rtmd"].map { box($0, start) } + [
    box("mebx", start + keys), box("tx3g", start + [UInt8](repeating: 0, count: 30)),
  ]
}()

/// A movie with these bytes as the samples of a telemetry track: two of equal size.
private func movie(_ bytes: [UInt8], _ entry: [UInt8]) throws -> [UInt8] {
  func box(_ type: String, _ payload: [UInt8]...) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(UInt32(payload.reduce(8) { $0 + $1.count }))
    return writer.bytes + Array(type.utf8) + payload.flatMap(\.self)
  }
  func words(_ numbers: UInt32...) -> [UInt8] {
    var writer = ByteWriter()
    for number in numbers { writer.integer(number) }
    return writer.bytes
  }
  let size = UInt32(bytes.count / 2)
  func moov(_ offset: UInt32) -> [UInt8] {
    let table = box(
      "stbl", box("stsd", words(0, 1), entry), box("stts", words(0, 1, 2, 1000)), box("stsc", words(0, 1, 1, 2, 1)),
      box("stsz", words(0, 0, 2, size, UInt32(bytes.count) - size)), box("stco", words(0, 1, offset)))
    let reference = box("dinf", box("dref", words(0, 1), box("url ", words(1))))
    let media = box(
      "mdia", box("mdhd", words(0, 0, 0, 1000, 2000, 0)),
      box("hdlr", words(0, 0), Array("meta".utf8), words(0, 0, 0), [0]),
      box("minf", box("nmhd", words(0)), reference, table))
    let header = box(
      "tkhd", words(3, 0, 0, 1, 0, 2000, 0, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000, 0, 0))
    let own = words(0, 0, 0, 1000, 2000, 0x1_0000, 0x100_0000, 0, 0, 0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000)
    return box("moov", box("mvhd", own, words(0, 0, 0, 0, 0, 0, 2)), box("trak", header, media))
  }
  let start = moov(0).count + 8
  return moov(UInt32(start)) + box("mdat", bytes)
}

private func list(_ bytes: [UInt8]) throws {
  let movie = try Movie(reading: [MemorySource(bytes)])
  try TelemetryListing(movie).write(.csv, to: CountingSink())
  try TelemetryListing(movie).writeText(to: CountingSink())
  for format in TelemetryFileFormat.allCases {
    guard let file = try? TelemetryFile(movie, as: format) else { continue }
    let sink = MemorySink()
    try file.write(to: sink)
    guard sink.bytes.count == file.byteCount else { fatalError("\(format) has another size than planned") }
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.count < 2 { return 0 }
  let entry = entries[Int(bytes[0]) % entries.count]
  guard let file = try? movie(Array(bytes.dropFirst()), entry) else { return 0 }
  do { try list(file) } catch { fatalError("the telemetry of a movie in memory cannot be listed: \(error)") }
  guard let editor = try? MovieEditor(MemorySource(file)).stripping(.location), let plan = try? editor.plan() else {
    fatalError("locations cannot be removed")
  }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil, sink.bytes.count == file.count else {
    fatalError("removing locations changed the size")
  }
  if plan.severity ?? .note >= .warning { return 0 }
  do {
    try Telemetry(Movie(reading: [sink.bytes].map { MemorySource($0) })).forEachEntry { entry in
      if case .position(let position) = entry.value, position.isKnown { fatalError("a location remains") }
    }
  } catch { fatalError("without locations, the movie cannot be read: \(error)") }
  return 0
}
