import Testing

@testable import mp4tool

@Suite("Progress")
struct ProgressTests {
  /// The output if progress is reported at the given milliseconds, one million bytes each time.
  private func shown(_ mode: Progress.Mode, isTerminal: Bool, at times: [Int]) throws -> String {
    try Files.capture { descriptor in
      var now = 5_000_000
      let stream = ErrorStream(descriptor: descriptor, isTerminal: isTerminal, usesColour: false)
      let progress = Progress(stream: stream, mode: mode) { now }
      progress.begin("out.mp4", total: 4_000_000_000)
      for time in times {
        now = 5_000_000 + time
        progress.update(to: time * 1_000_000)
      }
      progress.end()
      progress.update(to: 4_000_000_000)
    }
  }

  @Test("Short work shows nothing")
  func shortWork() throws {
    #expect(try shown(.automatic, isTerminal: true, at: [0, 500, 999]) == "")
  }

  @Test("Long work shows a line that changes at most ten times a second and is removed at the end")
  func longWork() throws {
    #expect(
      try shown(.automatic, isTerminal: true, at: [999, 1000, 1050, 1099, 2000])
        == "\rout.mp4: 25 %  1.0 GB of 4.0 GB  1.0 GB/s  0:03 left\u{1b}[K"
        + "\rout.mp4: 50 %  2.0 GB of 4.0 GB  1.0 GB/s  0:02 left\u{1b}[K" + "\r\u{1b}[K")
  }

  @Test("Without a terminal, progress is shown only on request, as lines")
  func withoutTerminal() throws {
    #expect(try shown(.automatic, isTerminal: false, at: [1000, 3000]) == "")
    #expect(try shown(.never, isTerminal: true, at: [1000, 3000]) == "")
    #expect(
      try shown(.always, isTerminal: false, at: [1000, 1500, 3000])
        == "out.mp4: 25 %  1.0 GB of 4.0 GB  1.0 GB/s  0:03 left\n"
        + "out.mp4: 75 %  3.0 GB of 4.0 GB  1.0 GB/s  0:01 left\n"
    )
  }

  @Test("Segments are counted as such")
  func segments() {
    var line = ProgressLine(title: "a.m3u8", done: 901, total: 2003, unit: .segments, elapsedMilliseconds: 2900)
    #expect(line.text == "a.m3u8: 44 %  901 of 2003 segments  310/s  0:04 left")
    line.total = nil
    #expect(line.text == "a.m3u8: 901  310/s")
  }

  @Test("A message replaces the line")
  func messageClearsLine() throws {
    let text = try Files.capture { descriptor in
      let stream = ErrorStream(descriptor: descriptor, isTerminal: true, usesColour: false)
      stream.showTransientLine("1 %")
      stream.writeLine("mp4tool: note")
      stream.clearTransientLine()
    }
    #expect(text == "\r1 %\u{1b}[K\r\u{1b}[Kmp4tool: note\n")
  }

  @Test("Sizes and times are short")
  func units() {
    #expect(
      [0, 999, 1000, 1999, 12_345, 310_000_000, 1_290_000_000].map(ProgressLine.size)
        == ["0 B", "999 B", "1.0 kB", "1.9 kB", "12 kB", "310 MB", "1.2 GB"])
    #expect([0, 59, 60, 3599, 3723].map(ProgressLine.time) == ["0:00", "0:59", "1:00", "59:59", "1:02:03"])
  }

  @Test("The largest numbers do not overflow", arguments: [0, 1, Int.max])
  func extremes(elapsed: Int) {
    let line = ProgressLine(title: "x", done: .max, total: .max, elapsedMilliseconds: elapsed)
    #expect(line.text.hasPrefix("x: 100 %  9.2 EB of 9.2 EB"))
    #expect(ProgressLine(title: "x", done: 5000, total: nil, elapsedMilliseconds: 2000).text == "x: 5.0 kB  2.5 kB/s")
  }
}
