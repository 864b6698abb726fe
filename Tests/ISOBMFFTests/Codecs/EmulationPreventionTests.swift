import ISOBMFF
import Support
import Testing

@Suite("Emulation prevention")
struct EmulationPreventionTests {
  /// A reference implementation that goes byte by byte.
  private func expected(_ bytes: ArraySlice<UInt8>, limit: Int) -> (plain: [UInt8], rawCount: Int) {
    var (plain, zeroCount, rawCount): ([UInt8], Int, Int) = ([], 0, 0)
    for byte in bytes where plain.count < limit {
      rawCount += 1
      if zeroCount >= 2, byte == 3 {
        zeroCount = 0
      } else {
        zeroCount = byte == 0 ? zeroCount + 1 : 0
        plain.append(byte)
      }
    }
    return (plain, rawCount)
  }

  @Test("Each 3 after two zeros is removed, and nothing else")
  func removed() {
    func plain(_ bytes: [UInt8]) -> [UInt8] { Array(EmulationPrevention.removed(from: bytes[...]).plain) }
    #expect(plain([]) == [] && plain([3]) == [3] && plain([0, 3]) == [0, 3])
    #expect(plain([0, 0, 3]) == [0, 0] && plain([0, 0, 3, 1]) == [0, 0, 1])
    #expect(plain([0, 0, 3, 0, 0, 3, 2]) == [0, 0, 0, 0, 2] && plain([0, 0, 0, 3, 3]) == [0, 0, 0, 3])
    #expect(plain([0, 0, 3, 0, 3]) == [0, 0, 0, 3])
    var random = SplitMix64(seed: 3)
    for round in 0..<2000 {
      let bytes = (0..<round % 40).map { _ in UInt8([0, 0, 0, 3, 3, 1, 255][Int(random.next() % 7)]) }
      let slice = bytes.dropFirst(round % 3)
      for limit in [0, 1, round % 17, .max] {
        let (result, known) = (EmulationPrevention.removed(from: slice, limit: limit), expected(slice, limit: limit))
        #expect(Array(result.plain) == known.plain && result.rawCount == known.rawCount, "\(slice), \(limit)")
      }
    }
  }
}
