import Support
import Testing

@Suite("The amount of data read", .enabled(if: Effort.has("strace"), "needs MP4TOOL_TESTS=all and strace"))
struct CLIReadingTests {
  /// The total number of bytes that a command line reads from files whose name ends in `.mp4`.
  private func bytesRead(_ line: String, _ shell: EndToEnd) throws -> (bytes: Int, calls: Int) {
    let result = try shell("strace -qq -y -o trace -e trace=read,pread64 \(line) > /dev/null; cat trace")
    #expect(result.exitCode == 0)
    let counts = result.lines.filter { $0.contains(".mp4>") }.compactMap { line in
      line.split(separator: "=").last.flatMap { Int($0.drop { $0 == " " }) }
    }
    return (counts.reduce(0, +), counts.count)
  }

  @Test("A dump reads the moofs and at most 4 KiB of each mdat, with at most two calls per fragment")
  func dump() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<300 {
      file.addFragment { fragment in
        fragment.addTraf(1, .samples(10, size: 3000))
        fragment.addTraf(2, .samples(20, size: 300))
      }
    }
    let built = file.build()
    let media = built.samples.values.joined().reduce(0) { $0 + $1.payload.count }
    let shell = try EndToEnd()
    try shell.folder.write("long.mp4", built.bytes)
    for options in ["", "--verbosity 3", "--format json"] {
      let (bytes, calls) = try bytesRead("mp4tool dump \(options) long.mp4", shell)
      #expect(bytes > 300 * 100)
      #expect(bytes <= built.bytes.count - media + 300 * 4096)
      #expect(bytes < built.bytes.count / 4)
      #expect(calls <= 620)
    }
  }

  @Test("defrag plans without media data, and reads each byte once to copy it")
  func defrag() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(20, samples: 4)
    file.addFragment { $0.addTraf(1, .samples(40, size: 100_000)) }
    let built = file.build()
    let shell = try EndToEnd()
    try shell.folder.write("long.mp4", built.bytes)
    let planned = try bytesRead("mp4tool defrag --dry-run long.mp4", shell)
    #expect(planned.bytes < 200_000)
    let copied = try bytesRead("mp4tool defrag long.mp4 -o out.mp4", shell)
    #expect(copied.bytes < built.bytes.count + 200_000)
  }
}
