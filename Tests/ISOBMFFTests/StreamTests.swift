import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Bytes that arrive as from a pipe: forward only, a few at a time, with a size that is unknown until the end.
final class TestStream: ByteSource, @unchecked Sendable {
  let name = "stream"
  private(set) var byteCount: Int?
  private let bytes: [UInt8]
  /// The offset of the first byte that is still buffered.
  private var kept = 0
  /// The number of bytes that were returned.
  private(set) var given = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    guard offset >= kept else { throw IOError(.read, file: name, offset: offset, reason: "the byte is gone") }
    let count = min(buffer.byteCount, max(0, bytes.count - offset))
    for i in 0..<count { buffer.storeBytes(of: bytes[offset + i], toByteOffset: i, as: UInt8.self) }
    given += count
    kept = max(kept, offset + count - (128 << 10))
    if count < buffer.byteCount { byteCount = bytes.count }
    return count
  }
}

@Suite("Sources of unknown size")
struct StreamTests {
  private let file =
    box("ftyp", ascii("isom"), zeros(4)) + box("moov", box("trak", fullBox("tkhd", zeros(80))))
    + box("mdat", zeros(300_000)) + box("moof", fullBox("mfhd", big(UInt32(1))))

  @Test("A source of unknown size is parsed like one of known size")
  func sameBoxes() throws {
    #expect(try summary(of: TestStream(file)) == summary(of: file))
    #expect(try problems(of: TestStream(file)).isEmpty)
  }

  @Test("Truncation at any position is reported as for a source of known size")
  func everyCut() throws {
    let file =
      box("ftyp", ascii("isom"), zeros(4)) + box("moov", box("trak", fullBox("tkhd", zeros(80))))
      + box("moof", fullBox("mfhd", big(UInt32(1)))) + box("mdat", zeros(100))
    for count in 0...file.count {
      let cut = Array(file.prefix(count))
      let isWhole = try problems(of: MemorySource(cut)).isEmpty
      #expect(try problems(of: TestStream(cut)).isEmpty == isWhole, "\(count) bytes")
    }
  }

  @Test("Media data is not read")
  func skipsMedia() throws {
    let stream = TestStream(file)
    _ = try summary(of: stream)
    #expect(stream.given < 150_000)
  }

  @Test("A box of size 0 extends to the end")
  func sizeZero() throws {
    let bytes = box("free") + big(UInt32(0)) + ascii("mdat") + zeros(200_000)
    #expect(try summary(of: TestStream(bytes)) == ["free 0+8", "mdat 8+200008"])
  }

  @Test("An end inside a box is damage, at any position")
  func cut() throws {
    #expect(try problems(of: TestStream([])).isEmpty)
    let ends = try boundaries()
    for count in [1, 7, 9, 15, 17, 23, 25, 40, 124, 130, 200, 100_000, file.count - 13, file.count - 1] {
      let stream = TestStream(Array(file.prefix(count)))
      var dump = BoxDump(stream)
      let found = try dump.run(to: DevNull())
      #expect((found.problems > 0) == !ends.contains(count), "cut at \(count)")
    }
    let short = TestStream(Array(file.prefix(1000)))
    let declared = BoxError(.sizeTooLarge(300_008, left: 876), field: "size", offset: 124)
    #expect(try problems(of: short) == [declared])
  }

  private func boundaries() throws -> [Int] {
    var parser = BoxParser(MemorySource(file))
    var ends = [0]
    while let node = try parser.next() { if node.depth == 0 { ends.append(node.header.end) } }
    return ends
  }
}
