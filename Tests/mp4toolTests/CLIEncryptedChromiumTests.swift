import Support
import Testing

@Suite(
  "Chromium plays encrypted output with the key system ClearKey", .serialized,
  .enabled(if: Chromium.isThere, "needs MP4TOOL_TESTS=all, chromium and python3"))
struct CLIEncryptedChromiumTests {
  private static let keyID = "0123456789abcdef0123456789abcdef"
  private static let key = "00112233445566778899aabbccddeeff"

  @Test("All frames are decoded to the end", arguments: ["cenc", "cbcs"], ["", "--clear-lead 2"])
  func plays(scheme: String, options: String) throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mp4tool encrypt --scheme \(scheme) \(options) --segment-duration 2 --key \(Self.keyID):\(Self.key) \
        --pssh common $V/progressive.mp4 -o movie.mp4
      """)
    #expect(made.exitCode == 0, "\(made)")
    let source = try SampleReader.read(readFile(vectorPath("files/progressive.mp4")))
    let count = try #require(source.tracks.first?.samples.count)
    let events = try Chromium.events(of: Self.page(scheme, Self.key), shell)
    let end = try #require(events.last, "\(made)")
    #expect(end[0] == "ended", "\(events)")
    // The first session requests the key of `pssh`.
    #expect(events.contains { $0 == ["key", "usable"] }, "\(events)")
    let numbers = end.dropFirst().compactMap(Double.init)
    try #require(numbers.count == 5, "\(events)")
    #expect(abs(numbers[0] - numbers[1]) < 0.1 && numbers[0] > 5, "\(events)")
    #expect(Int(numbers[2]) >= count - 2 && numbers[3] == 0, "\(events), \(count) frames")
    #expect(numbers[4] > 10_000, "\(events)")
  }

  @Test("With a wrong key, nothing is shown", arguments: ["cenc", "cbcs"])
  func wrongKey(scheme: String) throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      mp4tool encrypt --scheme \(scheme) --key \(Self.keyID):\(Self.key) --pssh common $V/progressive.mp4 -o movie.mp4
      """)
    #expect(made.exitCode == 0, "\(made)")
    let events = try Chromium.events(of: Self.page(scheme, String(Self.key.reversed())), shell)
    #expect(events.last?[0] == "error" || events.last.flatMap { Int($0[3]) } == 0, "\(events)")
  }

  /// A page that requests the key in `encrypted` events, and reports the time, the duration, the numbers of frames and
  /// corrupted frames, and the decoded audio bytes at the end.
  private static func page(_ scheme: String, _ key: String) -> String {
    """
    <video id=v muted></video><script>
    const v = document.getElementById('v')
    const tell = (...words) => fetch('/report?' + words.join('+'))
    const coded = hex => btoa(String.fromCharCode(...hex.match(/../g).map(two => parseInt(two, 16))))
      .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=/g, '')
    const video = 'video/mp4; codecs="avc1.64001f"', audio = 'audio/mp4; codecs="mp4a.40.2"'
    const end = async name => {
      const quality = v.getVideoPlaybackQuality()
      await tell(name, v.currentTime, v.duration, quality.totalVideoFrames, quality.corruptedVideoFrames,
        v.webkitAudioDecodedByteCount)
    }
    const run = async () => {
      const access = await navigator.requestMediaKeySystemAccess('org.w3.clearkey', [{ initDataTypes: ['cenc'],
        videoCapabilities: [{ contentType: video, encryptionScheme: '\(scheme)' }],
        audioCapabilities: [{ contentType: audio, encryptionScheme: '\(scheme)' }] }])
      const keys = await access.createMediaKeys()
      await v.setMediaKeys(keys)
      let session
      v.addEventListener('encrypted', async event => {
        if (session) return
        session = keys.createSession()
        session.addEventListener('keystatuseschange', () => session.keyStatuses.forEach(status => tell('key', status)))
        session.addEventListener('message', event => {
          const wanted = JSON.parse(new TextDecoder().decode(event.message)).kids
          session.update(new TextEncoder().encode(JSON.stringify({ type: 'temporary',
            keys: wanted.map(kid => ({ kty: 'oct', kid, k: coded('\(key)') })) })))
        })
        await session.generateRequest(event.initDataType, event.initData)
      })
      v.addEventListener('error', () => tell('error', escape(v.error.message)))
      v.addEventListener('ended', () => end('ended'))
      const source = new MediaSource()
      v.src = URL.createObjectURL(source)
      await new Promise(resolve => source.addEventListener('sourceopen', resolve))
      const buffer = source.addSourceBuffer('video/mp4; codecs="avc1.64001f, mp4a.40.2"')
      buffer.appendBuffer(await (await fetch('/movie.mp4')).arrayBuffer())
      await new Promise(resolve => buffer.addEventListener('updateend', resolve))
      source.endOfStream()
      await v.play()
    }
    run().catch(problem => tell('error', escape(problem)))
    setTimeout(() => end('done'), 60000)
    </script>
    """
  }
}
