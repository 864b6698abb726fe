import Support
import Testing

@Suite("All outputs of subtitles are unchanged")
struct CLISubtitleGoldenTests {
  @Test(
    "Playlists and segments of each form",
    arguments: [
      ("whole", "", "--subtitles en=en.vtt --subtitles fr=fr.srt,name=Français,default,sdh"),
      ("segments", "--profile apple", "--segment-duration 6 --subtitles en=en.vtt --subtitles fr=fr.srt,forced"),
      ("wvtt", "--profile apple", "--text-format wvtt --segment-duration 12 --subtitles pt-BR=en.vtt"),
    ])
  func golden(name: String, options: String, added: String) throws {
    let shell = try CLISubtitlesTests.prepared(options)
    let show =
      name == "wvtt"
      ? "cat out/master.m3u8 out/subtitles/*/*.m3u8; for f in out/subtitles/*/*.m*[4s]; "
        + "do mp4tool dump --verbosity 3 $f; done"
      : "head -n 1000 $(find out -type f | sort)"
    let command = "mp4tool subtitles movie/master.m3u8 \(added) -o out; \(show)"
    let result = try shell(command)
    #expect(result.exitCode == 0 && result.errorText == "", "\(result)")
    let whole = Array("$ \(command)\n".utf8) + result.output
    let path = vectorPath("golden/subtitles/\(name).txt")
    if environment("UPDATE_GOLDEN") == "1" { try writeFile(path, whole) }
    let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n")
    let wanted = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
    let first = zip(lines, wanted).first { $0 != $1 }
    #expect(
      first == nil && lines.count == wanted.count, "UPDATE_GOLDEN=1 rewrites \(path): \(String(describing: first))")
  }
}
