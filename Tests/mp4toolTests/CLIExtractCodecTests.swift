import Support
import Testing

@Suite("extract of older video codecs, pictures and Apple Lossless, end to end")
struct CLIExtractCodecTests {
  private static let isEnabled = Effort.has("ffmpeg") && Effort.has("ffprobe")

  @Test(
    "A decoder gets the same pictures from the elementary stream and from the file",
    .enabled(if: isEnabled, "needs ffmpeg"),
    arguments: [
      ("-c:v mpeg4 -bf 2 -g 12", "mp4", "m4v", "m4v"), ("-c:v mpeg4 -g 12", "mov", "m4v", "m4v"),
      ("-c:v mpeg2video -bf 2 -g 12 -b:v 1M", "mp4", "m2v", "mpegvideo"),
      ("-c:v mpeg2video -g 12 -b:v 1M", "mov", "m2v", "mpegvideo"),
      ("-c:v mpeg1video -bf 2 -g 12 -b:v 1M", "mp4", "m1v", "mpegvideo"),
      ("-c:v mjpeg -pix_fmt yuvj420p", "mov", "mjpeg", "mjpeg"),
      ("-c:v mjpeg -pix_fmt yuvj420p", "mp4", "mjpeg", "mjpeg"),
      ("-c:v png", "mov", "png", "png_pipe"), ("-c:v png", "mp4", "png", "png_pipe"),
    ])
  func video(options: String, container: String, suffix: String, reader: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=192x108:r=25:d=2 -f lavfi -i sine=d=2 \(options) -c:a aac f.\(container)
      mp4tool extract --tracks video f.\(container) -o out.\(suffix); echo $?
      mp4tool cut -q --from 1 --tracks video f.\(container) -o late.\(container)
      mp4tool extract --tracks video late.\(container) -o late.\(suffix); echo $?
      hashes() { ffmpeg -v error "$@" -map 0:v -pix_fmt rgb24 -f framemd5 - | grep -v '#' | cut -d, -f6; }
      hashes -i f.\(container) > a; hashes -f \(reader) -i out.\(suffix) > b
      hashes -ignore_editlist 1 -i late.\(container) > c; hashes -f \(reader) -i late.\(suffix) > d
      wc -l < a; cmp a b && echo same; cmp c d && echo same
      """)
    #expect(
      result.lines.map { $0.filter { $0 != " " } } == ["0", "0", "50", "same", "same"] && result.errorText == "",
      "\(options): \(result.text) \(result.errorText)")
  }

  @Test(
    "One picture is a picture file, and --frame takes the video track by itself",
    .enabled(if: isEnabled, "needs ffmpeg"))
  func picture() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i sine=d=2 -f lavfi -i testsrc2=s=192x108:r=25:d=2 -map 0 -map 1 -c:v mjpeg -c:a aac f.mov
      mp4tool extract --frame 1.2 f.mov -o p.jpg; mp4tool extract --frame 30f --tracks 2 f.mov -o q.jpg; cmp p.jpg q.jpg && echo same
      ffprobe -v error -f jpeg_pipe -show_entries stream=codec_name,width -of csv=p=0 p.jpg
      ffmpeg -v error -i p.jpg -pix_fmt rgb24 -f framemd5 - | grep -v '#' | cut -d, -f6
      ffmpeg -v error -i f.mov -map 0:v -vf select='eq(n\\,30)' -frames:v 1 -pix_fmt rgb24 -f framemd5 - | grep -v '#' | cut -d, -f6
      mp4tool extract f.mov -o x; echo $?
      """)
    #expect(result.lines.prefix(2) == ["same", "mjpeg,192"] && result.lines.last == "65", "\(result.text)")
    #expect(result.lines.count == 5 && result.lines[2] == result.lines[3], "\(result.text)")
    #expect(result.errorText.contains("only one track can be written"), "\(result.errorText)")
  }

  @Test(
    "Apple Lossless in CAF decodes to the same audio", .enabled(if: isEnabled, "needs ffmpeg"),
    arguments: [
      "-ac 1 -ar 44100", "-ac 2 -ar 48000 -sample_fmt s32p", "-ac 6 -ar 48000", "-ac 2 -ar 22050",
    ])
  func lossless(options: String) throws {
    let shell = try EndToEnd()
    for container in ["m4a", "mov"] {
      let result = try shell(
        """
        ffmpeg -v error -y -f lavfi -i 'aevalsrc=sin(440*t)+random(0)/8:d=3.3' \(options) -c:a alac f.\(container)
        mp4tool extract f.\(container) -o f.caf; echo $?
        md5() { ffmpeg -v error "$@" -map 0:a -f md5 -; }
        test $(md5 -i f.\(container)) = $(md5 -i f.caf) && echo same; test $(md5 -i f.caf) = $(md5 -f caf -i - < f.caf) && echo same
        for f in f.\(container) f.caf; do
          ffprobe -v error -show_entries stream=codec_name,sample_rate,channels,bits_per_raw_sample -of csv=p=0 $f
          ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 $f
        done
        """)
      #expect(
        result.lines.prefix(3) == ["0", "same", "same"] && result.errorText == "", "\(result.text) \(result.errorText)")
      let rest = result.lines.dropFirst(3).suffix(4).map(String.init)
      #expect(rest.count == 4 && rest[0] == rest[2] && rest[1] == rest[3], "\(rest)")
    }
  }
}
