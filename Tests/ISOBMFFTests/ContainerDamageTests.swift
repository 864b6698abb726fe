import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Damage in boxes, and wrong sizes")
struct ContainerDamageTests {
  /// A file and its expected boxes: the path, offset and size of each, and the expected error.
  struct Case: Sendable, CustomStringConvertible {
    let description: String
    let bytes: [UInt8]
    let boxes: [String]
  }

  private static let header = fullBox("mvhd", sevens(96))
  private static let track = box("trak", fullBox("tkhd", sevens(80)))
  private static let fragment = box("moof", fullBox("mfhd", big(UInt32(1)))) + box("mdat", [1, 2, 3])
  /// Nonzero fields, since zeros may end a list of boxes.
  private static func sevens(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }
  private static let garbage = ascii("~~ no box ~~~")

  /// A box with a wrong size in its header.
  private static func wrong(_ size: Int, _ box: [UInt8]) -> [UInt8] { big(UInt32(size)) + box[4...] }

  static let cases = [
    Case(
      description: "garbage between two boxes", bytes: box("moov", header, garbage, track) + box("mdat"),
      boxes: [
        "moov 0+229", "moov/mvhd 8+108", "moov/- 116+13: size at byte 116 starts 13 bytes that are not a box",
        "moov/trak 129+100", "moov/trak/tkhd 137+92", "mdat 229+8",
      ]),
    Case(
      description: "garbage four boxes deep",
      bytes: box(
        "moov", header,
        box(
          "trak", box("mdia", box("minf", box("stbl", fullBox("stts", zeros(4)), garbage, fullBox("stco", zeros(4))))))
      ),
      boxes: [
        "moov 0+193", "moov/mvhd 8+108", "moov/trak 116+77", "moov/trak/mdia 124+69", "moov/trak/mdia/minf 132+61",
        "moov/trak/mdia/minf/stbl 140+53", "moov/trak/mdia/minf/stbl/stts 148+16",
        "moov/trak/mdia/minf/stbl/- 164+13: size at byte 164 starts 13 bytes that are not a box",
        "moov/trak/mdia/minf/stbl/stco 177+16",
      ]),
    Case(
      description: "zeros between two boxes", bytes: box("moov", header, zeros(21), track),
      boxes: [
        "moov 0+237", "moov/mvhd 8+108", "moov/- 116+21: size at byte 116 starts 21 bytes that are not a box",
        "moov/trak 137+100", "moov/trak/tkhd 145+92",
      ]),
    Case(
      description: "a box that is too small for its fields", bytes: box("moov", wrong(20, header), track),
      boxes: [
        "moov 0+216", "moov/mvhd 8+20", "moov/- 28+88: size at byte 28 starts 88 bytes that are not a box",
        "moov/trak 116+100", "moov/trak/tkhd 124+92",
      ]),
    Case(
      description: "a box that is too small for a header", bytes: box("moov", wrong(5, header), track),
      boxes: [
        "moov 0+216", "moov/- 8+108: size at byte 8 is 5, less than a box header", "moov/trak 116+100",
        "moov/trak/tkhd 124+92",
      ]),
    Case(
      description: "free space that reaches over a track and out of its box",
      bytes: box("moov", header, wrong(4000, box("free", zeros(4))), track) + box("mdat"),
      boxes: [
        "moov 0+228", "moov/mvhd 8+108", "moov/free 116+12: size at byte 116 is 4000 but 112 bytes are left",
        "moov/trak 128+100", "moov/trak/tkhd 136+92", "mdat 228+8",
      ]),
    Case(
      description: "free space that reaches into a track",
      bytes: box("moov", header, wrong(60, box("free", zeros(4))), track) + box("mdat"),
      boxes: [
        "moov 0+228", "moov/mvhd 8+108", "moov/free 116+12: size at byte 116 is 60 but 'trak' starts at byte 128",
        "moov/trak 128+100", "moov/trak/tkhd 136+92", "mdat 228+8",
      ]),
    Case(
      description: "a track that reaches into the next one", bytes: box("moov", header, wrong(150, track), track),
      boxes: [
        "moov 0+316", "moov/mvhd 8+108", "moov/trak 116+150", "moov/trak/tkhd 124+92",
        "moov/trak/- 216+0: size at byte 116 is 150 but 'trak' starts at byte 216", "moov/trak[2] 216+100",
        "moov/trak[2]/tkhd 224+92",
      ]),
    Case(
      description: "a track that reaches out of the movie",
      bytes: box("moov", header, wrong(900, track), track) + fragment,
      boxes: [
        "moov 0+316", "moov/mvhd 8+108", "moov/trak 116+200: size at byte 116 is 900 but 200 bytes are left",
        "moov/trak/tkhd 124+92", "moov/trak[2] 216+100", "moov/trak[2]/tkhd 224+92", "moof 316+24", "moof/mfhd 324+16",
        "mdat 340+11",
      ]),
    Case(
      description: "a type of file that reaches into the movie",
      bytes: wrong(50, box("ftyp", ascii("isom"), zeros(4))) + box("moov", header) + box("mdat"),
      boxes: [
        "ftyp 0+16: size at byte 0 is 50 but 'moov' starts at byte 16", "moov 16+116", "moov/mvhd 24+108", "mdat 132+8",
      ]),
    Case(
      description: "free space that reaches over all of the file",
      bytes: wrong(1 << 30, box("free")) + box("moov", header) + box("mdat"),
      boxes: [
        "free 0+8: size at byte 0 is 1073741824 but 132 bytes are left", "moov 8+116", "moov/mvhd 16+108", "mdat 124+8",
      ]),
    Case(
      description: "media data that reaches over the movie",
      bytes: wrong(1 << 30, box("mdat", zeros(9))) + box("moov", header),
      boxes: [
        "mdat 0+17: size at byte 0 is 1073741824 but 133 bytes are left", "moov 17+116", "moov/mvhd 25+108",
      ]),
    Case(
      description: "a movie that reaches over all of the file",
      bytes: wrong(1 << 30, box("moov", header, track)) + fragment,
      boxes: [
        "moov 0+216: size at byte 0 is 1073741824 but 251 bytes are left", "moov/mvhd 8+108", "moov/trak 116+100",
        "moov/trak/tkhd 124+92", "moof 216+24", "moof/mfhd 224+16", "mdat 240+11",
      ]),
    Case(
      description: "a fragment that reaches into the next one",
      bytes: wrong(66, box("moof", fullBox("mfhd", zeros(4)))) + box("mdat", sevens(30)) + fragment,
      boxes: [
        "moof 0+24: size at byte 0 is 66 but 'mdat' starts at byte 24", "moof/mfhd 8+16", "mdat 24+38", "moof[2] 62+24",
        "moof[2]/mfhd 70+16", "mdat[2] 86+11",
      ]),
    Case(
      description: "boxes that all reach over the rest",
      bytes: wrong(900, box("moov", header, wrong(800, box("trak", wrong(700, fullBox("tkhd", sevens(80))))), track))
        + fragment,
      boxes: [
        "moov 0+316: size at byte 0 is 900 but 351 bytes are left", "moov/mvhd 8+108",
        "moov/trak 116+200: size at byte 116 is 800 but 200 bytes are left",
        "moov/trak/tkhd 124+92: size at byte 124 is 700 but 192 bytes are left", "moov/trak[2] 216+100",
        "moov/trak[2]/tkhd 224+92", "moof 316+24", "moof/mfhd 324+16", "mdat 340+11",
      ]),
    Case(
      description: "garbage behind a box whose size is right",
      bytes: box("ftyp", ascii("isom"), zeros(4)) + garbage + box("moov", header),
      boxes: [
        "ftyp 0+16", "- 16+13: size at byte 16 starts 13 bytes that are not a box", "moov 29+116", "moov/mvhd 37+108",
      ]),
    Case(
      description: "a type that no box can have",
      bytes: box("moov", header, big(UInt32(16)) + zeros(3) + [7] + [9, 9, 9], track),
      boxes: [
        "moov 0+227", "moov/mvhd 8+108", "moov/- 116+11: size at byte 116 starts 11 bytes that are not a box",
        "moov/trak 127+100", "moov/trak/tkhd 135+92",
      ]),
  ]

