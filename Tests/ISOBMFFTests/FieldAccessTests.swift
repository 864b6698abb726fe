import BoxCatalog
import ISOBMFF
import MP4Bytes
import Support
import Testing

/// Records the name and value of each field; in tables, those of the first, middle and last row.
private final class NamedFields: FieldSink {
  private(set) var fields: [(name: String, value: FieldValue)] = []
  private var prefixes = [""]
  private var tables: [(name: StaticText, count: Int)] = []
  private var isOmitted = false
  private var descriptors: [[StaticText: Int]] = [[:]]

  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    field("version", .unsigned(UInt64(header.version)))
    field("flags", .flags(UInt64(header.flags), flags))
  }
  func derived(_ name: StaticText, _ value: FieldValue) {}
  func field(_ name: StaticText, _ value: FieldValue) {
    if !isOmitted { fields.append((prefixes[prefixes.count - 1] + (name.isEmpty ? "" : "\(name)"), value)) }
  }
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    tables.append((name, count))
    return true
  }
  func beginRow(_ index: Int) {
    guard let table = tables.last else { return }
    isOmitted = tables.count == 1 && ![0, table.count / 2, table.count - 1].contains(index)
    prefixes.append("\(prefixes[prefixes.count - 1])\(table.name)[\(index + 1)].")
    descriptors.append([:])
  }
  func endRow() {
    prefixes.removeLast()
    descriptors.removeLast()
  }
  func endTable() {
    tables.removeLast()
    isOmitted = false
  }
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    descriptors[descriptors.count - 1][name, default: 0] += 1
    let number = descriptors[descriptors.count - 1][name] ?? 1
    prefixes.append("\(prefixes[prefixes.count - 1])\(name)\(number > 1 ? "[\(number)]" : "").")
    descriptors.append([:])
  }
  func endDescriptor() {
    prefixes.removeLast()
    descriptors.removeLast()
  }

  /// The rows of a plain table have no field names.
  static func path(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }
}

@Suite("Access to fields by name")
struct FieldAccessTests {
  @Test(
    "Every shown field of a vector is found by name, and can be set to its value", arguments: Support.vectors())
  func shown(_ vector: Vector) throws {
    let found = try differences(in: vector.bytes, vector.place)
    #expect(found == [])
  }

  @Test("The same for the corpus", .enabled(if: !corpus().isEmpty))
  func files() throws {
    for file in corpus() {
      let found = try differences(in: try readFile(file), BoxContext())
      #expect(found == [], "\(file)")
    }
  }

  @Test("Text is parsed according to the field")
  func written() throws {
    var header = MediaHeaderBox()
    try header.set("language", to: "deu")
    try header.set("timescale", to: "0xbb80")
    try header.set("creation_time", to: "2024-02-29T12:00:00Z")
    #expect(header.language == "deu" && header.timescale == 48000 && header.creationTime == 3_792_052_800)
    #expect(header["language"] == .language(header.language.rawValue) && header["nothing"] == nil)
    var track = TrackHeaderBox()
    try track.set("volume", to: 0.5)
    try track.set("width", to: "1920.5")
    #expect(track["volume"] == .fixed(raw: 128, fractionBits: 8) && track["width"]?.number == 1920 << 16 | 0x8000)
    var handler = HandlerBox()
    try handler.set("handler_type", to: "vide")
    try handler.set("name", to: "Acme")
    #expect(handler.handlerType == "vide" && handler.name.description == "Acme")
    var key = TrackEncryptionBox()
    try key.set("default_KID", to: "00112233 44556677 8899aabb ccddeeff")
    #expect(key.defaultKeyID.prefix(3) == [0, 0x11, 0x22])
  }

