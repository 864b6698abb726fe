import MP4HLS
import Support
import Testing

@Suite("hls: settings of inputs, end to end")
struct CLIHLSInputTests {
  private func main(_ shell: EndToEnd, _ folder: String = "out") throws -> MultivariantPlaylist {
    try MultivariantPlaylist(shell.bytes("\(folder)/master.m3u8"))
  }

  @Test("Tracks, languages, names, the default, roles, a group and a score")
  func settings() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "mp4tool hls in.mp4,tracks=video,score=2.5 in.mp4,tracks=audio,language=en,name=Main "
        + "\"$V\"/hls/init.mp4,tracks=audio,language=de,default \"$V\"/hls/segment{1..3}.m4s "
        + "--segment-duration 1 --dash -o out")
    #expect(result.exitCode == 0, "\(result)")
    let main = try main(shell)
    let audio = main.renditions.filter { $0.kind == .audio }
    #expect(audio.map(\.name) == ["Main", "German"] && audio.map(\.language) == ["en", "de"], "\(main.text)")
    #expect(audio.map(\.isDefault) == [false, true])
    #expect(main.variants.count == 1 && main.variants[0].score == 2.5)
    let checked = try shell("mp4tool check out/master.m3u8 out/manifest.mpd")
    #expect(checked.exitCode == 0, "\(checked)")
  }

  @Test("Roles become CHARACTERISTICS and roles of DASH, and a group has its given name")
  func roles() throws {
    let shell = try EndToEnd()
    let made = try shell(
      "mp4tool extract in.mp4 --tracks audio -o sound.aac; mp4tool edit --strip tags in.mp4 -o other.mp4; "
        + "mp4tool hls in.mp4,group=stereo,language=en sound.aac,language=en,role=description,group=stereo,"
        + "name=Described "
        + "--dash -o out")
    #expect(made.exitCode == 0, "\(made)")
    let main = try main(shell)
    let audio = main.renditions.filter { $0.kind == .audio }
    #expect(
      audio.map(\.group) == ["stereo", "stereo"] && audio.map(\.name) == ["English", "Described"], "\(main.text)")
    #expect(audio.map(\.characteristics) == [nil, "public.accessibility.describes-video"])
    let manifest = try String(decoding: shell.bytes("out/manifest.mpd"), as: UTF8.self)
    #expect(manifest.contains("value=\"description\"") && manifest.contains("<Label>Described</Label>"))
  }

  @Test("Subtitles by option and as operands, and elementary streams")
  func streams() throws {
    let shell = try EndToEnd()
    try shell.folder.write("a.vtt", Array("WEBVTT\n\n00:00.100 --> 00:00.900\nHello\n".utf8))
    try shell.folder.write("b.fr.srt", Array("1\n00:00:00,100 --> 00:00:00,900\nSalut\n".utf8))
    try shell.folder.write(
      "c.ttml",
      Array(
        ("<tt xmlns=\"http://www.w3.org/ns/ttml\" xml:lang=\"de\"><body><div><p begin=\"0.1s\" end=\"0.9s\">Hallo</p>"
          + "</div></body></tt>").utf8))
    let result = try shell(
      "mp4tool extract in.mp4 --tracks video -o v.h264; mp4tool extract in.mp4 --tracks audio -o a.aac; "
        + "mp4tool hls v.h264,rate=25 a.aac,language=en b.fr.srt,forced --subtitles en=a.vtt,sdh "
        + "--subtitles de=c.ttml,name=Deutsch -o out")
    #expect(result.exitCode == 0, "\(result)")
    let main = try main(shell)
    let text = main.renditions.filter { $0.kind == .subtitles }
    #expect(
      Set(text.map(\.language)) == ["fr", "en", "de"] && Set(text.map(\.name)).contains("Deutsch"), "\(main.text)")
    #expect(text.first { $0.language == "fr" }?.isForced == true)
    #expect(text.first { $0.language == "en" }?.characteristics != nil)
    let checked = try shell("mp4tool check out/master.m3u8")
    #expect(checked.exitCode == 0, "\(checked)")
  }

  @Test("The first variant")
  func first() throws {
    let shell = try EndToEnd()
    let lines = try shell(
      "for first in lowest highest 1k 900M; do mp4tool hls -q \"$V\"/progressive.mp4 \"$V\"/hevc-fragmented.mp4 "
        + "--first $first -o $first || exit; done")
    #expect(lines.exitCode == 0, "\(lines)")
    func bandwidths(_ folder: String) throws -> [Int] { try main(shell, folder).variants.map(\.bandwidth) }
    let (low, high) = (try bandwidths("lowest"), try bandwidths("highest"))
    #expect(low.count > 1 && low[0] == low.min() && high[0] == high.max(), "\(low) \(high)")
    #expect(try bandwidths("1k") == low && (try bandwidths("900M")) == high)
  }

  @Test("What settings ask for and cannot be done is said, and given names are kept")
  func warnings() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp "$V"/progressive.mp4 a.mp4
      mp4tool hls a.mp4,rate=25,name=X,default,language=en in.mp4,tracks=audio,name=X,language=en,default \
        --ad-break 30..31 -o out
      printf 'WEBVTT\n\n00:01.000 --> 00:02.000\nText\n' > en.vtt; mp4tool package en.vtt -o no; echo $?
      mp4tool package a.mp4 --encrypt aes-128 --encrypt-key 00:00 -o no; echo $?
      """)
    let names = try main(shell).renditions.map(\.name)
    #expect(names == ["X", "X 2"], "\(result)")
    #expect(result.text == "65\n64\n", "\(result)")
    for text in [
      "warning: a.mp4: its pictures have times of their own, so the given frame rate is ignored",
      "2 renditions are chosen as the default, but there can be only one; it is \"X\"",
      "the marker at 30.000 s is after the end of the presentation, at 24.",
      "mp4tool: en.vtt: it has no video or audio",
      "mp4tool package: ", "Try 'mp4tool package --help'.",
    ] { #expect(result.errorText.contains(text), "\(text): \(result)") }
  }

  @Test("Packaged again, renditions keep what the playlist or manifest says about them", arguments: ["m3u8", "mpd"])
  func again(suffix: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool package -q "$V"/progressive.mp4,tracks=video in.mp4,tracks=audio,name=Original,language=fr \
        "$V"/progressive.mp4,tracks=audio,name=Beschreibung,language=de,role=description,default -o first
      # Files of others do not have names and languages.
      sed -i.old 's/NAME="Original"/NAME="Another"/; s/>Original</>Another</' first/master.m3u8 first/manifest.mpd
      mp4tool hls -q first/*.\(suffix) -o out; mp4tool check -q out/master.m3u8
      """)
    let audio = try main(shell).renditions
    #expect(audio.map(\.name) == ["Another", "Beschreibung"] && audio.map(\.language) == ["fr", "de"], "\(result)")
    #expect(audio.map { $0.characteristics ?? "" } == ["", "public.accessibility.describes-video"], "\(result)")
    if suffix == "m3u8" { #expect(audio.map(\.isDefault) == [false, true]) }
  }

  @Test("Packaged again without sound, pictures keep their times", arguments: Effort.some(["m3u8", "mpd"], short: 1))
  func pictures(suffix: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool package -q "$V"/progressive.mp4,tracks=video "$V"/progressive.mp4,tracks=audio,delay=1 -o a
      mp4tool package -q a/*.\(suffix) -o b; diff -r a/video-90 b/video-90 && diff -r a/audio-en b/audio-en
      """)
    #expect(result.exitCode == 0 && result.text.isEmpty, "\(result)")
  }

  @Test("Wrong settings exit with 64 and say what is possible")
  func usage() throws {
    let shell = try EndToEnd()
    let lines = [
      ("in.mp4,langage=de", "'langage' in 'in.mp4,langage=de' is not a setting; did you mean 'language'?"),
      ("in.mp4,language=German", "'language=German' in 'in.mp4,language=German': language takes a language tag"),
      ("in.mp4,default=1", "'default=1' in 'in.mp4,default=1': default takes no value"),
      ("in.mp4,foo=bar", "'foo' in 'in.mp4,foo=bar' is not a setting; the settings are tracks, language"),
      ("in.mp4,group=a/b", "group takes letters, digits"),
      ("in.mp4,role=narrator", "role takes one of main, alternate"),
      ("in.mp4,score=-1", "score takes a number from 0"),
      ("in.mp4,tracks=video,tracks=audio", "has the setting 'tracks' twice"),
      ("--reference in.mp4,language=de", "settings of an INPUT cannot be used with '--reference'"),
    ]
    for (arguments, message) in lines {
      let result = try shell("mp4tool hls \(arguments) -o out")
      #expect(result.exitCode == 64 && result.errorText.contains(message), "\(result)")
    }
    let none = try shell("mp4tool hls in.mp4,tracks=7 -o out")
    #expect(none.exitCode == 65 && none.errorText.contains("track 7 does not exist"), "\(none)")
    // A word that names a file is that file.
    let odd = try shell("cp in.mp4 'in.mp4,default=1'; mp4tool hls 'in.mp4,default=1' -o out")
    #expect(odd.exitCode == 0, "\(odd)")
  }
}
