import Support
import Testing

@Suite("Dumps of the vectors")
struct DumpVectorTests {
  static let files = [
    "hls/init.mp4", "hls/segment1.m4s", "encrypted-cenc.mp4", "progressive.mov", "ismv.ismv", "negative-cts.mp4",
  ]

  @Test("The text dump is unchanged at each verbosity", arguments: files, 0...3)
  func text(_ file: String, verbosity: Int) throws {
    let output = try dumpText(readFile(vectorPath("files/" + file)), verbosity: verbosity)
    try compare(output, "dump --verbosity \(verbosity) \(file)", "\(name(file)).v\(verbosity).txt")
  }

  @Test("The JSON dump is unchanged", arguments: files)
  func json(_ file: String) throws {
    try compare(
      dumpJSON(readFile(vectorPath("files/" + file))), "dump --format json \(file)", "\(name(file)).json.txt")
  }

  private func name(_ file: String) -> String { file.split(separator: "/").joined(separator: "-") }

  /// Compares with a golden file, whose first line is the command; `UPDATE_GOLDEN=1` writes it.
  private func compare(_ output: [UInt8], _ command: String, _ golden: String) throws {
    let whole = ascii("$ mp4tool \(command)\n") + output
    let path = vectorPath("golden/dump/" + golden)
    if environment("UPDATE_GOLDEN") == "1" { try writeFile(path, whole) }
    let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n")
    let wanted = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
    let first = zip(lines, wanted).first { $0 != $1 }
    #expect(first == nil, "the first line that differs; UPDATE_GOLDEN=1 rewrites \(golden)")
    #expect(lines.count == wanted.count)
  }
}
