import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import Support
import Testing

@Suite("Writing ranges of a planned file")
struct RangeTests {
  @Test(
    "A range equals the same bytes of the whole file", arguments: ["fragmented.mp4", "progressive.mov"],
    [Packager.Storage.separateFiles, .singleFile])
  func ranges(name: String, storage: Packager.Storage) throws {
    let package = try Package([[readFile(vectorPath("files/\(name)"))]]) {
      $0.storage = storage
      $0.segmentDuration = MediaTime(2, 1)
    }
    var generator = SplitMix64(seed: 3)
    for file in package.plan.files {
      let bytes = try #require(package.files[file.path])
      var ranges = [0..<0, 0..<bytes.count, bytes.count..<bytes.count, 0..<1, bytes.count - 1..<bytes.count]
      for _ in 0..<40 {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        ranges.append(start..<Int.random(in: start...bytes.count, using: &generator))
      }
      for range in ranges {
        let sink = MemorySink()
        try package.plan.write(range, of: file, to: sink)
        #expect(sink.bytes == Array(bytes[range]), "\(file.path) \(range)")
      }
    }
  }

  @Test("Media outside of a range is not read")
  func reading() throws {
    let source = CountingSource(try readFile(vectorPath("files/progressive.mp4")))
    let plan = try Packager().plan([Movie(reading: [source])])
    let file = try #require(plan.files.first { $0.path.hasSuffix("iframes.mp4") })
    source.readCount = 0
    let sink = MemorySink()
    try plan.write(file.byteCount - 10..<file.byteCount, of: file, to: sink)
    #expect(sink.bytes.count == 10 && source.readCount == 10)
  }
}

/// Bytes in memory. Counts the bytes that are read.
private final class CountingSource: ByteSource, @unchecked Sendable {
  let name = "counting"
  var readCount = 0
  private let source: MemorySource
  var byteCount: Int? { source.byteCount }

  init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = try source.read(at: offset, into: &buffer)
    readCount += count
    return count
  }
}
