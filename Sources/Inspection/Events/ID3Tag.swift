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
