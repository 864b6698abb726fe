import Support
import Testing

@Suite("Comparison of the dump with mp4dump")
struct DumpGoldenTests {
  /// A complete output of mp4dump: `init/08-init.mp4.v1.txt` is the dump of `init/08-init.mp4` at verbosity 1.
  struct Golden: Sendable, CustomStringConvertible {
    let name: String
    let path: String
    var file: String { String(name.dropLast(7)) }
    var verbosity: Int { name.dropLast(4).last?.wholeNumberValue ?? 0 }
    var description: String { name }
  }

  static let goldens: [Golden] = {
    guard let corpusFolder else { return [] }
    let folder = corpusFolder + "/../golden/mp4dump/"
    return filesBelow(corpusFolder + "/../golden/mp4dump").map {
      Golden(name: String($0.dropFirst(folder.count)), path: $0)
    }
  }()

  @Test(
    "Our dump contains every line of mp4dump, in the same order and in the same box",
    .enabled(if: !goldens.isEmpty, "needs MP4TOOL_CORPUS with ../golden/mp4dump beside it"), arguments: goldens)
  func lines(_ golden: Golden) throws {
    let bytes = try readFile((corpusFolder ?? "") + "/" + golden.file)
    let ours = DumpBlock.all(of: try dumpText(bytes, verbosity: golden.verbosity))
    var next = 0
    for block in DumpBlock.all(of: try readFile(golden.path)) {
      guard let found = ours[next...].firstIndex(where: { $0.header == block.header }) else {
        Issue.record("no box \(block.header)")
        continue
      }
      next = found + 1
      // For a box that is too short, mp4dump shows numbers that are not in the file.
      let isDamaged = ours[found].fields.contains { $0.contains("!! ") }
      if isDamaged { continue }
      #expect(missing(from: ours[found].fields, of: Deviations.corrected(block)) == [], "in \(block.header)")
    }
  }

  /// The wanted lines that are missing or out of order.
  private func missing(from ours: [String], of wanted: [String]) -> [String] {
    var next = 0
    return wanted.filter { line in
      guard let found = ours[next...].firstIndex(of: line) else { return true }
      next = found + 1
      return false
    }
  }
}
