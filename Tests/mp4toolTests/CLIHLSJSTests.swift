import Support
import Testing

private var isThere: Bool {
  environment("MP4TOOL_HLSJS") != nil && which("chromium") != nil && which("ffmpeg") != nil
}

/// hls.js, the most common player on the web, in Chromium with our own server.
///
/// `MP4TOOL_HLSJS` is the path of a distribution of hls.js, or of a bundle that exports a function which plays a URL in
/// an element.
@Suite(
  "hls.js plays packages", .serialized,
  .enabled(if: isThere, "needs MP4TOOL_HLSJS, chromium and ffmpeg"))
struct CLIHLSJSTests {
  /// Plays `/PLACE` in hls.js while `lines` inspect `hls` and its `video`; returns the events that they report.
  private static func events(
    _ place: String, _ lines: String, _ shell: EndToEnd, serve: String = ".", meanwhile: String = ":"
  ) throws -> [[String]] {
    let result = try serving(serve, Chromium.lines("look.html", meanwhile: meanwhile), in: shell)
    return Chromium.events(result)
  }

  private static func prepare(_ shell: EndToEnd, _ place: String, _ lines: String, in folder: String = "") throws {
    let path = try #require(environment("MP4TOOL_HLSJS"))
    try shell.folder.write(folder + "hls.js", readFile(path))
    try shell.folder.write(folder + "look.html", ascii(page(place, lines)))
  }

  private static func page(_ place: String, _ lines: String) -> String {
    """
    <video id=video muted></video><script type=module>
    const video = document.getElementById('video')
    const tell = (...words) => fetch('/report?' + words.map(encodeURIComponent).join('+'))
    const until = claim => new Promise(resolve => {
      const look = () => claim() ? resolve() : setTimeout(look, 20)
      look()
    })
    try {
      const source = await (await fetch('/hls.js')).text()
      const module = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})))
      const exported = Object.values(module)
      const known = globalThis.Hls ?? exported.find(value => value.isSupported)
      // A bundle may export only a function that plays; what it returns is of the class.
      const made = known ? null : exported.find(value => value.length == 3)(video, '/none.m3u8')
      const Hls = known ?? made.constructor
      made?.destroy()
      const hls = new Hls({maxBufferLength: 4, maxMaxBufferLength: 4})
      const seen = name => new Promise(resolve => hls.once(Hls.Events[name], (_, data) => resolve(data)))
      hls.on(Hls.Events.ERROR, (_, data) => { if (data.fatal) tell('error', data.details) })
      const parsed = seen('MANIFEST_PARSED')
      hls.loadSource('/\(place)')
      hls.attachMedia(video)
      await parsed
      await (async () => {
        \(lines)
      })()
    } catch (problem) { await tell('error', problem) }
    tell('done')
    </script>
    """
  }

