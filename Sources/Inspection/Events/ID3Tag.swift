import MP4
import MP4Bytes

/// A tag of ID3v2.2 (<https://id3.org/id3v2-00>), ID3v2.3 or ID3v2.4: <https://id3.org/id3v2.4.0-structure>.
struct ID3Tag {
  /// A frame without its transport encoding.
  struct Frame: Equatable {
    let id: String
    let data: ArraySlice<UInt8>
    /// Whether it is compressed or encrypted.
    let isOpaque: Bool

    /// The four-letter name of the frame; version 2 has names of three letters.
    var modernID: String { ID3FrameNames.modernName(of: id) }
  }
  /// 2, 3 or 4.
  let version: UInt8
  let frames: [Frame]
  /// Whether all frames are present and undamaged.
  let isComplete: Bool

  /// The consecutive tags at the start of `data`, and the bytes after them.
  static func tags(in data: ArraySlice<UInt8>) -> (tags: [ID3Tag], rest: ArraySlice<UInt8>) {
    var (tags, rest) = ([ID3Tag](), data)
    while let (tag, size) = read(rest) {
      tags.append(tag)
      rest = rest.dropFirst(size)
    }
    return (tags, rest)
  }

  /// The tag at the start of `data`, and its size in bytes.
  private static func read(_ data: ArraySlice<UInt8>) -> (tag: ID3Tag, size: Int)? {
    var reader = PayloadReader(data)
    guard data.count >= 10, reader.take(3).elementsEqual("ID3".utf8) else { return nil }
    let version = UInt8(reader.bits(8))
    guard (2...4).contains(version), reader.bits(8) != 0xff else { return nil }
    let flags = reader.bits(8)
    guard let size = syncsafe(reader.take(4)) else { return nil }
    // A footer repeats the header.
    let end = 10 + size + (version == 4 && flags & 0x10 != 0 ? 10 : 0)
    var body = data.dropFirst(10).prefix(size)
    let isWhole = body.count == size
    if version < 4, flags & 0x80 != 0 { body = synchronized(body) }
    var isComplete = isWhole
    if version == 2 {
      // The second flag is for a compression that was never defined.
      if flags & 0x40 != 0 { (body, isComplete) = (body.prefix(0), false) }
    } else if flags & 0x40 != 0 {
      // In version 4 only, the size of the extended header includes its own field.
      let field = body.prefix(4)
      let length = version == 4 ? syncsafe(field) : number(field) + 4
      isComplete = isComplete && length ?? .max <= body.count
      body = body.dropFirst(length ?? body.count)
    }
    let (frames, areRight) = Self.frames(in: body, version: version)
    return (ID3Tag(version: version, frames: frames, isComplete: isComplete && areRight), min(end, data.count))
  }

  private static func frames(in body: ArraySlice<UInt8>, version: UInt8) -> (frames: [Frame], areRight: Bool) {
    var (frames, rest) = ([Frame](), body)
    // Version 2 has names and sizes of three bytes, and no flags.
    let (width, header) = version == 2 ? (3, 6) : (4, 10)
    while let first = rest.first, first != 0 {
      let name = rest.prefix(width)
      guard rest.count >= header,
        name.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 })
      else { return (frames, false) }
      let field = rest.dropFirst(width).prefix(width)
      // Some writers do not encode sizes in version 4 with seven bits per byte.
      let size = version == 4 ? syncsafe(field) ?? number(field) : number(field)
      let flags = version == 2 ? 0 : rest[rest.startIndex + 9]
      let data = rest.dropFirst(header).prefix(size)
      frames.append(frame(String(decoding: name, as: UTF8.self), data, flags, version))
      guard data.count == size else { return (frames, false) }
      rest = rest.dropFirst(header + size)
    }
    return (frames, true)
  }

  /// Removes the data that the flags of a frame declare before its content.
  private static func frame(_ id: String, _ data: ArraySlice<UInt8>, _ flags: UInt8, _ version: UInt8) -> Frame {
    guard version == 4 else {
      let extra = (flags & 0x80 != 0 ? 4 : 0) + (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x20 != 0 ? 1 : 0)
      return Frame(id: id, data: data.dropFirst(extra), isOpaque: flags & 0xc0 != 0)
    }
    let extra = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x04 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
    let plain = flags & 0x02 != 0 ? synchronized(data) : data
    return Frame(id: id, data: plain.dropFirst(extra), isOpaque: flags & 0x0c != 0)
  }

  /// Removes the zeros that unsynchronisation inserts after 0xff.
  private static func synchronized(_ data: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var (plain, previous) = ([UInt8](), UInt8(0))
    for byte in data {
      if previous != 0xff || byte != 0 { plain.append(byte) }
      previous = byte
    }
    return plain[...]
  }

  /// A number with seven bits in each of four bytes.
  private static func syncsafe(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    return bytes.reduce(0) { $0 << 7 | Int($1) }
  }
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

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
