import Support
import Testing

@Suite(
  "Chromium plays packages", .serialized,
  .enabled(if: Chromium.isThere, "needs MP4TOOL_TESTS=all, chromium and python3"))
struct CLIHLSChromiumTests {
  @Test(
    "Packages are played to the end, with their duration, size and audio",
    arguments: [
      ("fragmented.mp4", ""), ("fragmented.mp4", "--single-file"), ("fragmented.mp4", "--muxed"),
      ("fragmented.mp4", "--reference"), ("global-sidx.mp4", "--reference"), ("hybrid.mp4", ""),
      ("hybrid.mp4", "--single-file"), ("hybrid.mp4", "--muxed"), ("progressive.mov", ""),
      ("progressive.mov", "--single-file"), ("progressive.mov", "--muxed"),
    ])
  func plays(name: String, options: String) throws {
    let shell = try EndToEnd()
    let result = try shell("cp \"$V\"/\(name) .; mp4tool hls -q --segment-duration 2 \(options) \(name) -o out")
    let events = try Chromium.events(of: Self.page, shell)
    let ready = try #require(events.first, "\(result)")
    let end = try #require(events.first { $0[0] == "ended" }, "\(events)")
    let source = try SampleReader.read(readFile(vectorPath("files/\(name)")))
    let ends = source.presented.values.compactMap { $0.map(\.end).max() }
    let last = try #require(ends.max())
    let length = Double(last.numerator) / Double(last.denominator)
    #expect(ready[0] == "loadedmetadata" && ready[1] == "160x90", "\(events)")
    let ended = [ready[2], end[2], end[3]].compactMap(Double.init)
    #expect(ended.count == 3 && ended.allSatisfy { abs($0 - length) < 0.1 }, "\(ended), not \(length)")
    let times = events.compactMap { Double($0[3]) }
    #expect(times == times.sorted() && Set(times.map { Int($0 * 2) }).count > Int(length), "\(times)")
    // The numbers of decoded audio and video bytes.
    #expect(Int(end[4]).map { $0 > 10_000 } == true && Int(end[5]).map { $0 > 20_000 } == true, "\(end)")
  }

  private static let page = """
    <video id=v></video><script>
    const v = document.getElementById('v')
    let told = Promise.resolve()
    for (const e of ['loadedmetadata', 'timeupdate', 'error', 'ended']) v.addEventListener(e, () => {
      const words = [e, v.videoWidth + 'x' + v.videoHeight, v.duration, v.currentTime, v.webkitAudioDecodedByteCount,
        v.webkitVideoDecodedByteCount].join('+')
      told = told.then(() => fetch('/report?' + words))
    })
    v.src = '/out/master.m3u8'
    v.play()
    </script>
    """
}