  @Test(
    "A bit rate ladder with two languages at one or two bit rates: every variant plays to the end in every language",
    arguments: ["copy", "aac -b:a 32k"])
  func ladder(second: String) throws {
    let shell = try EndToEnd()
    let sound = { (name: String, pitch: Int) in
      "-f lavfi -i sine=\(pitch):duration=8 -map 0 -c:a aac -metadata:s:a:0 language=\(name)"
    }
    let made = try shell(
      """
      set -e
      ffmpeg -v error \(sound("eng", 300)) en.m4a; ffmpeg -v error \(sound("fra", 500)) fr.m4a
      for height in 180 90; do
        ffmpeg -v error -f lavfi -i testsrc2=size=320x$height:rate=25:duration=8 -i en.m4a -map 0 -map 1 -c:v libx264 \\
          -preset ultrafast -g 25 -pix_fmt yuv420p -c:a $([ $height = 90 ] && echo \(second) || echo copy) $height.mp4
      done
      mp4tool hls -q --segment-duration 2 180.mp4 90.mp4 fr.m4a -o out
      """)
    #expect(made.exitCode == 0, "\(made)")
    try Self.prepare(shell, "out/master.m3u8", Self.ladder)
    let events = try Self.events("out/master.m3u8", Self.ladder, shell)
    #expect(events.first { $0[0] == "levels" }?.dropFirst().sorted() == ["180", "90"], "\(events)")
    let tracks = events.filter { $0[0] == "tracks" }
    #expect(tracks.count == 2 && tracks.allSatisfy { $0.dropFirst(2) == ["en", "fr"] }, "\(events)")
    #expect(
      events.filter { $0[0] == "plays" }.map { $0[1...].joined(separator: " ") }.sorted() == [
        "180 en", "180 fr", "90 en", "90 fr",
      ], "\(events)")
    let end = events.first { $0[0] == "ended" }
    #expect(end.flatMap { Double($0[1]) }.map { abs($0 - 8) < 0.15 } == true, "\(events)")
  }

  private static let ladder = """
    video.play()
    await tell('levels', ...hls.levels.map(level => level.height))
    for (const [index, level] of hls.levels.entries()) {
      hls.currentLevel = index
      await until(() => video.videoHeight == level.height && hls.audioTracks.length > 0)
      await tell('tracks', level.height, ...hls.audioTracks.map(track => track.lang))
      for (const track of hls.audioTracks) {
        if (hls.audioTrack != track.id) {
          const switched = seen('AUDIO_TRACK_SWITCHED')
          hls.audioTrack = track.id
          await switched
        }
        const start = video.currentTime
        await until(() => video.currentTime > start + 0.3 && video.readyState > 2)
        await tell('plays', video.videoHeight, hls.audioTracks.find(track => track.id == hls.audioTrack).lang)
      }
    }
    video.currentTime = video.duration - 0.5
    await until(() => video.ended)
    await tell('ended', video.currentTime)
    """

  @Test("A file that is packaged on request plays to the end")
  func onRequest() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=8 -f lavfi -i sine=300:duration=8 \\
        -c:v libx264 -preset ultrafast -g 25 -bf 2 -pix_fmt yuv420p -c:a aac film.mp4
      """)
    #expect(made.exitCode == 0, "\(made)")
    let lines = """
      video.play()
      await until(() => video.currentTime > 0.5 && video.videoHeight == 180)
      video.currentTime = video.duration - 0.5
      await until(() => video.ended)
      await tell('ended', video.currentTime)
      """
    try Self.prepare(shell, "film.mp4/master.m3u8", lines)
    let events = try Self.events("film.mp4/master.m3u8", lines, shell)
    let end = events.first { $0[0] == "ended" }
    #expect(end.flatMap { Double($0[1]) }.map { abs($0 - 8) < 0.15 } == true, "\(events)")
  }

  @Test("Added subtitles are listed, and their cues have the right times", arguments: ["", "--segment-duration 4"])
  func subtitles(options: String) throws {
    let shell = try CLISubtitlesTests.prepared()
    let made = try shell(
      "mp4tool subtitles -q \(options) movie/master.m3u8 --subtitles en=en.vtt --subtitles fr=fr.srt -o out")
    #expect(made.exitCode == 0, "\(made)")
    try Self.prepare(shell, "out/master.m3u8", Self.subtitles)
    let events = try Self.events("out/master.m3u8", Self.subtitles, shell)
    #expect(events.first { $0[0] == "tracks" }?.dropFirst() == ["en", "fr"], "\(events)")
    let cues = events.filter { $0[0] == "cue" && $0.count == 4 }
    #expect(cues.map { $0[3] } == ["Hello", "Second", "Third"], "\(events)")
    // hls.js places the first decode time at 0, so it shows pictures and cues later by the reordering delay of 80 ms.
    let times = cues.flatMap { $0[1...2].compactMap { Double($0) } }
    #expect(zip(times, [1, 3.5, 3, 6.5, 11, 12]).allSatisfy { abs($0 - $1 - 0.08) < 0.06 }, "\(events)")
  }

  private static let subtitles = """
    await until(() => hls.subtitleTracks.length > 0)
    await tell('tracks', ...hls.subtitleTracks.map(track => track.lang))
    hls.subtitleDisplay = true
    hls.subtitleTrack = 0
    const cues = () => [...video.textTracks].filter(track => track.mode == 'showing').flatMap(track => [...track.cues ?? []])
    const shown = new Map()
    for (const time of [0, 4, 8, 12, 16]) {
      video.currentTime = time
      await until(() => !video.seeking && video.readyState > 2)
      if (time < 12) await until(() => cues().length >= (time < 8 ? 1 : 2))
      for (const cue of cues()) shown.set(cue.startTime.toFixed(1), cue)
    }
    await until(() => {
      for (const cue of cues()) shown.set(cue.startTime.toFixed(1), cue)
      return shown.size >= 3
    })
    for (const cue of [...shown.values()].sort((a, b) => a.startTime - b.startTime)) {
      await tell('cue', cue.startTime.toFixed(1), cue.endTime.toFixed(1), cue.getCueAsHTML().textContent.split(/[^a-zA-Z]/)[0])
    }
    """

  @Test("A live presentation continues to play after the segments that existed when the page was opened")
  func live() throws {
    let shell = try EndToEnd()
    try Self.prepare(shell, "master.m3u8", Self.live)
    let result = try Chromium.playLive("look.html", with: "look.html hls.js", in: shell)
    let events = Chromium.events(result)
    let times = events.filter { $0[0] == "at" }.compactMap { Double($0[1]) }
    #expect(times == times.sorted() && times.last.map { $0 > 7 } == true, "\(result)")
    #expect(!events.contains { $0[0] == "error" }, "\(result)")
    #expect(result.lines.contains("ended with 0"), "\(result)")
  }

  @Test("A live presentation with two sounds plays each of them")
  func liveSounds() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      ffmpeg -v error -i "$V"/progressive.mp4 -f lavfi -i sine=500:duration=20 -map 0:v -map 0:a -map 1 -c:v copy \
        -c:a aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=fra -shortest two.mp4
      """)
    #expect(made.exitCode == 0, "\(made)")
    try Self.prepare(shell, "master.m3u8", Self.liveSounds)
    let result = try Chromium.playLive("look.html", with: "look.html hls.js", of: "two.mp4", in: shell)
    let events = Chromium.events(result)
    #expect(events.first { $0[0] == "tracks" }?.dropFirst() == ["en", "fr"], "\(result)")
    #expect(events.contains { $0[0] == "switched" && $0[1] == "fr" }, "\(result)")
    #expect(events.last { $0[0] == "at" }.flatMap { Double($0[1]) }.map { $0 > 7 } == true, "\(result)")
    #expect(!events.contains { $0[0] == "error" }, "\(result)")
    #expect(result.lines.contains("ended with 0"), "\(result)")
  }

  private static let liveSounds = """
    await until(() => hls.audioTracks.length > 0)
    await tell('tracks', ...hls.audioTracks.map(track => track.lang))
    video.play()
    let last = video.currentTime
    while (last < 7) {
      await until(() => video.currentTime >= last + 0.5)
      last = video.currentTime
      await tell('at', last)
      if (last > 3 && hls.audioTrack == 0) {
        const switched = seen('AUDIO_TRACK_SWITCHED')
        hls.audioTrack = 1
        await switched
        await tell('switched', hls.audioTracks.find(track => track.id == hls.audioTrack).lang)
      }
    }
    """

  private static let live = """
    video.play()
    let last = video.currentTime
    while (last < 7) {
      await until(() => video.currentTime >= last + 0.5)
      last = video.currentTime
      await tell('at', last)
    }
    """
}
