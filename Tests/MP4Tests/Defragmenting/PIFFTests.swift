import ISOBMFF
import MP4
import MP4FileIO
import Support
import Testing

@Suite("PIFF encryption")
struct PIFFTests {
  private static let key: [UInt8] = (1...16).map { $0 }
  private let vectors: [[UInt8]] = (1...5).map { Array(repeating: $0, count: 8) }
  private let subsample = big(UInt16(1)) + big(UInt16(3)) + big(UInt32(9))

  /// A video track whose samples are encrypted with 8-byte IVs.
  private func video() -> TrackSpec {
    let defaults = box(
      "uuid", PIFFTrackEncryptionBox.info.userType?.bytes ?? [], zeros(4), [0, 0, 1], [8], Self.key)
    let protection = box(
      "sinf", box("frma", ascii("avc1")), fullBox("schm", ascii("piff"), big(UInt32(0x1_0001))), box("schi", defaults))
    let entry = EntryBytes.visual("encv", width: 160, height: 90, protection)
    return TrackSpec.video().with(\.sampleEntries, [entry])
  }
  private func samples(_ vectors: [[UInt8]], override: (algorithm: UInt8, key: [UInt8])? = nil) -> [UInt8] {
    let parameters = override.map { [0, 0, $0.algorithm, 8] + $0.key } ?? []
    return box(
      "uuid", PIFFSampleEncryptionBox.info.userType?.bytes ?? [], big(UInt32(override == nil ? 2 : 3)), parameters,
      big(UInt32(vectors.count)), vectors.flatMap { $0 + subsample })
  }

  @Test("Row 26: PIFF sample information becomes auxiliary information, as with senc")
  func auxiliaryInformation() throws {
    var file = FragmentedFileBuilder([video()])
    file.addFragment { $0.addTraf(1, .samples(2), boxes: samples(Array(vectors[..<2]))) }
    file.addFragment { $0.addTraf(1, .samples(3), boxes: samples(Array(vectors[2...]), override: (1, Self.key))) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built.withAuxiliary(of: 1, vectors.map { $0 + subsample }))
    #expect(result.diagnostics.isEmpty)
    #expect(payloads(of: "saiz", in: result.bytes) == [zeros(4) + [16] + big(UInt32(5))])
    let saio = try #require(payloads(of: "saio", in: result.bytes).first)
    let offset = number(saio, 8)
    #expect(Array(result.bytes[offset..<(offset + 80)]) == vectors.flatMap { $0 + subsample })
  }

  @Test(
    "A fragment with another key or algorithm is reported",
    arguments: [(1, 9), (2, 1), (0, 1)] as [(UInt8, UInt8)])
  func otherParameters(_ algorithm: UInt8, _ first: UInt8) throws {
    let key = [first] + Self.key.dropFirst()
    var file = FragmentedFileBuilder([video()])
    file.addFragment { $0.addTraf(1, .samples(2), boxes: samples(Array(vectors[..<2]))) }
    file.addFragment { $0.addTraf(1, .samples(3), boxes: samples(Array(vectors[2...]), override: (algorithm, key))) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    // The information stays with its samples: only the key is missing.
    check(result, built.withAuxiliary(of: 1, vectors.map { $0 + subsample }))
    #expect(
      result.texts(.error) == [
        "init.mp4: track 1: 1 fragment is encrypted with different parameters from the track, which a progressive file "
          + "cannot express"
      ])
  }

  @Test("A segment with its init segment in another file is read with the IV size that fits")
  func segments() throws {
    var file = FragmentedFileBuilder([video()])
    file.addFragment { $0.addTraf(1, .samples(2), boxes: samples(Array(vectors[..<2]))) }
    let built = file.build()
    let result = try Output.defragmenting(named([built.initialization] + built.segments))
    #expect(payloads(of: "saiz", in: result.bytes) == [zeros(4) + [16] + big(UInt32(2))])
  }

  @Test("Samples without the IVs that they need are reported, and nothing is lost")
  func noVectors() throws {
    var file = FragmentedFileBuilder([video(), .audio()])
    file.addFragment {
      $0.addTraf(1, .samples(2))
      $0.addTraf(2, .samples(2))
    }
    file.addFragment { $0.addTraf(1, .samples(3)) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    #expect(
      result.diagnostics.map(\.description) == [
        "init.mp4: track 1: the encryption data (senc, or saiz and saio) of 5 samples is missing; they cannot be "
          + "decrypted from this input"
      ])
    #expect(result.diagnostics.map(\.severity) == [.warning])
    // A fragment that has them declares the other samples to be unencrypted.
    file.addFragment { $0.addTraf(1, .samples(2), boxes: samples(Array(vectors[..<2]))) }
    #expect(try Output.defragmenting(file.build().bytes).diagnostics.isEmpty)
  }
}
