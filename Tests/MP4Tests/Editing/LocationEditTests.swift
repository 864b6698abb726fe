import ISOBMFF
import MP4Bytes
import Support
import Testing

@testable import MP4

@Suite("Removing the location from Exif and XMP")
struct LocationEditTests {
  /// TIFF data with a make, a location, and a second directory.
  private func tiff(littleEndian: Bool, isLocation: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return littleEndian ? bytes : bytes.reversed()
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
    }
    let start = (littleEndian ? ascii("II") : ascii("MM")) + number(42, 2) + number(8, 4)
    // The GPS directory, followed by its values.
    let gpsStart = isLocation ? 8 : 8 + 2 + 24 + 4
    let values = gpsStart + 2 + 36 + 4
    let gps =
      number(3, 2) + entry(1, 2, 2, littleEndian ? 0x4e : 0x4e00_0000) + entry(2, 5, 3, values)
      + entry(0x1d, 2, 11, values + 24) + number(0, 4) + ascii("latitude position values") + ascii("2024:02:29\0")
    if isLocation { return start + gps }
    let make = gpsStart + gps.count
    return start + number(2, 2) + entry(0x10f, 2, 6, make) + entry(0x8825, 4, 1, gpsStart) + number(0, 4) + gps
      + ascii("Maker\0")
  }

  private let xmp = ascii(
    "<x:xmpmeta><rdf:Description exif:GPSLatitude=\"50,6.5N\" exif:Flash='1' exif:GPSLongitude = '8,40E'>"
      + "<exif:GPSAltitude>12/1</exif:GPSAltitude><drone-dji:GpsLatitude x='1'/><dc:title>GPS here</dc:title>"
      + "</rdf:Description></x:xmpmeta>")
  private let stripped = ascii(
    "<x:xmpmeta><rdf:Description                          exif:Flash='1'                       >"
      + "                                                                    <dc:title>GPS here</dc:title>"
      + "</rdf:Description></x:xmpmeta>")

  /// A picture with items of these types and contents; the extents of an item can be apart from each other.
  private func picture(_ items: [(type: String, parts: [[UInt8]])], gap: Int = 0) -> [UInt8] {
    func file(_ offset: Int) -> [UInt8] {
      var infos: [UInt8] = [], places: [UInt8] = [], media: [UInt8] = zeros(gap)
      for (number, item) in items.enumerated() {
        let mime = item.type == "mime" ? ascii("application/rdf+xml\0") : []
        infos += fullBox("infe", version: 2, big(UInt16(number + 1)) + big(UInt16(0)) + ascii(item.type) + [0] + mime)
        places += big(UInt16(number + 1)) + big(UInt16(0)) + big(UInt16(item.parts.count))
        for part in item.parts {
          places += big(UInt32(offset + media.count)) + big(UInt32(part.count))
          media += part + ascii("between")
        }
      }
      let meta = fullBox(
        "meta", fullBox("hdlr", zeros(4) + ascii("pict") + zeros(13)),
        fullBox("iinf", big(UInt16(items.count)) + infos),
        fullBox("iloc", [0x44, 0] + big(UInt16(items.count)) + places))
      return box("ftyp", ascii("heic"), zeros(4), ascii("mif1")) + meta + box("mdat", media)
    }
    let size = file(0).count
    let media = items.reduce(gap) { $0 + $1.parts.reduce(0) { $0 + $1.count + 7 } }
    return file(size - media)
  }
  private func exifItem(_ tiff: [UInt8]) -> [UInt8] { big(UInt32(6)) + ascii("Exif\0\0") + tiff }

  private func strip(_ bytes: [UInt8]) throws -> (bytes: [UInt8], diagnostics: [String]) {
    let plan = try MovieEditor(MemorySource(bytes, name: "in.heic")).stripping(.location).plan()
    let sink = MemorySink()
    try plan.write(to: sink)
    return (sink.bytes, plan.diagnostics.map(\.text))
  }
  private func has(_ text: String, _ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: ascii(text)) }
  }

  @Test("The GPS directory becomes empty, and its values become zeros", arguments: [false, true])
  func exif(littleEndian: Bool) throws {
    let tiff = tiff(littleEndian: littleEndian)
    let whole = picture([("hvc1", [ascii("coded picture")]), ("Exif", [exifItem(tiff)])])
    let after = try strip(whole)
    #expect(after.bytes.count == whole.count && after.diagnostics == [])
    let start = try #require(whole.indices.first { whole[$0...].starts(with: tiff) })
    var expected = whole
    // The count, three entries, an offset that was already 0, and the values.
    for index in start + 38..<start + 38 + 2 + 36 + 4 + 24 + 11 { expected[index] = 0 }
    #expect(after.bytes == expected)
    #expect(has("Maker", after.bytes) && !has("latitude", after.bytes) && !has("2024:", after.bytes))
    // The same with a split item, for any split.
    let item = exifItem(tiff)
    for cut in stride(from: 1, to: item.count, by: 5) {
      let pieces = try strip(picture([("Exif", [Array(item[..<cut]), Array(item[cut...])])]))
      #expect(!has("latitude", pieces.bytes) && pieces.diagnostics == [], "\(cut)")
    }
    #expect(try strip(after.bytes).diagnostics == ["no location was found"])
  }

  @Test("XMP stays well-formed, and keeps its size")
  func xmpProperties() throws {
    let whole = picture([("mime", [xmp])])
    let after = try strip(whole)
    #expect(after.bytes.count == whole.count && after.diagnostics == [])
    let text = String(decoding: after.bytes, as: UTF8.self)
    let words = text.split(separator: " ").joined(separator: " ")
    let expected = String(decoding: stripped, as: UTF8.self).split(separator: " ").joined(separator: " ")
    #expect(has(expected, Array(words.utf8)), "\(words)")
    // In its own box.
    let type: [UInt8] = [
      0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
    ]
    let movie = try readFile(vectorPath("files/progressive.mp4")) + box("uuid", type, xmp)
    let boxed = try strip(movie)
    #expect(!has("GPSLatitude", boxed.bytes) && boxed.bytes.count == movie.count && boxed.diagnostics == [])
    let open = try strip(picture([("mime", [ascii("<a exif:GPSLatitude='1")])]))
    #expect(
      open.diagnostics == ["item 1 (XMP) may include a location that cannot be removed"])
  }

  @Test("CR3 boxes")
  func raw() throws {
    let type: [UInt8] = [
      0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
    ]
    let canon = box(
      "uuid", type, box("CMT1", tiff(littleEndian: true)), box("CMT4", tiff(littleEndian: true, isLocation: true)))
    let whole = box("ftyp", ascii("crx "), zeros(4)) + box("moov", canon) + box("mdat", ascii("latitude of media"))
    let after = try strip(whole)
    #expect(after.bytes.count == whole.count && after.diagnostics == [])
    #expect(!has("latitude position", after.bytes) && has("latitude of media", after.bytes))
    #expect(has("Maker", after.bytes))
    let foreign = whole + box("uuid", zeros(16))
    #expect(try strip(foreign).diagnostics.first?.hasSuffix("may include a location; not removed") == true)
  }

  @Test("A location is removed in place with one write; at any time it is complete or unreadable")
  func inPlace() throws {
    let tiff = tiff(littleEndian: false)
    for gap in [0, 300, 420, 460, 470, 500] {
      let before = picture([("Exif", [exifItem(tiff)])], gap: gap)
      let plan = try MovieEditor(MemorySource(before)).stripping(.location).planInPlace()
      let recorder = InPlaceRecorder()
      try plan.write(to: recorder)
      #expect(recorder.finished(before) == (try strip(before).bytes))
      let start = try #require(before.indices.first { before[$0...].starts(with: tiff) })
      for state in recorder.interruptions(of: before) {
        let isOld = state.bytes == before
        let isEmpty = state.bytes[start + 38..<start + 40].allSatisfy { $0 == 0 }
        #expect(state.isFinished ? isEmpty : isOld, "\(state.moment)")
        #expect(state.bytes[..<(start + 38)] == before[..<(start + 38)])
      }
    }
    // Several extents cannot be written in one step.
    let both = picture([("Exif", [exifItem(tiff)]), ("free", [zeros(600)]), ("mime", [xmp])])
    let error = #expect(throws: MovieError.self) {
      try MovieEditor(MemorySource(both)).stripping(.location).planInPlace()
    }
    #expect(error?.obstacle == .severalChanges(["Exif and XMP"]))
  }

  @Test("Damaged data never traps, and keeps its size")
  func damage() throws {
    var random = SplitMix64(seed: 3)
    for littleEndian in [false, true] {
      let tiff = tiff(littleEndian: littleEndian)
      for count in 0...tiff.count {
        let whole = picture([("Exif", [exifItem(Array(tiff[..<count]))])])
        #expect(try strip(whole).bytes.count == whole.count)
      }
      for round in 0..<Effort.count(short: 300, all: 5000) {
        var bytes = exifItem(tiff)
        for _ in 0...Int(random.next() % 4) {
          bytes[Int(random.next() % UInt64(bytes.count))] =
            [0, 1, 0x7f, 0xff, UInt8(truncatingIfNeeded: random.next())]
            .randomElement(using: &random) ?? 0
        }
        let whole = picture([("Exif", [bytes])])
        #expect(try strip(whole).bytes.count == whole.count, "\(round)")
      }
    }
    // Damage anywhere in a file is an error, or the size stays the same.
    let whole = picture([("Exif", [exifItem(tiff(littleEndian: true))]), ("mime", [xmp])])
    for round in 0..<Effort.count(short: 500, all: 20_000) {
      var bytes = whole
      for _ in 0...Int(random.next() % 3) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next() & random.next())
      }
      do throws(MovieError) {
        let editor = try MovieEditor(MemorySource(bytes))
        let found = try editor.embeddedLocations(skippingItems: false)
        let after = try editor.overwriting(found.overwrites)
        #expect(after.source.byteCount == bytes.count, "\(round)")
      } catch { continue }
    }
    // A directory that claims to be the directory of the picture is not cleared.
    var loop = tiff(littleEndian: true)
    loop.replaceSubrange(8 + 2 + 12 + 8..<8 + 2 + 12 + 12, with: [8, 0, 0, 0])
    #expect(ExifLocation(loop[...])?.counts.isEmpty == true)
  }

  @Test("Without metadata, a picture has no items of Exif and XMP, no references to them, and none of their bytes")
  func pictureMetadata() throws {
    let tiff = tiff(littleEndian: false)
    let whole = picture([
      ("Exif", [exifItem(tiff)]), ("hvc1", [ascii("coded "), ascii("picture")]), ("mime", [xmp]),
      ("jpeg", [ascii("small")]),
    ])
    // The metadata describes the picture, and has a property, as some writers add one.
    let source = MemorySource(whole, name: "in.heic")
    let references = fullBox(
      "iref", box("cdsc", big(UInt16(1)), big(UInt16(1)), big(UInt16(2))),
      box("cdsc", big(UInt16(3)), big(UInt16(1)), big(UInt16(2))),
      box("thmb", big(UInt16(4)), big(UInt16(2)), big(UInt16(2)), big(UInt16(1))))
    let properties = box(
      "iprp", box("ipco", fullBox("ispe", big(UInt32(16)), big(UInt32(16)))),
      fullBox("ipma", big(UInt32(2)), big(UInt16(1)), [1, 1], big(UInt16(2)), [1, 0x81]))
    var editor = try MovieEditor(source)
    for bytes in [references, properties] {
      let added = try #require([Box](reading: MemorySource(bytes)).first)
      editor = try editor.appending(Box(added.type, bytes: Array(bytes[8...])), to: "meta")
    }
    let sink = MemorySink()
    try editor.write(to: sink)
    for removal in [MovieEditor.Removal.metadata, .all] {
      let output = MemorySink()
      try MovieEditor(MemorySource(sink.bytes, name: "in.heic")).stripping(removal).write(to: output)
      for gone in ["Exif", "rdf", "GPS", "Maker", "latitude"] { #expect(!has(gone, output.bytes), "\(gone)") }
      let meta = try #require([Box](reading: MemorySource(output.bytes)).first { $0.type == "meta" })
      #expect(meta.first("iinf")?.boxes.count == 2)
      #expect(try #require(payloads(of: "iinf", in: output.bytes).first)[4..<6].elementsEqual([0, 2]))
      #expect(meta.first("iref")?.boxes.map(\.type) == ["thmb"])
      #expect(payloads(of: "thmb", in: output.bytes).first == big(UInt16(4)) + big(UInt16(1)) + big(UInt16(2)))
      #expect(
        payloads(of: "ipma", in: output.bytes).first?.suffix(8).elementsEqual(zeros(3) + [1, 0, 2, 1, 0x81]) == true)
      // The items that stay have their data.
      let iloc = try #require(payloads(of: "iloc", in: output.bytes).first)
      #expect(iloc[6..<8].elementsEqual([0, 2]))
      let places = [12, 20, 34].map { (number(iloc, $0 + 2), number(iloc, $0 + 6)) }
      let parts = places.map { String(decoding: output.bytes[$0.0..<$0.0 + $0.1], as: UTF8.self) }
      #expect(parts == ["coded ", "picture", "small"])
    }
    // Nothing to remove is no change.
    let bare = picture([("hvc1", [ascii("coded picture")])])
    let output = MemorySink()
    try MovieEditor(MemorySource(bare)).stripping(.metadata).write(to: output)
    #expect(output.bytes == bare)
  }

  @Test("Data that metadata shares with a picture stays")
  func sharedData() throws {
    var bytes = picture([("Exif", [ascii("shared bytes")]), ("hvc1", [ascii("other bytes.")])])
    // Both items have the place of the first one.
    let iloc = try #require(bytes.indices.first { bytes[$0...].starts(with: ascii("iloc")) }) + 12
    bytes.replaceSubrange(iloc + 14 + 6..<iloc + 14 + 10, with: bytes[iloc + 6..<iloc + 10])
    let output = MemorySink()
    try MovieEditor(MemorySource(bytes)).stripping(.metadata).write(to: output)
    #expect(has("shared bytes", output.bytes) && !has("Exif", output.bytes))
  }

  @Test("What may include a location and stays is reported, by each kind of removal")
  func remaining() throws {
    let picture = picture([("hvc1", [ascii("coded picture")])])
    let motion = picture + box("mpvd", try readFile(vectorPath("files/progressive.mp4")))
    for removal in [MovieEditor.Removal.location, .metadata, .all] {
      let plan = try MovieEditor(MemorySource(motion, name: "in.heic")).stripping(removal).plan()
      let text = "mpvd (the video of a motion photo) may include a location; not removed"
      #expect(plan.diagnostics.map(\.text) == [text] && plan.diagnostics.map(\.severity) == [.warning])
    }
    // A JPEG cover with Exif.
    let cover: [UInt8] = [0xff, 0xd8, 0xff, 0xe1, 0, 8] + ascii("Exif\0\0") + [0xff, 0xd9]
    let sink = MemorySink()
    try MovieEditor(MemorySource(readFile(vectorPath("files/progressive.mp4")))).settingCover(cover).write(to: sink)
    let plan = try MovieEditor(MemorySource(sink.bytes)).stripping(.location).plan()
    #expect(plan.diagnostics.map(\.text) == ["the cover contains Exif, which may include a location; not removed"])
    #expect(try MovieEditor(MemorySource(sink.bytes)).stripping(.metadata).plan().diagnostics.isEmpty)
  }

  @Test("The index of a raw picture is corrected if its parts move, and those of removed parts become 0")
  func rawPictures() throws {
    let canon: [UInt8] = [
      0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
    ]
    let xmp: [UInt8] = [
      0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
    ]
    let front = box("ftyp", ascii("crx "), zeros(4))
    let parts = [box("uuid", xmp, ascii("<x:xmpmeta/>")), box("mdat", ascii("raw picture"))]
    /// The file with entries for both parts, one that is unused and one that is wrong.
    func file(_ offsets: [Int]) -> [UInt8] {
      let rows = zip(offsets, parts).enumerated().flatMap { number, part in
        big(UInt32(number * 2 + 1)) + big(UInt64(part.0)) + big(UInt64(part.1.count))
      }
      let index = box(
        "CTBO", big(UInt32(4)), rows, big(UInt32(4)), zeros(16), big(UInt32(5)), big(UInt64.max), big(UInt64(7)))
      return front + box("moov", box("uuid", canon, index)) + box("free", zeros(20)) + parts.flatMap(\.self)
    }
    let size = file([0, 0]).count - parts.reduce(0) { $0 + $1.count }
    let whole = file([size, size + parts[0].count])
    func entries(_ bytes: [UInt8]) throws -> [[Int]] {
      let at = try #require(bytes.indices.first { bytes[$0...].starts(with: ascii("CTBO")) }) + 8
      return (0..<3).map { row in
        let bytes = Array(bytes[(at + row * 20)...].prefix(20))
        return [number(bytes, 8), number(bytes, 16)]
      }
    }
    func edited(_ edit: (MovieEditor) throws -> MovieEditor) throws -> [UInt8] {
      let sink = MemorySink()
      try edit(MovieEditor(MemorySource(whole, name: "in.cr3"))).write(to: sink)
      return sink.bytes
    }
    let moved = try edited { try $0.removing("free") }
    #expect(moved.count == whole.count - 28)
    #expect(
      try entries(moved) == [[size - 28, parts[0].count], [size - 28 + parts[0].count, parts[1].count], [0, 0]])
    #expect(moved[(moved.count - whole.count + size)...].elementsEqual(whole[size...]))
    let removed = try edited { try $0.stripping(.all) }
    #expect(try entries(removed) == [[0, 0], [size - 28, parts[1].count], [0, 0]])
    #expect(try edited { $0 } == whole)
  }
}
