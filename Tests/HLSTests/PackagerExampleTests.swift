import HLS
import Testing

@Suite("The example in the documentation")
struct PackagerExampleTests {
  @Test("It writes playlists without findings, and reads its segments again")
  func example() throws {
    var segments: [Segment] = []
    for number in 1...3 {
      segments.append(Segment("segment\(number).m4s", duration: .units(540_540, timescale: 90_000)))
    }
    segments[0].map = InitializationSection("init.mp4")
    var playlist = MediaPlaylist(segments, type: .vod, isEnded: true)
    playlist.hasIndependentSegments = true
    playlist.targetDuration = playlist.lowestTargetDuration
    playlist.version = playlist.lowestVersion
    #expect(playlist.findings == [])
    let bytes = playlist.bytes

    var main = MultivariantPlaylist()
    main.renditions = [Rendition(.audio, group: "aac", name: "English", uri: "en/index.m3u8")]
    main.renditions[0].isDefault = true
    var variant = Variant("video/index.m3u8", bandwidth: 2_400_000)
    variant.codecs = "avc1.64001f,mp4a.40.2"
    variant.resolution = Resolution(width: 1280, height: 720)
    variant.frameRate = 30_000 / 1001
    variant.audio = "aac"
    main.variants = [variant]
    let presentation = Presentation(main, media: ["video/index.m3u8": playlist, "en/index.m3u8": playlist])
    #expect(presentation.findings == [])

    let base = URIReference("https://example.com/video/index.m3u8")
    let resolved = try MediaPlaylist(bytes).resolved()
    #expect(resolved.map(\.start) == [.zero, .microseconds(6_006_000), .microseconds(12_012_000)])
    #expect(resolved.allSatisfy { $0.map?.uri == "init.mp4" && $0.byteRange == nil && $0.keys.isEmpty })
    #expect(
      resolved.map { URIReference($0.uri).resolved(against: base).description }.last
        == "https://example.com/video/segment3.m4s")
  }
}
