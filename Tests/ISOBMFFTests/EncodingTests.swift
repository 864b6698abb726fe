import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Values are written unchanged or not at all")
struct EncodingTests {
  // MARK: All boxes

  @Test(
    "A box whose version or flags are set manually is read back unchanged or not written", arguments: PayloadCase.types)
  func headers(_ box: PayloadCase) throws {
    guard let type = box.type as? any FullBoxPayload.Type else { return }
    try checkHeaders(type)
  }

  private func checkHeaders<Payload: FullBoxPayload>(_: Payload.Type) throws {
    var random = SplitMix64(seed: UInt64(Payload.info.type.rawValue) + 2)
    let starts = PayloadCase(type: Payload.self).empty.compactMap { try? $0.encoded() }
    for _ in 0..<Effort.count(short: 60, all: 300) {
      let start = starts[Int(random.next() % UInt64(starts.count))]
      let tail = random.bytes(Int(random.next() % 40)).map { random.next() % 3 == 0 ? $0 : $0 & 3 }
      guard var payload = try? Payload(decoding: (mutated(start, &random) + tail)[...]) else { continue }
      if random.next() % 2 == 0 {
        payload.header.flags ^= 1 << UInt32(random.next() % 24)
      } else {
        payload.header.version = UInt8(random.next() % 4)
      }
      let flags = payload.header.flags
      guard let bytes = try? payload.encoded() else { continue }
      guard let read = try? Payload(decoding: bytes[...]) else { continue }
      #expect(read.header.flags & flags == flags, "\(Payload.self): a flag is lost")
      payload.header = read.header
      // The samples of `senc` can only be read with other boxes of the track; NaN is not equal to itself.
      #expect(payload == read || payload != payload, "\(payload) is read as \(read)")
    }
  }

  @Test("A number that requires a later version sets that version", arguments: PayloadCase.types)
  func versions(_ box: PayloadCase) throws {
    guard let type = box.type as? any FullBoxPayload.Type, type.versions.count > 1 else { return }
    try checkVersions(type)
  }

  private func checkVersions<Payload: FullBoxPayload>(_: Payload.Type) throws {
    let narrow = Payload.describe(version: Payload.versions.lowerBound)
    for version in Payload.versions.dropFirst() {
      let wide = Payload.describe(version: version)
      for field in wide {
        guard let old = narrow.first(where: { $0.name == field.name }), let bits = old.bits, let now = field.bits,
          bits < now, !field.name.hasSuffix("count"), !field.name.hasSuffix("reserved")
        else { continue }
        let bytes = Self.payload(version, wide, large: field.name)
        guard var payload = try? Payload(decoding: bytes[...]) else { continue }
        payload.header.version = Payload.versions.lowerBound
        let again = try Payload(decoding: try payload.encoded()[...])
        #expect(again.version > Payload.versions.lowerBound, "\(Payload.self).\(field.name)")
        payload.header.version = again.version
        #expect(again == payload, "\(Payload.self).\(field.name)")
      }
    }
  }

