import Support
import Testing

@Suite("Names, keys and notes of packages")
struct CLIHLSDetailTests {
  private func lines(_ name: String, _ start: String, _ shell: EndToEnd) throws -> [Substring] {
    String(decoding: try shell.bytes(name), as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(start) }
  }

  @Test(
    "Renditions have the names and roles of their tracks",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func names() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x64:d=4 -f lavfi -i sine=300:d=4 -f lavfi -i sine=400:d=4 \\
        -f lavfi -i sine=500:d=4 -map 0 -map 1 -map 2 -map 3 -pix_fmt yuv420p -c:a aac \\
        -metadata:s:a language=eng -metadata:s:a:1 title="Director's Commentary" -disposition:a:1 comment \\
        -metadata:s:a:2 title='English "described"' -disposition:a:2 visual_impaired movie.mp4
      mp4tool hls -q movie.mp4 -o out
      """)
    #expect(made.description == "exit code 0\n\n")
    let media = try lines("out/master.m3u8", "#EXT-X-MEDIA", shell)
    try #require(media.count == 3, "\(media)")
    #expect(media[0].contains("NAME=\"English\"") && media[0].contains("DEFAULT=YES"))
    #expect(media[1].contains("NAME=\"Director's Commentary\"") && !media[1].contains("YES"), "\(media[1])")
    #expect(media[2].contains("NAME=\"English 'described'\"") && media[2].contains("AUTOSELECT=YES"), "\(media[2])")
    #expect(
      media[2].contains("CHARACTERISTICS=\"public.accessibility.describes-video\"") && !media[2].contains("DEFAULT"))
  }

  @Test("A relative key URI is relative to the multivariant playlist")
  func keyURI() throws {
    let shell = try EndToEnd()
    for (options, own, main) in [
      ("--key-uri keys/one.bin", "../keys/one.bin", "keys/one.bin"),
      (
        "--key-uri one.bin --base-url https://a.example/b/", "https://a.example/b/one.bin",
        "https://a.example/b/one.bin"
      ),
      ("--key-uri skd://one", "skd://one", "skd://one"), ("--key-uri /one", "/one", "/one"),
    ] {
      let made = try shell("rm -rf out; mp4tool hls -q \(options) \"$V\"/encrypted-cbcs.mp4 -o out; ls -d out/*/")
      #expect(made.errorText == "")
      for folder in made.lines {
        let keys = try lines("\(folder)index.m3u8", "#EXT-X-KEY", shell)
        #expect(keys.allSatisfy { $0.contains("URI=\"\(own)\"") }, "\(keys)")
      }
      let keys = try lines("out/master.m3u8", "#EXT-X-SESSION-KEY", shell)
      #expect(keys.count == 1 && keys[0].contains("URI=\"\(main)\""), "\(keys)")
    }
  }

  @Test("Notes report keys that share a URI, open GOPs, and sample entries that Apple players may not play")
  func notes() throws {
    let shell = try EndToEnd()
    let (one, two) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
    let keys = try shell(
      """
      mp4tool encrypt -q --key video=\(one):\(one) --key audio=\(two):\(two) "$V"/progressive.mp4 -o two.mp4
      mp4tool hls --key-uri skd://k two.mp4 -o keys; mp4tool hls --profile apple "$V"/hevc-fragmented.mp4 -o apple
      mp4tool hls "$V"/hevc-fragmented.mp4 -o hevc
      """)
    #expect(keys.errorText.contains("encrypted with 2 keys, but all playlists have the same key URI"), "\(keys)")
    let entries = keys.errorText.split(separator: "\n").filter { $0.contains("its sample entry is hev1") }
    let isHev1 = try shell.bytesOfVector("hevc-fragmented.mp4").contains(ascii("hev1"))
    #expect(entries.count == (isHev1 ? 1 : 0), "\(keys)")
  }

  @Test("A short last segment does not raise BANDWIDTH of a live presentation")
  func liveBandwidth() throws {
    let shell = try EndToEnd()
    let made = try shell("mp4tool live -q --no-follow --segment-duration 2 in.mp4 -o out; ls out")
    #expect(made.errorText == "", "\(made)")
    let durations = try lines("out/index.m3u8", "#EXTINF", shell).compactMap { Double($0.dropFirst(8).dropLast()) }
    #expect(durations.last == 0.08)
    let line = try #require(lines("out/master.m3u8", "#EXT-X-STREAM-INF", shell).first)
    let value = line.split(separator: ",").first.flatMap { $0.split(separator: "=").last }.flatMap { Int($0) }
    let sizes = try (1..<durations.count).map { try shell.bytes("out/segment\($0).m4s").count * 8 / 2 }
    #expect(try #require(value) < sizes.max().map { $0 * 13 / 10 } ?? 0, "\(line)")
  }
}

extension EndToEnd {
  fileprivate func bytesOfVector(_ name: String) throws -> String {
    String(decoding: try readFile(vectorPath("files/\(name)")), as: UTF8.self)
  }
}
extension String {
  fileprivate func contains(_ bytes: [UInt8]) -> Bool { contains(String(decoding: bytes, as: UTF8.self)) }
}
