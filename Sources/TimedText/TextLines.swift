/// The lines of a file, whatever their endings and its encoding are.
struct TextLines {
  private(set) var lines: [String] = []
  private(set) var findings: [TextFinding] = []

  /// Reads UTF-8 with or without a byte order mark; bytes that are none become U+FFFD.
  init(utf8 bytes: [UInt8]) {
    var bytes = bytes[...]
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    for line in Self.split(bytes) {
      let text = String(decoding: line, as: UTF8.self)
      if !text.utf8.elementsEqual(line) { findings.append(TextFinding(.notUTF8, line: lines.count + 1)) }
      append(text)
    }
  }

  /// Reads UTF-8, UTF-16 with a byte order mark, and whatever else as Windows-1252, the encoding of most SubRip files that
  /// are not Unicode.
  init(unknown bytes: [UInt8]) {
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      self.init(utf8: Self.fromUTF16(bytes.dropFirst(2), isBigEndian: bytes[0] == 0xfe))
      return
    }
    self.init(utf8: bytes)
    guard let first = findings.first(where: { $0.problem == .notUTF8 }) else { return }
    self.init(utf8: Self.fromCodePage(bytes))
    findings.insert(TextFinding(.codePage, line: first.line), at: 0)
  }

  private mutating func append(_ line: String) {
    guard line.utf8.contains(0) else { return lines.append(line) }
    findings.append(TextFinding(.zero, line: lines.count + 1))
    lines.append(String(String.UnicodeScalarView(line.unicodeScalars.map { $0 == "\0" ? "\u{fffd}" : $0 })))
  }

  /// Lines end with LF, CR or both; there is none behind the last ending.
  private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var result: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var position = start
    while position < bytes.endIndex {
      let byte = bytes[position]
      position += 1
      guard byte == 0x0a || byte == 0x0d else { continue }
      result.append(bytes[start..<(position - 1)])
      if byte == 0x0d, position < bytes.endIndex, bytes[position] == 0x0a { position += 1 }
      start = position
    }
    if start < bytes.endIndex { result.append(bytes[start...]) }
    return result
  }

  private static func fromUTF16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
    var units: [UInt16] = []
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? a << 8 | b : b << 8 | a)
      index += 2
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func fromCodePage(_ bytes: [UInt8]) -> [UInt8] {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      let code = (0x80..<0xa0).contains(byte) ? Self.codePage[Int(byte) - 0x80] : UInt16(byte)
      scalars.append(Unicode.Scalar(code) ?? "\u{fffd}")
    }
    return Array(String(scalars).utf8)
  }
  /// What Windows-1252 has in place of the control characters of ISO 8859-1; those that it has not stay.
  private static let codePage: [UInt16] = [
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d,
    0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,
    0x017e, 0x0178,
  ]
}
