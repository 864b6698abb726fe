import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Boxes outside the movie are kept. If they are damaged, the parser may have to guess where one ends and the next
/// begins, and the guess can change when the boxes have different neighbors.
@Suite("Boxes outside the movie are kept only if they can be read in the output")
struct KeptDamageTests {
  /// A file, and the boxes to insert before its second fragment or at its end.
  private struct Parts {
    let bytes: [UInt8]
    let fragment: [UInt8]
    let movie: [UInt8]
    let second: Int

    init() throws {
      bytes = try readFile(vectorPath("files/fragmented.mp4"))
      let boxes = try [Box](reading: MemorySource(bytes)).compactMap(\.header)
      let moofs = boxes.filter { $0.type == "moof" }
      let moov = try #require(boxes.first { $0.type == "moov" })
      second = moofs[1].offset
      fragment = Array(bytes[moofs[0].offset..<second])
      movie = Array(bytes[moov.offset..<moov.end])
    }

    func inserting(_ new: [UInt8]) -> [UInt8] { Array(bytes[..<second]) + new + Array(bytes[second...]) }
  }

  /// A box with a wrong size.
  private static func box(_ type: String, _ payload: [UInt8], size: Int) -> [UInt8] {
    big(UInt32(size)) + ascii(type) + payload
  }

  /// A box whose type is certainly not intended.
  private static let unnameable = big(UInt32(16)) + [0, 0, 0, 28] + ascii("ftypdash")

  enum Damage: String, CaseIterable {
    case fragmentInside, movieInside, insideInTheMiddle, sizeTooLarge, sizeTooSmall, firstSizeTooLarge, lastCutOff
    case lastWithFragmentCutOff, garbageBeforeBox, indexOverFragment
  }

  private func file(_ damage: Damage) throws -> [UInt8] {
    let parts = try Parts()
    switch damage {
    case .fragmentInside:
      return parts.bytes + Self.unnameable + Support.box("iso6", ascii("mp41avc1"), Array(parts.fragment.prefix(400)))
    case .movieInside:
      return parts.bytes + Self.unnameable + Support.box("iso6", ascii("mp41avc1"), Array(parts.movie.prefix(400)))
    case .insideInTheMiddle:
      return parts.inserting(Self.unnameable + Support.box("abcd", zeros(8), parts.fragment, parts.movie))
    case .sizeTooLarge: return parts.inserting(Self.box("sidx", zeros(60), size: 9200))
    case .sizeTooSmall: return parts.inserting(Self.box("abcd", zeros(60), size: 30))
    case .firstSizeTooLarge: return Self.box("ecam", zeros(65), size: 124) + parts.bytes
    case .lastCutOff: return parts.bytes + Self.box("uuid", zeros(100), size: 5000)
    case .lastWithFragmentCutOff: return parts.bytes + Self.box("abcd", parts.fragment, size: 1_000_000)
    case .garbageBeforeBox: return parts.inserting(Array(1...71) + Self.box("abcd", parts.fragment, size: 50))
    case .indexOverFragment:
      return parts.inserting(Self.box("sidx", zeros(20) + parts.fragment + parts.fragment, size: 9200))
    }
  }

  @Test("The output is readable regardless of their damage", arguments: Damage.allCases, Effort.some([1, 2], short: 1))
  func isReadWhole(_ damage: Damage, _ count: Int) throws {
    let bytes = try file(damage)
    let sources = Array(repeating: MemorySource(bytes, name: "in.mp4"), count: count)
    let round = RoundTrip(sources, "\(damage) in \(count)")
    try round.checkDefragmenting()
    var options = Defragmenter.Options()
    options.isMovieFirst = false
    try round.checkDefragmenting(options)
    try round.checkFragmenting()
    if count == 1 { try round.checkInPlace() }
  }

  /// A reader doubts the size of a box before such a type, and finds boxes in it. Before another type, it is kept.
  @Test(
    "A box whose type has control characters is omitted and reported; the others are kept",
    arguments: [Damage.fragmentInside, .movieInside])
  func omitted(_ damage: Damage) throws {
    let bytes = try file(damage)
    for inputs in [[bytes], [bytes, bytes]] {
      let sources = inputs.map { MemorySource($0, name: "in.mp4") }
      for isMovieFirst in [true, false] {
        var options = Defragmenter.Options()
        options.isMovieFirst = isMovieFirst
        let plan = try Defragmenter(options).plan(sources)
        let sink = MemorySink()
        try plan.write(to: sink)
        let types = try [Box](reading: MemorySource(sink.bytes)).map(\.type)
        #expect(types.count { $0 == "iso6" } == inputs.count, "\(types)")
        let losses = plan.diagnostics.filter { $0.severity == .error }.map(\.description)
        #expect(
          losses.count == inputs.count && losses.allSatisfy { $0.hasSuffix("are not a box; omitted") }, "\(losses)")
      }
    }
  }

  @Test("Boxes in a movie box that belong to the file level are omitted and reported")
  func misplaced() throws {
    var builder = FragmentedFileBuilder([.video()])
    builder.addFragment { $0.addTraf(1, .samples(4)) }
    let built = builder.build()
    let movie = try #require([Box](reading: MemorySource(built.initialization)).last?.header)
    let fragment = big(UInt32(24)) + ascii("moof") + fullBox("mfhd", zeros(4))
    let inside = fragment + big(UInt32(12)) + ascii("mdatdata") + big(UInt32(8)) + ascii("free")
    let size = big(UInt32(movie.size + inside.count))
    let initialization = built.initialization[..<movie.offset] + size + built.initialization[(movie.offset + 4)...]
    let result = try Output.defragmenting(Array(initialization) + inside, built.segments[0])
    #expect(result.texts(.note).filter { $0.contains("carried") }.count == 2, "\(result.diagnostics)")
    let boxes = try [Box](reading: MemorySource(result.bytes)).first { $0.type == "moov" }?.boxes.map(\.type) ?? []
    #expect(boxes.contains("free") && !boxes.contains("moof") && !boxes.contains("mdat"))
  }
}
