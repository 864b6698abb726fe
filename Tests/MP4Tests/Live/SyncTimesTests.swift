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
    var reader = LiveReader("live")
    reader.append(file.bytes[...])
    var parts: [LiveFragment.Part] = []
    while let event = try reader.next() {
      if case .fragment(let fragment) = event { parts += fragment.parts }
    }
    #expect(parts.map(\.syncTimes.count) == [Int(count)])
    #expect(parts.map(\.syncTimes.last) == [Int64(count - 1) * 10])
  }
}
