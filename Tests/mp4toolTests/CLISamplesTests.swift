import Support
import Testing

@Suite("samples, end to end")
struct CLISamplesTests {
  private static let copied = "cp $V/progressive.mp4 movie.mp4; "

  @Test("A table for each track")
  func table() throws {
    let result = try EndToEnd()(Self.copied + "mp4tool samples --number 2..3 movie.mp4")
    #expect(
      result.description == """
        exit code 0
        track 1, avc1.64000B, 600 samples, timescale 12800
        number  decode  decoded at  composition  shown at  duration      size       offset  keyframe  needs others  needed
             2     512    0:00.040         2560  0:00.120       512       193        16808         -             -       -
             3    1024    0:00.080         1536  0:00.040       512       100        17001         -             -       -
        track 2, mp4a.40.2, 518 samples, timescale 22050
        number  decode  decoded at  composition  shown at  duration      size       offset  keyframe  needs others  needed
             2    1024    0:00.046         1024  0:00.000      1024       131        17101       key             -       -
             3    2048    0:00.092         2048  0:00.046      1024       106        17290       key             -       -


        """)
  }

  @Test("Options select samples: by times, numbers, keyframes, and with the decoding start for a presentation time")
  func selections() throws {
    let shell = try EndToEnd()
    func numbers(_ options: String) throws -> String {
      try shell(
        Self.copied + "mp4tool samples --tracks video \(options) --format csv movie.mp4 | cut -d, -f2,7 | tail -n +2"
      )
      .text
    }
    #expect(try numbers("--at 0:02.3") == "51,2.000000\n59,2.280000\n")
    #expect(try numbers("--at 2.0") == "51,2.000000\n")
    #expect(try numbers("--range 0..0.1") == "1,0.000000\n3,0.040000\n4,0.080000\n")
    #expect(try numbers("--keyframes --range 1..4.5") == "51,2.000000\n101,4.000000\n")
    #expect(try numbers("--number 600") == "600,23.960000\n")
    #expect(try numbers("--number 599..") == "599,23.880000\n600,23.960000\n")
    #expect(try numbers("--number ..2") == "1,0.000000\n2,0.120000\n")
    #expect(try numbers("--range 23.9..") == "597,23.920000\n599,23.880000\n600,23.960000\n")
    #expect(try numbers("--range ..0.1") == "1,0.000000\n3,0.040000\n4,0.080000\n")
    for wrong in [
      "--range ..", "--number ..", "--range 5", "--number ..0", "--range ..0", "--at 1:60", "--range 2..1",
      "--number 0", "--gops --at 1", "--gops --stalls", "--at 1 --number 2",
    ] {
      #expect(try shell(Self.copied + "mp4tool samples \(wrong) movie.mp4").exitCode == 64, "\(wrong)")
    }
  }

  @Test("Times after the end are reported, without a table")
  func nothing() throws {
    let shell = try EndToEnd()
    func problem(_ options: String) throws -> String {
      let result = try shell(Self.copied + "mp4tool samples \(options) movie.mp4")
      #expect(result.exitCode == 1 && result.text == "")
      return result.errorText
    }
    let end = "the presentation is from 0:00.000 to 0:24.000\n"
    #expect(try problem("--at 1:30") == "mp4tool: movie.mp4: nothing is presented at 1:30.000; \(end)")
    for options in ["", "--gops ", "--stalls "] {
      #expect(
        try problem("\(options)--range 30..40") == "mp4tool: movie.mp4: nothing is presented from 0:30.000 on; \(end)")
    }
    #expect(
      try problem("--number 601..")
        == "mp4tool: movie.mp4: there is no sample 601: track 1 has 600 samples, track 2 has 518 samples\n")
    #expect(try problem("--keyframes --number 2 --tracks video") == "mp4tool: movie.mp4: no sample matches\n")
  }

  @Test("GOPs and stalls in a range of times")
  func ranges() throws {
    let shell = try EndToEnd()
    let groups = try shell(Self.copied + "mp4tool samples --gops --range 3..5 --format csv movie.mp4 | cut -d, -f1-3")
    #expect(groups.text == "track,first_sample,samples\n1,51,50\n1,101,50\n")
    let apart = "cp $V/progressive.mp4 movie.mp4; mp4tool defrag --quiet --interleave 3 movie.mp4 -o apart.mp4; "
    func times(_ options: String) throws -> [Double] {
      try shell(apart + "mp4tool samples --stalls \(options) --format csv apart.mp4 | cut -d, -f3 | tail -n +2").lines
        .compactMap { Double($0) }
    }
    let all = try times("")
    #expect(all.count > 2 && all.contains { $0 > 9 })
    #expect(try times("--range 5..9") == all.filter { (5..<9).contains($0) })
    #expect(try times("--range 5..") == all.filter { $0 >= 5 })
  }

  @Test("The kinds of tracks are those of info")
  func kinds() throws {
    let shell = try EndToEnd()
    let missing = try shell(Self.copied + "mp4tool samples --tracks metadata movie.mp4")
    #expect(missing.exitCode == 65 && missing.errorText.contains("a track of type meta does not exist"))
    #expect(try shell("mp4tool samples --tracks picture,hint,timecode movie.mp4").exitCode == 65)
  }

  @Test("GOPs, including open ones")
  func groups() throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool samples --gops --format csv $V/hevc-fragmented.mp4")
    #expect(
      result.text == """
        track,first_sample,samples,decode_seconds,presentation_seconds,duration_seconds,bytes,leading_samples,starts_with_keyframe
        1,1,48,0.000000,0.080000,1.920000,5071,0,1
        1,49,52,1.920000,2.080000,2.080000,5658,2,1

        """)
  }

  @Test("The samples equal those of an independent reader", .enabled(if: Effort.has("ffprobe"), "needs ffmpeg"))
  func ffprobe() throws {
    let shell = try EndToEnd()
    for file in ["progressive.mp4", "fragmented.mp4", "progressive.mov", "hybrid.mp4", "negative-cts.mp4"] {
      let ours = try shell(
        """
        mp4tool samples --tracks video --format csv $V/\(file) | tail -n +2 | cut -d, -f10,11,12 |
          sed 's/,1$/,K/; s/,0$/,/'
        """)
      let probe = try shell(
        """
        ffprobe -v error -select_streams v -show_entries packet=size,pos,flags -of csv=p=0 $V/\(file) |
          sed 's/_*,*$//'
        """)
      #expect(ours.text == probe.text && ours.lines.count > 50, "\(file)")
    }
  }

  @Test("Stalls are long samples, gaps, late starts, early ends and tracks that are far apart in the file")
  func stalls() throws {
    let shell = try EndToEnd()
    let none = try shell("mp4tool samples --stalls $V/progressive.mp4")
    #expect(none.exitCode == 0 && none.text == "")
    #expect(try shell("mp4tool samples --stalls in.mp4").text == "")
    let apart = try shell(
      """
      cp $V/progressive.mp4 movie.mp4
      mp4tool defrag --interleave 3 movie.mp4 -o apart.mp4 && mp4tool samples --stalls --format csv apart.mp4 | cut -d, -f1-4,7 | head -3
      mp4tool samples --stalls apart.mp4 > /dev/null
      """)
    #expect(apart.exitCode == 1)
    #expect(apart.lines.first == "track,kind,seconds,duration_seconds,other_track")
    #expect(apart.lines.dropFirst().allSatisfy { $0.hasPrefix("1,interleaving,") && $0.hasSuffix(",2") })
  }
}
