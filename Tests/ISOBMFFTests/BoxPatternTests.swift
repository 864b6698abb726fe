import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Box patterns")
struct BoxPatternTests {
  /// A file with two tracks; the second one has a box inside a box of the same type.
  static let file =
    box("ftyp", ascii("isom"), [0, 0, 0, 0])
    + box(
      "moov", box("trak", box("mdia", box("minf"))),
      box("trak", box("mdia", box("minf", box("dinf"))), box("edts")), box("udta", box("udta")))
    + box("moof", box("traf"), box("traf"))

  private func paths(_ selection: BoxSelection) throws -> [String] {
    let output = MemorySink()
    var options = JSONOptions()
    options.isLines = true
    let sink = JSONSink(output, options)
    var dump = BoxDump(MemorySource(Self.file), selection)
    _ = try dump.run(to: sink)
    sink.finish()
    return String(decoding: output.bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\"")
      return words.firstIndex(of: "path").map { String(words[$0 + 2]) }
    }
  }

  @Test(
    "A pattern shows the matching boxes with their contents, once each",
    arguments: [
      ("ftyp", ["ftyp"]),
      ("/ftyp,moov/udta", ["ftyp", "moov/udta", "moov/udta/udta"]),
      ("moov/trak[2]/mdia//dinf", ["moov/trak[2]/mdia/minf/dinf"]),
      ("moov/trak[1]", ["moov/trak", "moov/trak/mdia", "moov/trak/mdia/minf"]),
      ("//minf", ["moov/trak/mdia/minf", "moov/trak[2]/mdia/minf", "moov/trak[2]/mdia/minf/dinf"]),
      ("//udta", ["moov/udta", "moov/udta/udta"]),
      (
        "*/*[2]",
        ["moov/trak[2]", "moov/trak[2]/mdia", "moov/trak[2]/mdia/minf", "moov/trak[2]/mdia/minf/dinf"]
          + ["moov/trak[2]/edts", "moof/traf[2]"]
      ),
      ("moov//udta/udta", ["moov/udta/udta"]),
      ("//moov//udta//udta", ["moov/udta/udta"]),
      ("trak", []),
    ])
  func patterns(_ text: String, _ expected: [String]) throws {
    var selection = BoxSelection()
    selection.pattern = BoxPattern(text)
    #expect(selection.pattern != nil)
    #expect(try paths(selection) == expected)
  }

  @Test(
    "Invalid paths are refused",
    arguments: [
      "", "/", "//", "moov/", "moov//", "moov///trak", "abcde", "a[0]", "a[", "a[x]", "a]", "moov,,ftyp", "[1]",
    ])
  func wrong(_ text: String) { #expect(BoxPattern(text) == nil) }

  @Test("The depth counts from the matching boxes")
  func depth() throws {
    var selection = BoxSelection()
    selection.depth = 1
    #expect(try paths(selection) == ["ftyp", "moov", "moof"])
    selection.pattern = BoxPattern("moov/trak[2]")
    selection.depth = 2
    #expect(try paths(selection) == ["moov/trak[2]", "moov/trak[2]/mdia", "moov/trak[2]/edts"])
  }

  @Test("Types are shown only with their containers")
  func types() throws {
    var selection = BoxSelection()
    selection.types = ["dinf", "traf"]
    #expect(
      try paths(selection) == [
        "moov", "moov/trak[2]", "moov/trak[2]/mdia", "moov/trak[2]/mdia/minf", "moov/trak[2]/mdia/minf/dinf", "moof",
        "moof/traf", "moof/traf[2]",
      ])
    selection.pattern = BoxPattern("//mdia")
    #expect(
      try paths(selection) == ["moov/trak[2]/mdia", "moov/trak[2]/mdia/minf", "moov/trak[2]/mdia/minf/dinf"])
    selection.types = ["abcd"]
    #expect(try paths(selection) == [])
  }
}
