/// The lines of a file, with any line endings and encoding.
struct TextLines {
  private(set) var lines: [String] = []
  private(set) var findings: [TextFinding] = []

  /// Reads the lines of a file.
  ///
  /// - Parameter encoding: The encoding of a file without a byte order mark; `nil` is UTF-8. Bytes without a character
  ///   become U+FFFD, with a finding.
  /// - Throws: An error for bytes that are not UTF-8 if no encoding is given, and for UTF-16 with unknown byte order.
  init(_ bytes: [UInt8], _ encoding: TextEncoding?) throws(TimedTextError) {
    let mark = TextEncoding.marked(bytes)
    let used = mark?.encoding ?? encoding ?? .utf8
    guard !used.needsMark else { throw TimedTextError(.noByteOrderMark, line: 1) }
    let text = used.decoded(bytes.dropFirst(mark?.byteCount ?? 0))
    var replaced = text.replaced[...]
    for line in Self.split(text.bytes[...]) {
      let count = replaced.prefix { $0 < line.endIndex }.count
      if count > 0 {
        guard encoding != nil || used != .utf8 else { throw TimedTextError(.notUTF8, line: lines.count + 1) }
        findings.append(TextFinding(.noCharacter(encoding: used.name), line: lines.count + 1))
        replaced = replaced.dropFirst(count)
      }
      append(String(decoding: line, as: UTF8.self))
    }
  }

  private mutating func append(_ line: String) {
    guard line.utf8.contains(0) else { return lines.append(line) }
    findings.append(TextFinding(.zero, line: lines.count + 1))
    lines.append(String(String.UnicodeScalarView(line.unicodeScalars.map { $0 == "\0" ? "\u{fffd}" : $0 })))
  }

  /// Lines end with LF, CR or CRLF; there is no line after the last line ending.
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
}
