import BoxDump
import ISOBMFF
import MP4Bytes
import Support
import Testing

@testable import BoxCatalog

@Suite("The box language")
struct BoxLanguageTests {
  private static let acme = """
    # A camera
    values modes 0 photo; 1 video
    places outer udta, moof

    box acme "Acme Sensor Box" in <outer>, "Acme 2"
    box acm2 "Acme Second Box" in udta
      version 0 to 1
      flags 0x1 has a name
      mode  uint(4) values <modes>
      reserved  bits(4) = 0xf
      duration  uint(version == 1 ? 64 : 32)
      name  string when flags has 0x1
      count  uint(16) must be 1 or more
      readings[count]
        time  uint(32)
        celsius  int(16) fixed(8)
        when time >= 100
          note  counted
        otherwise
          tag  code
      size  uint(8)
      blob  bytes(8 * (size - 1))
      rest[]  uint(16)

    """

  private func registry(_ text: String = acme) throws -> BoxRegistry { try .standard.adding(definitions: text) }

  private func payload(_ version: UInt8 = 0) -> [UInt8] {
    [version, 0, 0, 1, 0x1f] + (version == 1 ? big(UInt64(9)) : big(UInt32(9))) + ascii("cam") + [0] + big(UInt16(2))
      + big(UInt32(7)) + big(UInt16(0x0180)) + ascii("tag1") + big(UInt32(100)) + big(UInt16(0xff00)) + [2]
      + ascii("hi")
      + [3, 0xaa, 0xbb] + big(UInt16(5)) + big(UInt16(6))
  }

