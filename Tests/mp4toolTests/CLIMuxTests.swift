import Support
import Testing

@Suite("mux, end to end")
struct CLIMuxTests {
  @Test("Streams, movies and subtitles become one file")
  func whole() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool extract -q --tracks video in.mp4 -o v.h264; mp4tool extract -q --tracks audio in.mp4 -o a.aac
      printf '1\\n00:00:01,000 --> 00:00:02,000\\nHi\\n' > 'en,us.srt'
      mp4tool mux v.h264,rate=25 a.aac,language=de,name=Ton,default 'en,us.srt,language=en' -o out.mp4; echo $?
      mp4tool info --format json out.mp4 | tr -d ' \\n' | grep -o '"kind":"[a-z]*"'
      mp4tool mux --replace-audio in.mp4 a.aac -o new.mp4; echo $?
      mp4tool check out.mp4 new.mp4 > /dev/null; echo $?
      mp4tool hash in.mp4 | sed 's/ .*//' > x; mp4tool hash new.mp4 | sed 's/ .*//' > y; cmp x y && echo same
      """)
    #expect(
      result.lines == ["0", "\"kind\":\"video\"", "\"kind\":\"audio\"", "\"kind\":\"text\"", "0", "0", "same"],
      "\(result.text)")
    #expect(result.errorText == "", "\(result.errorText)")
  }

  @Test("Wrong settings and inputs are refused, and nothing is written or replaced")
  func refusals() throws {
    let shell = try EndToEnd()
    for (words, code, text) in [
      ("in.mp4,langauge=de", 64, "did you mean 'language'?"), ("in.mp4,tracks=sound", 64, "tracks takes track IDs"),
      ("in.mp4,delay=x", 64, "delay takes a number of seconds"),
      ("in.mp4,language=deutsch", 64, "language takes a language tag"),
      ("missing.h264", 66, "missing.h264"), ("text", 65, "text"), ("in.mp4,tracks=meta", 65, "does not exist"),
      ("s.srt,delay=1", 64, "does not apply to subtitles"), ("p.mp4,delay=-1000", 65, "would end before"),
      ("in.mp4,rate=0", 64, "rate takes"), ("in.mp4,rate=25", 64, "only to video streams"),
      ("in.mp4,sdh", 64, "only to subtitles"), ("in.mp4,delay=1,delay=2", 64, "twice"),
      ("--replace-audio in.mp4 s.srt", 65, "no other input has tracks"),
    ] {
      let result = try shell(
        """
        rm -f out.mp4; mp4tool defrag -q in.mp4 -o p.mp4; printf 'hello world, this is a text' > text; printf '1\\n00:00:01,000 --> 00:00:02,000\\nHi\\n' > s.srt
        mp4tool mux \(words) -o out.mp4; echo $?; test -e out.mp4 && echo written
        """)
      #expect(result.lines == ["\(code)"], "\(words): \(result.text)")
      #expect(result.errorText.contains(text), "\(words): \(result.errorText)")
    }
    let result = try shell(
      "cp in.mp4 c.mp4; mp4tool mux c.mp4 -o c.mp4; echo $?; ln -s c.mp4 l.mp4; mp4tool mux c.mp4 -o l.mp4; echo $?")
    #expect(result.lines == ["73", "73"], "\(result.text)")
  }

  private static let isEnabled = Effort.has("ffmpeg") && Effort.has("ffprobe")

  @Test(
    "Streams of encoders have the samples and times of the files that the encoders wrote",
    .enabled(if: isEnabled, "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      ("-c:v libx264 -bf 3", "h264", "h264_mp4toannexb"),
      ("-c:v libx264 -x264-params open-gop=1:keyint=20:bframes=4:b-pyramid=normal", "h264", "h264_mp4toannexb"),
      ("-c:v libx264 -flags +ilme+ildct -x264-params tff=1:slices=3", "h264", "h264_mp4toannexb"),
      ("-c:v libx264 -bf 0 -x264-params aud=1", "h264", "h264_mp4toannexb"),
      ("-c:v libx264 -x264-params intra-refresh=1:bframes=0", "h264", "h264_mp4toannexb"),
      (
        "-c:v libx265 -x265-params log-level=none:keyint=25:open-gop=1:no-info=1 -tag:v hvc1", "hevc",
        "hevc_mp4toannexb"
      ),
      ("-c:v libx265 -x265-params log-level=none:bframes=0:no-info=1 -tag:v hvc1", "hevc", "hevc_mp4toannexb"),
      ("-c:v libvpx-vp9 -b:v 300k -auto-alt-ref 1 -lag-in-frames 16", "ivf", "null"),
      ("-c:v libsvtav1 -svtav1-params log=0 -g 25", "ivf", "null"),
    ])
  func encoders(options: String, format: String, filter: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=320x180:r=30000/1001:d=3 \(options) f.mp4
      ffmpeg -v error -i f.mp4 -c copy -bsf:v \(filter) -f \(format) f.x
      mp4tool mux f.x -o out.mp4; echo $?
      packets() { ffprobe -v error -show_entries packet=pts_time,dts_time,size,flags,data_hash -show_data_hash md5 -of csv=p=0 $1; }
      packets f.mp4 > a; packets out.mp4 > b; wc -l < a; cmp a b && echo same
      """)
    #expect(result.lines.map { $0.filter { $0 != " " } } == ["0", "90", "same"], "\(options): \(result.text)")
  }

  @Test(
    "Audio files have the packets that ffmpeg reads, and decode to the same values",
    .enabled(if: isEnabled, "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      ("-c:a aac", "aac"), ("-c:a ac3 -ac 6", "ac3"), ("-c:a eac3 -ac 6", "eac3"), ("-c:a mp2", "mp2"),
      ("-c:a libmp3lame", "mp3"), ("-c:a flac", "flac"), ("-c:a libopus -ar 48000", "opus"), ("-c:a pcm_s16le", "wav"),
      ("-c:a pcm_s24be", "aiff"), ("-c:a pcm_f32le", "wav"),
    ])
  func audio(options: String, suffix: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i 'aevalsrc=sin(440*t)+random(0)/8:s=48000:d=3.3' \(options) f.\(suffix)
      mp4tool mux -q f.\(suffix) -o out.mp4; echo $?
      data() { ffmpeg -v error -i $1 -c copy -f data - | md5sum; }
      test "$(data f.\(suffix))" = "$(data out.mp4)" && echo same
      """)
    // ffmpeg omits the frame of an MP3 file that has no sound.
    #expect(result.lines == ["0", "same"], "\(options): \(result.text) \(result.errorText)")
  }
}
