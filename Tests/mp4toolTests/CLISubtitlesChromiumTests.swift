import Support
import Testing

@Suite(
  "Chromium shows added subtitles", .serialized,
  .enabled(if: Chromium.isThere, "needs MP4TOOL_TESTS=all, chromium and python3"))
struct CLISubtitlesChromiumTests {
  @Test(
    "The edited playlist plays, and text tracks of the WebVTT files show every cue at its time",
    arguments: ["", "--segment-duration 4"], ["", "--profile apple"])
  func shows(options: String, profile: String) throws {
    let shell = try CLISubtitlesTests.prepared(profile)
    let result = try shell("mp4tool subtitles -q \(options) movie/master.m3u8 --subtitles en=en.vtt -o out")
    let events = try Chromium.events(of: Self.page, shell)
    #expect(events.last?.first == "ended", "\(result)")
    let shown = events.filter { $0.first == "enter" && $0.count == 4 }
    for (start, end, text) in [(1.0, 3.5, "Hello"), (3.0, 6.5, "Second"), (11.0, 12.0, "Third")] {
      let own = shown.filter { $0[3].hasPrefix(text) }
      let times = own.compactMap { Double($0[1]) }
      #expect(times.count >= 1 && times.allSatisfy { $0 >= start - 0.05 && $0 < start + 0.5 }, "\(text): \(shown)")
      #expect(own.allSatisfy { Double($0[2]) == end }, "\(shown)")
    }
    #expect(Set(shown.map { $0[3] }).count == 3, "\(shown)")
  }

  /// Like a JavaScript player, finds the subtitle playlist in the main playlist, and loads its files. Timestamps are
  /// those of the playlist, whose media Chromium presents from 0 on.
  private static let page = """
    <video id=v></video><script>
    const v = document.getElementById('v')
    const tell = (...words) => fetch('/report?' + words.join('+'))
    const text = async url => (await fetch(url)).text()
    async function load() {
      const main = await text('/out/master.m3u8')
      const list = '/out/' + main.match(/TYPE=SUBTITLES.*URI="([^"]*)"/)[1]
      const files = (await text(list)).split('\\n').filter(line => line && line[0] != '#')
      for (const file of files) {
        const track = document.createElement('track')
        track.src = list.replace(/[^/]*$/, file)
        track.addEventListener('load', () => {
          for (const cue of track.track.cues) {
            cue.onenter = () => tell('enter', v.currentTime, cue.endTime, cue.getCueAsHTML().textContent.split(' ')[0])
          }
        })
        v.append(track)
        track.track.mode = 'showing'
      }
      v.addEventListener('error', () => tell('error'))
      v.addEventListener('timeupdate', () => { if (v.currentTime > 13) tell('ended') })
      v.src = '/out/master.m3u8'
      v.play()
    }
    load()
    </script>
    """
}
