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

  @Test("Streams become a QuickTime movie if the name says so, unless a file is an MP4 file")
  func quickTime() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool extract -q --tracks video in.mp4 -o v.h264; mp4tool extract -q --tracks audio in.mp4 -o a.aac
      mp4tool mux v.h264,rate=25 a.aac -o out.mov; echo $?; mp4tool check out.mov > /dev/null; echo $?
      mp4tool dump --path ftyp out.mov | grep -c 'qt  '; mp4tool dump --path 'moov/trak[2]//wave' out.mov | grep -c esds
      mp4tool mux v.h264,rate=25 a.aac -o out.mp4; mp4tool hash out.mov | sed 's/ .*//' > x
      mp4tool hash out.mp4 | sed 's/ .*//' > y; cmp x y && echo same
      mp4tool mux in.mp4 a.aac,group=1 -q -o mixed.mov; mp4tool dump --path ftyp mixed.mov | grep -c 'qt  '
      mp4tool defrag -q out.mov -o back.mp4; mp4tool dump --path 'moov/trak[2]//wave' back.mp4 | grep -c esds
      """)
    #expect(result.lines == ["0", "0", "2", "1", "same", "0", "0"], "\(result.text) \(result.errorText)")
  }

  @Test("TTML, chapters, a cover and old language codes")
  func descriptions() throws {
    let shell = try EndToEnd()
    let document =
      "<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"ger\"><body><div>"
      + "<p begin=\"1s\" end=\"2.5s\">Hallo</p></div></body></tt>"
    let result = try shell(
      """
      printf '%s' '\(document)' > t.ttml; printf '00:00:00.000 One\\n00:00:02.000 Two\\n' > chapters
      printf '\\377\\330\\377\\340 picture' > cover.jpg; mp4tool extract -q --tracks audio in.mp4 -o a.aac
      mp4tool mux in.mp4 t.ttml a.aac,language=ger,group=1 --chapters chapters --cover cover.jpg -o out.mp4; echo $?
      mp4tool check out.mp4 > /dev/null; echo $?
      mp4tool info --format json out.mp4 | tr -d ' \\n' | grep -o -e '"language":"[a-z]*"' -e 'stpp.ttml"'
      mp4tool extract -q --tracks 3 out.mp4 -o back.ttml; cmp back.ttml t.ttml && echo same
      mp4tool extract -q --chapters out.mp4 -o - | grep -c Two; mp4tool extract -q --cover out.mp4 -o c.jpg; cmp c.jpg cover.jpg && echo same
      mp4tool mux out.mp4 --chapters none -o none.mp4; mp4tool extract -q --chapters none.mp4 -o -; echo $?
      printf '%s' '\(document)' | sed 's/ end="2.5s"//' > open.ttml; mp4tool mux open.ttml -o o.mp4; echo $?
      """)
    #expect(
      result.lines == [
        "0", "0", "stpp.ttml\"", "\"language\":\"de\"", "\"language\":\"de\"", "same", "1", "same", "65",
        "65",
      ], "\(result.text) \(result.errorText)")
    #expect(result.errorText.contains("a.aac: the language is written as 'deu' (ISO 639-2/T)"), "\(result.errorText)")
  }

  @Test("Wrong settings and inputs are refused, and nothing is written or replaced")
  func refusals() throws {
    let shell = try EndToEnd()
    for (words, code, text) in [
      ("in.mp4,langauge=de", 64, "did you mean 'language'?"), ("in.mp4,tracks=sound", 64, "tracks takes track IDs"),
      ("in.mp4,delay=x", 64, "delay takes a number of seconds"),
      ("in.mp4,language=deutsch", 64, "language takes a language tag"),
      ("missing.h264", 66, "missing.h264"), ("text", 65, "text"), ("in.mp4,tracks=meta", 65, "does not exist"),
      ("s.srt,group=1", 64, "does not apply to subtitles"), ("p.mp4,delay=-1000", 65, "would end before"),
      ("in.mp4,rate=0", 64, "rate takes"), ("in.mp4,rate=25", 64, "only to video streams"),
      ("in.mp4,sdh", 64, "only to WebVTT and SubRip"), ("in.mp4,delay=1,delay=2", 64, "twice"),
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

  @Test(
    "Sound after damaged frames keeps its time",
    .enabled(if: isEnabled, "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      "-c:a aac x.aac", "-c:a ac3 x.ac3", "-c:a ac3 -ar 44100 x.ac3", "-c:a eac3 x.eac3",
      "-c:a libmp3lame -q:a 4 x.mp3", "-c:a mp2 x.mp2", "-c:a libopus x.opus",
    ])
  func damage(options: String) throws {
    let shell = try EndToEnd()
    let name = String(options.split(separator: " ").last ?? "")
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i 'aevalsrc=sin(440*t)+random(0)/8:s=48000:d=4' \(options); cp \(name) d-\(name)
      dd if=/dev/zero of=d-\(name) bs=100 seek=200 count=30 conv=notrunc status=none
      mp4tool mux -q \(name) -o whole.mp4; mp4tool mux d-\(name) -o damaged.mp4; echo $?
      last() { ffprobe -v error -show_entries packet=pts_time -of csv=p=0 $1 | tail -1; }
      last whole.mp4; last damaged.mp4
      """)
    // The missing duration is exact if all frames have the same size.
    let values = result.lines.compactMap { Double($0) }
    let limit = name == "x.aac" ? 0.022 : 0
    #expect(values.count == 3 && values[0] == 1, "\(result.text)")
    if values.count == 3 { #expect(abs(values[1] - values[2]) <= limit, "\(result.text)") }
    #expect(result.errorText.contains("; the sound after it keeps its time"), "\(result.errorText)")
  }

  @Test("A WAV file whose size is not known is the same through a pipe, and subtitles can be delayed")
  func pipes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool extract -q --tracks audio $V/pcm.mov -o x.wav
      at=$(grep -abo data x.wav | head -n 1 | cut -d : -f 1)
      printf '\\377\\377\\377\\377' | dd of=x.wav bs=1 seek=$((at + 4)) conv=notrunc status=none
      mp4tool mux -q x.wav -o a.mp4; echo $?; cat x.wav | mp4tool mux -q - -o b.mp4; echo $?
      mp4tool hash a.mp4 | cut -c 1-64 > a; mp4tool hash b.mp4 | cut -c 1-64 > b; cmp a b
      printf '1\\n00:00:01,000 --> 00:00:02,000\\nOne\\n' > s.srt
      mp4tool mux -q $V/progressive.mp4 s.srt,delay=1.5 -o c.mp4; echo $?
      mp4tool extract -q --tracks text c.mp4 -o - | grep -e '-->'
      mp4tool mux -q $V/progressive.mp4 s.srt,group=1 -o d.mp4 2> /dev/null; echo $?
      """)
    #expect(
      result.lines == ["0", "0", "0", "00:00:02.500 --> 00:00:03.500", "64"], "\(result.text) \(result.errorText)")
  }

  @Test(
    "Lost pictures and packets are errors",
    .enabled(if: isEnabled, "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      ("-c:v libx265 -x265-params log-level=error x.h265", "pictures are missing at 1 place"),
      (
        "-an -c:v libaom-av1 -cpu-used 8 -f obu x.obu",
        "are no frames of AV01; they are omitted; the pictures after them"
      ),
      ("-c:v libvpx-vp9 x.ivf", "it declares 100 frames, of which"),
      ("-vn -c:a alac x.caf", "its table of packets ends too early; the last 1 packet of"),
    ])
  func lost(options: String, message: String) throws {
    let shell = try EndToEnd()
    let name = String(options.split(separator: " ").last ?? "")
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=4 -f lavfi -i sine=d=4 \(options)
      size=$(wc -c < \(name))
      case \(name) in
        *.caf) head -c $((size - 1)) \(name) > d-\(name);;
        *.ivf | *.obu) { head -c $((size / 2)) \(name); tail -c +$((size / 2 + 1000)) \(name); } > d-\(name);;
        *) cp \(name) d-\(name)
          dd if=/dev/zero of=d-\(name) bs=1 seek=$((size / 2)) count=1000 conv=notrunc status=none;;
      esac
      case \(name) in *.caf) rate=;; *) rate=,rate=25;; esac
      mp4tool mux -q \(name)$rate -o a.mp4; echo $?; mp4tool mux d-\(name)$rate -o b.mp4 2> message; echo $?
      cat message
      """)
    #expect(
      result.lines.prefix(2) == ["0", "1"] && result.text.contains(message), "\(result.text) \(result.errorText)")
  }

  @Test(
    "LATM has the samples of the file from which it was made",
    .enabled(if: isEnabled, "needs MP4TOOL_TESTS=all and ffmpeg"), arguments: ["-ac 2", "-ac 6", "-ar 22050 -ac 1"])
  func latm(options: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i 'aevalsrc=sin(440*t)+random(0)/8:s=48000:d=3' \(options) -c:a aac x.m4a
      ffmpeg -v error -i x.m4a -c copy -f latm x.latm; mp4tool mux x.latm -o out.mp4; echo $?
      mp4tool hash x.m4a | sed 's/ .*//' > a; mp4tool hash out.mp4 | sed 's/ .*//' > b; cmp a b && echo same
      stream() { ffmpeg -v error -i $1 -c copy -f streamhash - | tail -1; }
      test "$(stream x.m4a)" = "$(stream out.mp4)" && echo same
      """)
    #expect(result.lines == ["0", "same", "same"], "\(result.text) \(result.errorText)")
  }

  @Test(
    "8 bits, A-law and μ-law are written to QuickTime movies as ffmpeg reads them, and refused for MP4",
    .enabled(if: isEnabled, "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      "-c:a pcm_u8 x.wav", "-c:a pcm_alaw x.wav", "-c:a pcm_mulaw x.wav", "-c:a pcm_s8 x.aiff", "-c:a pcm_mulaw x.aiff",
      "-c:a pcm_alaw x.caf", "-c:a pcm_s24le x.w64", "-c:a pcm_f32le x.wav", "-ar 96000 -c:a pcm_s24le x.wav",
    ])
  func quickTimeSound(options: String) throws {
    let shell = try EndToEnd()
    let name = String(options.split(separator: " ").last ?? "")
    let isISO = options.contains("24le") || options.contains("f32le")
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i 'aevalsrc=sin(440*t)|random(0)/2:s=48000:d=1.7' \(options)
      mp4tool mux -q \(name) -o out.mov; echo $?; mp4tool mux -q \(name) -o out.mp4; echo $?
      values() { ffmpeg -v error -i $1 -f f64le - | md5sum; }
      test "$(values \(name))" = "$(values out.mov)" && echo same
      ffprobe -v error -show_entries format_tags=major_brand -of csv=p=0 out.mov
      """)
    #expect(result.lines.prefix(3) == ["0", isISO ? "0" : "65", "same"], "\(result.text) \(result.errorText)")
    #expect(result.lines.last?.hasPrefix("qt") == true, "\(result.text)")
  }
}
