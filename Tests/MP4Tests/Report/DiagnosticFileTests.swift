import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Diagnostics name their input")
struct DiagnosticFileTests {
  /// One input without diagnostics, and one with all kinds of them.
  private func sources() -> [any ByteSource] {
    var plain = FragmentedFileBuilder([.video()])
    plain.addFragments(2)
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(fullBox("prft", zeros(16)), fullBox("emsg", zeros(30)))
    for time: UInt64 in [4096, 0] {
      file.addFragment { fragment in
        fragment.addTraf(2) {
          $0.decodeTime = time
          $0.boxes = box("uuid", zeros(24))
          $0.addRun(.samples(4))
        }
      }
    }
    return [MemorySource(plain.build().bytes, name: "video"), MemorySource(file.build().bytes, name: "sound")]
  }

  @Test("Omitted boxes and a changed order are reported for the second input")
  func progressive() throws {
    let result = try Output.defragmenting(sources())
    let own = result.diagnostics.filter { if case .combined = $0.kind { false } else { true } }
    #expect(own.count == 4 && own.allSatisfy { $0.file == "sound" }, "\(own)")
    let kinds = own.map(\.kind)
    #expect(kinds.contains(.reordered(fragments: 2)) && kinds.contains(.noPlace("prft", count: 1)))
    #expect(kinds.contains(.noPlace("emsg", count: 1)) && kinds.contains(.notCarried("uuid", count: 2)))
  }

  @Test("The same applies to fragmenting")
  func fragmented() throws {
    let movie = try Movie(reading: sources())
    let own = movie.diagnostics.filter { if case .combined = $0.kind { false } else { true } }
    #expect(!own.isEmpty && own.allSatisfy { $0.file == "sound" }, "\(own)")
    #expect(movie.tracks[1].inputName == "sound")
  }

  @Test("Segments that are longer than requested are reported for the reference track")
  func segments() throws {
    let movie = try Movie(reading: sources()).keeping(tracks: [1])
    #expect(movie.name == "sound" && movie.tracks[0].inputName == "sound")
  }
}
