import Support
import Testing

/// Takes as long as the media lasts. `MP4TOOL_HLSJS` names a file of hls.js, or of a bundle that has it.
@Suite(
  "hls.js plays packages", .serialized,
  .enabled(
    if: Chromium.isThere && environment("MP4TOOL_HLSJS") != nil && which("ffmpeg") != nil,
    "needs MP4TOOL_TESTS=all, MP4TOOL_HLSJS, chromium, python3 and ffmpeg"))
struct EndHLSJSTests {
  @Test(
    "A ladder with the same audio at one or at two bit rates keeps its languages when the level changes",
    arguments: [128, 64])
  func ladder(rate: Int) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for size in 320x180 160x90; do
        ffmpeg -v error -f lavfi -i testsrc2=s=$size:r=25:d=6 -f lavfi -i sine=440:d=6 -c:v libx264 -g 25 -pix_fmt yuv420p \\
          -c:a aac -b:a $([ $size = 160x90 ] && echo \(rate) || echo 128)k -metadata:s:a:0 language=deu v$size.mp4
      done
      ffmpeg -v error -f lavfi -i anoisesrc=d=6 -c:a aac -b:a 96k -metadata:s:a:0 language=fra fr.m4a
      mp4tool hls -q --duration 2 v320x180.mp4 v160x90.mp4 fr.m4a -o out
      cp "$MP4TOOL_HLSJS" hls.js
      name=$(grep -oE '[A-Za-z_$][A-Za-z0-9_$]*[.]Events[.](DESTROYING|MANIFEST_PARSED)' hls.js | head -n 1 | cut -d. -f1)
      echo ";globalThis.Hls = globalThis.Hls ?? ${name:-undefined}" >> hls.js
      """)
    let events = try Chromium.events(of: Self.page, shell)
    #expect(!events.contains { $0[0] == "error" }, "\(result) \(events)")
    let tracks = events.filter { $0[0] == "tracks" }
    #expect(!tracks.isEmpty && tracks.allSatisfy { $0 == ["tracks", "German", "French"] }, "\(events)")
    #expect(events.filter { $0[0] == "switched" }.last == ["switched", "French"], "\(events)")
    #expect(Set(events.filter { $0[0] == "level" }) == [["level", "0"], ["level", "1"]], "\(events)")
    let end = try #require(events.last { $0[0] == "ended" }, "\(events)")
    #expect(Double(end[1]).map { abs($0 - 6) < 0.1 } == true && Int(end[2]).map { $0 > 10_000 } == true, "\(end)")
  }

  private static let page = """
    <video id=v></video><script type=module>
    import '/hls.js'
    const v = document.getElementById('v'), h = new Hls(), on = Hls.Events
    const tell = (...words) => fetch('/report?' + words.join('+'))
    h.on(on.ERROR, (_, data) => data.fatal && tell('error', data.details))
    h.on(on.AUDIO_TRACKS_UPDATED, () => tell('tracks', ...h.audioTracks.map(track => track.name)))
    h.on(on.AUDIO_TRACK_SWITCHED, (_, track) => tell('switched', track.name))
    h.on(on.LEVEL_SWITCHED, (_, data) => tell('level', data.level))
    v.addEventListener('ended', () => tell('ended', v.currentTime, v.webkitAudioDecodedByteCount))
    v.addEventListener('timeupdate', () => {
      if (v.currentTime > 1 && h.audioTrack == 0) h.audioTrack = 1
      if (v.currentTime > 2) h.nextLevel = v.currentTime > 4 ? 1 : 0
    })
    h.on(on.MANIFEST_PARSED, () => { h.startLevel = 1; v.play() })
    h.loadSource('/out/master.m3u8')
    h.attachMedia(v)
    </script>
    """
}
