import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target inspect`.
import MP4Bytes
import MP4FileIO
import MP4Inspection
import MP4Records

/// Compares the boxes of a file with those of the same file, and with a copy in which one byte differs: there are
/// differences exactly if bytes differ.
private func checkComparing(_ bytes: [UInt8]) {
  var other = bytes
  let isSame = bytes.count % 2 == 0
  if !isSame { other[bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff_ffff } % bytes.count] ^= 1 }
  guard let found = try? BoxComparison(MemorySource(bytes), MemorySource(other)).differences() else {
    fatalError("files in memory cannot be compared")
  }
  guard found.isEmpty == isSame else { fatalError("\(found.count) differences, but isSame is \(isSame)") }
}

/// Lists all properties of a movie.
private func list(_ movie: Movie) throws {
  try SampleListing(movie).write(.jsonLines, to: CountingSink())
  try GroupListing(movie).write(.csv, to: CountingSink())
  try StallListing(movie).write(.json, to: CountingSink())
  try EventListing(movie).write(.jsonLines, to: CountingSink())
  _ = try TrackHashes(movie, .xxh64, includesTimes: true)
  guard try SampleComparison(movie, movie).isSame else { fatalError("a movie does not have its own samples") }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.isEmpty { return 0 }
  switch bytes.choice(of: 5) {
  case 0:
    guard let summary = try? FileSummary(reading: sources(bytes)) else { break }
    _ = summary.text(isVerbose: true)
    _ = try? FileSummary.write([summary], .json, to: CountingSink())
  case 1: if let movie = try? Movie(reading: sources(bytes)) { _ = try? list(movie) }
  case 2:
    var check = Check()
    check.profiles = [.iso, .cmaf, .mse, .web]
    guard let result = try? check.run(sources(bytes)) else { fatalError("a file in memory cannot be checked") }
    _ = try? result.writeSARIF(version: "0", to: CountingSink())
    _ = try? result.writeJUnit(failingOn: .note, to: CountingSink())
  case 3: checkComparing(bytes)
  default:
    guard let movie = try? Movie(reading: sources(bytes)) else { break }
    _ = try? FileReport(movie, check: Check().run(sources(bytes))).write(to: CountingSink())
  }
  return 0
}
