import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Inspection
import Support

/// A change to a presentation that breaks a rule.
struct PlaylistVector: Sendable, CustomStringConvertible {
  /// The files of a presentation by their names.
  typealias Files = [String: [UInt8]]
  let rule: String
  let also: Set<String>
  let change: @Sendable (inout Files) throws -> Void

  var description: String { rule }

  init(_ rule: String, also: Set<String> = [], _ change: @escaping @Sendable (inout Files) throws -> Void) {
    (self.rule, self.also, self.change) = (rule, also, change)
  }
  /// A change to the text of one file.
  init(_ rule: String, _ file: String, also: Set<String> = [], _ old: String, _ new: String) {
    self.init(rule, also: also) { files in
      let text = String(decoding: files[file] ?? [], as: UTF8.self)
      files[file] = Array(text.replacing(old, with: new).utf8)
    }
  }

  static let all: [PlaylistVector] = [
    PlaylistVector("hls-missing") { $0["v2.m4s"] = nil },
    PlaylistVector("hls-date-range-splice", also: ["hls-dates"]) { files in
      let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
      let range =
        "#EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00Z\n#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2024-01-01T00:00:01Z\","
        + "SCTE35-OUT=0x\(RuleVector.splice),SCTE35-IN=0x\(RuleVector.splice.dropLast(4))\n#EXTINF:2.0,\nv1.m4s"
      files["v.m3u8"] = Array(media.replacing("#EXTINF:2.0,\nv1.m4s", with: range).utf8)
    },
    PlaylistVector("hls-segment-copied") { files in
      try variant("w", &files)
      // The video of the second variant is larger, but one of its segments is from the first variant.
      for number in 1...4 { files["w\(number).m4s"]? += box("free", zeros(100)) }
      files["w2.m4s"] = files["v2.m4s"]
      var file = try EditedFile(files["v.mp4"] ?? [])
      try file.edit("moov/trak/mdia/mdhd", MediaHeaderBox.self) { $0.creationTime = 1 }
      try file.edit("moov/trak/mdia/minf/stbl/stsd/avc1/avcC", AVCConfigurationBox.self) {
        $0.pictureParameterSets += $0.pictureParameterSets
      }
      files["w.mp4"] = try file.bytes()
      let media = String(decoding: files["w.m3u8"] ?? [], as: UTF8.self)
      files["w.m3u8"] = Array(media.replacing("v.mp4", with: "w.mp4").utf8)
    },
    PlaylistVector("hls-not-media") { files in
      files["v2.m4s"] = Array("<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n".utf8)
    },
    PlaylistVector(
      "hls-tag-name", "v.m3u8", also: ["hls-playlist-types"], "#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-PLAYLIST-TYPES:VOD"),
    PlaylistVector("hls-attribute-name", "master.m3u8", also: ["apple-frame-rate"], "FRAME-RATE", "FRAMERATE"),
    PlaylistVector(
      "hls-not-checked", "v.m3u8", also: ["hls-discontinuities", "hls-average-bandwidth-media"], "#EXTINF:2.0,\nv4.m4s",
      "#EXT-X-DISCONTINUITY\n#EXTINF:2.0,\nts"),
    PlaylistVector("hls-map-missing", "v.m3u8", "#EXT-X-MAP:URI=\"v.mp4\"\n", ""),
    PlaylistVector(
      "hls-duration", "v.m3u8", "#EXTINF:2.0,\nv2.m4s", "#EXTINF:1.0,\nv2.m4s"),
    PlaylistVector("hls-duration-drift", "v.m3u8", "#EXTINF:2.0,", "#EXTINF:1.8,"),
    PlaylistVector(
      "hls-target-duration-media", also: ["hls-average-bandwidth-media", "hls-duration", "apple-target-duration"]
    ) { files in
      for name in ["v.m3u8", "a.m3u8", "i.m3u8"] {
        let text = String(decoding: files[name] ?? [], as: UTF8.self)
        files[name] = Array(text.replacing("ON:6\n", with: "ON:1\n").replacing("EXTINF:2.0", with: "EXTINF:1.4").utf8)
      }
    },
    PlaylistVector("hls-keyframe", also: ["apple-independent", "apple-keyframes"]) { files in
      files["master.m3u8"] = Array(
        String(decoding: files["master.m3u8"] ?? [], as: UTF8.self).replacing("#EXT-X-INDEPENDENT-SEGMENTS\n", with: "")
          .utf8)
      try withoutSync("v3.m4s", &files)
    },
    PlaylistVector("hls-independent", also: ["apple-keyframes"]) { try withoutSync("v3.m4s", &$0) },
    PlaylistVector("hls-iframe-sync") { files in
      files["i1.m4s"] = files["v1.m4s"]
      try withoutSync("i1.m4s", &files)
    },
    PlaylistVector(
      "hls-discontinuity", "v.m3u8", also: ["iso-decode-gap", "apple-keyframes"], "#EXTINF:2.0,\nv2.m4s\n", ""),
    PlaylistVector(
      "hls-key-scheme", "v.m3u8", "#EXTINF:2.0,\nv3.m4s",
      "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        + "#EXTINF:2.0,\nv3.m4s"),
    PlaylistVector(
      "hls-segment-twice", "v.m3u8",
      also: [
        "iso-decode-time", "iso-decode-gap", "iso-fragment-repeated", "hls-discontinuity", "apple-keyframes",
      ], "v3.m4s", "v2.m4s"),
    PlaylistVector("hls-segment-shared", also: []) { files in
      try variant("w", &files)
      let media = String(decoding: files["w.m3u8"] ?? [], as: UTF8.self)
      files["w.m3u8"] = Array(media.replacing("w3.m4s", with: "v3.m4s").utf8)
    },
    PlaylistVector("hls-map-tracks", also: ["apple-parameter-sets", "hls-codecs-media"]) { files in
      var file = try EditedFile(files["v.mp4"] ?? [])
      try file.edit("moov/trak/mdia/minf/stbl/stsd/avc1") { $0.type = "avc3" }
      files["x.mp4"] = try file.bytes()
      let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
      files["v.m3u8"] = Array(
        media.replacing("#EXTINF:2.0,\nv3.m4s", with: "#EXT-X-MAP:URI=\"x.mp4\"\n#EXTINF:2.0,\nv3.m4s").utf8)
    },
    PlaylistVector("hls-range", "i.m3u8", "i1.m4s", "#EXT-X-BYTERANGE:99999999@0\ni1.m4s"),
    PlaylistVector(
      "hls-bandwidth-media", "master.m3u8", also: ["hls-average-bandwidth"], "BANDWIDTH=90000", "BANDWIDTH=20000"),
    PlaylistVector(
      "hls-average-bandwidth-media", "master.m3u8", also: ["hls-average-bandwidth"], "AVERAGE-BANDWIDTH=",
      "AVERAGE-BANDWIDTH=1"),
    PlaylistVector("hls-codecs-media", "master.m3u8", "avc1.64000B,mp4a.40.2", "avc1.64000B"),
    PlaylistVector("hls-resolution-media", "master.m3u8", "RESOLUTION=160x90,F", "RESOLUTION=320x180,F"),
    PlaylistVector("hls-frame-rate-media", "master.m3u8", "FRAME-RATE=25", "FRAME-RATE=30"),
    PlaylistVector("hls-video-range-media", "master.m3u8", "VIDEO-RANGE=SDR", "VIDEO-RANGE=PQ"),
    PlaylistVector("hls-channels-media", "master.m3u8", "CHANNELS=\"1\"", "CHANNELS=\"6\""),
    PlaylistVector("hls-language-media", "master.m3u8", "LANGUAGE=\"en\"", "LANGUAGE=\"fr\""),
    PlaylistVector("hls-timeline") { files in
      let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
        .replacing("#EXT-X-MEDIA-SEQUENCE:0\n", with: "")
      files["w.m3u8"] = Array(
        media.replacing("#EXTINF:2.0,\nv1.m4s\n", with: "")
          .replacing("#EXT-X-PLAYLIST-TYPE:VOD", with: "#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-PLAYLIST-TYPE:VOD").utf8)
      let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
      let variant = main.split(separator: "\n").first { $0.hasPrefix("#EXT-X-STREAM") } ?? ""
      files["master.m3u8"] = Array((main + variant + "\nw.m3u8\n").utf8)
    },
    PlaylistVector("hls-aligned", also: ["hls-timeline"]) { files in
      let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
      files["w.m3u8"] = Array(media.replacing("#EXTINF:2.0,\nv1.m4s\n", with: "").utf8)
      let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
      let variant = main.split(separator: "\n").first { $0.hasPrefix("#EXT-X-STREAM") } ?? ""
      files["master.m3u8"] = Array((main + variant + "\nw.m3u8\n").utf8)
    },
    PlaylistVector("hls-webvtt", also: ["hls-not-checked"]) { files in
      let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
      let text = main.replacing(
        "#EXT-X-STREAM-INF:",
        with: "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"s\",URI=\"s.m3u8\",LANGUAGE=\"en\"\n"
          + "#EXT-X-STREAM-INF:SUBTITLES=\"s\",")
      files["master.m3u8"] = Array(text.utf8)
      files["s.m3u8"] = Array(
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:2,\nts\n#EXT-X-ENDLIST\n".utf8)
    },
    PlaylistVector("hls-webvtt-map") {
      try subtitles("WEBVTT\nX-TIMESTAMP-MAP=LOCAL:0,MPEGTS:0\n\n00:00.500 --> 00:01.000\nHi\n", &$0)
    },
    PlaylistVector("hls-webvtt-cue") { try subtitles("WEBVTT\n\n00:01.500 --> 00:01.000\nHi\n", &$0) },
    PlaylistVector("hls-webvtt-times") {
      try subtitles(
        "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n00:00.500 --> 00:01.000\nHi\n", &$0)
    },
    // The samples are not encrypted.
    PlaylistVector("hls-key-relative", also: ["hls-key-scheme"]) { files in
      let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
      let key = "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"key.bin\"\n#EXTINF:2.0,\n"
      for (name, folder) in [("v.m3u8", ""), ("sub/w.m3u8", "../")] {
        files[name] = Array(
          (1...4).reduce(media.replacing("#EXTINF:2.0,\nv1", with: key + "v1")) {
            $0.replacing("v\($1).m4s", with: "\(folder)v\($1).m4s")
          }.replacing("\"v.mp4", with: "\"\(folder)v.mp4").utf8)
      }
      let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
      let variant = main.split(separator: "\n").first { $0.hasPrefix("#EXT-X-STREAM") } ?? ""
      files["master.m3u8"] = Array((main + variant + "\nsub/w.m3u8\n").utf8)
    },
    PlaylistVector("apple-language") { files in
      try subtitles("WEBVTT\n\n00:00.500 --> 00:01.000\nHi\n", &files)
      let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
      files["master.m3u8"] = Array(main.replacing("URI=\"s.m3u8\",LANGUAGE=\"en\"", with: "URI=\"s.m3u8\"").utf8)
    },
    PlaylistVector("hls-captions-media") { files in
      // A picture of the first segment becomes a message with closed captions.
      let pairs: [UInt8] = [0x94, 0x20, 0x94, 0x70, 0xc8, 0xe9].enumerated().flatMap {
        $0.offset % 2 == 0 ? [0xfc, $0.element] : [$0.element]
      }
      let data: [UInt8] = [0xb5, 0, 0x31, 0x47, 0x41, 0x39, 0x34, 3, 0x43, 0xff] + pairs + [0xff]
      let message: [UInt8] = [6, 4, UInt8(data.count)] + data + [0x80]
      var segment = files["v1.m4s"] ?? []
      let samples = try SampleReader.read((files["v.mp4"] ?? []) + segment).samples[1] ?? []
      guard let picture = samples.dropFirst().map(\.payload).first(where: { $0.count > message.count + 4 }),
        let place = segment.indices.first(where: { segment[$0...].starts(with: picture) })
      else { return }
      let unit = message + zeros(picture.count - 4 - message.count)
      segment.replaceSubrange(place..<place + picture.count, with: big(UInt32(unit.count)) + unit)
      files["v1.m4s"] = segment
    },
    PlaylistVector("apple-captions", "master.m3u8", ",CLOSED-CAPTIONS=NONE", ""),
    PlaylistVector("apple-codecs", "master.m3u8", "CODECS=\"avc1.64000B,mp4a.40.2\",", ""),
    PlaylistVector("apple-average-bandwidth", "master.m3u8", "AVERAGE-BANDWIDTH", "X-AVERAGE"),
    PlaylistVector("apple-resolution", "master.m3u8", "RESOLUTION=160x90,FR", "FR"),
    PlaylistVector("apple-frame-rate", "master.m3u8", "FRAME-RATE", "X-FRAME-RATE"),
    PlaylistVector("apple-frame-rate-high", "master.m3u8", also: ["hls-frame-rate-media"], "RATE=25", "RATE=120"),
    PlaylistVector("apple-iframes") { files in
      let lines = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self).split(separator: "\n")
      files["master.m3u8"] = Array(
        (lines.filter { !$0.hasPrefix("#EXT-X-I-FRAME") }.joined(separator: "\n") + "\n").utf8)
    },
    PlaylistVector("apple-target-duration", "v.m3u8", also: ["hls-target-durations"], "DURATION:6", "DURATION:2"),
    PlaylistVector("apple-keyframes", also: ["hls-independent"]) { try withoutSync("v3.m4s", &$0) },
    PlaylistVector("apple-parameter-sets", also: ["hls-codecs-media"]) { files in
      var file = try EditedFile(files["v.mp4"] ?? [])
      try file.edit("moov/trak/mdia/minf/stbl/stsd/avc1") { $0.type = "avc3" }
      files["v.mp4"] = try file.bytes()
    },
    PlaylistVector("apple-independent", "master.m3u8", "#EXT-X-INDEPENDENT-SEGMENTS\n", ""),
  ]

  /// Adds a variant with copies of the segments of the first one.
  private static func variant(_ name: String, _ files: inout Files) throws {
    for number in 1...4 { files["\(name)\(number).m4s"] = files["v\(number).m4s"] }
    let media = String(decoding: files["v.m3u8"] ?? [], as: UTF8.self)
    files[name + ".m3u8"] = Array((1...4).reduce(media) { $0.replacing("v\($1).m4s", with: "\(name)\($1).m4s") }.utf8)
    let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
    let variant = main.split(separator: "\n").first { $0.hasPrefix("#EXT-X-STREAM") } ?? ""
    files["master.m3u8"] = Array((main + variant + "\n\(name).m3u8\n").utf8)
  }
  /// Adds a subtitle rendition with one segment of two seconds.
  private static func subtitles(_ text: String, _ files: inout Files) throws {
    let main = String(decoding: files["master.m3u8"] ?? [], as: UTF8.self)
    let media = "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"s\",URI=\"s.m3u8\",LANGUAGE=\"en\"\n"
    files["master.m3u8"] = Array(
      main.replacing("#EXT-X-STREAM-INF:", with: media + "#EXT-X-STREAM-INF:SUBTITLES=\"s\",").utf8)
    files["s.m3u8"] = Array(
      "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:2,\ns1.vtt\n#EXT-X-ENDLIST\n".utf8)
    files["s1.vtt"] = Array(text.utf8)
  }
  /// Clears the sync flag of the first sample of a segment.
  static func withoutSync(_ name: String, _ files: inout Files) throws {
    var file = try EditedFile(files[name] ?? [])
    try file.edit("moof/traf/trun", TrackRunBox.self) { run in
      if run.firstSampleFlags != nil { run.firstSampleFlags = 0x101_0000 }
      run.samples = BoxTable(
        run.samples.enumerated().map { index, sample in
          var sample = sample
          if index == 0, sample.flags != nil { sample.flags = 0x101_0000 }
          return sample
        })
    }
    files[name] = try file.bytes()
  }

  /// A presentation of eight seconds: video `v`, audio `a` and I-frames `i`, each with an init segment and segments.
  static func base() throws -> Files {
    let source = MemorySource(try readFile(vectorPath("files/progressive.mp4")))
    var options = ReadingOptions()
    options.keepsEdits = true
    let movie = try Movie(reading: [source], options)
    var files: Files = ["ts": [0x47] + [UInt8](repeating: 0, count: 187)]
    var sizes: [String: [Int]] = [:]
    for (name, part) in [
      ("v", movie.keeping(tracks: [0])), ("a", movie.keeping(tracks: [1])), ("i", movie.keyFrames(ofTrack: 0)),
    ] {
      var fragmenter = Fragmenter()
      fragmenter.options.cutting = .interval(MediaTime(2, 1))
      let plan = try fragmenter.plan(part)
      let initialization = MemorySink()
      try plan.writeInitialization(to: initialization)
      files[name + ".mp4"] = initialization.bytes
      for number in 0..<4 {
        let segment = MemorySink()
        try plan.writeSegment(number, to: segment)
        files["\(name)\(number + 1).m4s"] = segment.bytes
        sizes[name, default: []].append(segment.bytes.count)
      }
      files[name + ".m3u8"] = Array(
        ("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"
          + (name == "i" ? "#EXT-X-I-FRAMES-ONLY\n" : "") + "#EXT-X-MAP:URI=\"\(name).mp4\"\n"
          + (1...4).map { "#EXTINF:2.0,\n\(name)\($0).m4s\n" }.joined() + "#EXT-X-ENDLIST\n").utf8)
    }
    let average = ((sizes["v"] ?? []) + (sizes["a"] ?? [])).reduce(0, +)
    files["master.m3u8"] = Array(
      """
      #EXTM3U
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",URI="a.m3u8",LANGUAGE="en",CHANNELS="1"
      #EXT-X-STREAM-INF:BANDWIDTH=90000,AVERAGE-BANDWIDTH=\(average),CODECS="avc1.64000B,mp4a.40.2",AUDIO="a",\
      RESOLUTION=160x90,FRAME-RATE=25.000,VIDEO-RANGE=SDR,CLOSED-CAPTIONS=NONE
      v.m3u8
      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,URI="i.m3u8",CODECS="avc1.64000B",RESOLUTION=160x90

      """.utf8)
    return files
  }
}
