import ISOBMFF
import MP4Inspection
import Support

extension PlaylistVector {
  /// A DASH manifest of the segments of `base()`, without I-frames. Its playlists are only there if it `hasPlaylists`.
  static func manifestBase(hasPlaylists: Bool = false) throws -> Files {
    var files = try base()
    if !hasPlaylists { files = files.filter { !$0.key.hasSuffix(".m3u8") } }
    let template = """
      <SegmentTemplate timescale="10" media="$RepresentationID$$Number$.m4s" initialization="$RepresentationID$.mp4">
      <SegmentTimeline><S t="0" d="20" r="3"/></SegmentTimeline></SegmentTemplate>
      """
    files["m.mpd"] = Array(
      """
      <MPD type="static" mediaPresentationDuration="PT8S" minBufferTime="PT2S"><Period>
      <AdaptationSet contentType="video" mimeType="video/mp4" segmentAlignment="true">
      <SupplementalProperty schemeIdUri="urn:mpeg:mpegB:cicp:TransferCharacteristics" value="1"/>
      <Representation id="v" bandwidth="90000" codecs="avc1.64000B" width="160" height="90" frameRate="25">
      \(template)</Representation>
      </AdaptationSet>
      <AdaptationSet contentType="audio" mimeType="audio/mp4" lang="en">
      <AudioChannelConfiguration schemeIdUri="urn:mpeg:mpegB:cicp:ChannelConfiguration" value="1"/>
      <Representation id="a" bandwidth="30000" codecs="mp4a.40.2">
      <SegmentTemplate duration="2" media="a$Number$.m4s" initialization="a.mp4"/></Representation>
      </AdaptationSet>
      </Period></MPD>

      """.utf8)
    return files
  }

  /// A change to the manifest, once.
  private init(_ rule: String, also: Set<String> = [], _ old: String, _ new: String) {
    self.init(rule, also: also) { Self.replace(old, new, &$0) }
  }
  private static func replace(_ old: String, _ new: String, _ files: inout Files) {
    let text = String(decoding: files["m.mpd"] ?? [], as: UTF8.self)
    files["m.mpd"] = Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
  }
  private static let timeline = "<S t=\"0\" d=\"20\" r=\"3\"/>"

  /// Another representation of the video with a list of segments.
  private static func add(_ name: String, _ map: String, _ segments: [String], _ files: inout Files) {
    let list = segments.map { "<SegmentURL media=\"\($0)\"/>" }.joined()
    replace(
      "</Representation>\n</AdaptationSet>\n<AdaptationSet contentType=\"audio\"",
      "</Representation>\n<Representation id=\"\(name)\" bandwidth=\"90000\" codecs=\"avc1.64000B\">"
        + "<SegmentList duration=\"2\"><Initialization sourceURL=\"\(map)\"/>\(list)</SegmentList></Representation>\n"
        + "</AdaptationSet>\n<AdaptationSet contentType=\"audio\"", &files)
  }
  private static func addText(_ text: String, _ files: inout Files) {
    files["s.vtt"] = Array(text.utf8)
    replace(
      "</Period>",
      "<AdaptationSet contentType=\"text\" mimeType=\"text/vtt\" lang=\"en\">"
        + "<Representation id=\"s\" bandwidth=\"10000\"><BaseURL>s.vtt</BaseURL></Representation>"
        + "</AdaptationSet></Period>", &files)
  }

