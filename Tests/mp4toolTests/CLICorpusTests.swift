import Support
import Testing

@Suite("Every file of the corpus", .enabled(if: corpus != nil, "MP4TOOL_CORPUS names no folder"))
struct CLICorpusTests {
  /// The address space of a trivial run plus 512 MB, in steps of 64 MB, in the units of `ulimit -v`.
  private func kilobytes(_ shell: EndToEnd) throws -> Int {
    for own in stride(from: 1 << 16, through: 1 << 21, by: 1 << 16) {
      if try shell("ulimit -v \(own); mp4tool --version 2>/dev/null").exitCode == 0 { return own + 512 << 10 }
    }
    throw Unlimited()
  }
  private static let jsonReaders =
    (which("jq") == nil ? [] : ["jq . < out > /dev/null 2>&1"])
    + (which("python3") == nil
      ? [] : ["python3 -c 'import json, sys; sys.setrecursionlimit(100000); json.load(sys.stdin)' < out"])
    + (jsonReader == nil ? ["true"] : [])
  private struct Unlimited: Error {}

  @Test(
    "Dump, JSON and defrag take at most 5 seconds and 512 MB, with exit code 0, 1 or 65",
    // Two at a time, because each is a series of short runs.
    arguments: [0, 1])
  func survives(half: Int) throws {
    let files = filesBelow(try #require(corpus)).enumerated().filter { $0.offset % 2 == half }.map(\.element)
    #expect(files.count > 100)
    let shell = try EndToEnd()
    let script = """
      ulimit -Sv \(try kilobytes(shell))
      check() { # the file, what was run, its exit code
        case $3 in 0|1|65) ;; *) echo "$1: $2 ended with $3";; esac
      }
      valid() { # jq 1.6 gives up at a nesting of 256, which is no fault of the JSON
        (ulimit -Sv unlimited; \(Self.jsonReaders.joined(separator: " || ")))
      }
      limited() { (ulimit -St 5; exec "$@"); } # processor time, whatever else the machine does
      while IFS= read -r file; do
        limited mp4tool dump "$file" > out 2>errors; check "$file" dump $?
        limited mp4tool dump --verbosity 3 "$file" > out 2>errors; check "$file" 'dump --verbosity 3' $?
        limited mp4tool dump --format json "$file" > out 2>errors; code=$?; check "$file" 'dump --format json' $code
        test $code = 65 || valid || echo "$file: no valid JSON"
        rm -f out.mp4; limited mp4tool defrag "$file" -o out.mp4 > out 2>errors; code=$?; check "$file" defrag $code
        case $code in 0|1) test -s out.mp4 || echo "$file: no output";; *) test ! -e out.mp4 || echo "$file: output in spite of $code";; esac
        test $code = 0 || test -s errors || echo "$file: no message"
      done < files
      """
    try shell.folder.write("files", Array((files.joined(separator: "\n") + "\n").utf8))
    let result = try shell(script)
    #expect(result.description == "exit code 0\n\n")
  }
}

/// The folder with real files that are not part of this package.
private let corpus: String? = environment("MP4TOOL_CORPUS").flatMap { filesBelow($0).isEmpty ? nil : $0 }
