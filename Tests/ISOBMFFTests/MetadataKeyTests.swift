import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Metadata items with numbers as types")
struct MetadataKeyTests {
  private static func meta(_ handler: String, _ keys: [String]) -> [UInt8] {
    let names = keys.flatMap { big(UInt32(8 + $0.utf8.count)) + ascii("mdta") + ascii($0) }
    let items = (1...3).map { number in
      let data = box("data", big(UInt32(1)), zeros(4), ascii("value \(number)"))
      return big(UInt32(8 + data.count)) + big(UInt32(number)) + data
    }
    let table = keys.isEmpty ? [] : fullBox("keys", big(UInt32(keys.count)), names)
    return box(
      "meta", fullBox("hdlr", zeros(4), ascii(handler), zeros(12), [0]), table, box("ilst", items.flatMap { $0 }))
  }
  private static let file = box("moov", meta("mdta", ["com.example.a", "com.example.b/c"]), meta("mdta", []))

  private func derived(_ bytes: [UInt8]) throws -> [String] {
    try dumpLines(bytes, verbosity: 3).filter { $0.contains("=>") }.map { String($0.drop { $0 == " " }) }
  }

  @Test("Each item has the key of its number, if there is one")
  func keys() throws {
    #expect(try derived(Self.file) == ["=> key = com.example.a", "=> key = com.example.b/c"])
    #expect(try derived(box("moov", Self.meta("mdir", ["com.example.a"]))) == [])
    #expect(try dumpLines(Self.file, verbosity: 2).allSatisfy { !$0.contains("=>") })
    let json = String(decoding: try dumpJSON(Self.file), as: UTF8.self)
    #expect(json.contains(#""path":"moov/meta/ilst/#2""#))
    #expect(
      json.contains(#""derived":{"key":"com.example.a"},"boxes":[{"type":"data","path":"moov/meta/ilst/#1/data""#))
  }

  @Test(
    "Items are found by number and by key",
    arguments: [
      ("moov/meta/ilst/#3", ["value 3", "value 3"]), ("moov/meta[2]/ilst/#1", ["value 1"]),
      ("//[com.example.a]", ["value 1"]), ("moov/meta/ilst/[com.example.a]/data", ["value 1"]),
      ("//ilst/[com.example.d]", []), ("//#0", []),
    ])
  func paths(_ text: String, _ values: [String]) throws {
    for verbosity in [0, 3] {
      var selection = BoxSelection()
      selection.pattern = BoxPattern(text)
      #expect(selection.pattern != nil)
      let output = MemorySink()
      let sink = TextSink(output, verbosity: verbosity)
      var dump = BoxDump(MemorySource(Self.file), selection)
      _ = try dump.run(to: sink)
      sink.finish()
      let lines = String(decoding: output.bytes, as: UTF8.self).split(separator: "\n")
      #expect(
        lines.compactMap { $0.split(separator: " value = ").last.map(String.init) }.filter { $0.hasPrefix("value") }
          == values)
    }
  }

  @Test("Invalid keys are refused", arguments: ["[]", "[3]", "[a", "ilst/[a][1]", "#16777216"])
  func wrong(_ text: String) { #expect(BoxPattern(text) == nil) }
}
