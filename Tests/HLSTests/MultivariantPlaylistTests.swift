import MP4HLS
import Testing

@Suite("Multivariant playlists")
struct MultivariantPlaylistTests {
  private func example(_ name: String) throws -> MultivariantPlaylist {
    let text = try #require(Examples.multivariant.first { $0.name == name }).text
    return try MultivariantPlaylist(text)
  }

  @Test("Variants, renditions and all other tags are read")
  func reading() throws {
    let playlist = try example("Apple's advanced example")
    #expect(playlist.variants.map(\.uri) == ["v5/prog_index.m3u8", "v9/prog_index.m3u8"])
    let best = playlist.variants[1]
    #expect(best.bandwidth == 9_000_000 && best.averageBandwidth == nil && best.score == 2.5)
    #expect(best.codecs == "hvc1.2.4.L153.b0,ec-3" && best.supplementalCodecs == "dvh1.08.07/db4h")
    #expect(best.resolution == Resolution(width: 3840, height: 2160) && best.frameRate == 23.976)
    #expect(best.videoRange == "HLG" && best.hdcpLevel == "TYPE-1" && best.requiredVideoLayout == "CH-STEREO,CH-MONO")
    #expect(best.audio == "ec3" && best.subtitles == "subs" && best.closedCaptions == .group("cc") && best.video == nil)
    #expect(best.stableID == "v9+/=.-_" && best.pathway == "CDN-B" && best.allowedCPC == nil)
    #expect(playlist.renditions.map(\.kind) == [.audio, .audio, .audio, .audio, .subtitles, .closedCaptions])
    #expect(playlist.renditions[1].name == "Français" && playlist.renditions[1].language == "fr")
    #expect(playlist.renditions.map(\.isDefault) == [true, false, true, false, false, false])
    #expect(playlist.renditions[2].channels == "16/JOC" && playlist.renditions[5].inStreamID == "SERVICE1")
    #expect(playlist.iFrameVariants.map(\.uri) == ["v7/iframe_index.m3u8"])
    #expect(playlist.iFrameVariants[0].bandwidth == 187_492)
    #expect(playlist.sessionData.first?.value == "Example" && playlist.sessionKeys.first?.method == .sampleAES)
    #expect(playlist.contentSteering?.serverURI == "/steering?video=00012")
    #expect(playlist.version == 12 && playlist.hasIndependentSegments && playlist.startPoint == nil)
    let odd = try example("odd but forgiven")
    #expect(odd.variants.first?.uri == "sub dir/low.m3u8" && odd.variants.first?.bandwidth == 800_000)
    #expect(odd.variants.first?.attributes["X-OWN"]?.text == "1.50" && odd.renditions.first?.kind == .audio)
    #expect(try example("variants").variants.map(\.uri.utf8.count) == [27, 27, 34])
  }

