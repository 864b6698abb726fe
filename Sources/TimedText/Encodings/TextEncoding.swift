/// The character encoding of a subtitle file.
///
/// Subtitle files do not declare their encoding, except by a byte order mark. It is never guessed: encodings other than
/// Unicode must be named.
public struct TextEncoding: Hashable, Sendable {
  private enum Kind: Hashable, Sendable {
    case utf8
    /// `nil` for the order given by the byte order mark, which is then required.
    case utf16(isBigEndian: Bool?)
    case shiftJIS
    /// A name of `SingleByteTable`.
    case singleByte
  }
  private let kind: Kind
  /// The IANA name of the encoding, in lower case.
  public let name: String

  /// UTF-8, the default.
  public static let utf8 = TextEncoding(kind: .utf8, name: "utf-8")

  private init(kind: Kind, name: String) { (self.kind, self.name) = (kind, name) }

  /// An encoding by its name or an alias; case and hyphens are ignored. `nil` for an unsupported
  /// encoding. Supported are UTF-8, UTF-16, ISO-8859-1 to -16, Windows-1250 to -1258 and Shift JIS.
  public init?(named given: some StringProtocol) {
    let letters = given.utf8.filter { ![0x20, 0x2d, 0x5f, 0x3a].contains($0) }
    let word = String(decoding: letters, as: UTF8.self).lowercased()
    switch word {
    case "utf8": self = .utf8
    case "utf16": self.init(kind: .utf16(isBigEndian: nil), name: "utf-16")
    case "utf16le": self.init(kind: .utf16(isBigEndian: false), name: "utf-16le")
    case "utf16be": self.init(kind: .utf16(isBigEndian: true), name: "utf-16be")
    case "shiftjis", "sjis", "cp932", "ms932", "windows31j", "mskanji": self.init(kind: .shiftJIS, name: "shift_jis")
    default:
      let name = Self.singleByteName(word)
      guard SingleByteTable.characters(of: name) != nil else { return nil }
      self.init(kind: .singleByte, name: name)
    }
  }

  private static func singleByteName(_ word: String) -> String {
    let numbers = [
      "1": "1", "2": "2", "3": "3", "4": "4", "5": "9", "6": "10", "7": "13", "8": "14", "9": "15", "10": "16",
    ]
    for (prefix, name) in [("iso8859", "iso-8859-"), ("windows", "windows-"), ("cp", "windows-")]
    where word.utf8.starts(with: prefix.utf8) {
      return name + String(decoding: word.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
    guard word.utf8.starts(with: "latin".utf8) else { return "" }
    return numbers[String(decoding: word.utf8.dropFirst(5), as: UTF8.self)].map { "iso-8859-\($0)" } ?? ""
  }

  /// The encoding given by a byte order mark, and the length of the mark.
  static func marked(_ bytes: [UInt8]) -> (encoding: TextEncoding, byteCount: Int)? {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return (.utf8, 3) }
    if bytes.starts(with: [0xff, 0xfe]) { return (TextEncoding(kind: .utf16(isBigEndian: false), name: "utf-16"), 2) }
    if bytes.starts(with: [0xfe, 0xff]) { return (TextEncoding(kind: .utf16(isBigEndian: true), name: "utf-16"), 2) }
    return nil
  }
  /// Whether its byte order is unknown.
  var needsMark: Bool { kind == .utf16(isBigEndian: nil) }

  /// The same text in UTF-8, and the offsets of each U+FFFD that replaces bytes without a character.
  func decoded(_ bytes: ArraySlice<UInt8>) -> DecodedText {
    var text = DecodedText()
    text.bytes.reserveCapacity(bytes.count)
    switch kind {
    case .utf8: text.appendUTF8(bytes)
    case .utf16(let isBigEndian): text.appendUTF16(bytes, isBigEndian: isBigEndian ?? true)
    case .shiftJIS: text.appendShiftJIS(bytes)
    case .singleByte: text.append(bytes, SingleByteTable.characters(of: name) ?? [])
    }
    return text
  }
}

/// A text in UTF-8.
struct DecodedText {
  fileprivate(set) var bytes: [UInt8] = []
  /// The offsets of each U+FFFD that replaces bytes without a character.
  private(set) var replaced: [Int] = []

