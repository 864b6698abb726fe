import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Box trees are written back unchanged")
struct BoxTreeTests {
  @Test("All corpus files, including damaged and fuzzed ones, byte for byte", .enabled(if: !corpus().isEmpty))
  func corpusFiles() throws {
    for file in corpus() {
      let bytes = try readFile(file)
      #expect(try rewritten(bytes) == bytes, "\(file)")
    }
  }

  @Test("All forms of headers, and bytes that are not boxes")
  func headerForms() throws {
    let uuid = box("uuid", Array(0..<16), [1, 2, 3])
    let nested = box("moov", largeBox("trak", box("free", [7])), uuid, zeros(4))
    let bytes = nested + largeBox("free", [1, 2]) + box("abcd") + big(UInt32(0)) + ascii("mdat") + [9, 9, 9]
    #expect(try rewritten(bytes) == bytes)
    #expect(try rewritten(bytes + [1]) == bytes + [1])
    let cut = Array(nested.dropLast(6))
    #expect(try rewritten(cut) == cut)
  }

  @Test("A box that grows changes only the sizes of its containers")
  func growing() throws {
    let name = fullBox("hdlr", zeros(4), ascii("vide"), zeros(12), ascii("a\0"))
    let bytes = box("moov", box("trak", box("mdia", name)), box("free", [5])) + box("mdat", [1, 2, 3])
    let source = MemorySource(bytes)
    var boxes = try [Box](reading: source)
    var handler = try boxes[0].boxes[0].boxes[0].boxes[0].payload(as: HandlerBox.self, from: source).get()
    handler.name = "a longer name"
    boxes[0].edit("trak") { $0.edit("mdia") { $0.edit("hdlr") { $0.fields = .edited(handler) } } }
    let longer = fullBox("hdlr", zeros(4), ascii("vide"), zeros(12), ascii("a longer name\0"))
    let expected = box("moov", box("trak", box("mdia", longer)), box("free", [5])) + box("mdat", [1, 2, 3])
    #expect(try write(boxes, source) == expected)
  }

  @Test("A 64-bit size is kept when the box changes")
  func largeForm() throws {
    let bytes = largeBox("moov", box("free", [1]) + box("free", [2]))
    let source = MemorySource(bytes)
    var boxes = try [Box](reading: source)
    boxes[0].boxes.removeFirst()
    #expect(try write(boxes, source) == largeBox("moov", box("free", [2])))
  }

  @Test("New boxes are written with their fields and child boxes")
  func newBoxes() throws {
    var tfdt = TrackFragmentDecodeTimeBox()
    tfdt.header.version = 1
    tfdt.baseMediaDecodeTime = 5_000_000_000
    let moof = Box("moof", boxes: [Box(MovieFragmentHeaderBox()), Box("traf", boxes: [Box(tfdt)])])
    let expected = box(
      "moof", fullBox("mfhd", big(UInt32(0))), box("traf", fullBox("tfdt", version: 1, big(UInt64(5_000_000_000)))))
    #expect(try write([moof], MemorySource([])) == expected)
    #expect(try BoxSerializer([moof]).size == expected.count)
  }

  @Test("Eighty kilobytes of nested moov are read and written back")
  func deep() throws {
    var bytes: [UInt8] = []
    for level in 0..<10_000 { bytes += big(UInt32(8 * (10_000 - level))) + ascii("moov") }
    #expect(try rewritten(bytes) == bytes)
  }

  private func rewritten(_ bytes: [UInt8]) throws -> [UInt8] {
    let source = MemorySource(bytes)
    return try write([Box](reading: source), source)
  }
  private func write(_ boxes: [Box], _ source: MemorySource) throws -> [UInt8] {
    let serializer = try BoxSerializer(boxes)
    let sink = MemorySink()
    try serializer.write(to: sink, from: source)
    #expect(sink.bytes.count == serializer.size)
    return sink.bytes
  }
}
