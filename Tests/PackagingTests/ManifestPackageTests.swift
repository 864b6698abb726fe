import MP4
import MP4Bytes
import MP4DASH
import MP4Packaging
import Support
import Testing

@Suite("DASH manifests of packages")
struct ManifestPackageTests {
  /// Packages without and with a manifest; the other files must be the same.
  private func manifest(
    _ movies: [[[UInt8]]], adding: Set<String> = [], at: SourceLocation = #_sourceLocation,
    _ change: @escaping (inout Packager.Options) -> Void = { _ in }
  ) throws -> MPD {
    let without = try Package(movies, change)
    let package = try Package(movies) {
      change(&$0)
      $0.formats = [.hls, .dash]
    }
    let added = Set(package.files.keys).subtracting(without.files.keys)
    #expect(added == adding.union(["manifest.mpd"]), sourceLocation: at)
    #expect(package.files.filter { without.files[$0.key] != nil } == without.files, sourceLocation: at)
    let manifest = try #require(package.plan.manifest)
    #expect(package.files["manifest.mpd"] == manifest.bytes, sourceLocation: at)
    try check(manifest, package, at)
    return manifest
  }

  /// Every segment that a manifest lists has its times in the samples, and is in a file.
  private func check(_ manifest: MPD, _ package: Package, _ at: SourceLocation) throws {
    for set in manifest.periods[0].adaptationSets {
      for representation in set.representations {
        guard var list = representation.segments.list?.segmentURLs.map(\.mediaRange),
          let first = representation.segments.list?.initialization?.range, let file = representation.baseURLs.first
        else { continue }
        let name = file.hasPrefix("https:") ? file.split(separator: "/").suffix(2).joined(separator: "/") : file
        let bytes = try #require(package.files[name], sourceLocation: at)
        list.insert(first, at: 0)
        let ranges = list.compactMap(\.self)
        #expect(ranges.map(\.lowerBound) == [0] + ranges.dropLast().map(\.upperBound), sourceLocation: at)
        #expect(ranges.last?.upperBound == bytes.count, sourceLocation: at)
      }
    }
  }

