import MP4
import Support
import Testing

/// Row 40: files beyond 4 GiB. Only boxes are stored or read.
@Suite("Offsets become 64-bit if necessary")
struct LargeFileTests {
  /// A file with one fragment per sample. The sample data has the declared size but is not stored.
  private struct Sparse {
    var parts: [(offset: Int, bytes: [UInt8])] = []
    var size = 0
    /// The position of the data of each sample.
    var data: [Int] = []

    init(sizes: [UInt32], holeBefore: Int = 0) {
      add(FragmentedFileBuilder([.video()]).build().initialization)
      if holeBefore > 0 {
        add(big(UInt32(1)) + ascii("free") + big(UInt64(holeBefore)))
        size += holeBefore - 16
      }
      for (index, sampleSize) in sizes.enumerated() {
        func moof(_ dataOffset: Int) -> [UInt8] {
          let trun = fullBox("trun", flags: 0x201, big(UInt32(1)), big(Int32(dataOffset)), big(sampleSize))
          return box(
            "moof", fullBox("mfhd", big(UInt32(index + 1))),
            box("traf", fullBox("tfhd", flags: 0x2_0000, big(UInt32(1))), trun))
        }
        let header = moof(0).count
        add(moof(header + 16) + big(UInt32(1)) + ascii("mdat") + big(UInt64(sampleSize) + 16))
        data.append(size)
        size += Int(sampleSize)
      }
    }
    private mutating func add(_ bytes: [UInt8]) {
      parts.append((size, bytes))
      size += bytes.count
    }
  }

  private func defragment(_ file: Sparse) throws -> (sink: NotingSink, read: Int) {
    let source = SparseSource(file.parts, size: file.size)
    let plan = try Defragmenter().plan([source])
    let sink = NotingSink()
    try plan.write(to: sink)
    #expect(sink.position == plan.byteCount)
    return (sink, source.bytesRead)
  }

  @Test("Row 40: chunks beyond 4 GiB need co64, and mdat a 64-bit size")
  func beyond() throws {
    let file = Sparse(sizes: [0xf000_0000, 0x2000_0000, 0x0fff_ffff, 77])
    let (sink, read) = try defragment(file)
    let table = try #require(payloads(of: "co64", in: sink.head).first)
    #expect(payloads(of: "stco", in: sink.head).isEmpty)
    #expect(number(table, 4) == 4)
    let chunks = (0..<4).map { number(table, 8 + $0 * 8, 8) }
    #expect(chunks.map(sink.origin) == file.data)
    #expect(sink.copies.map(\.range.count) == [0xf000_0000, 0x2000_0000, 0x0fff_ffff, 77])
    let media = 0xf000_0000 + 0x2000_0000 + 0x0fff_ffff + 77
    #expect(Array(sink.head.suffix(16)) == big(UInt32(1)) + ascii("mdat") + big(UInt64(media + 16)))
    #expect(sink.copies[0].position == sink.head.count && chunks[0] == sink.head.count)
    #expect(read < 100_000)
  }

  @Test("Row 40: an offset of 2^32 - 1 fits in 32 bits, one of 2^32 needs 64")
  func boundary() throws {
    let start = try defragment(Sparse(sizes: [5000, 9])).sink.head.count
    let last = 0xffff_ffff
    let below = try defragment(Sparse(sizes: [UInt32(last - start), 9])).sink
    let stco = try #require(payloads(of: "stco", in: below.head).first)
    #expect(stco == zeros(4) + big(UInt32(2)) + big(UInt32(start)) + big(UInt32(last)))
    let above = try defragment(Sparse(sizes: [UInt32(last - start + 1), 9])).sink
    let co64 = try #require(payloads(of: "co64", in: above.head).first)
    #expect(payloads(of: "stco", in: above.head).isEmpty)
    // The table has grown by 8 bytes itself.
    #expect(co64 == zeros(4) + big(UInt32(2)) + big(UInt64(start + 8)) + big(UInt64(last + 9)))
  }

  @Test("Row 40: fragments beyond 4 GiB of the source are found, and small offsets keep 32 bits")
  func smallFromLarge() throws {
    let file = Sparse(sizes: [1000, 2000], holeBefore: 5 << 30)
    let (sink, read) = try defragment(file)
    let table = try #require(payloads(of: "stco", in: sink.head).first)
    #expect((0..<2).map { sink.origin(of: number(table, 8 + $0 * 4)) } == file.data)
    #expect(file.data[0] > 5 << 30 && read < 100_000)
  }
}