  /// A payload with one row in each table, and zeros in all fields except `name`.
  private static func payload(_ version: UInt8, _ fields: [FieldDescription], large name: String) -> [UInt8] {
    var bits: [Bool] = []
    func add(_ value: UInt64, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(bit < 64 && value >> UInt64(bit) & 1 == 1) }
    }
    for (index, field) in fields.enumerated() where field.type != "derived" {
      // The row count comes before the rows.
      let depths = fields[index...].prefix(2).map { $0.name.count { $0 == "[" } }
      let isCount = depths.count > 1 && depths[1] > depths[0]
      switch (field.bits, field.type) {
      case (_, "string"): add(0, 8)
      case (let width?, _) where field.name == "version": add(UInt64(version), width)
      // The largest value that is not negative.
      case (let width?, _) where field.name == name: add(.max >> UInt64(65 - width), width)
      case (let width?, _): add(isCount ? 1 : 0, width)
      default: break
      }
    }
    return stride(from: 0, to: bits.count, by: 8).map { at in
      (0..<8).reduce(0) { $0 << 1 | (at + $1 < bits.count && bits[at + $1] ? 1 : 0) }
    }
  }

  @Test("Boxes with large times, sizes and numbers get the necessary version")
  func wideBoxes() throws {
    var header = MovieHeaderBox()
    header.duration = 1 << 32
    #expect(try MovieHeaderBox(decoding: try header.encoded()[...]).version == 1)
    var time = TrackFragmentDecodeTimeBox()
    time.baseMediaDecodeTime = .max
    #expect(try time.encoded() == [1, 0, 0, 0] + big(UInt64.max))
    time.baseMediaDecodeTime = 7
    #expect(try time.encoded() == [0, 0, 0, 0, 0, 0, 0, 7])
    time.header.version = 1
    #expect(try time.encoded() == [1, 0, 0, 0] + big(UInt64(7)), "a version that can express it stays")
    var edits = EditListBox()
    edits.entries.append(EditListBox.Entry())
    edits.entries[0].mediaTime = -1
    edits.entries[0].segmentDuration = 1 << 40
    let read = try EditListBox(decoding: try edits.encoded()[...])
    #expect(read.version == 1 && read.entries == edits.entries)
    var offsets = SampleAuxiliaryInformationOffsetsBox()
    offsets.offsets = [1, 1 << 33]
    #expect(try SampleAuxiliaryInformationOffsetsBox(decoding: try offsets.encoded()[...]).offsets == [1, 1 << 33])
    var keys = ProtectionSystemSpecificHeaderBox()
    keys.keyIDs.append(ProtectionSystemSpecificHeaderBox.KeyID())
    #expect(try keys.encoded()[0] == 1, "keys are in version 1")
    var compositions = CompositionOffsetBox()
    compositions.entries = [.init(sampleCount: 1, sampleOffset: -1)]
    #expect(try compositions.encoded()[0] == 1, "offsets below 0 are in version 1")
    let old = try CompositionOffsetBox(decoding: ([0] + compositions.encoded().dropFirst())[...])
    #expect(try old.entries[0].sampleOffset == -1 && old.encoded()[0] == 0, "but what was read stays")
  }

  // MARK: Fields

  /// A box whose only field has the given width.
  private struct Probe: BoxPayload {
    static let info = BoxInfo("prob", "Probe", in: [], "None 1.0")
    var width = 8
    var unsigned: UInt64 = 0
    var signed: Int64 = 0
    var narrow: UInt32 = 0
    var bytes: [UInt8] = []
    var rows: BoxTable<UInt16> = []
    mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
      try c.uint32("width", &narrow)
      switch narrow {
      case 1...56: try c.bits("bits", &unsigned, Int(narrow))
      case 64: try c.uint("unsigned", &unsigned, wide: false)
      case 65: try c.int("signed", &signed, wide: false)
      case 66: try c.bytes("bytes", &bytes, count: 4)
      case 67:
        var count = UInt8(clamping: rows.count)
        try c.uint8("count", &count)
        try c.table("rows", &rows, count: count)
      default: break
      }
    }
  }

  private func problem(_ field: StaticText, _ problem: BoxError.Problem, _ change: (inout Probe) -> Void) {
    var probe = Probe()
    change(&probe)
    #expect(throws: BoxError(problem, field: field, offset: problem.isCount ? 5 : 4)) { try probe.encoded() }
  }

  @Test("A number that does not fit in its field is an error that names the field")
  func widths() throws {
    for width in stride(from: 8, through: 56, by: 8) {
      var probe = Probe()
      (probe.narrow, probe.unsigned) = (UInt32(width), 1 << UInt64(width) - 1)
      #expect(try Probe(decoding: try probe.encoded()[...]).unsigned == probe.unsigned)
      problem("bits", .tooWide(magnitude: 1 << UInt64(width), isNegative: false, bits: width)) {
        ($0.narrow, $0.unsigned) = (UInt32(width), 1 << UInt64(width))
      }
    }
    problem("unsigned", .tooWide(magnitude: 1 << 32, isNegative: false, bits: 32)) {
      ($0.narrow, $0.unsigned) = (64, 1 << 32)
    }
    problem("signed", .tooWide(magnitude: 1 << 31 + 1, isNegative: true, bits: 32)) {
      ($0.narrow, $0.signed) = (65, -(1 << 31) - 1)
    }
    problem("bytes", .wrongLength(3, expected: 4)) { ($0.narrow, $0.bytes) = (66, [1, 2, 3]) }
    problem("rows", .wrongCount(256, expected: 255)) {
      ($0.narrow, $0.rows) = (67, BoxTable(repeating: 0, count: 256))
    }
    #expect(throws: BoxError(.notKept(["unsigned"]), field: "fields", offset: 0)) {
      var probe = Probe()
      probe.unsigned = 1
      _ = try probe.encoded()
    }
    let error = BoxError(.tooWide(magnitude: 300, isNegative: true, bits: 8), field: "level", offset: 12)
    #expect(error.description == "level at byte 12 is -300 but has 8 bits")
  }

  // MARK: Flags

  @Test("A field that depends on a flag is present if it has a value")
  func flags() throws {
    var header = TrackFragmentHeaderBox()
    header.header.flags = 0x2_0040
    header.defaultSampleSize = 0
    #expect(header.flags == 0x2_0050 && header.header[0x10])
    #expect(try header.encoded() == [0, 2, 0, 0x50] + big(UInt32(1)) + big(UInt32(0)))
    header.defaultSampleSize = nil
    #expect(try header.flags == 0x2_0040 && header.encoded() == [0, 2, 0, 0x40] + big(UInt32(1)))
    header.header.flags |= 0x8
    #expect(throws: BoxError(.missingValue(flag: 0x8), field: "default_sample_duration", offset: 8)) {
      try header.encoded()
    }
    header.defaultSampleDuration = 3
    header.header.flags = 0
    #expect(try header.encoded() == [0, 0, 0, 8] + big(UInt32(1)) + big(UInt32(3)), "a value needs its flag")
  }

  @Test("Runs get the flags for the fields of their samples, which all samples must have")
  func runs() throws {
    var run = TrackRunBox()
    run.samples = [.init(duration: 1, size: 2), .init(duration: 3, size: 4)]
    let bytes: [UInt8] = [0, 0, 3, 0] + ([2, 1, 2, 3, 4] as [UInt32]).flatMap { big($0) }
    #expect(try run.encoded() == bytes)
    run.samples[1].compositionTimeOffset = -1
    #expect(throws: BoxError(.missingValue(flag: 0x800), field: "sample_composition_time_offset", offset: 16)) {
      try run.encoded()
    }
    run.samples[0].compositionTimeOffset = 5
    #expect(try TrackRunBox(decoding: try run.encoded()[...]).header == FullBoxHeader(version: 1, flags: 0xb00))
    run.samples = BoxTable(repeating: .init(), count: 3)
    #expect(try run.sampleCount == 3 && run.encoded() == zeros(4) + big(UInt32(3)))
    run.header.flags = 0x100
    #expect(throws: BoxError(.missingValue(flag: 0x100), field: "sample_duration", offset: 8)) { try run.encoded() }
    var read = try TrackRunBox(decoding: bytes[...])
    read.samples.removeFirst()
    #expect(try read.encoded() == [0, 0, 3, 0] + ([1, 3, 4] as [UInt32]).flatMap { big($0) })
    #expect(read.samples.map(\.size) == [4])
  }

  // MARK: Counts and tables

  @Test("Counts are determined by tables")
  func counts() throws {
    var sizes = SampleSizeBox()
    sizes.sizes = [1, 2, 3]
    #expect(try sizes.sampleCount == 3 && sizes.encoded().count == 24)
    sizes.sampleSize = 5
    #expect(throws: BoxError(.notKept(["sizes"]), field: "fields", offset: 0)) { try sizes.encoded() }
    sizes.sizes = []
    sizes.sameSizeCount = 9
    #expect(try sizes.sampleCount == 9 && sizes.encoded().suffix(4) == [0, 0, 0, 9])
    sizes.sampleSize = 0
    #expect(throws: BoxError(.notKept(["sameSizeCount"]), field: "fields", offset: 0)) { try sizes.encoded() }
    var groups = SampleGroupDescriptionBox()
    groups.header.version = 0
    groups.entries = [.init(description: [1, 2]), .init(description: [3])]
    let read = try SampleGroupDescriptionBox(decoding: try groups.encoded()[...])
    #expect(read.version == 1 && read.entryCount == 2 && read.entries == groups.entries)
  }

  @Test("A table is an array that shares the bytes it was read from")
  func tables() throws {
    let bytes = zeros(4) + big(UInt32(3)) + (0..<6 as Range<UInt32>).flatMap { big($0) }
    let times = try TimeToSampleBox(decoding: bytes[...])
    var table = times.entries
    #expect(table.count == 3 && table.map(\.sampleDelta) == [1, 3, 5] && table.last?.sampleCount == 4)
    #expect(table == BoxTable(times.entries.map { $0 }), "equal by rows")
    table[1].sampleDelta = 9
    table.append(.init(sampleCount: 7, sampleDelta: 8))
    table.insert(.init(), at: 0)
    #expect(table.map(\.sampleDelta) == [0, 1, 9, 5, 8] && times.entries.map(\.sampleDelta) == [1, 3, 5])
    table.removeAll { $0.sampleDelta < 5 }
    table.reverse()
    #expect(table.map(\.sampleDelta) == [8, 5, 9] && table != times.entries && table.encodedRows.isEmpty)
    var sum: UInt32 = 0
    table.forEachRow { sum += $0.sampleDelta }
    #expect(sum == 22 && Array(table[1...].map(\.sampleDelta)) == [5, 9])
    var changed = times
    changed.entries = table
    #expect(try changed.encoded().count == bytes.count && times.encoded() == bytes)
    let empty: BoxTable<UInt32> = []
    #expect(empty.isEmpty && empty == BoxTable() && empty.first == nil)
  }
}

extension BoxError.Problem {
  fileprivate var isCount: Bool { if case .wrongCount = self { true } else { false } }
}
