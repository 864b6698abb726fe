import Support
import Testing

@Suite("dump --track, from end to end")
struct CLITrackTests {
  /// The samples that a program wrote of a track, each after its size.
  private func samples(_ bytes: [UInt8]) -> [[UInt8]] {
    var samples: [[UInt8]] = []
    var at = 0
    while at + 4 <= bytes.count {
      let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      samples.append(Array(bytes[(at + 4)..<min(bytes.count, at + 4 + size)]))
      at += 4 + size
    }
    return samples
  }

  @Test("A track of a fragmented file, a progressive one, of segments and through pipes has the same samples")
  func sameSamples() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag -q in.mp4 -o flat.mp4
      for t in 1 2; do
        mp4tool dump --tracks $t in.mp4 -o a$t && mp4tool dump --tracks $t flat.mp4 -o b$t && cmp a$t b$t
        cat in.mp4 | mp4tool dump --tracks $t - -o - | cmp - a$t
      done
      segments=$(ls $V/hls/segment*.m4s | sort -V)
      mp4tool dump --tracks 2 $V/hls/init.mp4 $segments -o c && mp4tool dump --tracks 2 --init $V/hls/init.mp4 $segments -o d
      cmp c d; cat $V/hls/init.mp4 $segments > whole.mp4; mp4tool dump --tracks 2 whole.mp4 -o e; cmp c e
      """)
    #expect(result.exitCode == 0 && result.text == "" && result.errorText == "")
    let reading = try SampleReader.read(shell.bytes("flat.mp4"))
    for (track, file) in [(1, "a1"), (2, "a2")] {
      let bytes = try shell.bytes(file)
      let found = samples(bytes)
      #expect(found.reduce(0) { $0 + $1.count + 4 } == bytes.count && found.count > 100)
      #expect(found == reading.samples[UInt32(track)]?.map(\.payload))
    }
  }

  @Test("A track is named by its kind too, if there is one of it")
  func kinds() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for t in 1:video 2:audio 2:soun; do
        mp4tool dump --tracks ${t%:*} in.mp4 -o a; mp4tool dump --tracks ${t#*:} in.mp4 -o b; cmp a b && echo same
      done
      mp4tool dump --tracks video,audio in.mp4 -o out; echo $?
      mp4tool dump --tracks text in.mp4 -o out; echo $?; ls out
      """)
    #expect(result.lines == ["same", "same", "same", "65", "65"])
    #expect(
      result.errorLines.first
        == "mp4tool: in.mp4: only one track can be written; select one of track 1 (vide), track 2 (soun)")
  }

  @Test("Without a track or an output there is nothing to do, and what cannot be is said")
  func wrong() throws {
    let shell = try EndToEnd()
    let none = try shell("mp4tool dump --tracks 7 in.mp4 -o out")
    #expect(none.exitCode == 65)
    #expect(none.errorText.contains("track 7 does not exist; it has track 1 (vide), track 2 (soun)"))
    for line in ["--tracks 1 in.mp4", "in.mp4 -o out", "--tracks 0 in.mp4 -o out", "--tracks xy in.mp4 -o out"] {
      #expect(try shell("mp4tool dump \(line)").exitCode == 64)
    }
    #expect(try shell("mp4tool dump --tracks 1 in.mp4 -o in.mp4").exitCode == 73)
    let cut = try shell("head -c 30000 in.mp4 > cut.mp4; mp4tool dump --tracks 1 cut.mp4 -o out")
    #expect(cut.exitCode == 1)
    #expect(shell.folder.names == ["cut.mp4", "in.mp4", "out"])
  }
}