  @Test("The manifest of a vector, with separate segments")
  func separate() throws {
    let manifest = try manifest([try PackagerVectorTests.files("progressive.mp4")]) {
      $0.segmentDuration = MediaTime(2, 1)
    }
    #expect(
      manifest.text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" \
        profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" \
        mediaPresentationDuration="PT24S" minBufferTime="PT2.04335601S">
          <BaseURL>./</BaseURL>
          <Period id="1" start="PT0S">
            <AdaptationSet id="1" contentType="video" mimeType="video/mp4" startWithSAP="1" segmentAlignment="true">
              <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
              <SegmentTemplate timescale="12800" presentationTimeOffset="128000" startNumber="1" \
        media="$RepresentationID$/segment$Number$.m4s" initialization="$RepresentationID$/init.mp4">
                <SegmentTimeline>
                  <S t="128000" d="25600" r="11"/>
                </SegmentTimeline>
              </SegmentTemplate>
              <Representation id="video-90" bandwidth="43148" codecs="avc1.64000B" width="160" height="90" sar="1:1" \
        frameRate="25"/>
            </AdaptationSet>
            <AdaptationSet id="2" contentType="audio" lang="en" mimeType="audio/mp4" startWithSAP="1" \
        segmentAlignment="true">
              <Label>English</Label>
              <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
              <SegmentTemplate timescale="22050" presentationTimeOffset="220500" startNumber="1" \
        media="$RepresentationID$/segment$Number$.m4s" initialization="$RepresentationID$/init.mp4">
                <SegmentTimeline>
                  <S t="219476" d="46080"/>
                  <S d="44032" r="9"/>
                  <S d="43824"/>
                </SegmentTimeline>
              </SegmentTemplate>
              <Representation id="audio-en" bandwidth="20660" codecs="mp4a.40.2" audioSamplingRate="22050">
                <AudioChannelConfiguration schemeIdUri="urn:mpeg:mpegB:cicp:ChannelConfiguration" value="1"/>
              </Representation>
            </AdaptationSet>
          </Period>
        </MPD>

        """)
  }

  @Test("The manifest of the same vector, with a file for each rendition")
  func single() throws {
    let manifest = try manifest([try PackagerVectorTests.files("progressive.mp4")]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.storage = .singleFile
      $0.baseURL = "https://example.com/a&b/"
      $0.hasIFramePlaylists = false
    }
    #expect(
      manifest.text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-main:2011" type="static" \
        mediaPresentationDuration="PT24S" minBufferTime="PT2.04335601S">
          <Period id="1" start="PT0S">
            <AdaptationSet id="1" contentType="video" mimeType="video/mp4" startWithSAP="1" segmentAlignment="true">
              <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
              <Representation id="video-90" bandwidth="43068" codecs="avc1.64000B" width="160" height="90" sar="1:1" \
        frameRate="25">
                <BaseURL>https://example.com/a&amp;b/video-90/media.mp4</BaseURL>
                <SegmentList timescale="12800" presentationTimeOffset="128000">
                  <Initialization range="0-789"/>
                  <SegmentTimeline>
                    <S t="128000" d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                    <S d="25600"/>
                  </SegmentTimeline>
                  <SegmentURL mediaRange="790-10004"/>
                  <SegmentURL mediaRange="10005-20235"/>
                  <SegmentURL mediaRange="20236-30539"/>
                  <SegmentURL mediaRange="30540-40983"/>
                  <SegmentURL mediaRange="40984-50652"/>
                  <SegmentURL mediaRange="50653-59015"/>
                  <SegmentURL mediaRange="59016-67550"/>
                  <SegmentURL mediaRange="67551-77418"/>
                  <SegmentURL mediaRange="77419-88185"/>
                  <SegmentURL mediaRange="88186-98774"/>
                  <SegmentURL mediaRange="98775-107976"/>
                  <SegmentURL mediaRange="107977-116632"/>
                </SegmentList>
              </Representation>
            </AdaptationSet>
            <AdaptationSet id="2" contentType="audio" lang="en" mimeType="audio/mp4" startWithSAP="1" \
        segmentAlignment="true">
              <Label>English</Label>
              <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
              <Representation id="audio-en" bandwidth="20580" codecs="mp4a.40.2" audioSamplingRate="22050">
                <AudioChannelConfiguration schemeIdUri="urn:mpeg:mpegB:cicp:ChannelConfiguration" value="1"/>
                <BaseURL>https://example.com/a&amp;b/audio-en/media.mp4</BaseURL>
                <SegmentList timescale="22050" presentationTimeOffset="220500">
                  <Initialization range="0-729"/>
                  <SegmentTimeline>
                    <S t="219476" d="46080"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="44032"/>
                    <S d="43824"/>
                  </SegmentTimeline>
                  <SegmentURL mediaRange="730-5248"/>
                  <SegmentURL mediaRange="5249-9538"/>
                  <SegmentURL mediaRange="9539-13929"/>
                  <SegmentURL mediaRange="13930-18133"/>
                  <SegmentURL mediaRange="18134-22125"/>
                  <SegmentURL mediaRange="22126-26006"/>
                  <SegmentURL mediaRange="26007-30533"/>
                  <SegmentURL mediaRange="30534-35670"/>
                  <SegmentURL mediaRange="35671-40323"/>
                  <SegmentURL mediaRange="40324-44520"/>
                  <SegmentURL mediaRange="44521-48447"/>
                  <SegmentURL mediaRange="48448-52603"/>
                </SegmentList>
              </Representation>
            </AdaptationSet>
          </Period>
        </MPD>

        """)
  }

  @Test("An encrypted movie has its scheme, default key and pssh boxes in the manifest")
  func encrypted() throws {
    let header = fullBox("pssh", Array(repeating: 0xab, count: 16), big(UInt32(2)), [1, 2])
    var file = try PackagerVectorTests.files("encrypted-cenc.mp4")[0]
    // Appends the box to the movie box, which is after the media.
    let moov = try #require(file.indices.dropLast(3).last { Array(file[$0..<$0 + 4]) == ascii("moov") }) - 4
    let size = file[moov..<moov + 4].reduce(0) { $0 << 8 | Int($1) }
    if moov + size == file.count {
      file.replaceSubrange(moov..<moov + 4, with: big(UInt32(size + header.count)))
      file += header
    }
    let manifest = try manifest([[file]])
    #expect(manifest.text.contains("xmlns:cenc=\"urn:mpeg:cenc:2013\""))
    for set in manifest.periods[0].adaptationSets {
      let protections = set.common.contentProtections
      #expect(protections.first?.scheme == "urn:mpeg:dash:mp4protection:2011")
      #expect(protections.first?.value == "cenc" && protections.first?.defaultKeyID?.utf8.count == 36)
      if moov + size + header.count == file.count {
        #expect(protections.dropFirst().map(\.scheme) == ["urn:uuid:abababab-abab-abab-abab-abababababab"])
        #expect(protections.last?.protectionHeaders == ["AAAAInBzc2gAAAAAq6urq6urq6urq6urq6urqwAAAAIBAg=="])
      }
    }
  }

  @Test("Events between fragments are declared at the video, with their scheme and value")
  func events() throws {
    var file = try PackagerVectorTests.files("fragmented.mp4")[0]
    let second = try #require(MovieFragmentReading.all(in: file).dropFirst().first).offset
    let times = big(UInt32(1000)) + big(UInt64(2500)) + big(UInt32(1000)) + big(UInt32(7))
    file.insert(contentsOf: fullBox("emsg", version: 1, times, ascii("urn:a&b\0\"1\"\0")), at: second)
    var options = Packager.Options()
    options.formats = [.hls, .dash]
    let plan = try Packager(options).plan([Movie(reading: [MemorySource(file)])])
    let sets = try #require(plan.manifest).periods[0].adaptationSets
    #expect(sets.map(\.common.inbandEventStreams.count) == [1, 0])
    #expect(sets[0].common.inbandEventStreams == [MPD.Descriptor("urn:a&b", "\"1\"")])
  }

  @Test("Videos with other cuts are in other adaptation sets; audio is grouped by its names in playlists")
  func groups() throws {
    let names = ["progressive.mp4", "hevc-fragmented.mp4", "progressive.mov"]
    let manifest = try manifest(try names.map(PackagerVectorTests.files)) { $0.hasIFramePlaylists = false }
    let sets = manifest.periods[0].adaptationSets
    #expect(sets.map(\.id) == sets.indices.map { String($0 + 1) })
    #expect(sets.map(\.contentType) == ["video", "video", "video", "audio", "audio"])
    #expect(sets.flatMap(\.common.labels) == ["English", "Audio"])
    #expect(sets.suffix(2).map { $0.roles.map(\.value) } == [["main"], ["alternate"]])
    #expect(Set(sets.flatMap { $0.representations.map(\.id) }).count == sets.count)
  }
}
