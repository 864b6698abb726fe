/// The location in XMP: attributes and elements whose names start with `GPS`, such as `exif:GPSLatitude` (Exif 2.32 for
/// XMP, 4.3) and `drone-dji:GpsLatitude`. The document remains well-formed when they are overwritten with spaces.
struct XMPLocation {
  /// The attributes and elements, relative to the start of the data.
  private(set) var ranges: [Range<Int>] = []
  /// Whether the end of a property was not found.
  private(set) var isIncomplete = false
  /// Whether there are names of places, such as a city, which remain (IPTC Photo Metadata).
  private(set) var namesPlaces = false

  private static let placeNames = ["City", "Location", "State", "Country"].map { Array($0.utf8) }
  private static let namePrefix = Array(":gps".utf8)
  /// The maximum size of a property.
  private static let limit = 1024
  private static let nameLimit = 64

  init(_ bytes: ArraySlice<UInt8>) {
    let text = Array(bytes)
    var position = 0
    while let colon = text[position...].firstIndex(of: UInt8(ascii: ":")) {
      position = colon + 1
      namesPlaces = namesPlaces || Self.placeNames.contains { text[position...].starts(with: $0) }
      let name = text[colon...].prefix(Self.namePrefix.count).map { $0 | 0x20 }
      guard name == Self.namePrefix.map({ $0 | 0x20 }) else { continue }
      let first = max(0, colon - Self.nameLimit)
      let start = text[first..<colon].lastIndex { !Self.isName($0) }.map { $0 + 1 } ?? first
      let range = Self.property(at: start, in: text[..<min(text.count, start + Self.limit)])
      if let range { ranges.append(range) } else { isIncomplete = true }
      position = range?.upperBound ?? position
    }
  }

  /// The attribute or element whose name starts at `start`; `nil` if its end is missing.
  private static func property(at start: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
    let end = text[start...].firstIndex { !isName($0) } ?? text.endIndex
    if start > text.startIndex, text[start - 1] == UInt8(ascii: "<") {
      guard let close = text[end...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
      if text[close - 1] == UInt8(ascii: "/") { return start - 1..<close + 1 }
      let closing = Array("</".utf8) + text[start..<end]
      var position = close + 1
      while position < text.endIndex {
        guard let next = text[position...].firstIndex(of: UInt8(ascii: "<")) else { return nil }
        if text[next...].starts(with: closing) {
          return text[next...].firstIndex(of: UInt8(ascii: ">")).map { start - 1..<$0 + 1 }
        }
        position = next + 1
      }
      return nil
    }
    guard let equals = text[end...].firstIndex(where: { !isSpace($0) }), text[equals] == UInt8(ascii: "="),
      let quote = text[(equals + 1)...].firstIndex(where: { !isSpace($0) }),
      text[quote] == UInt8(ascii: "\"") || text[quote] == UInt8(ascii: "'"),
      let close = text[(quote + 1)...].firstIndex(of: text[quote])
    else { return nil }
    return start..<close + 1
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
  private static func isName(_ byte: UInt8) -> Bool {
    !isSpace(byte) && byte != UInt8(ascii: "=") && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/")
      && byte != UInt8(ascii: "<") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "'")
  }
}