  @Test("Row numbers start at 1, and only the given row is changed")
  func rows() throws {
    var times = TimeToSampleBox()
    times.entries = BoxTable((1...3).map { TimeToSampleBox.Entry(sampleCount: $0, sampleDelta: 10) })
    try times.set("entries[2].sample_delta", to: 20)
    #expect(times.entries.map(\.sampleDelta) == [10, 20, 10] && times["entries[3].sample_count"] == .unsigned(3))
    #expect(throws: FieldError(.noRow(count: 3), "entries[4].sample_delta")) {
      try times.set("entries[4].sample_delta", to: 20)
    }
    #expect(throws: FieldError(.noRow(count: 3), "entries[0].sample_delta")) {
      try times.set("entries[0].sample_delta", to: 20)
    }
  }

  @Test("An unsuitable value is an error that says what is suitable, and nothing is changed")
  func refused() throws {
    var header = MovieHeaderBox()
    header.duration = 1 << 40
    let before = header
    for (name, value, message) in [
      ("timescale", "fast", "timescale must be a number that is not negative"),
      ("timescale", 4_294_967_296, "timescale has too few bits for this value"),
      ("timescale", -1, "timescale must be a number that is not negative"),
      ("version", 0, "version cannot have this value: other fields of the box need the current one"),
    ] as [(String, FieldValue, String)] {
      header.header.version = 1
      #expect(throws: FieldError.self) { try header.set(name, to: value) }
      do throws(FieldError) { try header.set(name, to: value) } catch { #expect("\(error)" == message) }
    }
    header.header.version = before.header.version
    #expect(header == before)
    do throws(FieldError) { try header.set("time_scale", to: 1) } catch {
      #expect("\(error)".hasPrefix("time_scale is not a field of this box, which has version, flags, creation_time"))
    }
    var sizes = TimeToSampleBox()
    do throws(FieldError) { try sizes.set("entry_count", to: 4) } catch {
      #expect("\(error)" == "entry_count follows from other fields and cannot be set")
    }
  }

  @Test("Adding an optional field sets its flag, and a larger number raises the version")
  func headers() throws {
    var run = TrackRunBox()
    try run.set("data_offset", to: -8)
    #expect(run.dataOffset == -8)
    let read = try TrackRunBox(decoding: try run.encoded()[...])
    #expect(read.flags & 1 == 1 && read.dataOffset == -8)
    var movie = MovieHeaderBox()
    try movie.set("duration", to: .unsigned(1 << 40))
    #expect(try movie.encoded().first == 1)
  }

  @Test("Boxes of the box language, and sample group descriptions, have named fields too")
  func defined() throws {
    let registry = try BoxRegistry.standard.adding(
      definitions: """
        box acme "Acme" in udta
          count  uint(8)
          readings[count]
            time  uint(16)
            note  string
          kind  uint(8) values 0 photo; 1 video
        group acmg "Acme Group"
          gain  int(16)
        """)
    let acme = box("acme", [2] + big(UInt16(7)) + ascii("a") + [0] + big(UInt16(8)) + ascii("b") + [0, 0])
    let group = fullBox(
      "sgpd", version: 1, ascii("acmg"), big(UInt32(2)), big(UInt32(1)), big(UInt16(0xfffe)))
    let source = MemorySource(box("moov", box("udta", acme), box("trak", group)))
    var boxes = try [Box](reading: source, registry: registry)
    let payload = try #require(try boxes[0].first("udta", "acme")?.payload(from: source, registry: registry)).get()
    #expect(payload["readings[2].time"] == .unsigned(8) && payload.fieldNames.contains("readings[].note"))
    try boxes[0].boxes[0].boxes[0].set("readings[2].note", to: "longer", of: source, registry: registry)
    try boxes[0].boxes[0].boxes[0].set("kind", to: "video", of: source, registry: registry)
    #expect(throws: FieldError(.derived, "count")) {
      try boxes[0].boxes[0].boxes[0].set("count", to: 3, of: source, registry: registry)
    }
    try boxes[0].boxes[1].boxes[0].set("entries[1].gain", to: 5, of: source, registry: registry)
    let sink = MemorySink()
    try BoxSerializer(boxes).write(to: sink, from: [source])
    let changed = box("acme", [2] + big(UInt16(7)) + ascii("a") + [0] + big(UInt16(8)) + ascii("longer") + [0, 1])
    let louder = Array(group.dropLast(2)) + big(UInt16(5))
    #expect(sink.bytes == box("moov", box("udta", changed), box("trak", louder)))
  }

  @Test("Each of several descriptors can be accessed")
  func descriptors() throws {
    var box = try ESDescriptorBox(decoding: Support.vector("esds-he-aac").dropFirst(8))
    let name = "ES_Descriptor.DecoderConfigDescriptor.avgBitrate"
    try box.set(name, to: 128_000)
    #expect(box[name] == .unsigned(128_000))
    #expect(try ESDescriptorBox(decoding: try box.encoded()[...]) == box)
  }

  /// The fields of all boxes that return a different value when read by name, or that change the box when set to their
  /// current value.
  private func differences(in bytes: [UInt8], _ place: BoxContext) throws -> [String] {
    var parser = BoxParser(MemorySource(bytes), context: place, registry: .standard)
    var found: Set<String> = []
    while let node = try parser.next() {
      let declaration: BoxDeclaration
      switch node.content {
      case .payload(let known), .boxes(let known?): declaration = known
      case .boxes(nil), .opaque, .remainder: continue
      }
      guard node.header.payload.count < 1 << 16,
        let (payload, _) = declaration.decoded(bytes[node.header.payload], context: node.context)
      else { continue }
      let fields = NamedFields()
      guard case .success = try parser.show(node, to: fields) else { continue }
      // The boxes in a sample group description are shown, but by name only their bytes can be accessed.
      for field in fields.fields where !(node.type == "sgpd" && field.name.contains(".boxes[")) {
        let name = NamedFields.path(field.name)
        let value = payload[name, context: node.context, registry: .standard]
        guard value?.isStored(as: field.value) == true else {
          found.insert("\(node.type) \(name): \(String(describing: value)) is not \(field.value)")
          continue
        }
        do throws(FieldError) {
          let same = try payload.setting(name, to: field.value, context: node.context, registry: .standard)
          if !isEqual(same, payload) { found.insert("\(node.type) \(name): another box") }
          if let problem = problem(setting: name, of: payload, from: field.value, node.context) {
            found.insert("\(node.type) \(name): \(problem)")
          }
        } catch {
          found.insert("\(node.type) \(name): \(error)")
        }
      }
    }
    return found.sorted()
  }
  /// The error after setting a number to another value and back; `nil` if there is none, or if the box requires the
  /// value.
  private func problem(
    setting name: String, of payload: any BoxPayload, from value: FieldValue, _ context: BoxContext
  ) -> String? {
    // Other fields depend on the version, the flags, and enumerated numbers.
    guard name != "version", name != "flags", let number = value.number, number >= 0, number < .max,
      case .unsigned = value,
      let changed = try? payload.setting(
        name, to: .unsigned(UInt64(number ^ 1)), context: context, registry: .standard)
    else { return nil }
    guard changed[name, context: context, registry: .standard]?.number == number ^ 1 else { return "it was not set" }
    do throws(FieldError) {
      let back = try changed.setting(name, to: value, context: context, registry: .standard)
      return isEqual(back, payload) ? nil : "another box after it was set back"
    } catch {
      // An optional field stays if setting its flag added it.
      return error.problem == .derived ? nil : "it cannot be set back: \(error)"
    }
  }

  private func isEqual<Payload: BoxPayload>(_ a: Payload, _ b: any BoxPayload) -> Bool {
    guard let b = b as? Payload else { return false }
    // A value that is not equal to itself contains NaN.
    return a == b || b != b
  }
}
