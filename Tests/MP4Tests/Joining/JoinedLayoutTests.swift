import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import ISOBMFF
@testable import MP4

@Suite("The parts of a join")
struct JoinedLayoutTests {
  @Test("Thousands of omitted movie boxes and changed boxes are iterated over once")
  func many() throws {
    let count = 20_000
    let source = MemorySource(zeros(40 * count))
    func header(_ type: FourCC, at offset: Int, size: Int) -> BoxHeader {
      BoxHeader(offset: offset, declaredSize: UInt64(size == 24 ? 99 : size), size: size, form: .compact, type: type)
    }
    var contents = SourceContents()
    contents.fileTypes = (0..<count).map { header("ftyp", at: 40 * $0, size: 8) }
    contents.repeatedMovies = (0..<count).map { header("moov", at: 40 * $0 + 8, size: 8) }
    contents.openEnds = (0..<count).map { header("mdat", at: 40 * $0 + 16, size: 24) }
    let presentation = MovieInput(
      sources: [source, source], groups: [], contents: [contents, contents],
      fragments: FragmentTable(), diagnostics: [])
    let clock = WorkClock()
    let plan = try JoinedLayout(presentation, [0, 1]).plan([])
    #expect(clock.elapsed < .seconds(10))
    // Everything except for the movie boxes and the file type boxes before them; every size is right except for that of
    // the last box.
    #expect(plan.byteCount == 2 * 24 * count)
    let sizes = plan.parts.reduce(0) { if case .bytes(let bytes) = $1, number(bytes, 0) == 24 { $0 + 1 } else { $0 } }
    #expect(sizes == 2 * count - 1)
  }
}
