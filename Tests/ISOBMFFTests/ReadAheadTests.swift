import ISOBMFF
import MP4Bytes
import Support
import Testing

/// A source without data except for its boxes. It counts how it is read.
private final class CountedSource: ByteSource, @unchecked Sendable {
  let name = "counted"
  private let period: [UInt8]
  private let stride: Int
  let byteCount: Int?
  private(set) var reads = 0
  private(set) var bytesRead = 0

  /// `count` copies of `period` at distances of `stride` bytes, with zeros between them.
  init(_ period: [UInt8], stride: Int, count: Int) {
    self.period = period
    self.stride = stride
    byteCount = stride * count
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = min(buffer.byteCount, max(0, (byteCount ?? 0) - offset))
    for index in 0..<count {
      let place = (offset + index) % stride
      buffer.storeBytes(of: place < period.count ? period[place] : 0, toByteOffset: index, as: UInt8.self)
    }
    reads += 1
    bytesRead += count
    return count
  }
}

@Suite("Read-ahead of the parser")
struct ReadAheadTests {
  /// The cost of parsing `count` fragments, each with this many bytes of media data.
  private func walk(_ count: Int, media: Int) throws -> (reads: Int, bytes: Int, boxes: Int, size: Int) {
    let moof = box("moof", fullBox("mfhd", big(UInt32(1))), box("traf", fullBox("tfhd", big(UInt32(1)))))
    let fragment = moof + big(UInt32(media + 8)) + ascii("mdat")
    let source = CountedSource(fragment, stride: fragment.count + media, count: count)
    var parser = BoxParser(source)
    var boxes = 0
    while let node = try parser.next() {
      #expect(node.problem == nil)
      boxes += 1
    }
    return (source.reads, source.bytesRead, boxes, source.byteCount ?? 0)
  }

  @Test("Fragments that are close together are read in batches, and only once")
  func close() throws {
    let small = try walk(2000, media: 1400)
    #expect(small.boxes == 10_000)
    #expect(small.reads < 2 * small.size / (64 << 10) + 20)
    #expect(small.bytes < small.size + small.size / 8)
  }

  @Test("Media data that is worth skipping is not read", arguments: [20_000, 70_000])
  func apart(media: Int) throws {
    let large = try walk(500, media: media)
    #expect(large.boxes == 2500)
    #expect(large.bytes <= 500 * 4200)
  }

  @Test("Read-ahead stops when the fragments get larger")
  func mixed() throws {
    let box = box("free", zeros(24))
    let boxes = Array(repeatElement(box, count: 8000).joined())
    let media = big(UInt32(60_000)) + ascii("mdat")
    let source = CountedSource(boxes + media, stride: boxes.count + 60_000, count: 1)
    var parser = BoxParser(source)
    while try parser.next() != nil {}
    #expect(source.reads < 20)
    #expect(source.bytesRead < boxes.count + (66 << 10))
  }
}