  @Test("A defined box is shown with its names, tables and conditions")
  func shown() throws {
    let output = MemorySink()
    let sink = TextSink(output, verbosity: 3)
    var dump = BoxDump(MemorySource(box("udta", box("acme", payload()))), registry: try registry())
    let summary = try dump.run(to: sink)
    sink.finish()
    #expect(summary.problems == 0)
    #expect(
      String(decoding: output.bytes, as: UTF8.self) == """
        [udta] size=8+49, offset=0
          [acme] size=8+41, offset=8
            version = 0
            flags = 0x1 (has a name)
            mode = 1 (video)
            duration = 9
            name = cam
            count = 2
            readings:
              (       0) time = 7, celsius = 1.5, tag = tag1
              (       1) time = 100, celsius = -1, note = hi
            size = 3
            blob = [aa bb]
            rest:
              (       0) 5
              (       1) 6

        """)
  }

  @Test("Boxes are written back, and counts match their rows", arguments: [UInt8(0), 1])
  func written(version: UInt8) throws {
    let declaration = try #require(try registry().definition(of: "acme", in: BoxContext(parent: "udta"))?.payload)
    #expect(roundTrip(declaration, payload(version)) != nil)
    var random = SplitMix64(seed: 7)
    for _ in 0..<Effort.count(short: 300, all: 2000) { roundTrip(declaration, mutated(payload(version), &random)) }
  }

  @Test("The layout of a defined box is explained")
  func explained() throws {
    let layout = try #require(try registry().layouts(of: "acm2").first)
    #expect(
      layout.text == """
        acm2  Acme Second Box
          version             uint(8)
          flags               uint(24)
              0x1  has a name
          mode                uint(4)
              0  photo
              1  video
          reserved            bits(4)
          duration            uint(32)  uint(64) in version 1
          name                string    when flags has 0x1
          count               uint(16) must be 1 or more
          readings[].time     uint(32)
          readings[].celsius  int(16) fixed(8)
          readings[].note     string    when time >= 100
          readings[].tag      code(32)  when not (time >= 100)
          size                uint(8)
          blob                bytes(8 * (size - 1))
          rest[]              uint(16)
          in udta

        """)
  }

  @Test(
    "Mistakes are reported with line and column",
    arguments: [
      ("box acme", "line 1, column 9: expected the name of the box in quotation marks"),
      ("box acm \"Acme\"", "line 1, column 5: expected a four-character code"),
      ("  size uint(8)", "line 1, column 3: the indentation does not match the preceding lines"),
      ("box acme \"Acme\"\n\tsize uint(8)", "line 2, column 1: a tab; indent with spaces"),
      ("box acme \"Acme\"\n  size uint(65)", "line 2, column 8: expected a width of 1 to 56 or of 64 bits"),
      ("box acme \"Acme\"\n  size word", "line 2, column 8: expected a type such as uint(32)"),
      ("box acme \"Acme\"\n  data bytes(8 * size)", "line 2, column 18: 'size' is not defined before this line"),
      (
        "box acme \"Acme\"\n  size uint(8) values <modes>",
        "line 2, column 24: 'modes' is not defined before this line"
      ),
      ("values a 0 b\nvalues a 0 c", "line 2, column 8: 'a' is defined already"),
      ("\u{feff}box acm \"Acme\"", "line 1, column 5: expected a four-character code"),
      (
        "box acme \"Acme\"\n  size uint(8)\n    more uint(8)",
        "line 3, column 5: the indentation does not match the preceding lines"
      ),
      ("box acme \"Acme\"\n  when size\n  size uint(8)", "line 2, column 8: 'size' is not defined before this line"),
      (
        "box acme \"Acme\"\n  when 1\n  size uint(8)",
        "line 2, column 9: expected indented lines below it"
      ),
      ("box uuid \"Acme\"", "line 1, column 10: expected the user type of the uuid box"),
      (
        "box tkhd \"Mine\" in trak\n  size uint(8)",
        "line 1, column 1: 'tkhd' is already defined; start the line with `replace` to redefine it"
      ),
      (
        "box acme \"Acme\"\n  bytes\nreplace box stbl \"Mine\" in minf\n  bytes",
        "line 3, column 1: 'stbl' cannot be redefined, because the boxes in it are needed to read files"
      ),
    ])
  func mistakes(text: String, message: String) {
    #expect { try registry(text) } throws: { "\($0)".hasPrefix(message) }
  }

  @Test("Definitions use a limited part of the stack, regardless of their text")
  func bounds() {
    let head = "box acme \"Acme\" in udta\n"
    let sum = "1" + String(repeating: "+1", count: 100_000)
    let deep = String(repeating: "(", count: 100_000)
    let choices =
      String(repeating: "  when 0\n    a uint(8)\n  otherwise ", count: 1)
      + String(
        repeating: "when 0\n    a uint(8)\n  otherwise ", count: 100_000)
    let blocks = (1..<1000).map { String(repeating: " ", count: $0) + "when 1\n" }.joined()
    for text in ["  a bytes(\(sum))\n", "  a bytes(\(deep))\n", choices, blocks, "  a uint(\(sum))\n"] {
      #expect(throws: DefinitionError.self) { try registry(head + text) }
    }
    #expect(throws: DefinitionError.self) { try registry(String(repeating: "\u{0}", count: 1000)) }
  }

  @Test(
    "A known box is replaced in one container or everywhere, and its explanation says which one it replaces",
    arguments: [" in trak", ""])
  func replaced(places: String) throws {
    let registry = try registry("replace box tkhd \"Mine\"\(places), \"None 1.0\"\n  size uint(8)\n")
    #expect(registry.definition(of: "tkhd", in: BoxContext(parent: "trak"))?.info.name == "Mine")
    let layouts = registry.layouts(of: "tkhd").map(\.text)
    #expect(layouts.count == 1 && layouts[0].contains("\n  replaces Track Header Box  (ISO/IEC 14496-12"))
  }

  @Test("A width that is not a number of bytes is damage")
  func partialBytes() throws {
    let registry = try registry("box acme \"Acme\" in udta\n  length uint(8)\n  data bytes(length)\n")
    for (payload, isRight) in [([4, 1, 2, 3, 4], false), ([16, 1, 2], true), ([0], true)] as [([UInt8], Bool)] {
      let source = MemorySource(box("moov", box("udta", box("acme", payload))))
      let acme = try [Box](reading: source, registry: registry).first?.first("udta", "acme")
      let result = try #require(try acme?.payload(from: source, registry: registry))
      #expect(((try? result.get()) != nil) == isRight, "\(result)")
    }
  }

  @Test("Fields of an unknown version cannot be set, and no unknown version can be set", arguments: [UInt8(0), 2])
  func unknownVersion(version: UInt8) throws {
    let text = "box acme \"Acme\" in udta\n  version 0 to 1\n  size uint(version == 1 ? 64 : 32)\n"
    let registry = try registry(text)
    let source = MemorySource(box("moov", box("udta", fullBox("acme", version: version, big(UInt32(5))))))
    var acme = try #require(try [Box](reading: source, registry: registry).first?.first("udta", "acme"))
    let (name, value) = version == 0 ? ("version", 3) : ("size", 6) as (String, Int64)
    #expect(throws: FieldError(.otherVersion(version == 0 ? 3 : 2, known: 0...1), name)) {
      try acme.set(name, to: .signed(value), of: source, registry: registry)
    }
  }

  @Test("A box that is replaced in one container is kept in the others")
  func replacedInOnePlace() throws {
    let registry = try registry("replace box sbgp \"Mine\" in traf\n  size uint(8)\n")
    #expect(registry.layouts(of: "sbgp").map { $0.info.containers } == [["traf"], ["stbl"]])
    #expect(registry.definition(of: "sbgp", in: BoxContext(parent: "stbl"))?.info.name == "Sample to Group Box")
  }

  @Test("A box that replaces another one is shown with its own fields at every verbosity", arguments: 0...3)
  func shownInstead(verbosity: Int) throws {
    let text = "replace box mvhd \"Mine\" in moov\n  version 0\n  duration uint(32)\n  more uint(32) hex\n"
    let bytes = box("moov", fullBox("mvhd", big(UInt32(5)), big(UInt32(6))))
    let output = MemorySink()
    let sink = TextSink(output, verbosity: verbosity)
    var dump = BoxDump(MemorySource(bytes), registry: try registry(text))
    _ = try dump.run(to: sink)
    sink.finish()
    let lines = String(decoding: output.bytes, as: UTF8.self).split(separator: "\n").dropFirst(2)
    #expect(lines.suffix(2) == ["    duration = 5", "    more = 0x6"] && lines.count == (verbosity < 3 ? 2 : 4))
  }

  @Test("Fields have the same explanation in a box and in its tables, with conditions on other fields")
  func explainedRows() throws {
    let fields = """
      id  uint(32) hex
      made  uint(32) date
      spoken  uint(16) language
      kind  uint(8) must be 1 to 3
      extra  uint(8) when kind == 2 or made
      when not kind
        a  uint(8)
        when extra
          b  uint(8)
      otherwise
        c  uint(8)
      """
    let rows = fields.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    let box = fields.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    let text = "box acme \"Acme\"\n\(box)\nbox acm2 \"Acme\"\n  rows[]\n\(rows)\n"
    let registry = try registry(text)
    let whole = try #require(registry.layouts(of: "acme").first)
    let table = try #require(registry.layouts(of: "acm2").first)
    #expect(
      whole.fields.map { "\($0.description.declaration) \($0.conditions)" } == [
        "uint(32) hex ", "uint(32) date ", "uint(16) language ", "uint(8) must be 1 to 3 ",
        "uint(8) when (kind == 2 or made)", "uint(8) when not kind", "uint(8) when not kind and extra",
        "uint(8) when kind",
      ])
    #expect(table.fields.map(\.conditions) == whole.fields.map(\.conditions))
    #expect(table.fields.map(\.description.declaration) == whole.fields.map(\.description.declaration))
  }

  @Test(
    "A negative count is reported as such",
    arguments: [
      ("data bytes(8 * (size - 4))", "data at byte 9 would have -1 bytes"),
      ("text text(8 * (size - 4))", "text at byte 9 would have -1 bytes"),
      ("rows[size - 5] uint(8)", "rows at byte 9 would have -2 entries"),
      ("rows[2]\n    a uint(8)\n    b bytes(8 * (size - 5))", "b at byte 10 would have -2 bytes"),
    ])
  func negative(field: String, message: String) throws {
    let output = MemorySink()
    let sink = TextSink(output)
    let text = "box acme \"Acme\"\n  size uint(8)\n  \(field)\n"
    var dump = BoxDump(MemorySource(box("acme", [3, 1, 2, 3])), registry: try registry(text))
    let summary = try dump.run(to: sink)
    #expect(summary.firstProblem?.error.description == message)
  }

  @Test(
    "Rows of text with a fixed length, and rows that are not whole bytes, are read and written back",
    arguments: [
      ("names[n] string(32)\n  after uint(8)", "abcdefghc", ["(       0) abcd", "(       1) efgh", "after = 99"]),
      (
        "rows[n]\n    id uint(8)\n    name string(24)\n  after uint(8)", "1abc2defc",
        ["(       0) id = 49, name = abc", "(       1) id = 50, name = def", "after = 99"]
      ),
      ("names[] string(32)", "abcdefgh", ["(       0) abcd", "(       1) efgh"]),
      ("t[n] uint(4)\n  after uint(8)", "\u{12}c", ["(       0) 1", "(       1) 2", "after = 99"]),
      ("t[n|1] uint(4)\n  last uint(4)", "\u{12}c", ["(       0) 1", "(       1) 2", "(       2) 6", "last = 3"]),
      ("t[n] uint(12)", "\u{1}#Ef", ["(       0) 18", "(       1) 837", "rest = [66]"]),
      ("t[n]\n    a uint(3)\n    b uint(1)", "\u{13}", ["(       0) a = 0, b = 1", "(       1) a = 1, b = 1"]),
      ("t[n] uint(3)", "\u{2a}", ["(       0) 1", "(       1) 2"]),
      ("t[n] uint(5)", "a", ["!! t at byte 9 counts 2 entries of 1 byte but 1 byte is left"]),
    ])
  func rowSizes(fields: String, bytes: String, lines: [String]) throws {
    let registry = try registry("box acme \"Acme\"\n  n uint(8)\n  \(fields)\n")
    let file = box("acme", [2] + ascii(bytes))
    let output = MemorySink()
    let sink = TextSink(output, verbosity: 3)
    var dump = BoxDump(MemorySource(file), registry: registry)
    _ = try dump.run(to: sink)
    sink.finish()
    let shown = String(decoding: output.bytes, as: UTF8.self).split(separator: "\n")
    let found = shown.map { $0.drop { $0 == " " } }.dropFirst(2).filter { !$0.hasSuffix(":") }
    #expect(found.map(String.init) == lines)
    guard !lines[0].hasPrefix("!!") else { return }
    // All fields are read and written.
    var boxes = try [Box](reading: MemorySource(file), registry: registry)
    let payload = try #require(try boxes[0].payload(from: MemorySource(file), registry: registry)?.get())
    #expect(try payload.encoded() + (lines.last == "rest = [66]" ? [0x66] : []) == Array(file.dropFirst(8)))
    boxes = []
  }

  @Test("Fields that depend on the remaining bytes stay absent when another field is set, and can be added")
  func remaining() throws {
    let registry = try registry(
      "box acme \"Acme\"\n  a uint(8)\n  opt uint(32) when remaining >= 4\n  tail bytes(remaining * 8)\n")
    func payload(_ bytes: [UInt8]) throws -> any BoxPayload {
      let file = box("acme", bytes)
      let box = try #require([Box](reading: MemorySource(file), registry: registry).first)
      return try #require(try box.payload(from: MemorySource(file), registry: registry)?.get())
    }
    func set(_ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
      func open(_ payload: some BoxPayload) throws -> [UInt8] { try payload.setting(name, to: 9).encoded() }
      return try open(payload(bytes))
    }
    #expect(try set("a", [1]) == [9])
    #expect(try set("a", [1, 2, 3]) == [9, 2, 3])
    #expect(try set("a", [1, 0, 0, 0, 2, 3]) == [9, 0, 0, 0, 2, 3])
    #expect(try set("opt", [1]) == [1, 0, 0, 0, 9])
    // A condition that another field decides is evaluated.
    let flagged = try self.registry("box acme \"Acme\"\n  n uint(8)\n  opt uint(8) when n and remaining > 0\n")
    let file = box("acme", [1, 7])
    let boxes = try [Box](reading: MemorySource(file), registry: flagged)
    let whole = try #require(try boxes[0].payload(from: MemorySource(file), registry: flagged)?.get())
    func cleared(_ payload: some BoxPayload) throws -> [UInt8] { try payload.setting("n", to: 0).encoded() }
    #expect(throws: (any Error).self) { try cleared(whole) }
  }

  @Test("Shorter text of a fixed length is filled with zero bytes, and numbers do not become infinite")
  func values() throws {
    let registry = try registry("box acme \"Acme\"\n  name string(32)\n  number float(32)\n")
    let file = box("acme", ascii("abcd") + big(Float(1).bitPattern))
    let boxes = try [Box](reading: MemorySource(file), registry: registry)
    let payload = try #require(try boxes[0].payload(from: MemorySource(file), registry: registry)?.get())
    func set(_ payload: some BoxPayload) throws {
      #expect(try payload.setting("name", to: "x").encoded().starts(with: ascii("x") + zeros(3)))
      #expect(throws: FieldError.self) { try payload.setting("number", to: "1e40") }
      #expect(throws: FieldError.self) { try payload.setting("number", to: "1e999") }
      #expect(throws: BoxError.self) { try payload.setting("name", to: "abcde").encoded() }
    }
    try set(payload)
  }

  @Test("All bits of a number can be after its binary point", arguments: [45, 60, 61, 62, 63])
  func fixed(bits: Int) throws {
    let registry = try registry("box acme \"Acme\"\n  a int(64) fixed(\(bits))\n")
    for number in [Int64.min, -1, 1, .max] {
      let output = MemorySink()
      let sink = TextSink(output)
      var dump = BoxDump(MemorySource(box("acme", big(UInt64(bitPattern: number)))), registry: registry)
      _ = try dump.run(to: sink)
      sink.finish()
      let line = String(decoding: output.bytes, as: UTF8.self).split(separator: "\n").last
      let text = try #require(line?.split(separator: " ").last)
      #expect(Double(text) == Double(sign: .plus, exponent: -bits, significand: Double(number)))
    }
  }

  @Test("All definitions of the catalog are valid")
  func catalogue() throws {
    for text in catalog { #expect(DefinitionText(text).allMistakes() == []) }
    for definition in BoxRegistry.standard.all {
      guard let fields = definition.payload?.definition else { continue }
      #expect(!definition.payload!.describe().isEmpty, "\(definition.info.type)")
      #expect(fields.holdsBoxes == fields.prepared.holdsBoxes && fields.isFullBox == fields.prepared.isFullBox)
    }
  }

  @Test(
    "Shifts have limits, in both directions",
    arguments: [
      ("1 << 70 > 0", true), ("1 << 63 > 1 << 62", true), ("0 - 1 << 70 < 0 - 1 << 62", true), ("0 << 70 == 0", true),
      ("3 << a == 0", true), ("3 >> a > 1 << 62", true), ("8 >> 1 == 4", true), ("8 << 0 - 1 == 4", true),
    ])
  func shifts(condition: String, isMet: Bool) throws {
    let text = "box acme \"Acme\" in udta\n  a  int(64)\n  x  uint(8) when \(condition)\n"
    let declaration = try #require(try registry(text).definition(of: "acme", in: BoxContext(parent: "udta"))?.payload)
    let decoded = declaration.decoded((big(UInt64(1) << 63) + [7])[...], context: BoxContext())
    let payload = try #require(decoded).payload
    #expect((payload["x"] != nil) == isMet)
  }

  @Test("Numbers in definitions and boxes cannot overflow")
  func overflow() throws {
    let text = """
      box acme "Acme" in udta
        a  uint(64)
        b  int(64)
        when a * b + a - b << a % b / (a - a) | -b
          t[a * a]
            c  uint(a)
        x  bytes(8 * (b - a * 9))

      """
    let declaration = try #require(try registry(text).definition(of: "acme", in: BoxContext(parent: "udta"))?.payload)
    var random = SplitMix64(seed: 3)
    for _ in 0..<200 {
      let bytes = [random.bytes(16), big(UInt64.max) + big(UInt64(1) << 63)][Int(random.next() % 2)] + random.bytes(20)
      _ = declaration.decoded(bytes[...], context: BoxContext())
    }
  }
}
