import Support
import Testing

@Suite("Progress and messages, end to end")
struct CLIProgressTests {
  @Test("Long work shows progress as lines on request, and nowhere else")
  func progress() throws {
    let shell = try EndToEnd()
    var file = FragmentedFileBuilder([.video()])
    for _ in 0..<600 { file.addFragment { $0.addTraf(1, .samples(10, size: 900)) } }
    try shell.folder.write("long.mp4", file.build().bytes)
    // Inputs that take more than two seconds to arrive after the tool starts to read: no pipe buffers a part of them.
    let result = try shell(
      """
      slow() { (for part in 1 2 3 4 5; do head -c 1000000; sleep 0.5; done; cat) < long.mp4; }
      slow | mp4tool defrag --progress - -o 1.mp4 2> shown & a=$!
      slow | mp4tool defrag - -o 2.mp4 2> silent & b=$!
      slow | mp4tool defrag --progress --quiet - -o 3.mp4 2> quiet & c=$!
      for tool in $a $b $c; do wait $tool; echo $?; done
      """)
    #expect(result.lines == ["0", "0", "0"])
    let shown = String(decoding: try shell.bytes("shown"), as: UTF8.self).split(separator: "\n")
    #expect(shown.contains { $0.hasPrefix("reading: ") })
    #expect(shown.allSatisfy { $0.hasSuffix("B/s") })
    #expect(try shell.bytes("silent") == [])
    #expect(try shell.bytes("quiet") == [])
  }

  @Test("--quiet suppresses notes and warnings, but neither findings nor errors")
  func quiet() throws {
    let shell = try EndToEnd()
    let lines: [(line: String, code: Int32, loud: Int, quiet: Int)] = [
      ("defrag $V/progressive.mp4 -o out.mp4", 0, 1, 0),
      ("join $V/hls/init.mp4 $V/hls/segment[31].m4s -o out.mp4", 0, 1, 0),
      ("join $V/hls/init.mp4 $V/hls/segment3.m4s $V/hls/segment1.m4s -o out.mp4", 0, 2, 0),
      ("defrag cut.mp4 -o out.mp4", 1, 3, 3),
      ("defrag none.mp4 -o out.mp4", 66, 1, 1),
      ("dump cut.mp4", 1, 1, 1),
    ]
    _ = try shell("head -c 30000 in.mp4 > cut.mp4")
    for (line, code, loud, quiet) in lines {
      let normal = try shell("mp4tool \(line)")
      #expect(normal.exitCode == code)
      #expect(normal.errorLines.count == loud, "\(line)")
      let silent = try shell("mp4tool --quiet \(line)")
      #expect(silent.exitCode == code)
      #expect(silent.errorLines.count == quiet, "\(line)")
      #expect(silent.output == normal.output)
    }
  }

  @Test("--verbose reports the size of the output")
  func verbose() throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool defrag -v in.mp4 -o out.mp4")
    #expect(result.errorText == "mp4tool: note: out.mp4: \(try shell.bytes("out.mp4").count) bytes\n")
  }
}
