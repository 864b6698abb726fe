import ISOBMFF
import Support
import Testing

@Suite("The JSON dump")
struct DumpJSONTests {
  private func dump(_ bytes: [UInt8]) throws -> JSONValue { try JSONValue(dumpJSON(bytes)) }

  @Test("A box has its path, sizes, version and flags, fields, and child boxes")
  func shape() throws {
    let json = try dump(box("moov", fullBox("mfhd", version: 0, flags: 2, big(UInt32(7))), box("abcd")))
    let expected = """
      [{"type": "moov", "path": "moov", "offset": 0, "header_size": 8, "size": 32, "boxes": [
        {"type": "mfhd", "path": "moov/mfhd", "offset": 8, "header_size": 8, "size": 16, "version": 0, "flags": 2,
         "fields": {"sequence_number": 7}},
        {"type": "abcd", "path": "moov/abcd", "offset": 24, "header_size": 8, "size": 8}]}]
      """
    #expect(json == (try JSONValue(Array(expected.utf8))))
  }

  @Test("Repeated elements are an array of objects or of values")
  func arrays() throws {
    let json = try dump(box("ftyp", ascii("isom"), zeros(4), ascii("isomiso6")))
    #expect(json[0]?["fields"]?["compatible_brands"] == .array([.string("isom"), .string("iso6")]))
    let times = try dump(fullBox("stts", big(UInt32(1)), big(UInt32(3)), big(UInt32(512))))
    #expect(times[0]?["fields"]?["entries"]?[0]?["sample_delta"]?.number == "512")
    let empty = try dump(fullBox("trun", big(UInt32.max)))
    #expect(empty[0]?["fields"]?["samples"] == .array([]))
  }

  @Test("Text is valid JSON for all bytes")
  func text() throws {
    let handler = fullBox("hdlr", zeros(4), [0xa9, 0x22, 0x5c, 0], zeros(12), [0x61, 0xff, 0x0a, 0x22, 0x1b, 0])
    let fields = try dump(handler)[0]?["fields"]
    #expect(fields?["handler_type"]?.string == "\u{a9}\"\\\0")
    #expect(fields?["name"]?.string == "a\u{fffd}\n\"\u{1b}")
  }

  @Test("Fixed-point numbers are exact decimals, and large numbers have all digits")
  func numbers() throws {
    let header = fullBox(
      "tkhd", version: 1, zeros(8), zeros(8), big(UInt32(1)), zeros(4), big(UInt64.max), zeros(12), big(Int16(-384)),
      zeros(2), zeros(36), big(UInt32(0x0280_8000)), zeros(4))
    let fields = try dump(header)[0]?["fields"]
    #expect(fields?["duration"]?.number == "18446744073709551615")
    #expect(fields?["volume"]?.number == "-1.5")
    #expect(fields?["width"]?.number == "640.5")
  }

  @Test("Descriptors are an array next to the fields of their box")
  func descriptors() throws {
    let stream = [3, 8] + big(UInt16(1)) + [0] + [5, 1, 0xab] + [6, 0]
    let outer = try dump(fullBox("esds", stream))[0]?["fields"]?["descriptors"]?[0]
    #expect(outer?["ES_ID"]?.number == "1")
    #expect(outer?["descriptors"]?[0]?["specific_info"]?.string == "ab")
    #expect(outer?["descriptors"]?[1]?["tag"]?.number == "6")
  }

  @Test("Damage in a nested row is an error next to the readable fields")
  func damage() throws {
    let levels = fullBox("ssix", big(UInt32(2)), big(UInt32(1)), big(UInt32(0x0100_0007)), big(UInt32(9)), zeros(4))
    let json = try dump(levels + box("free"))
    #expect(json[0]?["fields"]?["subsegments"]?[0]?["ranges"]?[0]?["range_size"]?.number == "7")
    #expect(json[0]?["error"]?["field"]?.string == "ranges")
    #expect(json[0]?["error"]?["offset"]?.number == "28")
    #expect(json[1]?["type"]?.string == "free")
    let cut = try dump(fullBox("esds", [3, 14] + big(UInt16(1)) + [0] + [4, 9, 0x40, 0x15] + zeros(7)))
    #expect(cut[0]?["error"]?["field"]?.string == "avgBitrate")
  }

  @Test("Boxes that are nested too deeply for JSON parsers are listed as siblings")
  func nesting() throws {
    var bytes: [UInt8] = []
    for depth in 0..<10_000 { bytes += big(UInt32(80_000 - depth * 8)) + ascii("moov") }
    var json = try dump(bytes)[0]
    for _ in 1..<64 { json = json?["boxes"]?[0] }
    guard case .array(let flat)? = json?["boxes"] else {
      Issue.record("no boxes in the 64th")
      return
    }
    #expect(flat.count == BoxParser.depthLimit + 1 - 64)
    #expect(flat.last?["offset"]?.number == "\(BoxParser.depthLimit * 8)")
    #expect(flat.last?["error"] != nil)
  }

  @Test("The JSON of damaged vectors is valid and has no duplicate keys", arguments: vectors())
  func mutations(_ vector: Vector) throws {
    var random = SplitMix64(seed: vector.bytes.reduce(3) { $0 &* 31 &+ UInt64($1) })
    _ = try dump(vector.bytes)
    for count in Effort.some(Array(vector.bytes.indices), short: 3) { _ = try dump(Array(vector.bytes.prefix(count))) }
    for _ in 0..<Effort.count(short: 2, all: 20) { _ = try dump(mutated(vector.bytes, &random)) }
  }

  @Test(
    "The JSON of all corpus files is valid and has no duplicate keys, and the text dump does not trap",
    .enabled(if: !corpus().isEmpty, "needs MP4TOOL_CORPUS"), arguments: corpus())
  func corpusFiles(_ path: String) throws {
    let bytes = try readFile(path)
    _ = try dump(bytes)
    #expect(try !dumpText(bytes, verbosity: 3).isEmpty || bytes.isEmpty)
  }

  @Test("The names of numbers are next to them")
  func meanings() throws {
    let header = try dump(fullBox("tfhd", flags: 0x20020, big(UInt32(1)), big(UInt32(0x2010000))))[0]
    #expect(header?["flags"]?.number == "131104")
    #expect(
      header?["flag_names"] == .array([.string("default-sample-flags-present"), .string("default-base-is-moof")]))
    #expect(header?["fields"]?["default_sample_flags"]?.number == "33619968")
    #expect(
      header?["fields"]?["default_sample_flags_names"]
        == .array([.string("depends on no other"), .string("not sync")]))
    let colour = try dump(box("colr", ascii("nclx"), [0, 9, 0, 16, 0, 99, 0x80]))[0]?["fields"]
    #expect(colour?["colour_primaries_name"]?.string == "BT.2020")
    #expect(colour?["matrix_coefficients_name"] == nil)
    let media = try dump(fullBox("mdhd", version: 1, big(UInt64(2_082_844_800)), zeros(20)))[0]?["fields"]
    #expect(media?["creation_time_date"]?.string == "1970-01-01T00:00:00Z")
    #expect(media?["modification_time_date"] == nil)
  }
}
