import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Box parser")
struct BoxParserTests {
  @Test("Boxes are found in file order, with their paths")
  func order() throws {
    let bytes =
      box("ftyp", ascii("isom"), zeros(4))
      + box("moov", box("trak", box("tkhd", zeros(84))), box("trak", box("abcd")), box("udta"))
      + box("mdat", ascii("moov"))
    #expect(
      try summary(of: bytes) == [
        "ftyp 0+16", "moov 16+132", "moov/trak 24+100", "moov/trak/tkhd 32+92", "moov/trak[2] 124+16",
        "moov/trak[2]/abcd 132+8", "moov/udta 140+8", "mdat 148+12",
      ])
  }

  @Test("Ten thousand nested boxes are reported and do not exhaust the stack")
  func nesting() throws {
    var bytes: [UInt8] = []
    for depth in 0..<10_000 { bytes += big(UInt32(80_000 - depth * 8)) + ascii("moov") }
    var parser = BoxParser(MemorySource(bytes))
    var deepest = 0
    var problems: [BoxError] = []
    while let node = try parser.next() {
      deepest = max(deepest, node.depth)
      problems += [node.problem].compactMap(\.self)
    }
    #expect(deepest == BoxParser.depthLimit)
    #expect(
      problems == [
        BoxError(
          .tooDeep(limit: BoxParser.depthLimit), field: "box", offset: BoxParser.depthLimit * 8)
      ])
    var dump = BoxDump(MemorySource(bytes))
    #expect(try dump.run(to: DevNull()).problems == 1)
    #expect(try [Box](reading: MemorySource(bytes)).count == 1)
  }

  @Test("A size of 0 extends to the end of the container")
  func sizeZero() throws {
    let last = big(UInt32(0)) + ascii("mdat") + zeros(100)
    #expect(try summary(of: box("free") + last) == ["free 0+8", "mdat 8+108"])
    let inner = big(UInt32(0)) + ascii("tkhd") + zeros(40)
    #expect(try summary(of: box("trak", inner) + box("free")) == ["trak 0+56", "trak/tkhd 8+48", "free 56+8"])
  }

  @Test("A size of 1 is followed by a 64-bit size")
  func sizeOne() throws {
    let bytes = largeBox("mdat", zeros(3)) + box("free")
    var parser = BoxParser(MemorySource(bytes))
    let node = try #require(try parser.next())
    #expect(node.header.form == .large && node.header.headerSize == 16 && node.header.payload == 16..<19)
    #expect(try parser.next()?.header.offset == 19)
    let small = big(UInt32(1)) + ascii("free") + big(UInt64(15))
    #expect(try problems(of: small) == [BoxError(.sizeTooSmall(15), field: "size", offset: 0)])
    let huge = big(UInt32(1)) + ascii("free") + big(UInt64.max)
    #expect(try problems(of: huge) == [BoxError(.sizeTooLarge(.max, left: 16), field: "size", offset: 0)])
  }

  @Test("The header of a uuid box has 16 more bytes")
  func userTypes() throws {
    let name = [UInt8](0..<16)
    var parser = BoxParser(MemorySource(box("uuid", name, [7])))
    let node = try #require(try parser.next())
    #expect(node.header.userType?.description == "00010203-0405-0607-0809-0a0b0c0d0e0f")
    #expect(node.header.headerSize == 24)
    #expect(try parser.payload(of: node) == [7])
    let cut = big(UInt32(16)) + ascii("uuid") + name
    #expect(try problems(of: cut) == [BoxError(.sizeTooSmall(16), field: "size", offset: 0)])
  }

  @Test("A size that is too small ends its container, one that is too large is limited")
  func wrongSizes() throws {
    let small = box("moov", big(UInt32(7)) + ascii("trak") + zeros(4)) + box("free")
    #expect(try summary(of: small) == ["moov 0+20", "moov/- 8+12", "free 20+8"])
    #expect(try problems(of: small) == [BoxError(.sizeTooSmall(7), field: "size", offset: 8)])
    let large = box("moov", big(UInt32(100)) + ascii("trak") + zeros(4)) + box("free")
    #expect(try summary(of: large) == ["moov 0+20", "moov/trak 8+12", "moov/trak/- 16+4", "free 20+8"])
    #expect(try problems(of: large) == [BoxError(.sizeTooLarge(100, left: 12), field: "size", offset: 8)])
    let tail = box("free") + [1, 2, 3]
    #expect(try problems(of: tail) == [BoxError(.notABox(count: 3), field: "size", offset: 8)])
  }

  @Test("Zeros after the last box of a container are not damage")
  func trailingZeros() throws {
    let bytes = box("udta", box("abcd"), zeros(4)) + box("free")
    #expect(try summary(of: bytes) == ["udta 0+20", "udta/abcd 8+8", "udta/- 16+4", "free 20+8"])
    #expect(try problems(of: bytes).isEmpty)
  }

  @Test("Empty input has no boxes")
  func empty() throws {
    #expect(try summary(of: []).isEmpty)
    #expect(try problems(of: box("free") + zeros(7)).count == 1)
  }

  @Test("The track handler determines the kind of unknown sample entries; the data handler does not")
  func handlers() throws {
    func handler(_ type: String) -> [UInt8] { fullBox("hdlr", zeros(4), ascii(type), zeros(12)) }
    let entry = box("abcd", zeros(6), big(UInt16(1)), zeros(20), box("free"))
    let table = box("stbl", fullBox("stsd", big(UInt32(1)), entry))
    let bytes = box("mdia", handler("soun"), box("minf", handler("alis"), table)) + box("mdia", box("minf", table))
    var parser = BoxParser(MemorySource(bytes))
    var found: [String] = []
    while let node = try parser.next() {
      if node.type == "abcd", case .boxes(let payload?) = node.content { found.append("\(payload.type!)") }
      if node.type == "abcd", case .payload(let payload) = node.content { found.append("\(payload.type!)") }
    }
    #expect(found == ["AudioSampleEntry", "SampleEntry"])
  }

  @Test("The IV size of tenc is known when the samples of the track are read")
  func ivSizes() throws {
    func track(_ id: UInt32, _ size: UInt8) -> [UInt8] {
      box(
        "trak", fullBox("tkhd", zeros(8), big(id), zeros(68)),
        box("schi", fullBox("tenc", [0, 0, 1, size], zeros(16))))
    }
    func fragment(_ id: UInt32) -> [UInt8] { box("traf", fullBox("tfhd", big(id)), fullBox("senc", big(UInt32(0)))) }
    let bytes = box("moov", track(1, 8), track(2, 16)) + box("moof", fragment(2), fragment(1), fragment(3))
    var parser = BoxParser(MemorySource(bytes))
    var sizes: [UInt8?] = []
    while let node = try parser.next() { if node.type == "senc" { sizes.append(node.context.perSampleIVSize) } }
    #expect(sizes == [16, 8, nil])
  }

  @Test("QuickTime's meta has no version and shows none")
  func plainMeta() throws {
    let handler = fullBox("hdlr", zeros(4), ascii("mdta"), zeros(13))
    for (bytes, lines) in [(box("meta", handler), []), (fullBox("meta", handler), ["version = 0", "flags = 0x0"])] {
      var parser = BoxParser(MemorySource(bytes))
      let recorder = Recorder()
      let node = try #require(try parser.next())
      guard case .success(let rest) = try parser.show(node, to: recorder) else { return #expect(Bool(false)) }
      #expect(recorder.lines == lines && rest.isEmpty)
      #expect(try parser.next()?.type == "hdlr")
    }
  }
}

/// The path, offset and size of every box; `-` for bytes that are not a box.
func summary(of bytes: [UInt8]) throws -> [String] {
  try summary(of: MemorySource(bytes))
}
func summary(of source: any ByteSource) throws -> [String] {
  var parser = BoxParser(source)
  var lines: [String] = []
  while let node = try parser.next() {
    var path = parser.path.description
    if case .remainder = node.content { path += path.isEmpty ? "-" : "/-" }
    lines.append("\(path) \(node.header.offset)+\(node.header.size)")
  }
  return lines
}

/// All errors that the parser reports.
func problems(of bytes: [UInt8]) throws -> [BoxError] { try problems(of: MemorySource(bytes)) }
func problems(of source: any ByteSource) throws -> [BoxError] {
  var parser = BoxParser(source)
  var all: [BoxError] = []
  while let node = try parser.next() { all += [node.problem].compactMap(\.self) }
  return all
}
