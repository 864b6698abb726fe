import Support
import Testing

/// Audio with an edit list that hides 1.3 s: the encoder priming and a loud tone of 3 kHz, up to the middle of a
/// sample. One second later there is a click, and a flash in the video at the same time.
///
/// The tests use Web Audio, which decodes files, and Media Source Extensions, which take segments. Chromium's own HLS
/// player is not tested: it places the first sample of each rendition at 0, regardless of edit list and decode time, so
/// it presents hidden audio, for any packager.
extension CLIHLSChromiumTests {
  /// Creates `source.mp4` with video of 3 s.
  private func makeSource(_ shell: EndToEnd) throws {
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i \\
        "color=black:size=64x64:rate=25:duration=3,drawbox=color=white:t=fill:enable='between(t,0.99,1.03)'" \\
        -f lavfi -i "aevalsrc='if(lt(n,61940),0.6*sin(2*PI*3000*t),if(between(n,109940,110420),0.9*sin(2*PI*8000*t),\\
      0.15*sin(2*PI*440*t)))':s=48000:d=4.29" \\
        -c:v libx264 -g 25 -bf 2 -pix_fmt yuv420p -c:a aac -b:a 128k whole.mp4
      """)
    #expect(result.description == "exit code 0\n\n")
    var bytes = try shell.bytes("whole.mp4")
    // The last edit list is that of the audio; ffmpeg wrote it to hide the 1024 priming samples.
    let place = try #require(
      bytes.indices.dropLast(24).last { bytes[$0..<$0 + 4].elementsEqual(ascii("elst")) && bytes[$0 + 11] == 1 })
    #expect(bytes[place + 16..<place + 20].elementsEqual(big(UInt32(1024))))
    bytes.replaceSubrange(place + 12..<place + 20, with: big(UInt32(3000)) + big(UInt32(1024 + 61_940)))
    try shell.folder.write("source.mp4", bytes)
  }

  /// The audible result: the position of the click after the first sound in samples of 1/48000 s, and the level of the
  /// hidden tone.
  private func expectHeard(_ event: [String]?, first: Int? = nil) throws {
    let event = try #require(event)
    let numbers = event.compactMap { Double($0) }
    try #require(numbers.count >= 3, "\(event)")
    #expect(abs(numbers[1] - numbers[0] - 48_000) < 24 && numbers[2] < 0.02, "\(event)")
    if let first { #expect(abs(numbers[0] - Double(first)) < 24, "\(event)") }
  }

  @Test("Audio hidden by an edit list is silent, and the rest is in sync with the video")
  func priming() throws {
    let shell = try EndToEnd()
    try makeSource(shell)
    let result = try shell(
      """
      mp4tool fragment -q source.mp4 -o fragmented.mp4
      mp4tool fragment -q --tracks audio --segment-duration 1 source.mp4 -o sound.mp4
      mp4tool fragment -q --segment-duration 1 source.mp4 --segments together
      mp4tool hls -q --segment-duration 1 source.mp4 -o apart
      """)
    #expect(result.description == "exit code 0\n\n")
    let events = try Chromium.events(of: Self.listener, shell)
    for name in ["source.mp4", "fragmented.mp4", "sound.mp4"] {
      try expectHeard(events.first { $0.prefix(2) == ["decoded", name] }, first: 0)
    }
    // The media times of packages start at 10 s.
    for (name, flash, end) in [("together/", "1", "3"), ("apart/video-64/", "11", "13")] {
      let event = events.first { $0.prefix(2) == ["played", name] }
      try expectHeard(event)
      #expect(event?.suffix(2) == [flash, end], "\(events)")
      let buffered = events.filter { $0.prefix(2) == ["buffered", name] }.map { $0.dropFirst(2) }
      #expect(buffered.count == 1 && buffered[0].allSatisfy { $0.hasSuffix("/1") }, "\(events)")
    }
  }

  private static let listener = #"""
    <canvas id=c width=8 height=8></canvas><script type=module>
    const report = (...words) => fetch('/report?' + words.join('+'))
    const bytes = async url => (await fetch(url)).arrayBuffer()
    // Where the first sound is, where the click, and how loud the tone of 3 kHz is where it is loudest.
    function judge(samples) {
      let loudest = 0
      for (let start = 0; start + 480 <= samples.length; start += 480) {
        let [re, im] = [0, 0]
        for (let i = 0; i < 480; i++) {
          re += samples[start + i] * Math.cos(2 * Math.PI * 3000 * i / 48000)
          im += samples[start + i] * Math.sin(2 * Math.PI * 3000 * i / 48000)
        }
        loudest = Math.max(loudest, Math.hypot(re, im) / 240)
      }
      return [samples.findIndex(x => Math.abs(x) > 0.003), samples.findIndex(x => Math.abs(x) > 0.75), loudest.toFixed(3)]
    }
    async function decoded(url) {
      const buffer = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(await bytes(url))
      return judge(buffer.getChannelData(0))
    }
    async function feed(video, folders) {
      const media = new MediaSource()
      video.src = URL.createObjectURL(media)
      await new Promise(resolve => media.onsourceopen = resolve)
      const buffers = folders.map(([, type]) => media.addSourceBuffer(type))
      for (const [i, [folder]] of folders.entries())
        for (const name of ['init.mp4', 'segment1.m4s', 'segment2.m4s', 'segment3.m4s']) {
          buffers[i].appendBuffer(await bytes(folder + name))
          await new Promise((resolve, reject) => { buffers[i].onupdateend = resolve; buffers[i].onerror = reject })
        }
      const ranges = buffers.map(b => b.buffered).map(b => `${b.start(0)}-${b.end(b.length - 1)}/${b.length}`)
      await report('buffered', folders[0][0], ...ranges)
      media.endOfStream()
      video.currentTime = Math.max(...buffers.map(b => b.buffered.start(0)))
    }
    async function played(...folders) {
      const context = new AudioContext({sampleRate: 48000}), chunks = []
      const code = `registerProcessor('tap', class extends AudioWorkletProcessor { process(inputs) {
        this.port.postMessage(inputs[0].length ? inputs[0][0].slice() : new Float32Array(128)); return true } })`
      await context.audioWorklet.addModule(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})))
      const tap = new AudioWorkletNode(context, 'tap'), video = document.createElement('video')
      tap.port.onmessage = event => chunks.push(event.data)
      context.createMediaElementSource(video).connect(tap)
      let flash = -1
      const canvas = document.getElementById('c').getContext('2d', {willReadFrequently: true})
      const see = (now, frame) => {
        canvas.drawImage(video, 0, 0, 8, 8)
        if (flash < 0 && canvas.getImageData(4, 4, 1, 1).data[0] > 128) flash = frame.mediaTime
        video.requestVideoFrameCallback(see)
      }
      video.requestVideoFrameCallback(see)
      await feed(video, folders)
      const end = new Promise((resolve, reject) => { video.onended = resolve; video.onerror = reject })
      await video.play()
      await end
      await new Promise(resolve => setTimeout(resolve, 300))
      const all = new Float32Array(chunks.length * 128)
      chunks.forEach((chunk, i) => all.set(chunk, i * 128))
      return [...judge(all), flash, video.duration]
    }
    const [video, audio] = ['avc1.64000A', 'mp4a.40.2']
    for (const [how, ...inputs] of [
      [decoded, 'source.mp4'], [decoded, 'fragmented.mp4'], [decoded, 'sound.mp4'],
      [played, ['together/', `video/mp4; codecs="${video},${audio}"`]],
      [played, ['apart/video-64/', `video/mp4; codecs="${video}"`], ['apart/audio/', `audio/mp4; codecs="${audio}"`]],
    ]) {
      const name = how == decoded ? inputs[0] : inputs[0][0]
      try { await report(how.name, name, ...await how(...inputs)) } catch (e) { await report('failed', name, escape(e)) }
    }
    report('done')
    </script>
    """#
}
