import MP4HLS
import Support
import Testing

@Suite("Live presentations, end to end", .serialized)
struct CLILiveTests {
  /// Fragments of a second with video and audio.
  static func source(_ count: Int, seed: UInt64 = 1) -> BuiltFile {
    var file = FragmentedFileBuilder([.video(), .audio()], seed: seed)
    for _ in 0..<count {
      file.addFragment {
        $0.addTraf(1, .samples(25), firstSampleFlags: .sync)
        $0.addTraf(2, .samples(47))
      }
    }
    return file.build()
  }
  private func playlist(_ shell: EndToEnd, _ path: String = "out/index.m3u8") throws -> MediaPlaylist {
    try MediaPlaylist(shell.bytes(path))
  }
  private func samples(_ shell: EndToEnd, _ folder: String = "out") throws -> [UInt32: [SampleRecord]] {
    let segments = try playlist(shell, folder + "/index.m3u8").segments.map { try shell.bytes("\(folder)/\($0.uri)") }
    return try SampleReader.read(shell.bytes(folder + "/init.mp4") + segments.flatMap { $0 }).samples
  }

  @Test("Standard input, a FIFO and a file become a presentation that ends with them")
  func streams() throws {
    let shell = try EndToEnd()
    let built = Self.source(9)
    try shell.folder.write("live.mp4", built.bytes)
    let result = try shell(
      """
      cat live.mp4 | mp4tool live - -o out --segment-duration 2; echo $?
      mp4tool live --segment-duration 2 -o file live.mp4 --no-follow; echo $?
      mkfifo pipe; cat live.mp4 > pipe & mp4tool live pipe -o fifo --segment-duration 2 --fsync; echo $?
      for name in $(ls out); do cmp -s out/$name file/$name && cmp -s out/$name fifo/$name || echo $name; done
      mp4tool defrag -q out/init.mp4 out/segment*.m4s -o again.mp4; ls -A out | tr '\\n' ' '
      """)
    // Only the times of day differ.
    #expect(
      result.lines == [
        "0", "0", "0", "index.m3u8",
        "index.m3u8 init.mp4 master.m3u8 segment1.m4s segment2.m4s segment3.m4s segment4.m4s segment5.m4s ",
      ])
    #expect(result.errorText == "")
    #expect(try difference(built.samples, samples(shell)) == nil)
    let again = try SampleReader.read(shell.bytes("again.mp4")).samples
    #expect(again.mapValues(\.count) == built.samples.mapValues(\.count))
    #expect(try playlist(shell).isEnded && playlist(shell).findings.isEmpty)
  }

  @Test("Two sounds become renditions of their own, from a pipe too, and what is written is valid")
  func sounds() throws {
    let shell = try EndToEnd()
    let tracks = [
      TrackSpec.video(), .audio().with(\.language, "eng"), .audio(id: 3).with(\.language, "fra"),
    ]
    var file = FragmentedFileBuilder(tracks)
    for _ in 0..<9 {
      file.addFragment {
        $0.addTraf(1, .samples(25), firstSampleFlags: .sync)
        for track in [2, 3] as [UInt32] { $0.addTraf(track, .samples(47)) }
      }
    }
    let built = file.build()
    try shell.folder.write("live.mp4", built.bytes)
    let result = try shell(
      """
      cat live.mp4 | mp4tool live - -o out --segment-duration 2; echo $?
      for name in . audio-en audio-fr; do echo $name $(ls -A out/$name | tr '\n' ' '); done
      mp4tool check -q --for hls out/master.m3u8 | grep -c error
      head -c 40 live.mp4 | mp4tool live - -o none; echo $?; test -e none && echo left
      """)
    let segments = (1...5).map { "segment\($0).m4s" }.joined(separator: " ")
    let lines: [String] = [
      "0", ". audio-en audio-fr index.m3u8 init.mp4 master.m3u8 \(segments)",
      "audio-en index.m3u8 init.mp4 \(segments)", "audio-fr index.m3u8 init.mp4 \(segments)", "0", "65",
    ]
    #expect(result.lines.map(String.init) == lines, "\(result)")
    var written: [UInt32: [SampleRecord]] = [:]
    for folder in ["out", "out/audio-en", "out/audio-fr"] {
      written.merge(try samples(shell, folder)) { one, _ in one }
    }
    #expect(difference(built.samples, written) == nil)
  }

  @Test("A growing file is followed to the index after its fragments, or until its writer closes it")
  func growing() throws {
    let shell = try EndToEnd()
    let built = Self.source(6)
    try shell.folder.write("grows.mp4", built.initialization + built.segments[0])
    try shell.folder.write("rest", built.segments[1...].flatMap { $0 })
    try shell.folder.write("indexed.mp4", built.bytes + box("mfra", box("mfro", zeros(8))))
    let result = try shell(
      """
      exec 5>> grows.mp4
      mp4tool live grows.mp4 -o out --segment-duration 1 --dvr --idle 3600 2> notes 5>&- & tool=$!
      until grep -q waiting notes; do sleep 0.02; done
      cat rest >&5
      until test -e out/segment4.m4s; do sleep 0.02; done
      exec 5>&-
      wait $tool; echo $?; cat notes
      mp4tool live -q indexed.mp4 -o indexed --segment-duration 1 --dvr --idle 3600; echo $?
      mp4tool live - -o none --idle 5 < rest; echo $?
      """)
    #expect(
      result.lines == [
        "0", "mp4tool: note: grows.mp4: waiting for the file to grow; --no-follow stops at its current end", "0", "64",
      ], "\(result)")
    for folder in ["out", "indexed"] {
      #expect(try playlist(shell, folder + "/index.m3u8").isEnded)
      #expect(try difference(built.samples, samples(shell, folder)) == nil)
    }
  }

  @Test("A signal completes the open segment and ends the playlist", arguments: ["INT", "TERM", "HUP"])
  func signals(name: String) throws {
    let shell = try EndToEnd()
    let built = Self.source(5)
    try shell.folder.write("init", built.initialization)
    try shell.folder.write("some", built.segments.flatMap { $0 })
    let result = try shell(
      """
      mkfifo pipe; set -m
      mp4tool live pipe -o out --segment-duration 2 & tool=$!
      exec 5> pipe; cat init some >&5
      until_waiting $tool; test -e out/segment2.m4s
      grep -c ENDLIST out/index.m3u8
      kill -\(name) $tool; wait $tool; echo $?; ls -A out | grep -c '^[.]'
      """)
    #expect(result.lines == ["0", "0", "0"], "\(result)")
    #expect(try playlist(shell).isEnded && playlist(shell).segments.count == 3)
    #expect(try difference(built.samples, samples(shell)) == nil)
  }

  @Test("After a signal, an encoder that received it too can write its last fragment")
  func lastFragment() throws {
    let shell = try EndToEnd()
    let built = Self.source(3)
    try shell.folder.write("init", built.initialization + built.segments[0] + built.segments[1])
    try shell.folder.write("last", built.segments[2])
    let result = try shell(
      """
      mkfifo pipe
      mp4tool live pipe -o out --segment-duration 2 & tool=$!
      exec 5> pipe; cat init >&5; until_waiting $tool
      # The signal and the fragment come at once, however long this shell takes to send them.
      kill -STOP $tool; kill -TERM $tool; cat last >&5; kill -CONT $tool; exec 5>&-; wait $tool; echo $?
      """)
    #expect(result.lines == ["0"] && !result.errorText.contains("mp4tool: "), "\(result)")
    #expect(try difference(built.samples, samples(shell)) == nil)
  }

  @Test("Growing files in a folder are read in order, renamed or not, and each may have its own init segment")
  func folder() throws {
    let shell = try EndToEnd()
    let built = Self.source(8)
    for (index, segment) in built.segments.enumerated() {
      try shell.folder.write("s\(index)", index == 6 ? built.initialization + segment : segment)
    }
    try shell.folder.write("i", built.initialization)
    let result = try shell(
      """
      mkdir in; cat s1 > in/part2.m4s; cat s0 > in/part1.m4s; cat i > in/init.mp4; echo no > in/notes.txt
      set -m; mp4tool live in -o out --segment-duration 1 --dvr & tool=$!
      seen() { until_waiting $tool; }
      until test -e out/segment1.m4s; do sleep 0.05; done
      head -c 900 s2 > in/part10.m4s; seen; tail -c +901 s2 >> in/part10.m4s
      until test -e out/segment2.m4s; do sleep 0.05; done
      cat s3 >> in/part10.m4s; seen; mv in/part10.m4s in/part10-complete.m4s; seen
      cat s4 > in/.part11.m4s; cat s5 > in/part12.tmp; seen; mv in/.part11.m4s in/part11.m4s; seen
      mv in/part12.tmp in/part12.m4s; seen; cat s6 > in/rotated.mp4; seen
      mv in/rotated.mp4 in/rotated.1.mp4; cat s7 > in/rotated.mp4; seen
      kill -INT $tool; wait $tool; echo $?
      """)
    #expect(result.lines == ["0"] && !result.errorText.contains("mp4tool: "), "\(result)")
    #expect(try difference(built.samples, samples(shell)) == nil)
    #expect(try playlist(shell).segments.allSatisfy { !$0.isDiscontinuity })
  }

  @Test("A loss is reported with the byte offset, and exits with 1")
  func losses() throws {
    let shell = try EndToEnd()
    let built = Self.source(6)
    let head = built.initialization + built.segments[0] + built.segments[1]
    try shell.folder.write("broken", head + ascii("garbage garbage") + built.segments[3...].flatMap { $0 }.dropLast(9))
    let result = try shell("mp4tool live - -o out --segment-duration 2 < broken; echo $?")
    #expect(result.lines == ["1"])
    let place = "mp4tool: standard input: 15 bytes from byte \(head.count) on are not a box; omitted"
    #expect(result.errorLines.count == 3 && result.errorLines.first.map(String.init) == place, "\(result)")
    #expect(result.errorText.contains("no input for 1.000 s before 3.000 s"))
    #expect(result.errorText.contains("the file is cut off"))
    #expect(try playlist(shell).isEnded && playlist(shell).segments.map(\.isDiscontinuity) == [false, true])
  }

  @Test("Impossible outputs and unusable inputs leave nothing")
  func refused() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir full; touch full/x; mkdir in
      mp4tool live in.mp4 -o full; echo $?
      mp4tool live in.mp4 -o in.mp4; echo $?
      mp4tool live in.mp4 -o none/out; echo $?
      mp4tool live none -o out; echo $?
      mp4tool live in -o in; echo $?
      mp4tool live "$V/progressive.mp4" -o out; echo $?
      : | mp4tool live - -o out; echo $?
      ls -A
      """)
    #expect(result.lines.prefix(7) == ["73", "73", "73", "66", "64", "65", "65"], "\(result)")
    #expect(result.lines.dropFirst(7) == ["full", "in", "in.mp4"])
  }

  @Test("A full disk ends the playlist after the complete segments, with 74", .enabled(if: fileExists("/dev/full")))
  func fullDisk() throws {
    let shell = try EndToEnd()
    var file = FragmentedFileBuilder([.video()])
    for index in 0..<12 {
      file.addFragment { $0.addTraf(1, .samples(25, size: index < 9 ? 50 : 500), firstSampleFlags: .sync) }
    }
    try shell.folder.write("live.mp4", file.build().bytes)
    let result = try shell(
      """
      (ulimit -f 8; trap '' XFSZ; mp4tool live - -o out --segment-duration 3 < live.mp4); echo $?; ls -A out | tr '\\n' ' '
      """)
    #expect(result.lines.last == "index.m3u8 init.mp4 master.m3u8 segment1.m4s segment2.m4s segment3.m4s ")
    #expect(try playlist(shell).isEnded && playlist(shell).segments.count == 3)
    #expect(result.lines.first == "74", "\(result)")
    #expect(result.errorText.contains("cannot write"))
  }
}
