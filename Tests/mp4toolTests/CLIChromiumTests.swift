import MP4HLS
import Support
import Testing

/// Chromium with resources from our own server. The pages wait for conditions, however long that takes, and seek to
/// avoid waiting for playback.
@Suite("Chromium plays served media", .enabled(if: Chromium.isThere, "needs MP4TOOL_TESTS=all, chromium and python3"))
struct CLIChromiumTests {
  /// The end of the presentation of a file in seconds.
  private static func length(_ bytes: [UInt8]) throws -> Double {
    let last = try #require(SampleReader.read(bytes).presented.values.compactMap { $0.map(\.end).max() }.max())
    return Double(last.numerator) / Double(last.denominator)
  }

  @Test(
    "The page of a movie plays it, seeks in it and reaches its end, with video and audio",
    arguments: [
      ("stream/master.m3u8", false), ("movie.mp4", false), ("stream/master.m3u8", true), ("apple/master.m3u8", true),
      ("muxed/master.m3u8", true), ("stream/video-90/index.m3u8", true),
    ])
  func movie(place: String, isForced: Bool) throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      set -e; mkdir site; cp in.mp4 site/movie.mp4
      mp4tool hls -q --segment-duration 2 in.mp4 -o site/stream
      mp4tool hls -q --segment-duration 2 --profile apple --single-file in.mp4 -o site/apple
      mp4tool hls -q --segment-duration 2 --muxed in.mp4 -o site/muxed
      """)
    #expect(made.exitCode == 0, "\(made)")
    try shell.folder.write("site/look.html", ascii(Chromium.page(Self.movie, isForced: isForced)))
    let force = isForced ? Chromium.forced("site") + "\n" : ""
    let result = try serving("site", force + Chromium.lines("look.html#\(place)"), in: shell)
    let events = Chromium.events(result)
    try #require(events.map(\.[0]) == ["playing", "ended"], "\(result)")
    let length = try Self.length(shell.bytes("in.mp4"))
    for event in events {
      #expect(event[1] == "160x90" && Double(event[2]).map { abs($0 - length) < 0.1 } == true, "\(events)")
      // The numbers of decoded audio and video bytes.
      let hasAudio = !place.hasPrefix("stream/video")
      #expect(Int(event[4]).map { $0 > (hasAudio ? 3000 : -1) } == true, "\(events)")
      #expect(Int(event[5]).map { $0 > 5000 } == true, "\(events)")
    }
    #expect(Double(events[1][3]).map { abs($0 - length) < 0.1 } == true, "\(events)")
  }

  private static let movie = """
    const tellAll = name => tell(name, player.videoWidth + 'x' + player.videoHeight, player.duration, player.currentTime,
      player.webkitAudioDecodedByteCount, player.webkitVideoDecodedByteCount)
    await until(() => player.currentTime > 1.5)
    await tellAll('playing')
    player.currentTime = player.duration - 1
    await until(() => player.ended)
    await tellAll('ended')
    """

  @Test("The text track of added subtitles shows each cue from its start to its end, and nothing else")
  func subtitles() throws {
    let shell = try CLISubtitlesTests.prepared()
    let made = try shell("mp4tool subtitles -q --segment-duration 4 movie/master.m3u8 --subtitles en=en.vtt -o out")
    #expect(made.exitCode == 0, "\(made)")
    try shell.folder.write("look.html", ascii(Chromium.page(Self.subtitles)))
    let result = try serving(".", Chromium.lines("look.html#out/master.m3u8"), in: shell)
    let events = Chromium.events(result)
    let shown = events.filter { $0[0] == "shown" }.map { $0[1...].joined(separator: " ") }
    #expect(
      shown == [
        "0.9", "1.1 Hello", "2.9 Hello", "3.1 Hello Second", "3.6 Second", "6.4 Second", "6.6", "10.9", "11.1 Third",
        "11.9 Third", "12.1",
      ], "\(result)")
    // During playback, a cue does not appear before its start time.
    let entered = events.filter { $0[0] == "entered" }
    #expect(entered.count == 1 && entered[0][1] == "Third", "\(result)")
    #expect(entered.first.flatMap { Double($0[2]) }.map { $0 > 10.95 } == true, "\(result)")
  }

  /// Like a JavaScript player, loads the files in the subtitle playlist. Timestamps are those of the playlist, whose
  /// media Chromium presents from 0 on.
  private static let subtitles = """
    const text = async url => (await fetch(url)).text()
    const list = '/out/' + (await text('/out/master.m3u8')).match(/TYPE=SUBTITLES.*URI="([^"]*)"/)[1]
    const tracks = []
    for (const file of (await text(list)).split('\\n').filter(line => line && line[0] != '#')) {
      const track = frame.contentDocument.createElement('track')
      track.src = list.replace(/[^/]*$/, file)
      player.append(track)
      track.track.mode = 'showing'
      await until(() => track.readyState == 2)
      tracks.push(track.track)
    }
    const word = cue => cue.getCueAsHTML().textContent.split(/[^a-zA-Z]/)[0]
    const active = () => [...new Set(tracks.flatMap(track => [...track.activeCues]).map(word))].join('+')
    await until(() => player.readyState > 2)
    player.pause()
    for (const [time, words] of [[0.9, ''], [1.1, 'Hello'], [2.9, 'Hello'], [3.1, 'Hello+Second'], [3.6, 'Second'],
        [6.4, 'Second'], [6.6, ''], [10.9, ''], [11.1, 'Third'], [11.9, 'Third'], [12.1, '']]) {
      player.currentTime = time
      await until(() => !player.seeking && active() == words, 30000)
      await tell(...['shown', time, active()].filter(part => part !== ''))
    }
    player.currentTime = 10.5
    await until(() => !player.seeking && active() == '')
    player.play()
    await until(() => active() != '')
    await tell('entered', active(), player.currentTime)
    """

  @Test(
    "The page plays the selected audio and subtitles, and on a phone a low list item plays in view",
    .enabled(if: Effort.has("ffmpeg"), "needs ffmpeg"),
    arguments: [("", false), ("--segment-duration 4", false), ("--segment-duration 4", true)])
  func choices(segments: String, isForced: Bool) throws {
    let shell = try CLISubtitlesTests.prepared()
    let made = try shell(
      """
      set -e; mkdir site
      for language in eng fra; do
        ffmpeg -v error -f lavfi -i sine=300:duration=20 -c:a aac -metadata:s:a:0 language=$language $language.m4a
      done
      mp4tool defrag -q --tracks video in.mp4 -o video.mp4
      mp4tool hls -q --segment-duration 2 --profile apple video.mp4 eng.m4a fra.m4a -o site/film
      mp4tool subtitles -q \(segments) site/film/master.m3u8 --in-place --subtitles en=en.vtt --subtitles fr=fr.srt
      for number in $(seq 20); do cp in.mp4 site/a$number.mp4; done
      """)
    #expect(made.exitCode == 0, "\(made)")
    try shell.folder.write("site/look.html", ascii(Chromium.page(Self.choices, isForced: isForced)))
    let lines = Chromium.lines("look.html#film/master.m3u8") + "\ncat log >&2"
    let result = try serving("site", (isForced ? Chromium.forced("site") + "\n" : "") + lines, in: shell)
    let events = Chromium.events(result)
    let menus = events.filter { $0[0] == "menu" }.map { $0[1...].joined(separator: " ") }
    #expect(menus == ["Audio English French", "Subtitles off English French"], "\(events)")
    #expect(events.filter { $0[0] == "cue" }.map { $0[1] } == ["none", "Hello", "none"], "\(events)")
    // The presentation continues at the same position in the other language.
    let other = try #require(events.first { $0[0] == "other" }, "\(events)")
    #expect(other[1] == "French" && Double(other[2]).map { (1.5...8).contains($0) } == true, "\(events)")
    let asked = result.errorLines.filter { $0.contains("GET /film/audio-") }
    // Our own player does not start again at the first segment.
    let french = isForced ? "audio-fr/segment" : "audio-fr/segment1"
    #expect(asked.contains { $0.contains(french) } && asked.contains { $0.contains("audio-en/segment1") })
    let places = try #require(events.first { $0[0] == "places" }, "\(events)").dropFirst().compactMap { Double($0) }
    try #require(places.count == 6, "\(events)")
    // The top and bottom of the video and of the item, the height of the viewport, and the horizontal overflow.
    #expect(places[0] >= 0 && places[1] < places[2] && places[3] <= places[4] && places[5] == 0, "\(places)")
  }

  @Test("Subtitles with DEFAULT=YES are shown without a choice", arguments: [false, true])
  func defaultSubtitles(isForced: Bool) throws {
    let shell = try CLISubtitlesTests.prepared()
    let made = try shell(
      """
      mp4tool subtitles -q movie/master.m3u8 --subtitles fr=fr.srt --subtitles en=en.vtt,default --in-place
      """)
    #expect(made.exitCode == 0, "\(made)")
    try shell.folder.write("look.html", ascii(Chromium.page(Self.shown, isForced: isForced)))
    let force = isForced ? Chromium.forced(".") + "\n" : ""
    let events = Chromium.events(
      try serving(".", force + Chromium.lines("look.html#movie/master.m3u8"), in: shell))
    #expect(events.map { $0.joined(separator: " ") } == ["cue English Hello"], "\(events)")
  }

  private static let shown = """
    const shown = () => [...player.textTracks].filter(track => track.mode === 'showing')
    const cue = () => shown().flatMap(track => [...track.activeCues ?? []])
      .map(cue => cue.getCueAsHTML().textContent.split(/[^a-zA-Z]/)[0]).join('+')
    await until(() => player.readyState > 2)
    player.pause()
    player.currentTime = 2
    await until(() => cue() !== '', 60000)
    await tell('cue', shown().map(track => track.label).join(), cue())
    """

  private static let choices = """
    const byID = id => frame.contentDocument.getElementById(id)
    const menus = () => [...byID('tracks').querySelectorAll('label')]
    const turn = (menu, index) => {
      const select = menus()[menu].querySelector('select')
      select.selectedIndex = index
      select.dispatchEvent(new Event('change'))
    }
    const cue = () => [...player.textTracks].filter(track => track.mode === 'showing')
      .flatMap(track => [...track.activeCues ?? []]).map(cue => cue.getCueAsHTML().textContent.split(/[^a-zA-Z]/)[0]).join('+')
    await until(() => menus().length === 2 && menus()[1].querySelectorAll('option').length === 3)
    for (const menu of menus()) {
      await tell('menu', menu.firstChild.textContent.trim(), ...[...menu.querySelectorAll('option')].map(option => option.text))
    }
    await until(() => player.readyState > 2)
    player.pause()
    player.currentTime = 2
    await until(() => !player.seeking)
    await tell('cue', cue() || 'none')
    turn(1, 1)
    await until(() => cue() !== '')
    await tell('cue', cue())
    turn(1, 0)
    await until(() => cue() === '')
    await tell('cue', 'none')
    await player.play()
    turn(0, 1)
    await until(() => player.currentSrc.startsWith('blob:') && player.currentTime > 2 && player.readyState > 2)
    // Our own player requests the other sound itself.
    const requests = () => frame.contentWindow.performance.getEntriesByType('resource').map(entry => entry.name)
    const isForced = frame.contentWindow.location.pathname.includes('forced')
    await until(() => !isForced || requests().some(name => name.includes('audio-fr/segment')))
    await tell('other', menus()[0].querySelector('select').selectedOptions[0].text, player.currentTime)
    frame.width = 390
    const links = [...frame.contentDocument.querySelectorAll('li a')]
    const link = links[15]
    link.scrollIntoView({block: 'center'})
    link.click()
    await until(() => player.currentSrc.endsWith(link.getAttribute('href')) && player.currentTime > 0.2)
    const [picture, item] = [player.getBoundingClientRect(), link.getBoundingClientRect()]
    const page = frame.contentDocument.documentElement
    await tell('places', picture.top, picture.bottom, item.top, item.bottom, page.clientHeight, page.scrollWidth - page.clientWidth)
    """

  @Test(
    "A live presentation continues to play after the segments that existed when the page was opened",
    arguments: [false, true])
  func live(isForced: Bool) throws {
    let shell = try EndToEnd()
    try shell.folder.write("look.html", ascii(Chromium.page(Self.live, isForced: isForced)))
    let result = try Chromium.playLive("look.html#master.m3u8", with: "look.html", in: shell, isForced: isForced)
    let before = try MediaPlaylist(shell.bytes("before.m3u8"))
    let events = Chromium.events(result)
    let times = events.filter { $0[0] == "at" }.compactMap { Double($0[1]) }
    let window = before.segments.reduce(Duration.zero) { $0 + $1.duration }
    #expect(times == times.sorted() && times.last.map { Duration.seconds($0) > window } == true, "\(result)")
    // No missing segment was requested, and none from before the window.
    let segments = events.filter { $0[0] == "segment" }
    let numbers = segments.compactMap { Int($0[1]) }
    #expect(segments.allSatisfy { $0[2] == "200" || $0[2] == "206" }, "\(result)")
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "\(result)")
    let known = before.mediaSequence..<before.mediaSequence + before.segments.count
    #expect(numbers.first.map { $0 >= known.lowerBound } == true, "\(result)")
    #expect(numbers.last.map { $0 >= known.upperBound } == true, "\(result)")
    #expect(result.lines.contains("ended with 0"), "\(result)")
  }

  private static let live = """
    let last = player.currentTime
    while (last < 7) {
      await until(() => player.currentTime >= last + 0.5)
      last = player.currentTime
      await tell('at', last, player.duration)
    }
    """
}
