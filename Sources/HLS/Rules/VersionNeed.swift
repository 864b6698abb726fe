/// A feature that requires a protocol version (draft-pantos-hls-rfc8216bis, 8).
struct VersionNeed {
  var version = 1
  /// The feature, such as `EXT-X-BYTERANGE`.
  var reason = "nothing"
  /// The index of the line that uses it.
  var index = 0

  /// The highest version that any line requires.
  init(_ lines: [PlaylistLine]) {
    let isIFramesOnly = lines.value(.iFramesOnly) != nil
    for (index, line) in lines.enumerated() {
      guard let (version, reason) = VersionNeed.need(of: line, isIFramesOnly: isIFramesOnly) else { continue }
      if version > self.version { (self.version, self.reason, self.index) = (version, reason, index) }
    }
  }

  private static func need(of line: PlaylistLine, isIFramesOnly: Bool) -> (Int, String)? {
    switch line.content {
    case .uri: usesVariable(line.text) ? (8, "a variable") : nil
    case .tag(.segment, _): hasFraction(line.text) ? (3, "a duration that is not a whole number") : nil
    case .tag(.byteRange, _), .tag(.iFramesOnly, _): line.tag.map { (4, $0.rawValue) }
    case .tag(.define, .attributes(let list)):
      list["QUERYPARAM"] == nil ? (8, "a variable") : (11, "QUERYPARAM of EXT-X-DEFINE")
    case .tag(let tag, .attributes(let list)): need(of: tag, list, isIFramesOnly: isIFramesOnly)
    default: nil
    }
  }
  private static func need(of tag: TagName, _ list: AttributeList, isIFramesOnly: Bool) -> (Int, String)? {
    var need: (Int, String)? =
      switch tag {
      case .key: self.need(ofKey: EncryptionKey(attributes: list))
      case .map: isIFramesOnly ? (5, "EXT-X-MAP") : (6, "EXT-X-MAP without EXT-X-I-FRAMES-ONLY")
      case .skip:
        list["RECENTLY-REMOVED-DATERANGES"] == nil ? (9, "EXT-X-SKIP") : (10, "EXT-X-SKIP with date ranges")
      case .rendition: self.need(of: Rendition(attributes: list))
      default: nil
      }
    if list.attributes.contains(where: { $0.name.utf8.starts(with: "REQ-".utf8) }), (need?.0 ?? 0) < 12 {
      need = (12, "an attribute that begins with REQ-")
    }
    if (need?.0 ?? 0) < 8, list.attributes.contains(where: { usesVariable($0.text) }) { need = (8, "a variable") }
    return need
  }
  private static func need(ofKey key: EncryptionKey) -> (Int, String)? {
    if key.method.rawValue.utf8.starts(with: "SAMPLE-AES".utf8) { return (5, "METHOD \(key.method.rawValue)") }
    if key.keyFormat != nil || key.keyFormatVersions != nil { return (5, "KEYFORMAT of EXT-X-KEY") }
    return key.attributes["IV"] != nil ? (2, "IV of EXT-X-KEY") : nil
  }
  private static func need(of rendition: Rendition) -> (Int, String)? {
    guard let id = rendition.inStreamID else { return nil }
    if let kind = rendition.kind, kind != .closedCaptions { return (13, "INSTREAM-ID of \(kind.rawValue)") }
    return id.utf8.starts(with: "SERVICE".utf8) ? (7, "a SERVICE as INSTREAM-ID") : nil
  }
  private static func hasFraction(_ text: String) -> Bool {
    text.utf8.prefix { $0 != UInt8(ascii: ",") }.contains(UInt8(ascii: "."))
  }
  private static func usesVariable(_ text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "{")) && !Variables.references(in: text).isEmpty
  }
}

extension MediaPlaylist {
  /// The lowest valid EXT-X-VERSION for the contents of the playlist.
  public var lowestVersion: Int { VersionNeed(lines).version }
}

extension MultivariantPlaylist {
  /// The lowest valid EXT-X-VERSION for the contents of the playlist.
  public var lowestVersion: Int { VersionNeed(lines).version }
}
