import Support
import Testing

@Suite("A playlist on a server, end to end", .enabled(if: WebServer.isPossible, "needs python3 and curl"))
struct CLIRemotePlaylistTests {
  let shell: EndToEnd
  let server: WebServer

  init() throws {
    shell = try EndToEnd()
    _ = try shell(
      """
      mp4tool hls -q "$V"/progressive.mp4 -o sep; mp4tool hls -q --single-file "$V"/progressive.mp4 -o single
      mp4tool defrag -q sep/master.m3u8 -o want.mp4
      """)
    server = try WebServer(shell.folder.path)
  }

  @Test(
    "The output equals that of local files, regardless of the server's behavior",
    arguments: Effort.some(
      [
        "sep", "single", "plain/single", "drop500x2/sep", "notags/drop500x1/single", "hop2/sep", "chunked/sep",
        "503x2/sep", "changing/drop500x1/single",
      ], short: 3))
  func behaviours(path: String) throws {
    let result = try shell(
      """
      mkdir made; mp4tool defrag \(server.address)/\(path)/master.m3u8 -o made/out.mp4; echo $?
      cmp want.mp4 made/out.mp4 && echo same; ls -A made
      """)
    #expect(result.lines == ["0", "same", "out.mp4"], "\(result)")
    #expect(result.errorText == "")
  }

  @Test("Cached files are not fetched again, and missing ones are")
  func kept() throws {
    let result = try shell(
      """
      U=\(server.address)/sep/master.m3u8
      mp4tool defrag $U --download-dir dir -o one.mp4; echo $?; ls dir | wc -l
      curl -s \(server.address)/log | grep -c m4s
      rm "$(ls -d dir/*segment2.m4s | head -n 1)"; mp4tool defrag $U --download-dir dir -o two.mp4; echo $?
      curl -s \(server.address)/log | grep -c m4s
      cmp one.mp4 want.mp4; cmp two.mp4 want.mp4; ls dir | wc -l
      """)
    #expect(result.lines == ["0", "10", "8", "0", "9", "10"], "\(result)")
  }

  @Test("A missing segment is a finding, and a missing playlist or init segment ends the command")
  func missing() throws {
    let result = try shell(
      """
      rm sep/video-90/segment2.m4s; U=\(server.address)/sep
      mp4tool defrag -q $U/master.m3u8 -o one.mp4; echo $?
      mp4tool defrag $U/none.m3u8 -o two.mp4; echo $?
      rm sep/video-90/init.mp4; mp4tool defrag -q $U/master.m3u8 -o two.mp4; echo $?
      """)
    #expect(result.lines == ["1", "66", "66"], "\(result)")
    #expect(
      result.errorLines[0]
        == "mp4tool: \(server.address)/sep/video-90/index.m3u8: line 11: the segment is missing: "
        + "segment2.m4s: the server returned status 404 (not found)", "\(result)")
    #expect(!shell.folder.names.contains("two.mp4"))
  }

  @Test("An unreachable server is retried a few times", .enabled(if: Effort.all, "needs MP4TOOL_TESTS=all"))
  func noServer() throws {
    #expect(try shell("mp4tool defrag http://127.0.0.1:1/a.mp4 -o two.mp4").exitCode == 74)
    #expect(!shell.folder.names.contains("two.mp4"))
  }

  @Test("A playlist on a server cannot refer to files, and its redirect is the base of its references")
  func confined() throws {
    let result = try shell(
      """
      sed "s|^segment2.m4s|file://$PWD/sep/video-90/segment2.m4s|" sep/video-90/index.m3u8 > sep/video-90/file.m3u8
      mp4tool defrag --allow-outside \(server.address)/sep/video-90/file.m3u8 -o out.mp4; echo $?
      mp4tool defrag -q \(server.address)/to-%252Fsep%252Fmaster.m3u8/x/y/z.m3u8 -o out.mp4; echo $?; cmp want.mp4 out.mp4
      """)
    #expect(result.lines == ["65", "0"], "\(result)")
    #expect(result.errorText.contains("line 11: \"file://"), "\(result)")
  }

  @Test("A file on a server is an input like others")
  func plainFile() throws {
    let result = try shell(
      """
      mp4tool defrag \(server.address)/in.mp4 -o one.mp4; mp4tool defrag in.mp4 -o two.mp4; cmp one.mp4 two.mp4
      mp4tool dump --verbosity 0 \(server.address)/sep/video-90/init.mp4 | head -n 1
      """)
    #expect(result.lines.count == 1 && result.lines[0].hasPrefix("[ftyp]"), "\(result)")
    #expect(result.errorText == "")
  }

  @Test("Without curl the message says what to install")
  func noCurl() throws {
    let result = try shell(
      "T=$(command -v mp4tool); PATH=/nowhere $T defrag \(server.address)/sep/master.m3u8 -o a.mp4; echo $?")
    #expect(result.lines == ["66"], "\(result)")
    #expect(result.errorText.contains("the program curl is not installed; install the package curl"))
  }

  @Test(
    "Encrypted transfers work if the certificate is trusted; otherwise this is reported",
    .enabled(if: which("openssl") != nil, "needs openssl"))
  func encrypted() throws {
    let made = try shell(
      """
      openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 -subj /CN=localhost \
        -addext subjectAltName=IP:127.0.0.1 2> /dev/null; cat certificate.pem >> key.pem
      """)
    #expect(made.exitCode == 0)
    let server = try WebServer(shell.folder.path, certificate: shell.folder("key.pem"))
    let result = try shell(
      """
      U=\(server.address)
      CURL_CA_BUNDLE=certificate.pem mp4tool defrag $U/sep/master.m3u8 -o out.mp4; echo $?; cmp want.mp4 out.mp4
      mp4tool defrag $U/sep/master.m3u8 -o none.mp4; echo $?
      """)
    #expect(result.lines == ["0", "74"], "\(result)")
    #expect(result.errorLines.count == 1 && result.errorText.contains("certificate"), "\(result)")
    // From there, plain HTTP is never allowed.
    let other = try shell(
      """
      sed "s|^segment2|\(self.server.address)/sep/video-90/segment2|" sep/video-90/index.m3u8 > sep/video-90/plain.m3u8
      CURL_CA_BUNDLE=certificate.pem mp4tool defrag \(server.address)/sep/video-90/plain.m3u8 -o none.mp4; echo $?
      ls none.mp4
      """)
    #expect(other.lines == ["65"], "\(other)")
    #expect(other.errorText.contains("line 11") && other.errorText.contains("https to http"), "\(other)")
  }

  @Test("When stopped in the middle, nothing is left and no child process continues")
  func stopped() throws {
    let result = try shell(
      """
      mkdir made; set -m
      # Playlists come at once, and media never does.
      sed 's,^segment,/slow9000000/sep/video-90/segment,' sep/video-90/index.m3u8 > sep/video-90/slow.m3u8
      mp4tool defrag --allow-outside \(server.address)/sep/video-90/slow.m3u8 -o made/out.mp4 & tool=$!
      until curl -s \(server.address)/log | grep -q slow9000000; do sleep 0.05; done
      kill -INT $tool; wait $tool; echo $?; ls -A made
      """)
    #expect(result.lines == ["130"], "\(result)")
  }
}