  /// Appends a character, or U+FFFD if it is invalid.
  private mutating func append(_ code: UInt32?) {
    guard let code, let scalar = Unicode.Scalar(code) else {
      replaced.append(bytes.count)
      bytes += [0xef, 0xbf, 0xbd]
      return
    }
    if code < 0x80 {
      bytes.append(UInt8(code))
    } else {
      bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
  }

  fileprivate mutating func appendUTF8(_ given: ArraySlice<UInt8>) {
    if String(decoding: given, as: UTF8.self).utf8.elementsEqual(given) { return bytes += given }
    var parser = Unicode.UTF8.ForwardParser()
    var rest = given.makeIterator()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let scalar): bytes += scalar
      case .error: append(nil)
      case .emptyInput: return
      }
    }
  }

  fileprivate mutating func appendUTF16(_ given: ArraySlice<UInt8>, isBigEndian: Bool) {
    var high: UInt32?
    var index = given.startIndex
    while index + 1 < given.endIndex {
      let (a, b) = (UInt32(given[index]), UInt32(given[index + 1]))
      let unit = isBigEndian ? a << 8 | b : b << 8 | a
      index += 2
      if let first = high {
        high = nil
        if unit & 0xfc00 == 0xdc00 {
          append(0x10000 + ((first & 0x3ff) << 10 | unit & 0x3ff))
          continue
        }
        append(nil)
      }
      if unit & 0xfc00 == 0xd800 { high = unit } else { append(unit) }
    }
    if high != nil || index < given.endIndex { append(nil) }
  }

  /// `characters` are those of the last bytes.
  fileprivate mutating func append(_ given: ArraySlice<UInt8>, _ characters: [UInt16]) {
    let first = 0x100 - characters.count
    for byte in given {
      let code = Int(byte) < first ? (byte < 0x80 ? UInt16(byte) : 0) : characters[Int(byte) - first]
      append(code == 0 && byte != 0 ? nil : UInt32(code))
    }
  }

  fileprivate mutating func appendShiftJIS(_ given: ArraySlice<UInt8>) {
    var index = given.startIndex
    while index < given.endIndex {
      let byte = given[index]
      index += 1
      switch byte {
      case 0..<0x80: append(UInt32(byte))
      case 0xa1...0xdf: append(0xff61 + UInt32(byte) - 0xa1)
      case 0x81...0x9f, 0xe0...0xfc:
        let code = index < given.endIndex ? ShiftJISTable.character(byte, given[index]) : nil
        // A second byte that cannot be one is the next character.
        if code != nil || index < given.endIndex && given[index] >= 0x80 { index += 1 }
        append(code)
      default: append(nil)
      }
    }
  }
}

extension ShiftJISTable {
  /// The character of two bytes, or `nil` if undefined.
  static func character(_ first: UInt8, _ second: UInt8) -> UInt32? {
    guard 0x40...0xfc ~= second, second != 0x7f else { return nil }
    let row = Int(first) - (first < 0xa0 ? 0x81 : 0xc1)
    var place = row * 188 + Int(second) - (second < 0x7f ? 0x40 : 0x41)
    // NEC has the IBM characters at other positions too, in another order: the ideographs first.
    if copies.contains(place) {
      let number = place - copies.lowerBound
      place = extensions + (number < 360 ? number + 28 : number < 370 ? number - 360 : number - 350)
    }
    guard characters.indices.contains(place), characters[place] != 0 else { return nil }
    return UInt32(characters[place])
  }
  private static let copies = 8272..<8646
  private static let extensions = 10_716

  private static let characters: [UInt16] = {
    var result = [UInt16](repeating: 0, count: 60 * 188)
    for run in runs {
      for (index, unit) in run.characters.utf16.enumerated() where run.place + index < result.count {
        result[run.place + index] = unit
      }
    }
    return result
  }()
}
