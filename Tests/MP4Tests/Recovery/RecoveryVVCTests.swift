import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Recovery of H.266")
struct RecoveryVVCTests {
  /// These bits as bytes, followed by a 1 and zeros.
  private func bytes(_ bits: String) -> [UInt8] {
    var bits = bits + "1"
    while bits.utf8.count % 8 > 0 { bits += "0" }
    let digits = Array(bits.utf8)
    return stride(from: 0, to: digits.count, by: 8).map { start in
      digits[start..<start + 8].reduce(0) { $0 << 1 | ($1 - 0x30) }
    }
  }
  private func unit(_ type: Int, layer: Int = 1, _ contents: [UInt8]) -> [UInt8] {
    [0, UInt8(type << 3 | layer)] + contents
  }

  /// The parameter sets contain no profile and level; the picture order count has 8 bits. The picture parameter set has
  /// ID 1.
  private var parameterSets: [[UInt8]] {
    let size = "0000001000001"
    return [
      unit(15, bytes("0000" + "0000" + "000" + "01" + "10" + "000" + size + size + "00" + "011" + "00" + "0100")),
      unit(16, bytes("000001" + "0000" + "00")),
    ]
  }

  private struct Picture {
    /// The NAL unit type of its slices.
    var type: Int
    var order: Int
    var layer = 1
    var isReference = true
    /// Its position in output order.
    var rank: Int
  }

  /// Groups of 8 pictures that reference each other. Each starts with a CRA picture or, rarely, with an IDR picture
  /// whose order count is not 0. The order count exceeds 8 bits.
  private var pictures: [Picture] {
    var result: [Picture] = []
    var (base, rank) = (0, 0)
    for group in 0..<48 {
      if group % 40 == 0 {
        base = group / 8
        result.append(Picture(type: group == 0 ? 8 : 7, order: base, rank: rank))
        rank += 1
      }
      for step in [8, 4, 2, 1, 3, 6, 5, 7] {
        let isLeading = group % 3 == 1
        let type = step == 8 ? isLeading ? 9 : 0 : isLeading ? 3 : 0
        result.append(
          Picture(
            type: type, order: base + step, layer: step == 8 ? 1 : step == 4 ? 2 : 3, isReference: step % 2 == 0,
            rank: rank + step - 1))
      }
      base += 8
      rank += 8
    }
    return result
  }

  private func sample(_ picture: Picture, _ random: inout SplitMix64, hasHeaders: Bool) -> [UInt8] {
    let isStart = 7...10 ~= picture.type
    var header = (isStart ? "1" : "0") + (picture.isReference ? "0" : "1") + (isStart ? "00" : "11") + "010"
    for bit in 0..<8 { header += picture.order >> (7 - bit) & 1 == 1 ? "1" : "0" }
    func media() -> [UInt8] { (0..<40 + Int(random.next() % 200)).map { _ in UInt8(random.next() % 250 + 4) } }
    var units: [[UInt8]] = []
    if hasHeaders {
      units = [unit(20, [0x28]), unit(19, layer: picture.layer, bytes(header))]
      for _ in 0..<2 { units.append(unit(picture.type, layer: picture.layer, [0x7f] + media())) }
      units.append(unit(24, layer: picture.layer, [5, 1, 9, 0x80]))
    } else {
      if isStart { units.append(unit(17, media())) }
      units.append(unit(picture.type, layer: picture.layer, bytes("1" + header) + media()))
    }
    return units.flatMap { big(UInt32($0.count)) + $0 }
  }

  /// A file with the pictures.
  private func file(_ random: inout SplitMix64, hasHeaders: Bool) throws -> [UInt8] {
    var configuration = VVCConfigurationBox()
    configuration.arrays = parameterSets.map { set in
      var array = VVCConfigurationBox.NALArray()
      array.nalUnitType = set[1] >> 3
      var unit = HEVCConfigurationBox.NALUnit()
      unit.bytes = set
      array.nalUnits = [unit]
      return array
    }
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (64, 64)
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    let track = try writer.add(.init(Box(entry, type: "vvc1", boxes: [Box(configuration)]), timescale: 250))
    for (index, picture) in pictures.enumerated() {
      let offset = Int64(picture.rank - index + 4) * 10
      try writer.append(
        sample(picture, &random, hasHeaders: hasHeaders), to: track, duration: MediaTime(10, 250),
        compositionOffset: MediaTime(offset, 250), isSync: 7...9 ~= picture.type)
    }
    try writer.finish()
    return sink.bytes
  }

  @Test(
    "Pictures are found by picture headers in separate units and in slices, with their output order",
    arguments: [true, false])
  func pictures(hasHeaders: Bool) throws {
    var random = SplitMix64(seed: 266)
    let good = try file(&random, hasHeaders: hasHeaders)
    let whole = try file(&random, hasHeaders: hasHeaders)
    let broken = try #require(try BrokenFile(whole))
    let recovery = try Recovery(
      of: MemorySource(broken.bytes, name: "broken"), like: MemorySource(good, name: "good"))
    let score = broken.score(recovery)
    #expect(score.share == 1 && score.wrong == 0, "\(score)")
    let sink = MemorySink()
    try recovery.write(to: sink)
    let found = try #require(try Movie(reading: [MemorySource(sink.bytes)]).tracks.first)
    let original = try #require(try Movie(reading: [MemorySource(whole)]).tracks.first)
    #expect(found.codecs == original.codecs && found.samples.count == original.samples.count)
    for (sample, expected) in zip(found.samples, original.samples) {
      guard sample.compositionOffset == expected.compositionOffset, try sample.bytes() == expected.bytes() else {
        Issue.record("\(sample.index): \(sample.compositionOffset), not \(expected.compositionOffset)")
        break
      }
    }
  }

  @Test("Pictures after damage are found, and slices of other parameter sets are ignored")
  func damage() throws {
    var random = SplitMix64(seed: 2)
    let whole = try file(&random, hasHeaders: true)
    var broken = try #require(try BrokenFile(whole))
    let middle = broken.bytes.count / 2
    for index in middle..<middle + 2000 { broken.bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
    let recovery = try Recovery(
      of: MemorySource(broken.bytes, name: "broken"), like: MemorySource(whole, name: "good"))
    let score = broken.score(recovery)
    // The pictures at both ends of the damage are incomplete.
    #expect(score.share > 0.9 && score.wrong <= 2 && recovery.unknownByteCount > 0, "\(score)")
    var other = whole
    let set = try #require(whole.indices.first { whole[$0...].starts(with: parameterSets[1]) })
    other[set + 2] = 0x08
    let none = try? Recovery(of: MemorySource(broken.bytes, name: "broken"), like: MemorySource(other, name: "good"))
    #expect(none.map { broken.score($0).share } ?? 0 == 0)
  }
}