  @Test("Editing a variant or rendition changes only its line")
  func editing() throws {
    for (name, text) in Examples.multivariant {
      var playlist = try MultivariantPlaylist(text)
      let last = playlist.variants.count - 1
      playlist.variants[last].subtitles = "new"
      let old = text.split(separator: "\n", omittingEmptySubsequences: false)
      let new = playlist.text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(old.count == new.count)
      let changed = zip(old, new).filter { $0 != $1 }
      #expect(changed.count == 1, "\(name)")
      #expect(changed.first?.1.contains("SUBTITLES=\"new\"") == true)
      playlist = try MultivariantPlaylist(text)
      playlist.variants[last].uri = "elsewhere"
      #expect(
        playlist.text.split(separator: "\n", omittingEmptySubsequences: false).filter { !old.contains($0) }
          == ["elsewhere"])
      playlist.variants = playlist.variants
      playlist.renditions = playlist.renditions
      #expect(playlist.variants.count == last + 1)
    }
  }

  @Test("Unknown attributes, their order and their spelling are kept when another attribute is edited")
  func attributes() throws {
    var playlist = try example("odd but forgiven")
    playlist.variants[0].bandwidth = 900_000
    #expect(
      playlist.variants[0].attributes.description
        == "PROGRAM-ID=1,BANDWIDTH=900000,X-OWN=1.50,AUDIO=\"a\",CODECS=\"mp4a.40.2, avc1.4d401e\"")
    #expect(playlist.text.contains("\n#EXT-X-MEDIA: TYPE=AUDIO, GROUP-ID=\"a\" , NAME=\"N\"\n"))
    #expect(playlist.text.hasSuffix("\n  sub dir/low.m3u8\t\n#EXT-X-WHAT-IS-THIS\n\n\n"))
  }

  @Test("Setting the current value keeps its spelling")
  func sameValues() throws {
    for (name, text) in Examples.multivariant {
      var playlist = try MultivariantPlaylist(text)
      for index in playlist.renditions.indices {
        playlist.renditions[index].isDefault = playlist.renditions[index].isDefault
        playlist.renditions[index].isForced = playlist.renditions[index].isForced
        playlist.renditions[index].name = playlist.renditions[index].name
      }
      for index in playlist.variants.indices {
        playlist.variants[index].bandwidth = playlist.variants[index].bandwidth
        playlist.variants[index].score = playlist.variants[index].score
        playlist.variants[index].frameRate = playlist.variants[index].frameRate
        playlist.variants[index].resolution = playlist.variants[index].resolution
        playlist.variants[index].uri = playlist.variants[index].uri
      }
      #expect(playlist.text == text, "\(name)")
    }
  }

  @Test("Unchanged URIs keep the spelling of their lines, including spaces and invalid characters")
  func sameURIs() throws {
    let text =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=a , NAME=\"A\", URI=a.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=01\n"
      + " sub dir/\u{1}low.m3u8\t\n#EXT-X-STREAM-INF:BANDWIDTH=2\nhigh.m3u8 \n"
    var playlist = try MultivariantPlaylist(text)
    playlist.changeURIs { $0 }
    #expect(playlist.text == text)
    playlist.changeURIs { $0 == "high.m3u8" ? "highest.m3u8" : $0 }
    #expect(playlist.text == text.replacing("high.m3u8 ", with: "highest.m3u8"))
  }

  @Test("Variants are removed and added with their URIs, and comments are kept", arguments: 0..<3)
  func removing(index: Int) throws {
    var playlist = try example("variants")
    let all = playlist.variants
    playlist.variants.remove(at: index)
    var kept = all
    kept.remove(at: index)
    #expect(playlist.variants == kept)
    #expect(playlist.text.contains("# the better one"))
    #expect(try MultivariantPlaylist(playlist.text).variants == kept)
    playlist.variants.insert(all[index], at: index)
    #expect(playlist.variants == all)
    playlist.variants = []
    #expect(playlist.text == "#EXTM3U\n# the better one\n")
    playlist.variants = all
    #expect(try MultivariantPlaylist(playlist.text).variants == all)
  }

  @Test("Adding subtitles to a playlist keeps all other bytes")
  func sideLoading() throws {
    let text = try #require(Examples.multivariant.first { $0.name == "variants" }).text
    var playlist = try MultivariantPlaylist(text)
    var rendition = Rendition(.subtitles, group: "subs", name: "English", uri: "en.m3u8")
    rendition.language = "en"
    playlist.renditions.append(rendition)
    for index in playlist.variants.indices { playlist.variants[index].subtitles = "subs" }
    #expect(
      playlist.text == """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",URI="en.m3u8",LANGUAGE="en"
        #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000,SUBTITLES="subs"
        http://example.com/low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2560000,SUBTITLES="subs"
        # the better one
        http://example.com/mid.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5",SUBTITLES="subs"
        http://example.com/audio-only.m3u8

        """)
    #expect(playlist.findings == [])
  }

  @Test("A playlist created from values has its tags in order and no findings")
  func building() throws {
    var playlist = MultivariantPlaylist()
    var variant = Variant("video/index.m3u8", bandwidth: 2_400_000)
    variant.averageBandwidth = 2_000_000
    variant.codecs = "avc1.64001f,mp4a.40.2"
    variant.resolution = Resolution(width: 1280, height: 720)
    variant.frameRate = 30_000 / 1001
    variant.audio = "aac"
    variant.closedCaptions = Variant.ClosedCaptions.none
    playlist.variants = [variant]
    playlist.iFrameVariants = [IFrameVariant("video/iframes.m3u8", bandwidth: 90_000)]
    var rendition = Rendition(.audio, group: "aac", name: "English", uri: "en/index.m3u8")
    rendition.isDefault = true
    rendition.isAutoselected = true
    rendition.channels = "2"
    playlist.renditions = [rendition]
    playlist.hasIndependentSegments = true
    playlist.sessionData = [SessionData(id: "com.example.title", value: "A \"title\"")]
    playlist.version = playlist.lowestVersion
    #expect(
      playlist.text == """
        #EXTM3U
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="A 'title'"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English",URI="en/index.m3u8",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"
        #EXT-X-STREAM-INF:BANDWIDTH=2400000,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.64001f,mp4a.40.2",\
        RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="aac",CLOSED-CAPTIONS=NONE
        video/index.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,URI="video/iframes.m3u8"

        """)
    #expect(playlist.findings == [])
    #expect(try MultivariantPlaylist(playlist.bytes).variants == [variant])
    #expect(variant.closedCaptions == Variant.ClosedCaptions.none)
  }
}
