package import MP4Bytes

/// A file format other than MP4, recognized by its first bytes.
public struct ForeignFormat: Hashable, Sendable {
  /// Its name, such as `Matroska (WebM)`.
  public let name: String
  /// Whether it contains media that another tool can remux to MP4.
  package let holdsMedia: Bool

  /// Whether these first bytes are unlikely to occur in other data, such as media data.
  package let isCertain: Bool

  /// A sentence such as `this is Matroska (WebM), not MP4`, with advice.
  public var reason: String {
    // Operations that read movies read it, too, but not from a pipe.
    if self == .transportStream { return "this is \(name), not MP4; convert it to MP4 first, from a file, not a pipe" }
    return "this is \(name), not MP4" + (holdsMedia ? "; remux it to MP4 first, for example with ffmpeg" : "")
  }
  private static let transportStream = ForeignFormat("an MPEG transport stream")

  private init(_ name: String, holdsMedia: Bool = true, isCertain: Bool = true) {
    self.name = name
    self.holdsMedia = holdsMedia
    self.isCertain = isCertain
  }

  /// The format of `source`; `nil` if it is unknown or MP4.
  package init?(of source: any ByteSource) throws(IOError) {
    var window = ByteWindow(source, readAhead: 0)
    self.init(start: Array(try window.slice(at: 0, count: 1024)))
  }

  /// The format of a file that starts with these bytes.
  package init?(start: [UInt8]) {
    guard let format = Self.signature(start) ?? Self.container(start) ?? Self.text(start) ?? Self.frames(start) else {
      return nil
    }
    self = format
  }

  // MARK: Formats with a signature

  /// Formats that start with fixed bytes.
  private static let signatures: [(bytes: [UInt8], format: ForeignFormat)] = [
    ([0x1a, 0x45, 0xdf, 0xa3], ForeignFormat("Matroska (WebM)")),
    (Array("FLV\u{1}".utf8), ForeignFormat("Flash Video")),
    (Array("OggS".utf8), ForeignFormat("Ogg")),
    (Array("fLaC".utf8), ForeignFormat("FLAC")),
    (Array("ID3".utf8), ForeignFormat("MP3 (or other audio with an ID3 tag)")),
    (Array("caff".utf8), ForeignFormat("Core Audio Format")),
    (Array("#!AMR".utf8), ForeignFormat("AMR")),
    (Array("DKIF".utf8), ForeignFormat("IVF")),
    ([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11], ForeignFormat("Windows Media (ASF)")),
    ([0x06, 0x0e, 0x2b, 0x34], ForeignFormat("MXF")),
    ([0, 0, 1, 0xba], ForeignFormat("an MPEG program stream")),
    ([0, 0, 1, 0xb3], ForeignFormat("MPEG video without a container")),
    ([0x89, 0x50, 0x4e, 0x47], ForeignFormat("a PNG image", holdsMedia: false)),
    ([0xff, 0xd8, 0xff], ForeignFormat("a JPEG image", holdsMedia: false)),
    (Array("GIF8".utf8), ForeignFormat("a GIF image", holdsMedia: false)),
    (Array("%PDF".utf8), ForeignFormat("a PDF document", holdsMedia: false)),
    ([0x50, 0x4b, 3, 4], ForeignFormat("a ZIP archive", holdsMedia: false)),
    ([0x1f, 0x8b, 8], ForeignFormat("gzip data", holdsMedia: false)),
  ]

  private static func signature(_ start: [UInt8]) -> ForeignFormat? {
    signatures.first { start.starts(with: $0.bytes) }?.format
  }

  /// Formats whose name follows a size.
  private static func container(_ start: [UInt8]) -> ForeignFormat? {
    guard start.count >= 12 else { return nil }
    let inner = String(decoding: start[8..<12], as: UTF8.self)
    switch String(decoding: start[..<4], as: UTF8.self) {
    case "RIFF" where inner == "AVI ": return ForeignFormat("AVI")
    case "RIFF" where inner == "WAVE", "RF64", "BW64": return ForeignFormat("WAVE")
    case "RIFF" where inner == "WEBP": return ForeignFormat("a WebP image", holdsMedia: false)
    case "FORM" where inner == "AIFF" || inner == "AIFC": return ForeignFormat("AIFF")
    default: return nil
    }
  }

  // MARK: Text

  /// An HLS playlist.
  public static let playlist = ForeignFormat("an HLS playlist", holdsMedia: false)
  /// A WebVTT subtitle file.
  public static let webVTT = ForeignFormat("WebVTT subtitles", holdsMedia: false)

  private static func text(_ start: [UInt8]) -> ForeignFormat? {
    var text = start[...]
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
    text = text.drop { $0 == 0x20 || (9...13).contains($0) }
    func begins(_ word: String) -> Bool {
      text.count >= word.utf8.count && zip(text, word.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
    func holds(_ word: String) -> Bool {
      let bytes = Array(word.utf8)
      return text.indices.dropLast(bytes.count).contains { text[$0...].starts(with: bytes) }
    }
    if begins("#EXTM3U") { return playlist }
    if begins("WEBVTT") { return webVTT }
    if begins("<!DOCTYPE html") || begins("<html") { return ForeignFormat("an HTML page", holdsMedia: false) }
    guard begins("<?xml") || begins("<MPD") else { return nil }
    return ForeignFormat(holds("<MPD") ? "a DASH manifest (MPD)" : "an XML document", holdsMedia: false)
  }

  // MARK: Formats of packets and frames

  private static func frames(_ start: [UInt8]) -> ForeignFormat? {
    // Packets of 188 bytes, alone or with a four-byte timestamp before each.
    for (first, size) in [(0, 188), (4, 192)] where start.count > first + 2 * size {
      if [0, 1, 2].allSatisfy({ start[first + $0 * size] == 0x47 }) {
        return transportStream
      }
    }
    guard start.count > 8 else { return nil }
    if start[0] == 0xff, start[1] & 0xf6 == 0xf0 {
      return ForeignFormat("AAC without a container (ADTS)", isCertain: false)
    }
    if start[0] == 0xff, start[1] & 0xe6 == 0xe2 { return ForeignFormat("MP3", isCertain: false) }
    if start[0] == 0x0b, start[1] == 0x77 { return ForeignFormat("AC-3 without a container", isCertain: false) }
    guard start[0] == 0, start[1] == 0, start[2] == 0, start[3] == 1 else { return nil }
    // A sequence parameter set with its profile, or an SEI message or delimiter; no box type starts like that.
    let isParameterSet = start[4] & 0x9f == 7 && [66, 77, 88, 100, 110, 122, 244].contains(start[5])
    if isParameterSet || start[4] == 6 || start[4] == 9 {
      return ForeignFormat("H.264 without a container", isCertain: false)
    }
    // The header of a parameter set or a delimiter has two bytes.
    if [0x40, 0x42, 0x44, 0x46].contains(start[4]), start[5] == 1 {
      return ForeignFormat("HEVC without a container", isCertain: false)
    }
    return nil
  }
}
