import Support
import Testing

@Suite("info, end to end")
struct CLIInfoTests {
  @Test("A line for the movie, a line for each track, and unusual properties")
  func lines() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "cp $V/{progressive.mp4,encrypted-cbcs.mp4,pcm.mov} . && mp4tool info progressive.mp4 encrypted-cbcs.mp4 pcm.mov"
    )
    #expect(
      result.description == """
        exit code 0
        progressive.mp4  173 kB  0:24.000  57.7 kb/s  progressive, moov first  isom
          brands: isom, iso2, avc1 (H.264 extensions), mp41 (MP4 version 1)
          1 video  avc1.64000B  H.264 High@1.1  160x90  25 fps  SDR  36.6 kb/s  600 frames, 12 keyframes, GOP 50 (2.000 s)
              colors: 8 bits, 4:2:0, not declared
              reference frames: 4
              encoder: x264 core 164 r3095 baee400
              highest bit rate: 49.1 kb/s in one second
              edit list: from 0.080 s to the end
          2 audio  mp4a.40.2  AAC LC  mono  22.05 kHz  en  16 kb/s  priming 46 ms
              highest bit rate: 21.1 kb/s in one second
              edit list: from 0.046 s to the end

        encrypted-cbcs.mp4  47.7 kB  0:06.240  61.1 kb/s  fragmented, 4 fragments (0.080 to 2.000 s)  iso5
          brands: iso5, iso6, mp41 (MP4 version 1)
          audio starts 0.080 s before video
          1 video  avc1.64000B  H.264 High@1.1  160x90  25 fps  SDR  39.1 kb/s  152 frames, 4 keyframes, GOP 50 (2.000 s)
              irregular: 1 frame longer than the others; see 'mp4tool samples --stalls'
              colors: 8 bits, 4:2:0, not declared
              reference frames: 4
              encoder: x264 core 164 r3095 baee400
              highest bit rate: 46.6 kb/s in one second
              starts at 0:00.080
              encryption: cbcs, key ID 01234567-89ab-cdef-0123-456789abcdef
          2 audio  mp4a.40.2  AAC LC  mono  22.05 kHz  16.1 kb/s
              highest bit rate: 18.1 kb/s in one second
              encryption: cbcs, key ID 01234567-89ab-cdef-0123-456789abcdef

        pcm.mov  101 kB  0:02.160  373 kb/s  progressive, moov last  qt
          brands: qt (QuickTime)
          1 video  avc1.64000B  H.264 High@1.1  160x90  25 fps  SDR  39.2 kb/s  52 frames, 2 keyframes, GOP 50 (2.000 s)
              irregular: 1 frame longer than the others; see 'mp4tool samples --stalls'
              colors: 8 bits, 4:2:0, not declared
              reference frames: 4
              encoder: x264 core 164 r3095 baee400
              highest bit rate: 40.1 kb/s in one second
              edit list: from 0.080 s to the end
          2 audio  sowt  PCM 16 bits signed, little endian  mono  22.05 kHz  353 kb/s


        """)
  }

  @Test("Segments belong to the movie before them, and other files are separate movies")
  func groups() throws {
    let shell = try EndToEnd()
    let lines = try shell(
      """
      mp4tool fragment --segment-duration 2 --segments stream $V/progressive.mp4
      mp4tool info --format jsonl stream/*.m4s stream/init.mp4 in.mp4 | cut -d, -f1,2,4
      """
    ).lines
    #expect(
      lines == [
        #"{"name":"stream/init.mp4","inputs":13,"layout":"fragmented""#,
        #"{"name":"in.mp4","inputs":1,"layout":"fragmented""#,
      ])
  }

  @Test(
    "Without boxes, the mastering display and the light levels are read from SEI messages",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func messages() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      x265=log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400
      x265+=':master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)'
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x64:r=25 -t 0.2 -c:v libx265 -pix_fmt yuv420p10le \\
        -x265-params "$x265" hdr.mp4
      mp4tool info hdr.mp4
      """)
    #expect(result.lines.contains { $0.contains("  H.265 Main 10@") && $0.contains("  HDR10  ") })
    let display = "0.005 to 1000 cd/m², red 0.68, 0.32, green 0.265, 0.69, blue 0.15, 0.06, white 0.3127, 0.329"
    #expect(result.lines.contains("      mastering display: \(display)"))
    #expect(result.lines.contains("      light level: at most 1000, average 400 cd/m²"))
  }

  @Test(
    "The field order of H.264 is that of its pictures, and the encoder and its settings are shown",
    .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [("top", "tff=1", "tt"), ("bottom", "bff=1", "bb"), ("top", "tff=1:pic-struct=0", "tt")])
  func fields(_ order: String, _ options: String, _ probed: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=64x64:r=50 -t 1 -vf tinterlace=interleave_\(order) \
        -flags +ildct+ilme -c:v libx264 -x264opts \(options) -pix_fmt yuv420p fields.mp4
      ffprobe -v error -show_entries stream=field_order -of csv=p=0 fields.mp4
      mp4tool info --format jsonl fields.mp4 | grep -o '"first_field":"[a-z]*"'
      mp4tool info --verbose fields.mp4
      """)
    #expect(result.lines.prefix(2).map(String.init) == [probed, "\"first_field\":\"\(order)\""])
    #expect(result.lines.contains("      interlaced, \(order) field first, coded as frames of two fields"), "\(result)")
    #expect(result.lines.contains { $0.hasPrefix("      encoder: x264 core ") }, "\(result)")
    #expect(result.lines.contains { $0.hasPrefix("      encoder settings: cabac=1 ref=") }, "\(result)")
    #expect(result.lines.contains { $0.hasPrefix("      reference frames: ") })
  }

  @Test("CSV has a line for each file")
  func table() throws {
    let shell = try EndToEnd()
    let result = try shell("cp in.mp4 'a, \"b\".mp4'; mp4tool info --format csv in.mp4 'a, \"b\".mp4'")
    #expect(
      result.text == """
        name,bytes,duration_seconds,bit_rate,layout,moov_first,major_brand,tracks,video_codec,width,height,frame_rate,\
        dynamic_range,frames,audio_codec,channels,sample_rate,language,title,video_codec_name,video_bit_rate,\
        video_peak_bit_rate,bit_depth,chroma,rotation,keyframes,longest_gop_seconds,audio_codec_name,audio_bit_rate,\
        fragments,encryption,chapters,created,variants,differences,warnings,errors
        in.mp4,46140,6.240000,59153,fragmented,1,iso5,2,avc1.64000B,160,90,25,SDR,152,mp4a.40.2,1,22050,,,\
        H.264 High@1.1,39119,46592,8,4:2:0,0,4,2.000000,AAC LC,16059,4,,0,,,,0,0
        "a, ""b"".mp4",46140,6.240000,59153,fragmented,1,iso5,2,avc1.64000B,160,90,25,SDR,152,mp4a.40.2,1,22050,,,\
        H.264 High@1.1,39119,46592,8,4:2:0,0,4,2.000000,AAC LC,16059,4,,0,,,,0,0

        """)
  }

  @Test("An unreadable file does not prevent output for the others")
  func failures() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "echo text > text.mp4; mp4tool info --format jsonl missing.mp4 text.mp4 in.mp4 | wc -l; exit ${PIPESTATUS[0]}")
    #expect(result.exitCode == 66 && result.lines == ["1"])
    #expect(result.errorLines.count == 2)
    #expect(try shell("mp4tool info text.mp4").exitCode == 65)
    #expect(try shell("mp4tool info - < in.mp4").text.hasPrefix("standard input  46.1 kB  0:06.240"))
  }

  @Test("A late start and an edit so slow that the next one would be earlier do not cause a failure")
  func slowEdit() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool fragment -q --tracks video --segment-duration 1000 in.mp4 -o fragmented.mp4
      mp4tool edit -q --set moof/traf/tfdt/baseMediaDecodeTime=9000000 --insert "moov/trak=hex:00000030 65647473 \\
      00000028 656c7374 00000000 00000002 00000000 00000000 00000001 00000000 00000000 00010000" fragmented.mp4 -o slow.mp4
      mp4tool info slow.mp4; echo $?
      mp4tool samples slow.mp4 > /dev/null; echo $?
      mp4tool cut -q --from 1f --to 2f slow.mp4 -o cut.mp4; echo $?
      """)
    #expect(result.text.contains("then from 0.000 s to the end"), "\(result)")
    #expect(result.lines.suffix(3).allSatisfy { ["0", "1", "65"].contains($0) }, "\(result)")
  }
}
