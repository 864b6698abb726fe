package import ISOBMFF
import MP4Bytes

/// A sample of a text track: the length of the text in 16 bits, the text, and boxes with styles. QuickTime text and
/// 3GPP timed text (3GPP TS 26.245, 5.17) have this form.
package struct TextSample {
  /// How the text is encoded in the sample.
  package enum Encoding { case utf8, utf16, macRoman }
  /// The text; empty if nothing is shown.
  package let text: String
  /// Its encoding.
  package let encoding: Encoding
  /// The boxes after the text.
  package let boxes: ArraySlice<UInt8>

  /// Reads a sample; `nil` if it ends before its text does. QuickTime text that is not UTF-8 is in Mac OS Roman.
  package init?(_ bytes: [UInt8], isQuickTime: Bool) {
    guard bytes.count >= 2 else {
      guard bytes.isEmpty else { return nil }
      (text, encoding, boxes) = ("", .utf8, [])
      return
    }
    let end = 2 + (Int(bytes[0]) << 8 | Int(bytes[1]))
    guard end <= bytes.count else { return nil }
    let own = bytes[2..<end]
    boxes = bytes[end...]
    if own.starts(with: [0xfe, 0xff]) || own.starts(with: [0xff, 0xfe]) {
      (text, encoding) = (MetadataValue.text(utf16: Array(own)), .utf16)
      return
    }
    let utf8 = String(decoding: own, as: UTF8.self)
    let isMacRoman = isQuickTime && !utf8.utf8.elementsEqual(own)
    (text, encoding) = isMacRoman ? (MacRoman.text(own), .macRoman) : (utf8, .utf8)
  }

  /// Whether a box of this type follows the text.
  package func hasBox(_ type: StaticString) -> Bool {
    var rest = boxes
    while rest.count >= 8 {
      let size = rest.bigEndian(0, 4)
      guard size >= 8, size <= rest.count else { break }
      if type.withUTF8Buffer({ letters in unsafe rest.dropFirst(4).starts(with: letters) }) { return true }
      rest = rest.dropFirst(size)
    }
    return false
  }

  /// The styles of parts of the text.
  package var styles: [StyleRecord] {
    var (rest, result): (ArraySlice<UInt8>, [StyleRecord]) = (boxes, [])
    let characters = text.unicodeScalars.count
    while rest.count >= 8 {
      let size = rest.bigEndian(0, 4)
      guard size >= 8, size <= rest.count else { break }
      if rest.dropFirst(4).starts(with: "styl".utf8) { result += styles(rest.prefix(size).dropFirst(8), characters) }
      rest = rest.dropFirst(size)
    }
    return result
  }

  /// The rows of a style box. In QuickTime text, a row has 20 bytes and ends where the next one starts; some writers
  /// use the box of timed text there too.
  private func styles(_ payload: ArraySlice<UInt8>, _ characters: Int) -> [StyleRecord] {
    let rows = payload.dropFirst(2)
    guard rows.count == payload.bigEndian(0, 2) * 20 else {
      var box = TextStyleBox()
      return (try? box.decode(payload)) == nil ? [] : Array(box.styles)
    }
    // QuickTime counts bytes.
    if encoding != .macRoman, text.utf8.count != characters { return [] }
    return (0..<rows.count / 20).map { index in
      let (row, next) = (rows.dropFirst(index * 20).prefix(20), rows.dropFirst((index + 1) * 20))
      var style = StyleRecord()
      style.startChar = UInt16(clamping: row.bigEndian(0, 4))
      style.endChar = UInt16(clamping: min(characters, next.isEmpty ? characters : next.bigEndian(0, 4)))
      style.fontID = 1
      style.faceStyleFlags = UInt8(row.bigEndian(10, 1) & 7)
      style.fontSize = UInt8(clamping: row.bigEndian(12, 2))
      style.textColor = QuickTimeText.color([14, 16, 18].map { UInt16(row.bigEndian($0, 2)) })
      return style
    }
  }
}

extension ArraySlice<UInt8> {
  /// The big-endian number of `count` bytes, `distance` bytes after the start.
  fileprivate func bigEndian(_ distance: Int, _ count: Int) -> Int {
    dropFirst(distance).prefix(count).reduce(0) { $0 << 8 | Int($1) }
  }
}
