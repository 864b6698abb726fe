import MP4
import MP4Inspection
import Support
import Testing

@Suite("Sidecars of hashes")
struct HashSidecarTests {
  @Test("Every name is read back", arguments: HashAlgorithm.allCases)
  func names(algorithm: HashAlgorithm) {
    let all = [UInt8](1...255)
    for name in [all, Array("a) = (b".utf8), Array("\\".utf8), Array("\n".utf8), Array("track 1 samples (".utf8), [32]]
    {
      let entry = HashSidecar.Entry(
        file: name, track: .max, kind: .samplesAndTimes, algorithm: algorithm,
        digest: Array(repeating: 0xa5, count: algorithm.byteCount))
      let sidecar = HashSidecar(entry.line + Array("# comment\n\n".utf8) + entry.line)
      #expect(sidecar.entries == [entry, entry] && sidecar.invalidLines.isEmpty)
    }
  }

  @Test("Lines that are not valid are counted")
  func invalid() {
    let hash = String(repeating: "0", count: 16)
    let lines = [
      "XXH64 (a) = \(hash)", "XXH64 track 1 samples () = \(hash)", "XXH64 track 1 samples (a) = 0\(hash)",
      "XXH64 track 4294967296 samples (a) = \(hash)", "XXH64 track -1 samples (a) = \(hash)",
      "XXH32 track 1 samples (a) = \(hash)", "XXH64 track 1 times (a) = \(hash)",
      "\\XXH64 track 1 samples (\\x) = \(hash)",
      "XXH64 track 1 samples (a) = \(hash)x", "XXH64 track 1 samples (a)= \(hash)", "(", "=", ") = ", "(=", "\\",
      "XXH64 track 1 samples (a\0) = \(hash)", "XXH64  track 1 samples (a) = \(hash)",
    ]
    let sidecar = HashSidecar(Array((lines.joined(separator: "\n") + "\r\nXXH64 track 1 samples (a) = \(hash)\r").utf8))
    #expect(sidecar.invalidLines == Array(1...lines.count))
    #expect(sidecar.entries.map(\.file) == [[97]])
  }

  @Test("Random changes of a line never cause a trap")
  func random() {
    let line = Array("\\SHA256 track 12 samples+times (a\\\\b) = \(String(repeating: "0f", count: 32))\n".utf8)
    #expect(HashSidecar(line).entries.count == 1)
    for seed in 0..<2000 as Range<UInt64> {
      var (random, bytes) = (SplitMix64(seed: seed), line)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        if Bool.random(using: &random) {
          bytes.remove(at: place)
        } else {
          bytes[place] = line.randomElement(using: &random) ?? 0
        }
      }
      let sidecar = HashSidecar(bytes)
      for entry in sidecar.entries { #expect(HashSidecar(entry.line).entries == [entry]) }
    }
  }
}
