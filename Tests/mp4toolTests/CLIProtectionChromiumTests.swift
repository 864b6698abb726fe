import Support
import Testing

@Suite(
  "Chromium plays encrypted packages with the key system ClearKey", .serialized,
  .enabled(if: Chromium.isThere, "needs MP4TOOL_TESTS=all, chromium and python3"))
struct CLIProtectionChromiumTests {
  @Test(
    "All frames are decoded to the end, also with a clear lead and changing keys", arguments: ["cenc", "cbcs"],
    ["", "--clear-lead 5", "--key-period 2"])
  func plays(method: String, options: String) throws {
    let shell = try EndToEnd()
    try shell.folder.write("keys", ascii(PackageKeys.file))
    let result = try shell(
      """
      mp4tool hls -q --dash --encrypt \(method) --encrypt-key-file keys --drm clearkey=https://example.com/license \
        --segment-duration 4 \(options) $V/progressive.mp4 -o out
      ls out/*
      """)
    #expect(result.exitCode == 0 && result.errorText.isEmpty, "\(result)")
    let events = try Chromium.events(of: Self.page(method, PackageKeys.all), shell)
    let end = try #require(events.last)
    #expect(end[0] == "ended", "\(events)")
    let usable = events.count { $0 == ["key", "usable"] }
    #expect(usable >= (options.contains("period") ? 6 : 2), "\(events)")
    let numbers = end.dropFirst().compactMap(Double.init)
    try #require(numbers.count == 5, "\(events)")
    #expect(abs(numbers[0] - numbers[1]) < 0.1 && numbers[0] > 23, "\(events)")
    #expect(numbers[2] >= 598 && numbers[3] == 0 && numbers[4] > 10_000, "\(events)")
  }

  @Test("With wrong keys, nothing is shown", arguments: ["cenc", "cbcs"])
  func wrongKeys(method: String) throws {
    let shell = try EndToEnd()
    try shell.folder.write("keys", ascii(PackageKeys.file))
    let result = try shell(
      """
      mp4tool hls -q --encrypt \(method) --encrypt-key-file keys --drm clearkey=license --segment-duration 4 \
        $V/progressive.mp4 -o out
      """)
    #expect(result.exitCode == 0, "\(result)")
    let wrong = PackageKeys.all.map { ($0.id, String($0.key.reversed())) }
    let events = try Chromium.events(of: Self.page(method, wrong), shell)
    #expect(events.last?[0] == "error" || events.last.flatMap { Int($0[3]) } == 0, "\(events)")
  }

  /// A page that appends the segments of two renditions, requests keys in `encrypted` events, and reports the time, the
  /// duration, the numbers of frames and corrupted frames, and the decoded audio bytes at the end.
  private static func page(_ scheme: String, _ keys: [(id: String, key: String)]) -> String {
    """
    <video id=v muted></video><script>
    const v = document.getElementById('v')
    const tell = (...words) => fetch('/report?' + words.join('+'))
    const coded = hex => btoa(String.fromCharCode(...hex.match(/../g).map(two => parseInt(two, 16))))
      .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, '')
    const keys = new Map('\(keys.map { "\($0.id):\($0.key)" }.joined(separator: " "))'.split(' ')
      .map(line => line.split(':').map(coded)))
    const streams = { 'video-90': 'video/mp4; codecs="avc1.64000b"', 'audio-en': 'audio/mp4; codecs="mp4a.40.2"' }
    const end = async name => {
      const quality = v.getVideoPlaybackQuality()
      await tell(name, v.currentTime - v.buffered.start(0), v.buffered.end(0) - v.buffered.start(0),
        quality.totalVideoFrames, quality.corruptedVideoFrames, v.webkitAudioDecodedByteCount)
    }
    const append = async (source, folder, type) => {
      const buffer = source.addSourceBuffer(type)
      for (const name of ['init.mp4', ...[1, 2, 3, 4, 5, 6].map(n => `segment${n}.m4s`)]) {
        buffer.appendBuffer(await (await fetch(`/out/${folder}/${name}`)).arrayBuffer())
        await new Promise(resolve => buffer.addEventListener('updateend', resolve, { once: true }))
      }
    }
    const run = async () => {
      const access = await navigator.requestMediaKeySystemAccess('org.w3.clearkey', [{ initDataTypes: ['cenc'],
        videoCapabilities: [{ contentType: streams['video-90'], encryptionScheme: '\(scheme)' }],
        audioCapabilities: [{ contentType: streams['audio-en'], encryptionScheme: '\(scheme)' }] }])
      const media = await access.createMediaKeys()
      await v.setMediaKeys(media)
      const known = new Set()
      v.addEventListener('encrypted', async event => {
        const data = String(new Uint8Array(event.initData))
        if (known.has(data)) return
        known.add(data)
        const session = media.createSession()
        session.addEventListener('keystatuseschange', () => session.keyStatuses.forEach(status => tell('key', status)))
        session.addEventListener('message', event => {
          const wanted = JSON.parse(new TextDecoder().decode(event.message)).kids
          session.update(new TextEncoder().encode(JSON.stringify({ type: 'temporary',
            keys: wanted.map(kid => ({ kty: 'oct', kid, k: keys.get(kid) })) })))
        })
        await session.generateRequest(event.initDataType, event.initData)
      })
      v.addEventListener('error', () => tell('error', escape(v.error.message)))
      v.addEventListener('ended', () => end('ended'))
      const source = new MediaSource()
      v.src = URL.createObjectURL(source)
      await new Promise(resolve => source.addEventListener('sourceopen', resolve))
      await Promise.all(Object.entries(streams).map(([folder, type]) => append(source, folder, type)))
      source.endOfStream()
      v.currentTime = v.buffered.start(0)
      v.playbackRate = 2
      await v.play()
    }
    run().catch(problem => tell('error', escape(problem)))
    setTimeout(() => end('done'), 60000)
    </script>
    """
  }
}
