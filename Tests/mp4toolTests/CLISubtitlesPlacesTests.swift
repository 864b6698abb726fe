import MP4HLS
import MP4Presentations
import MP4Streaming
import Support
import Testing

@testable import mp4tool

@Suite("Permitted references of playlists that get subtitles")
struct CLISubtitlesPlacesTests {
  @Test("References outside the folder are refused, also through links, unless they are allowed")
  func outside() throws {
    let shell = try CLISubtitlesTests.prepared()
    let first = try shell("mp4tool subtitles movie/master.m3u8 --subtitles en=en.vtt -o out")
    let result = try shell("mp4tool subtitles out/master.m3u8 --subtitles fr=fr.srt -o more")
    #expect(first.exitCode == 0 && result.exitCode == 65, "\(result)")
    #expect(
      result.errorText
        == "mp4tool: out/master.m3u8: line 6: \"../movie/video-90/index.m3u8\" is not allowed: it is outside the "
        + "folder of the first playlist; --allow-outside allows it\n")
    let allowed = try shell(
      "mp4tool subtitles --allow-outside out/master.m3u8 --subtitles fr=fr.srt -o more && cat more/master.m3u8")
    #expect(allowed.exitCode == 0 && allowed.text.contains("URI=\"../out/subtitles/en/index.m3u8\""), "\(allowed)")
    #expect(allowed.text.contains("\n../out/../movie/video-90/index.m3u8\n"))
  }

  @Test("A reference outside the folder is refused with its line: files, links, init segments, segments and servers")
  func refused() throws {
    let shell = try CLISubtitlesTests.prepared()
    let result = try shell(
      """
      cp -r movie/video-90 beside; ln -s ../beside movie/linked; ln -s video-90 movie/inside; cd movie; i=0
      for name in linked inside ../beside "$PWD/../beside" file://$PWD/video-90 http://127.0.0.1:1 //127.0.0.1:1; do
        i=$((i + 1)); sed "s|^video-90|$name|" master.m3u8 > main$i.m3u8
        mp4tool subtitles main$i.m3u8 --subtitles en=../en.vtt --dry-run; echo $?
      done
      for part in s/segment1.m4s s/init.mp4; do
        i=$((i + 1)); sed "$(printf 's|%s|../../beside/%s|' ${part#s/} ${part#s/})" video-90/index.m3u8 > video-90/$i.m3u8
        sed "s|^video-90/index|video-90/$i|" master.m3u8 > main$i.m3u8
        mp4tool subtitles main$i.m3u8 --subtitles en=../en.vtt --dry-run; echo $?
      done
      for i in 1 3 4 8 9; do mp4tool subtitles -q --allow-outside main$i.m3u8 --subtitles en=../en.vtt --dry-run; echo $?; done
      """)
    let codes = [65, 0, 65, 65, 65, 65, 65, 65, 65, 0, 0, 0, 0, 0].map(String.init)
    #expect(result.lines.map(String.init) == codes, "\(result)")
    let helps = "; --allow-outside allows it"
    let outside = "is not allowed: it is outside the folder of the first playlist" + helps
    let refusals = result.errorLines.filter { $0.contains("is not allowed") }
    #expect(refusals.count == 8 && refusals.allSatisfy { $0.contains(".m3u8: line ") }, "\(result)")
    #expect(
      refusals[0]
        == "mp4tool: main1.m3u8: line 5: \"linked/index.m3u8\" is not allowed: "
        + "a symbolic link leads out of the folder of the first playlist"
        + helps)
    #expect(refusals[1] == "mp4tool: main3.m3u8: line 5: \"../beside/index.m3u8\" " + outside)
    #expect(refusals[3].hasSuffix("the scheme \"file:\" is not supported here"))
    #expect(refusals[4].hasSuffix("the scheme \"http:\" is not supported here" + helps))
    #expect(refusals[5].hasSuffix("\"//\" is not supported here"))
    #expect(refusals[6] == "mp4tool: video-90/8.m3u8: line 9: \"../../beside/segment1.m4s\" " + outside)
    #expect(refusals[7] == "mp4tool: video-90/9.m3u8: line 7: \"../../beside/init.mp4\" " + outside)
  }

  @Test("References from https to http, or from a server to a file, are never allowed", arguments: [false, true])
  func insecure(isAllowed: Bool) throws {
    let place = try PlaylistLocation(Argument("https://host/film/master.m3u8"), allowsOutside: isAllowed)
    for uri in ["http://host/film/index.m3u8", "file:///etc/passwd"] {
      let error = #expect(throws: PresentationError.self) { try place.resolving(uri, line: 7, of: place.name) }
      #expect(error?.description.hasPrefix("https://host/film/master.m3u8: line 7: \"\(uri)\" is not allowed") == true)
      #expect(error?.isAllowable == false)
    }
    #expect(try place.resolving("https://cdn/index.m3u8").name == "https://cdn/index.m3u8")
  }

  @Test(
    "References from a file to a server can be allowed, and redirects change the base URL",
    .enabled(if: WebServer.isPossible, "needs curl and python3"))
  func toServer() throws {
    let shell = try CLISubtitlesTests.prepared()
    let server = try WebServer(shell.folder.path)
    let result = try shell(
      """
      url=\(server.address); sed "s|^video-90|$url/movie/video-90|" movie/master.m3u8 > main.m3u8
      mp4tool subtitles main.m3u8 --subtitles en=en.vtt -o out; echo $?
      mp4tool subtitles --allow-outside main.m3u8 --subtitles en=en.vtt -o out; echo $?; grep -v '^#' out/main.m3u8
      mp4tool subtitles $url/hop1/movie/master.m3u8 --subtitles en=en.vtt -o hop; echo $?; grep -v '^#' hop/master.m3u8
      """)
    let place = "\(server.address)/movie/video-90/index.m3u8"
    #expect(result.lines.map(String.init) == ["65", "0", place, "0", place], "\(result)")
    #expect(result.errorLines.count == 1, "\(result)")
  }
}
