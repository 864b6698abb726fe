import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Damaged boxes")
struct DamageTests {
  @Test("Any part of an empty payload is an error or a payload", arguments: PayloadCase.all)
  func truncatedEmptyPayloads(_ box: PayloadCase) throws {
    var failed = 0
    for payload in Effort.some(box.empty, short: 8) {
      let bytes = try payload.encoded()
      for count in 0..<bytes.count where roundTrip(box.declaration, Array(bytes.prefix(count))) == nil { failed += 1 }
    }
    // Without damage, only optional fields and the zero byte of a string can be cut off.
    let isNearlyEmpty = try box.declaration.blank.encoded().count < 2
    #expect(failed > 0 || isNearlyEmpty || box.type == MetaBox.self)
  }

  @Test("Random bytes are an error or a payload that is written back", arguments: PayloadCase.all)
  func randomBytes(_ box: PayloadCase) throws {
    var random = SplitMix64(seed: UInt64(box.info.type.rawValue))
    let empty = try box.declaration.blank.encoded()
    var decoded = 0
    let count = Effort.count(short: 100, all: 300)
    for _ in 0..<count {
      // Small numbers give counts that fit.
      let tail = random.bytes(Int(random.next() % 80)).map { random.next() % 3 == 0 ? $0 : $0 & 3 }
      let start = empty.prefix(Int(random.next() % UInt64(empty.count + 1)))
      if roundTrip(box.declaration, start + tail) != nil { decoded += 1 }
    }
    #expect(decoded > 0)
  }

  @Test("Any part of a vector is an error or a payload", arguments: vectors())
  func truncatedVectors(_ vector: Vector) throws {
    for count in Effort.some(Array(vector.bytes.indices), short: 4) { try dump(Array(vector.bytes.prefix(count))) }
    guard let type = vector.payload else { return }
    for end in Effort.some(Array(8..<vector.bytes.count), short: 16) { roundTrip(type, Array(vector.bytes[8..<end])) }
  }

  @Test("Mutations of a vector are errors or payloads", arguments: vectors())
  func mutatedVectors(_ vector: Vector) throws {
    var random = SplitMix64(seed: vector.bytes.reduce(1) { $0 &* 31 &+ UInt64($1) })
    let type = vector.payload
    for _ in 0..<Effort.count(short: 5, all: 100) {
      let bytes = mutated(vector.bytes, &random)
      try dump(bytes)
      if let type, bytes.count >= 8 { roundTrip(type, Array(bytes[8...])) }
    }
  }

  @Test("Mutations of an empty payload are errors or payloads", arguments: PayloadCase.all)
  func mutatedEmptyPayloads(_ box: PayloadCase) throws {
    var random = SplitMix64(seed: UInt64(box.info.type.rawValue) + 1)
    let empty = box.empty
    for _ in 0..<Effort.count(short: 20, all: 300) {
      let bytes = try empty[Int(random.next() % UInt64(empty.count))].encoded()
      roundTrip(box.declaration, mutated(bytes + random.bytes(Int(random.next() % 20)), &random))
    }
  }

  @Test("A count larger than the box is reported before memory is allocated")
  func countTooLarge() {
    var bytes = zeros(4) + big(UInt32.max) + zeros(16)
    let problem = BoxError(
      .countTooLarge(Int(UInt32.max), entrySize: 8, left: 16), field: "entries", offset: 108)
    #expect(throws: problem) { try TimeToSampleBox(decoding: bytes[...], at: 100) }
    #expect(problem.description == "entries at byte 108 counts 4294967295 entries of 8 bytes but 16 bytes are left")
    bytes.removeLast(13)
    #expect(throws: BoxError(.truncated(needed: 4, left: 3), field: "entry_count", offset: 104)) {
      try TimeToSampleBox(decoding: bytes[..<7], at: 100)
    }
  }

  @Test("Rows without bytes are not iterated over")
  func rowsWithoutBytes() throws {
    let run = try TrackRunBox(decoding: (zeros(4) + big(UInt32.max))[...])
    #expect(run.sampleCount == .max)
    let groups = try SampleGroupDescriptionBox(decoding: (zeros(4) + ascii("tsas") + big(UInt32.max))[...])
    #expect(groups.entryCount == .max && groups.entries.isEmpty)
  }

  private func dump(_ bytes: [UInt8]) throws {
    var dump = BoxDump(MemorySource(bytes))
    _ = try dump.run(to: DevNull())
  }
}

/// `bytes` with one to four changes that typically break readers.
func mutated(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
  var bytes = bytes
  for _ in 0...(random.next() % 4) where !bytes.isEmpty {
    let at = Int(random.next() % UInt64(bytes.count))
    switch random.next() % 6 {
    case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes[at] ^= 1 << UInt8(random.next() % 8)
    case 2: bytes[at] = [0, 1, 0x7f, 0x80, 0xff][Int(random.next() % 5)]
    case 3: for i in at..<min(at + 4, bytes.count) { bytes[i] = 0xff }
    case 4: bytes.removeSubrange(at..<min(bytes.count, at + 1 + Int(random.next() % 8)))
    default: bytes.insert(contentsOf: random.bytes(1 + Int(random.next() % 8)), at: at)
    }
  }
  return bytes
}