  @Test("Damage is reported at its position, and the boxes after it are found", arguments: cases)
  func damage(_ test: Case) throws {
    #expect(try inspect(MemorySource(test.bytes)) == test.boxes)
  }

  @Test("A pipe has the same dump as a file with the same bytes", arguments: cases)
  func pipe(_ test: Case) throws {
    #expect(try inspect(TestStream(test.bytes)) == test.boxes)
    for count in Effort.some(Array(test.bytes.indices), short: 30) {
      let cut = Array(test.bytes.prefix(count))
      #expect(try inspect(TestStream(cut)) == inspect(MemorySource(cut)), "\(count) bytes")
    }
  }

  @Test("The boxes in a box with a wrong size can be skipped", arguments: cases)
  func omitted(_ test: Case) throws {
    var parser = BoxParser(MemorySource(test.bytes))
    var found: [String] = []
    while let node = try parser.next() {
      found.append("\(parser.path) \(node.header.offset)")
      if node.depth == 1 { parser.skipBoxes() }
    }
    var all = BoxParser(MemorySource(test.bytes))
    var wanted: [String] = []
    while let node = try all.next() { if node.depth < 2 { wanted.append("\(all.path) \(node.header.offset)") } }
    #expect(found == wanted)
  }

  private func inspect(_ source: any ByteSource) throws -> [String] {
    var parser = BoxParser(source)
    var lines: [String] = []
    while let node = try parser.next() {
      var path = parser.path.description
      if case .remainder = node.content { path += path.isEmpty ? "-" : "/-" }
      let problem = node.problem.map { ": \($0)" } ?? ""
      lines.append("\(path) \(node.header.offset)+\(node.header.size)\(problem)")
    }
    return lines
  }
}
