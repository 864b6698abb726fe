import MP4Bytes
import Support
import Testing

@testable import MP4

@Suite("Times of sync samples")
struct SyncTimesTests {
  @Test("They are those of an array, however they are appended and clipped")
  func sameAsArray() {
    var random = SplitMix64(seed: 11)
    for _ in 0..<200 {
      var (times, array) = (LiveFragment.SyncTimes(), [Int64]())
      var time = Int64(random.next() % 50) - 25
      for _ in 0..<(random.next() % 12) {
        let (distance, count) = (Int64(random.next() % 4), Int(random.next() % 4))
        times.append(from: time, every: distance, count: count)
        for _ in 0..<count {
          array.append(time)
          time += distance
        }
        time += Int64(random.next() % 3) * 5
      }
      #expect(Array(times) == array)
      let start = Int64(random.next() % 100) - 30
      let range = start..<(start + Int64(random.next() % 40))
      #expect(Array(times.clipped(to: range)) == array.filter(range.contains))
      let distinct = array.indices.filter { $0 == 0 || array[$0] != array[$0 - 1] }.map { array[$0] }
      #expect(times.lastTwo == distinct.suffix(2))
    }
  }

  @Test("A fragment of a few bytes that declares 500 million samples takes no memory for them")
  func manySamples() throws {
    var file = HostileFile()
    file.sampleSize = 31
    let count: UInt32 = 500_000_000
    file.boxes = [HostileFile.moof(HostileFile.traf(1, at: 0, HostileFile.trun(count))), box("mdat", zeros(10))]
    let parts = try parts(file)
    #expect(parts.map(\.syncTimes.count) == [Int(count)])
    #expect(parts.map(\.syncTimes.last) == [Int64(count - 1) * 10])
  }

  @Test("Whether a fragment is independent takes no time for samples that are equal", .timeLimit(.minutes(1)))
  func endlessMoment() throws {
    // Four billion samples at the same time, of which only the first is a sync sample.
    let tfhd = fullBox("tfhd", flags: 0x2_0020, big(UInt32(1)), big(UInt32(0x101_0000)))
    let trun = fullBox("trun", flags: 5, big(UInt32.max), zeros(4), big(UInt32(0x200_0000)))
    var file = HostileFile()
    file.sampleDuration = 0
    file.boxes = [HostileFile.moof(box("traf", tfhd, fullBox("tfdt", zeros(4)), trun)), box("mdat", zeros(10))]
    #expect(try parts(file).map(\.sampleCount) == [Int(UInt32.max)])
  }

  @Test("A fragment is independent if no sample before the next sync sample is presented before its first one")
  func independence() throws {
    var random = SplitMix64(seed: 23)
    var counts = [0, 0]
    for _ in 0..<2000 {
      let flags = [0x200_0000, 0x101_0000, 0x101_0000, 0xd01_0000] as [UInt32]
      let rows = (0..<(1 + random.next() % 9)).map { _ in
        (
          duration: UInt32(random.next() % 3), flags: flags[Int(random.next() % 4)],
          offset: Int32(random.next() % 6) - 2
        )
      }
      let table = rows.flatMap { big($0.duration) + big($0.flags) + big(UInt32(bitPattern: $0.offset)) }
      let trun = fullBox("trun", version: 1, flags: 0xd01, big(UInt32(rows.count)), zeros(4), table)
      var file = HostileFile()
      file.boxes = [HostileFile.moof(HostileFile.traf(1, at: 0, trun)), box("mdat", zeros(10))]
      let expected = isIndependent(rows)
      counts[expected ? 1 : 0] += 1
      #expect(try parts(file).map(\.isIndependent) == [expected], "\(rows)")
    }
    #expect(counts.allSatisfy { $0 > 100 })
  }

  private func isIndependent(_ rows: [(duration: UInt32, flags: UInt32, offset: Int32)]) -> Bool {
    guard rows[0].flags == 0x200_0000 else { return false }
    let first = Int64(rows[0].offset)
    var time = Int64(rows[0].duration)
    for row in rows.dropFirst() {
      if row.flags == 0x200_0000 || time > first { return true }
      // 0xd01_0000 is a leading picture that can be decoded.
      if time + Int64(row.offset) < first, row.flags != 0xd01_0000 { return false }
      time += Int64(row.duration)
    }
    return true
  }

  private func parts(_ file: HostileFile) throws -> [LiveFragment.Part] {
    var reader = LiveReader("live")
    reader.append(file.bytes[...])
    var parts: [LiveFragment.Part] = []
    while let event = try reader.next() {
      if case .fragment(let fragment) = event { parts += fragment.parts }
    }
    return parts
  }
}