  static let manifests: [PlaylistVector] = [
    PlaylistVector("dash-missing") { $0["v2.m4s"] = nil },
    PlaylistVector("dash-not-media") { $0["v2.m4s"] = Array("<!DOCTYPE html>\n<html><body>404</body></html>\n".utf8) },
    PlaylistVector("dash-not-checked", also: ["dash-period"]) { add("w", "v.mp4", ["ts"], &$0) },
    PlaylistVector("dash-manifest", "bandwidth=\"90000\"", ""),
    PlaylistVector("dash-period", also: ["dash-missing"], "PT8S", "PT9S"),
    PlaylistVector(
      "dash-duration", also: ["dash-period"], timeline,
      "<S t=\"0\" d=\"20\"/><S d=\"10\"/><S t=\"40\" d=\"20\" r=\"1\"/>"),
    PlaylistVector(
      "dash-duration-drift", also: ["dash-period"], timeline,
      (0..<4).map { "<S t=\"\($0 * 20)\" d=\"18\"/>" }.joined()),
    PlaylistVector("dash-keyframe") { try withoutSync("v3.m4s", &$0) },
    PlaylistVector("dash-discontinuity", also: ["iso-decode-gap", "dash-period"]) { files in
      (files["v2.m4s"], files["v3.m4s"]) = (files["v3.m4s"], files["v4.m4s"])
      replace(timeline, "<S t=\"0\" d=\"20\"/><S t=\"40\" d=\"20\" r=\"1\"/>", &files)
    },
    PlaylistVector("dash-time", timeline, "<S t=\"10\" d=\"20\" r=\"3\"/>"),
    PlaylistVector("dash-range", also: ["dash-period"]) {
      add("w", "v.mp4", ["v1.m4s\" mediaRange=\"0-99999999"], &$0)
    },
    PlaylistVector("dash-bandwidth-media", "bandwidth=\"90000\"", "bandwidth=\"20000\""),
    PlaylistVector("dash-codecs-media", "codecs=\"avc1.64000B\"", "codecs=\"avc1.640028\""),
    PlaylistVector("dash-resolution-media", "width=\"160\"", "width=\"320\""),
    PlaylistVector("dash-frame-rate-media", "frameRate=\"25\"", "frameRate=\"30000/1001\""),
    PlaylistVector("dash-video-range-media", "Characteristics\" value=\"1\"", "Characteristics\" value=\"16\""),
    PlaylistVector("dash-channels-media", "Configuration\" value=\"1\"", "Configuration\" value=\"6\""),
    PlaylistVector("dash-language-media", "lang=\"en\"", "lang=\"fr\""),
    PlaylistVector(
      "dash-segment-twice",
      also: ["iso-fragment-repeated", "iso-decode-time", "iso-decode-gap", "dash-aligned", "dash-time"]
    ) {
      add("w", "v.mp4", ["v1.m4s", "v2.m4s", "v2.m4s", "v4.m4s"], &$0)
    },
    PlaylistVector("dash-segment-shared") { files in
      for number in 1...4 { files["w\(number).m4s"] = files["v\(number).m4s"] }
      add("w", "v.mp4", ["w1.m4s", "w2.m4s", "v3.m4s", "w4.m4s"], &files)
    },
    PlaylistVector("dash-segment-copied") { files in
      for number in 1...4 { files["w\(number).m4s"] = (files["v\(number).m4s"] ?? []) + box("free", zeros(100)) }
      files["w2.m4s"] = files["v2.m4s"]
      var file = try EditedFile(files["v.mp4"] ?? [])
      try file.edit("moov/trak/mdia/mdhd", MediaHeaderBox.self) { $0.creationTime = 1 }
      try file.edit("moov/trak/mdia/minf/stbl/stsd/avc1/avcC", AVCConfigurationBox.self) {
        $0.pictureParameterSets += $0.pictureParameterSets
      }
      files["w.mp4"] = try file.bytes()
      add("w", "w.mp4", (1...4).map { "w\($0).m4s" }, &files)
    },
    PlaylistVector("dash-timeline", also: ["dash-aligned", "dash-time", "dash-period"]) {
      add("w", "v.mp4", ["v2.m4s", "v3.m4s", "v4.m4s"], &$0)
    },
    PlaylistVector("dash-aligned", also: ["dash-timeline", "dash-time", "dash-period"]) {
      add("w", "v.mp4", ["v2.m4s", "v3.m4s", "v4.m4s"], &$0)
    },
    PlaylistVector("dash-hls") { files in
      files = try manifestBase(hasPlaylists: true)
      let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
      files["v.m3u8"] = Array(media.replacing("#EXTINF:2.0,\nv4", with: "#EXTINF:1.9,\nv4").utf8)
    },
    PlaylistVector("dash-webvtt", also: ["dash-not-checked"]) { files in
      addText("", &files)
      files["s.vtt"] = files["ts"]
    },
    PlaylistVector("dash-webvtt-cue") { addText("WEBVTT\n\n00:01.500 --> 00:01.000\nHi\n", &$0) },
  ]
}
