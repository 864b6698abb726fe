import ISOBMFF
import MP4
// Shared by the targets of `Tests/Fuzzing/run` that write movies.
import MP4Bytes
import MP4FileIO

/// The number of samples of each track, and their duration.
func samples(_ report: DefragmentReport?) -> [[Int64]] {
  report?.tracks.map { [Int64($0.sampleCount), $0.mediaDuration] } ?? []
}

/// Reads back a written file: nothing in it is lost, and it has the samples of the report. A file that was changed in
/// place keeps damaged boxes, which can be lost when the file is laid out in another way.
func checkReading(_ bytes: [UInt8], _ report: DefragmentReport, isMovieFirst: Bool, isInPlace: Bool = false) {
  // With another layout, the file is read sample by sample.
  var arranging = Defragmenter.Options()
  arranging.isMovieFirst = !isMovieFirst
  do {
    let again = try Defragmenter(arranging).plan([MemorySource(bytes)])
    guard samples(again.report) == samples(report) else {
      fatalError("\(samples(report)) samples were written, \(samples(again.report)) are read")
    }
    let isWhole = isInPlace ? again.report?.lostSampleCount == 0 : again.severity ?? .note < .error
    guard isWhole else { fatalError("the output is read with losses: \(again.diagnostics)") }
  } catch {
    // A file that is already progressive may refer to sample data outside the file.
    if report.fragmentCount == 0, error.obstacle?.code == "external_samples" { return }
    fatalError("the output cannot be read: \(error)")
  }
}

/// The bytes as a source, or as an init segment and a media segment if a movie box ends in them.
func sources(_ bytes: [UInt8]) -> [any ByteSource] {
  let whole = MemorySource(bytes)
  guard let boxes = try? [Box](reading: whole), let moov = boxes.first(where: { $0.type == "moov" })?.header,
    moov.end < bytes.count
  else { return [whole] }
  return [MemorySource(Array(bytes[..<moov.end])), MemorySource(Array(bytes[moov.end...]))]
}
