import Support
import Testing

@Suite("edit --timecode, as other programs read it", .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs ffmpeg"))
struct CLITimecodeTests {
  @Test(
    "ffprobe shows the timecode and the reel, also after a copy to QuickTime, and the video decodes to the same frames",
    arguments: [
      ("25", "mp4", "01:00:00:00"), ("30000/1001", "mov", "23:59:59;29"), ("60000/1001", "mp4", "00:01:00;04"),
      ("24000/1001", "mov", "09:00:00:23"), ("50", "mov", "01:02:03:49"),
    ])
  func ffprobe(rate: String, type: String, timecode: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=160x90:r=\(rate):d=2 -f lavfi -i sine=d=2 film.\(type)
      cp film.\(type) out.\(type)
      mp4tool edit -q --in-place --timecode '00:00:00:00' out.\(type)
      mp4tool edit -q --in-place --timecode '\(timecode)' --reel A001 out.\(type)
      mp4tool check -q out.\(type) > findings || cat findings
      ffmpeg -nostdin -v error -i out.\(type) -c copy again.mov
      for file in out.\(type) again.mov; do
        ffprobe -v error -select_streams d -show_entries stream_tags=timecode,reel_name -of csv=p=0 $file
      done
      for file in film out; do ffmpeg -nostdin -v error -i $file.\(type) -map 0:v -f framemd5 - > $file.md5; done
      cmp film.md5 out.md5
      """)
    let rows = result.text.split(separator: "\n").map { Set($0.split(separator: ",").map(String.init)) }
    #expect(result.exitCode == 0 && rows == [[timecode, "A001"], [timecode]], "\(result)")
  }
}
