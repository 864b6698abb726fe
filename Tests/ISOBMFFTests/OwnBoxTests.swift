import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import Support
import Testing

/// A box that is not in any standard.
private struct AcmeBox: FullBoxPayload {
  struct Reading: BoxTableRow {
    var time: UInt32 = 0
    var value: Int16 = 0
    mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("time", &time)
      try c.int16("value", &value)
    }
  }
  static let info = BoxInfo("acme", "Acme Sensor Box", in: ["udta"], "Acme 1.0")
  var header = FullBoxHeader()
  var sensor: BoxString = ""
  var readings = BoxTable<Reading>()

  mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("sensor", &sensor)
    try c.table("readings", &readings, counted: "reading_count")
  }
}

/// A custom container that replaces a standard box.
private struct AcmeFolder: BoxPayload {
  static let info = BoxInfo("name", "Acme Folder Box", in: ["udta"], "Acme 1.0")
  static let holdsBoxes = true
  var number: UInt16 = 0

  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("number", &number)
    c.boxes()
  }
}

@Suite("Custom boxes")
struct OwnBoxTests {
  private static let registry = BoxRegistry.standard.adding(AcmeBox.self, AcmeFolder.self)
  private static let acme = fullBox(
    "acme", ascii("lens") + [0], big(UInt32(2)), big(UInt32(10)), big(UInt16(0xffff)), big(UInt32(20)), big(UInt16(7)))
  private static let bytes = box("moov", box("udta", acme, box("name", big(UInt16(3)), acme)))

  @Test("A dump shows their fields in all their containers")
  func dump() throws {
    let (output, json) = (MemorySink(), MemorySink())
    let (sink, objects) = (TextSink(output), JSONSink(json))
    var dump = BoxDump(MemorySource(Self.bytes), registry: Self.registry)
    _ = try dump.run(to: sink)
    sink.finish()
    dump = BoxDump(MemorySource(Self.bytes), registry: Self.registry)
    _ = try dump.run(to: objects)
    objects.finish()
    #expect(
      String(decoding: output.bytes, as: UTF8.self) == """
        [moov] size=8+84
          [udta] size=8+76
            [acme] size=8+25
              sensor = lens
              reading_count = 2
            [name] size=8+35
              number = 3
              [acme] size=8+25
                sensor = lens
                reading_count = 2

        """)
    #expect(String(decoding: json.bytes, as: UTF8.self).contains("\"time\":20"))
  }

  @Test("A tree contains them decoded, and is written back with changes")
  func tree() throws {
    let source = MemorySource(Self.bytes)
    var boxes = try [Box](reading: source, registry: Self.registry)
    let folder = try #require(boxes[0].first("udta", "name"))
    #expect(folder.boxes.map(\.type) == ["acme"])
    var acme = try #require(folder.first("acme")).payload(as: AcmeBox.self, from: source).get()
    #expect(acme.sensor == "lens" && acme.readings.map(\.value) == [-1, 7])
    acme.sensor = BoxString("wide lens \(acme.readings.count)")
    boxes[0].edit("udta") { $0.edit("acme") { $0 = Box(acme) } }
    let sink = MemorySink()
    try BoxSerializer(boxes).write(to: sink, from: [source])
    #expect(sink.bytes.count == Self.bytes.count + "wide lens 2".utf8.count - 4)
    let again = try [Box](reading: MemorySource(sink.bytes), registry: Self.registry)
    let read = try #require(again[0].first("udta", "acme")).payload(as: AcmeBox.self, from: MemorySource(sink.bytes))
    #expect(try read.get().sensor == "wide lens 2")
  }

  @Test("The standard registry does not contain them")
  func standard() throws {
    let boxes = try [Box](reading: MemorySource(Self.bytes))
    #expect(try #require(boxes[0].first("udta", "name")).boxes.isEmpty)
    #expect(BoxRegistry.standard.definition(of: "acme", in: BoxContext()) == nil)
    // One is new, and one replaces another.
    #expect(Self.registry.all.count == BoxRegistry.standard.all.count + 1)
    #expect(BoxRegistry.standard.layouts(of: "acme").isEmpty)
  }

  @Test("Their layouts are explained")
  func layout() throws {
    let layouts = Self.registry.layouts(of: "name").map { "\($0.info.name)" }
    #expect(layouts.first == "Acme Folder Box" && layouts.count > 1)
    let acme = try #require(Self.registry.layouts(of: "acme").first)
    #expect(acme.text.contains("readings[].value") && acme.fields.count == 6)
  }
}
