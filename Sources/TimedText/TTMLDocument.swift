/// The profile that a TTML document declares, and whether it uses anything outside IMSC1.
public struct TTMLDocument: Hashable, Sendable {
  /// The profile designators in the document, such as `http://www.w3.org/ns/ttml/profile/imsc1/text`: those of
  /// `ttp:profile` and `ttp:contentProfiles`, and the EBU-TT conformance declarations.
  public private(set) var profiles: [String] = []
  /// Whether it uses namespaces of IMSC.
  public private(set) var usesIMSC = false
  /// Whether it has images instead of text.
  public private(set) var hasImages = false

  /// Its language, if it declares one.
  public private(set) var language: String?
  /// The namespace of its elements, such as `http://www.w3.org/ns/ttml`.
  public private(set) var namespace: String?
  /// The kind of its times, if it declares one: `media`, `smpte` or `clock`.
  public private(set) var timeBase: String?

  /// Whether all its elements, attributes and units are those of IMSC1 text.
  public private(set) var isPlain = true

  /// Reads a document; `nil` if its first tag is not a TTML element.
  public init?(_ bytes: [UInt8]) {
    guard let text = try? TextLines(bytes, .utf8).lines.joined(separator: "\n") else { return nil }
    var scanner = TagScanner(text)
    guard let root = scanner.next(), root.name == "tt" else { return nil }
    let hasExtent = root.attributes.contains { $0.name == "extent" }
    isPlain = root.attributes.contains { $0.name == "lang" } && Self.isPlain(root, hasExtent)
    for (name, value) in root.attributes {
      switch name {
      case "profile", "contentProfiles": profiles += Self.designators(value)
      case "xmlns":
        usesIMSC = usesIMSC || value.utf8.starts(with: Self.imsc.utf8)
        if Self.namespaces.contains(value) { namespace = value }
      case "lang" where !value.isEmpty: language = value
      case "timeBase": timeBase = value
      default: break
      }
    }
    while let tag = scanner.next() {
      isPlain = isPlain && Self.isPlain(tag, hasExtent)
      if tag.name == "conformsToStandard" { profiles += Self.designators(scanner.textBeforeTag()) }
      if tag.name == "image" || tag.attributes.contains(where: { $0.name == "backgroundImage" }) { hasImages = true }
    }
  }
  private static let imsc = "http://www.w3.org/ns/ttml/profile/imsc1"
  /// TTML, and the drafts of which documents are still in use.
  private static let namespaces = [
    "http://www.w3.org/ns/ttml", "http://www.w3.org/2006/10/ttaf1", "http://www.w3.org/2006/04/ttaf1",
  ]

  /// W3C IMSC 1.0.1, 7: media times, pixels only if the picture size is known, and no animation.
  private static func isPlain(_ tag: TagScanner.Tag, _ hasExtent: Bool) -> Bool {
    elements.contains(tag.name)
      && tag.attributes.allSatisfy { name, value in
        guard attributes.contains(name) else { return false }
        let hasPixels = zip(value.utf8, value.utf8.dropFirst()).contains {
          $0 == UInt8(ascii: "p") && $1 == UInt8(ascii: "x")
        }
        return name == "timeBase" ? value == "media" : name == "xmlns" || !hasPixels || hasExtent
      }
  }
  private static let elements: Set<String> = [
    "tt", "head", "metadata", "title", "desc", "copyright", "agent", "name", "styling", "style", "layout", "region",
    "body",
    "div", "p", "span", "br",
  ]
  private static let attributes: Set<String> = [
    "xmlns", "id", "lang", "space", "begin", "end", "dur", "timeContainer", "style", "region", "role", "agent", "type",
    "timeBase", "frameRate", "frameRateMultiplier", "tickRate", "cellResolution", "backgroundColor", "color",
    "direction",
    "display", "displayAlign", "extent", "fontFamily", "fontSize", "fontStyle", "fontWeight", "lineHeight", "opacity",
    "origin", "overflow", "padding", "showBackground", "textAlign", "textDecoration", "textOutline", "unicodeBidi",
    "visibility", "wrapOption", "writingMode", "zIndex",
  ]

  /// The designators in an attribute, possibly several in `all(…)` or `any(…)`.
  private static func designators(_ value: String) -> [String] {
    value.utf8.split { isBlank($0) || $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") }.map { String(Substring($0)) }
      .filter { $0.utf8.contains(UInt8(ascii: ":")) }
  }
}
