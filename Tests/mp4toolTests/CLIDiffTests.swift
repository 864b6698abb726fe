import Support
import Testing

@Suite("diff, from end to end")
struct CLIDiffTests {
  @Test("Files with the same samples are the same, whatever their layout is")
  func same() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --quiet in.mp4 -o movie.mp4 && mp4tool fragment --quiet movie.mp4 -o again.mp4
      mp4tool diff --samples in.mp4 movie.mp4 && mp4tool diff --samples movie.mp4 again.mp4
      """)
    #expect(
      result.description == """
        exit code 0
        track 1: 152 samples, the same
        track 2: 131 samples, the same
        track 1: 152 samples, the same
        track 2: 131 samples, the same


        """)
  }

  @Test("A difference is described and ends with 1")
  func different() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --quiet in.mp4 -o movie.mp4 && cp movie.mp4 other.mp4
      offset=$(mp4tool samples --tracks 2 --number 100 --format csv movie.mp4 | tail -1 | cut -d, -f11)
      printf XYZ | dd of=other.mp4 bs=1 seek=$offset conv=notrunc status=none
      mp4tool diff --samples --format csv movie.mp4 other.mp4 | cut -d, -f1-9,12,13; exit ${PIPESTATUS[0]}
      """)
    #expect(
      result.description == """
        exit code 1
        track,other_track,same,samples,other_samples,changed,removed,added,first_sample,first_property,presented_alike
        1,1,1,152,152,0,0,0,,,1
        2,2,0,131,131,1,0,0,100,bytes,1


        """)
  }

  @Test("A cut recording has lost samples, and a missing track is one")
  func lost() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --quiet --tracks video in.mp4 -o video.mp4; mp4tool diff --samples in.mp4 video.mp4
      """)
    #expect(
      result.description == """
        exit code 1
        track 1: 152 samples, the same
        track 2 (soun, 131 samples) is only in in.mp4


        """)
    let cut = try shell("head -c 30000 in.mp4 > cut.mp4; mp4tool diff --samples in.mp4 cut.mp4")
    #expect(cut.exitCode == 1)
    #expect(cut.lines.count == 2 && cut.lines.allSatisfy { $0.contains(" only in in.mp4; the first is sample ") })
  }

  @Test("Files that cannot be compared")
  func failures() throws {
    let shell = try EndToEnd()
    #expect(try shell("mp4tool diff --samples in.mp4 missing.mp4").exitCode == 66)
    #expect(try shell("echo text > text.mp4; mp4tool diff --samples text.mp4 in.mp4").exitCode == 65)
    #expect(try shell("mp4tool diff --samples in.mp4").exitCode == 64)
    #expect(try shell("mp4tool diff in.mp4 in.mp4").exitCode == 64)
    #expect(try shell("mp4tool diff --print-schema").exitCode == 0)
  }
}
