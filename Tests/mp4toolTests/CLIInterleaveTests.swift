import MP4
import Support
import Testing

@testable import mp4tool

@Suite("Interleaving and compact tables, end to end")
struct CLIInterleaveTests {
  @Test("Seconds are read exactly")
  func seconds() throws {
    func read(_ text: String) -> [Int64]? { Seconds(text).map { [$0.time.value, Int64($0.time.timescale)] } }
    #expect(read("0.5") == [5, 10] && read(".25") == [25, 100] && read("2") == [2, 1] && read("007") == [7, 1])
    #expect(read("0.000000001") == [1, 1_000_000_000])
    for text in ["", ".", "1.", "0", "0.0", "-1", "+1", "1 ", "1,5", "1.5.5", "0.0000000001", "inf", "٣", "1e1"] {
      #expect(read(text) == nil, "\(text)")
    }
    #expect(read("99999999999999999999") == nil && read("3000000000.000000001") == nil)
  }

  @Test("A defragmented file with other interleaving and compact tables has the same packets")
  func samePackets() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag in.mp4 -o plain.mp4
      mp4tool defrag --interleave 0.1 --compact in.mp4 -o turns.mp4
      mp4tool dump turns.mp4 | grep -c 'stz2'
      """)
    #expect(result.exitCode == 0 && result.errorText == "")
    #expect(Int(result.lines.first ?? "") ?? 0 > 0)
    let plain = try SampleReader.read(shell.bytes("plain.mp4"))
    let turns = try SampleReader.read(shell.bytes("turns.mp4"))
    #expect(difference(plain.samples, turns.samples) == nil)
    for (a, b) in zip(plain.tracks, turns.tracks) { #expect(a.chunkCount < b.chunkCount) }
  }

  @Test("ffprobe reads compact tables", .enabled(if: Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func probe() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag in.mp4 -o plain.mp4 && mp4tool defrag --interleave .1 --compact in.mp4 -o turns.mp4
      for stream in v a; do
        for file in plain turns; do
          ffprobe -v error -select_streams $stream -show_entries packet=pts,dts,size,flags,data_hash -show_data_hash md5 \\
            -of csv $file.mp4 > $file.$stream
        done
        cmp plain.$stream turns.$stream && wc -l < turns.$stream
      done
      """)
    #expect(result.exitCode == 0 && result.errorText == "")
    #expect(result.lines.count == 2 && !result.lines.contains("0"))
  }
}
