import Bytes
import MP4

extension ID3Tag {
  /// The first frames as a phrase.
  var summary: String {
    let most = 3
    let shown = frames.prefix(most).map { frame in
      let detail = frame.detail
      return "\(detail.label ?? detail.name) \(detail.value)"
    }
    let others = frames.count > most ? " and \(frames.count - most) more" : ""
    return "ID3v2.\(version): " + (frames.isEmpty ? "no frames" : shown.joined(separator: ", ")) + others
  }
  /// The frames.
  var details: [TimelineEvent.Detail] { frames.map(\.detail) }
}

extension ID3Tag.Frame {
  /// Its value as text.
  var detail: TimelineEvent.Detail {
    TimelineEvent.Detail(id, label: ID3FrameNames.name(of: modernID), isOpaque ? bytes(data) : value)
  }

  private var value: String {
    var fields = ID3Fields(data)
    switch modernID {
    case "TXXX", "WXXX":
      fields.readEncoding()
      let description = fields.string()
      if modernID == "WXXX" { fields.encoding = 0 }
      return "\(description): \(fields.strings())"
    case "COMM", "USLT":
      fields.readEncoding()
      let language = fields.latin(3)
      let description = fields.string()
      return "\(language) \(description): \(fields.strings())"
    case "PRIV", "UFID":
      let owner = fields.string()
      return "\(owner): \(owned(by: owner, fields.rest))"
    case "APIC":
      fields.readEncoding()
      // In version 2, the format has three letters.
      let type = id == "PIC" ? fields.latin(3) : fields.string(encoding: 0)
      let kind = fields.byte() ?? 0
      let description = fields.string()
      let picture = ID3FrameNames.picture(kind) ?? "picture \(kind)"
      return "\(picture), \(type), \(counted(fields.rest.count, "byte"))"
        + (description.isEmpty ? "" : ": \(description)")
    case "GEOB":
      fields.readEncoding()
      let type = fields.string(encoding: 0)
      let name = fields.string()
      let description = fields.string()
      let words = [type, name, description].filter { !$0.isEmpty }
      return words.joined(separator: ", ") + ": " + bytes(fields.rest)
    case _ where id.hasPrefix("T"):
      fields.readEncoding()
      return fields.strings()
    case _ where id.hasPrefix("W"): return fields.strings()
    default: return bytes(data)
    }
  }

  private func owned(by owner: String, _ data: ArraySlice<UInt8>) -> String {
    // The time of the first sample of a packed audio segment, as an MPEG-2 timestamp: RFC 8216, 3.4.
    if owner == "com.apple.streaming.transportStreamTimestamp", data.count == 8 {
      let time = data.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return MediaTime(Int64(time & 0x1_ffff_ffff), 90_000).description
    }
    return plainText(data).map { "\"\($0)\"" } ?? bytes(data)
  }

  private func bytes(_ data: ArraySlice<UInt8>) -> String {
    let most = 64
    return hexText(data.prefix(most)) + (data.count > most ? "… (\(data.count) bytes)" : "")
  }
}

/// Reads the fields of a frame in sequence.
private struct ID3Fields {
  private(set) var rest: ArraySlice<UInt8>
  /// 0: ISO 8859-1, 1: UTF-16 with a byte order mark, 2: big-endian UTF-16, 3: UTF-8.
  var encoding: UInt8 = 0

  init(_ data: ArraySlice<UInt8>) { rest = data }

  mutating func byte() -> UInt8? { rest.popFirst() }
  mutating func readEncoding() { encoding = byte() ?? 0 }
  mutating func latin(_ count: Int) -> String {
    defer { rest = rest.dropFirst(count) }
    return Self.text(rest.prefix(count), 0)
  }

  /// The text up to a zero character or the end.
  mutating func string(encoding: UInt8? = nil) -> String {
    let encoding = encoding ?? self.encoding
    let width = encoding == 1 || encoding == 2 ? 2 : 1
    var count = 0
    while count + width <= rest.count, rest.dropFirst(count).prefix(width).contains(where: { $0 != 0 }) {
      count += width
    }
    if count + width > rest.count { count = rest.count }
    defer { rest = rest.dropFirst(count + width) }
    return Self.text(rest.prefix(count), encoding)
  }

  /// All remaining texts.
  mutating func strings() -> String {
    var texts: [String] = []
    while !rest.isEmpty {
      let text = string()
      if !text.isEmpty { texts.append(text) }
    }
    return texts.joined(separator: " / ")
  }

  private static func text(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> String {
    switch encoding {
    case 1, 2:
      let isLittle = encoding == 1 && bytes.starts(with: [0xff, 0xfe])
      let hasMark = isLittle || bytes.starts(with: [0xfe, 0xff])
      var (units, plain) = ([UInt16](), bytes.dropFirst(hasMark ? 2 : 0))
      while let first = plain.popFirst(), let second = plain.popFirst() {
        units.append(isLittle ? UInt16(second) << 8 | UInt16(first) : UInt16(first) << 8 | UInt16(second))
      }
      return String(decoding: units, as: UTF16.self)
    case 3: return String(decoding: bytes, as: UTF8.self)
    default: return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
}
