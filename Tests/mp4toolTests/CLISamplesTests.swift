import Support
import Testing

@Suite("samples, end to end")
struct CLISamplesTests {
  private static let copied = "cp $V/progressive.mp4 movie.mp4; "

  @Test("Segments without their init segment are listed in units of the media")
  func loneSegment() throws {
    let shell = try EndToEnd()
    let event = fullBox(
      "emsg", version: 1, big(UInt32(1000)), big(UInt64(2500)), big(UInt32(0)), big(UInt32(7)), ascii("urn:x\0"),
      ascii("1\0"), ascii("hello"))
    try shell.folder.write("event", event)
    let result = try shell(
      """
      mp4tool fragment -q --tracks video --segment-duration 2 --segments stream $V/progressive.mp4 || exit
      segment=stream/segment2.m4s
      mp4tool samples --format csv stream/init.mp4 $segment | cut -d, -f2,4,6,8,10,11,12 > whole
      mp4tool samples --format csv $segment 2> notes | cut -d, -f2,4,6,8,10,11,12 > alone
      cmp whole alone && wc -l < alone && cat notes
      mp4tool samples $segment 2> /dev/null | head -n 1
      mp4tool samples --gops $segment > /dev/null 2>&1; echo $?
      cat event $segment > events.m4s
      mp4tool events events.m4s 2> notes | grep -c urn:x; cat notes
      """)
    #expect(
      result.lines.map { $0.filter { $0 != " " } } == [
        "51", "mp4tool:note:stream/segment2.m4s:thereisnoinitsegment;timesinsecondsareunknown",
        "track1,unknowncodec,50samples,unknowntimescale", "65", "1",
        "mp4tool:note:events.m4s:thereisnoinitsegment;thetimescale1000isthatofanindexoreventinthesegment",
      ], "\(result)")
  }

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

  @Test("Times after the end are reported, without a table; a range without samples is an empty list")
  func nothing() throws {
    let shell = try EndToEnd()
    func problem(_ options: String, exitCode: Int32 = 1) throws -> String {
      let result = try shell(Self.copied + "mp4tool samples \(options) movie.mp4")
      #expect(result.exitCode == exitCode && result.text == "")
      return result.errorText
    }
    let end = "the presentation is from 0:00.000 to 0:24.000\n"
    #expect(try problem("--at 1:30") == "mp4tool: movie.mp4: nothing is presented at 1:30.000; \(end)")
    for options in ["", "--gops ", "--stalls "] {
      #expect(
        try problem("\(options)--range 30..40", exitCode: 0)
          == "mp4tool: note: movie.mp4: nothing is presented from 0:30.000 on; \(end)")
      let json = try shell(Self.copied + "mp4tool samples \(options)--range 30..40 --format json movie.mp4")
      #expect(json.exitCode == 0 && json.text.filter { !$0.isWhitespace } == "[]", "\(json.text)")
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

  @Test(
    "With B-frames and a variable rate, the picture that stands still is that of an independent reader",
    .enabled(if: Effort.has("ffmpeg") && Effort.has("ffprobe"), "needs ffmpeg"))
  func variableRate() throws {
    let result = try EndToEnd()(
      """
      for f in 58 59 60 61; do
        ffmpeg -v error -y -f lavfi -i testsrc2=s=192x108:r=25:d=6 -vf "select='not(between(n,$f,$((f + 11))))'" -vsync vfr \
          -c:v libx264 -bf 3 -g 50 -pix_fmt yuv420p vfr.mp4
        mp4tool samples --stalls --format csv vfr.mp4 | tail -n +2 | cut -d, -f2-4 | sed 's/long_sample,//'
        ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 vfr.mp4 | sort -n |
          awk 'NR > 1 && $1 - last > 0.06 { printf "%.6f,%.6f\\n", last, $1 - last } { last = $1 }'
      done
      """)
    #expect(result.lines.count == 8 && result.lines[2] == "2.320000,0.520000", "\(result.text) \(result.errorText)")
    for index in stride(from: 0, to: result.lines.count - 1, by: 2) {
      #expect(result.lines[index] == result.lines[index + 1], "\(result.text)")
    }
  }

  @Test(
    "Timecodes over a day are those of an independent reader",
    .enabled(if: Effort.has("ffmpeg") && Effort.has("ffprobe"), "needs ffmpeg"))
  func timecodes() throws {
    let result = try EndToEnd()(
      """
      check() { # RATE TIMECODE NUMBERS
        ffmpeg -v error -y -f lavfi -i testsrc2=s=64x64:r=$1:d=0.2 -c:v mjpeg -timecode $2 tc.mov
        at=$(mp4tool samples -q --tracks timecode --format csv tc.mov | tail -n 1 | cut -d, -f11)
        for n in $3; do
          printf "\\x$(printf %02x $((n >> 24)))\\x$(printf %02x $((n >> 16 & 255)))\\x$(
            printf %02x $((n >> 8 & 255)))\\x$(printf %02x $((n & 255)))" |
            dd of=tc.mov bs=1 seek=$at conv=notrunc status=none
          own=$(mp4tool extract -q --tracks timecode tc.mov -o - | cut -d' ' -f2)
          other=$(ffprobe -v error -select_streams d -show_entries stream_tags=timecode -of csv=p=0 tc.mov)
          test "$own" = "$other" && echo same || echo "$1 $n $own $other"
        done
      }
      check 30000/1001 '00:00:00;00' '0 1 1799 1800 1801 3597 3598 17981 17982 17983 19781 19782 107891 107892 107893 1294704
        2589407 2589406 1234567 2000001'
      check 60000/1001 '00:00:00;00' '0 3599 3600 3601 7195 7196 35963 35964 35965 5178815 4000003'
      check 25 '00:00:00:00' '0 1499 1500 90000 2159999'; check 24000/1001 '00:00:00:00' '0 1440 86399 86400 2073599'
      # A camera that declares 29 frames.
      check 30000/1001 '00:00:00:00' '0 29 30 100 2100006'
      mp4tool edit -q --set 'moov/trak[2]/mdia/minf/stbl/stsd/tmcd/number_of_frames=29' tc.mov -o camera.mov
      cmp -s tc.mov camera.mov || echo changed
      mp4tool extract -q --tracks timecode camera.mov -o - | cut -d' ' -f2
      ffprobe -v error -select_streams d -show_entries stream_tags=timecode -of csv=p=0 camera.mov
      mp4tool cut -q --tracks timecode --from 19:26:40:09 camera.mov -o part.mov; mp4tool info part.mov | grep -c 19:26:40:09
      mp4tool check camera.mov | grep -o 'number_of_frames is 29.*of 30'
      """)
    #expect(
      result.lines.suffix(5) == [
        "changed", "19:26:40:06", "19:26:40:06", "1",
        "number_of_frames is 29, but time_scale 30000 and frame_duration 1001 are those of 30",
      ], "\(result.text) \(result.errorText)")
    #expect(
      result.lines.dropLast(5).count == 46 && result.lines.dropLast(5).allSatisfy { $0 == "same" }, "\(result.text)")
  }

  @Test("Stalls are long samples, gaps, late starts, early ends and tracks that are far apart in the file")
  func stalls() throws {
    let shell = try EndToEnd()
    let none = try shell("mp4tool samples --stalls $V/progressive.mp4")
    #expect(none.exitCode == 0 && none.text == "")
    // The recording ends before the pictures between its last two.
    #expect(try shell("mp4tool samples --stalls in.mp4").text == "0:06.080: track 1: sample 151 lasts 0.120 s\n")
    let apart = try shell(
      """
      cp $V/progressive.mp4 movie.mp4
      mp4tool defrag --interleave 3 movie.mp4 -o apart.mp4 && mp4tool samples --stalls --format csv apart.mp4 | cut -d, -f1-4,7 | head -3
      mp4tool samples --stalls apart.mp4 > /dev/null
      """)
    // The places are an answer, not an error.
    #expect(apart.exitCode == 0)
    #expect(apart.lines.first == "track,kind,seconds,duration_seconds,other_track")
    #expect(apart.lines.dropFirst().allSatisfy { $0.hasPrefix("1,interleaving,") && $0.hasSuffix(",2") })
  }
}
