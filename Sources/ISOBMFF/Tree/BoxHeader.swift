public import MP4Bytes

/// The header of a box in a file.
public struct BoxHeader: Hashable, Sendable {
  /// The encoding of the size.
  public enum Form: Hashable, Sendable {
    /// In 32 bits.
    case compact
    /// In 64 bits after the type.
    case large
    /// As 0: the box extends to the end of the file or of its container.
    case toEnd
  }
  // In this order, the properties have no padding between them.
  /// The offset of the header in the file.
  public var offset: Int
  /// The size in the header, even if it is wrong; 0 means up to the end of the file.
  public var declaredSize: UInt64
  /// The number of bytes of the box that are present, including the header.
  public var size: Int
  /// The 16 bytes after the type of a `uuid` box.
  public var userType: UserType?
  /// The encoding of the size.
  public var form: Form
  /// The four-character code.
  public var type: FourCC

  /// The size of the header in bytes: 8, or 16 with a 64-bit size, plus 16 with a user type.
  public var headerSize: Int { (form == .large ? 16 : 8) + (userType == nil ? 0 : 16) }
  /// The bytes of the file after the header.
  public var payload: Range<Int> { (offset + headerSize)..<max(offset + headerSize, offset + size) }
  /// The offset of the next box.
  public var end: Int { offset + size }

  /// Whether the size in the header equals the actual size.
  package var isSizeRight: Bool { declaredSize == UInt64(size) }
  /// The header with the actual size; `nil` if that requires a longer header.
  package var withRightSize: [UInt8]? {
    guard let short = form == .large ? 1 : UInt32(exactly: size) else { return nil }
    var writer = ByteWriter()
    writer.integer(short)
    writer.integer(type.rawValue)
    if form == .large { writer.integer(UInt64(size)) }
    writer.bytes += userType?.bytes ?? []
    return writer.bytes
  }
}

/// The 16 bytes that identify a `uuid` box.
public struct UserType: Hashable, Sendable, CustomStringConvertible {
  // Two integers instead of an array, so that copying a header needs no reference counting.
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// The first 16 of `bytes`, followed by zeros if there are fewer.
  public init(_ bytes: [UInt8]) {
    for (index, byte) in bytes.prefix(16).enumerated() {
      if index < 8 {
        high |= UInt64(byte) << UInt64(56 - index * 8)
      } else {
        low |= UInt64(byte) << UInt64(120 - index * 8)
      }
    }
  }
  /// The bytes of `span` from `offset` on; `nil` if there are fewer than 16.
  fileprivate init?(_ span: RawSpan, at offset: Int) {
    guard let high: UInt64 = span.bigEndian(at: offset), let low: UInt64 = span.bigEndian(at: offset + 8) else {
      return nil
    }
    (self.high, self.low) = (high, low)
  }
  /// The 16 bytes.
  public var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.integer(high)
    writer.integer(low)
    return writer.bytes
  }

  /// In hexadecimal, in the usual groups of 8-4-4-4-12 digits.
  public var description: String {
    var text = ""
    for (i, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(i) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }
}

extension BoxHeader {
  /// A header at `offset` that declares `size` bytes.
  init(type: FourCC, at offset: Int, size: Int = 0) {
    (self.type, self.offset, self.size) = (type, offset, size)
    (form, declaredSize) = (.compact, UInt64(size))
  }

  /// Parses the header at the start of these bytes, which are at `offset` in the file; `nil` if there are too few.
  package init?(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    self.init(type: FourCC(rawValue: 0), at: offset)
    guard read(bytes.raw, at: offset) else { return nil }
  }

  /// Whether bytes start like a box in a container with `left` remaining bytes.
  static func mayStart(_ bytes: ArraySlice<UInt8>, left: Int) -> Bool {
    guard let size: UInt32 = bytes.raw.bigEndian(at: 0), bytes.count >= 8 else { return false }
    return size >= 8 && Int(size) <= left && bytes.dropFirst(4).prefix(4).allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// Reads the header from the first bytes of a box; returns `false` if there are too few. `size` is left at 0.
  ///
  /// The header is written in place, because copying a value that was just written in parts must wait for all writes.
  mutating func read(_ bytes: RawSpan, at offset: Int) -> Bool {
    guard let short: UInt32 = bytes.bigEndian(at: 0), let code: UInt32 = bytes.bigEndian(at: 4) else { return false }
    (type, self.offset, size, userType) = (FourCC(rawValue: code), offset, 0, nil)
    switch short {
    case 0: (form, declaredSize) = (.toEnd, 0)
    case 1:
      guard let long: UInt64 = bytes.bigEndian(at: 8) else { return false }
      (form, declaredSize) = (.large, long)
    default: (form, declaredSize) = (.compact, UInt64(short))
    }
    if type == "uuid" {
      userType = UserType(bytes, at: form == .large ? 16 : 8)
      return userType != nil
    }
    return true
  }
}
