/// A four-character code: the type of a box, a brand, a handler or a codec.
public struct FourCC: Hashable, Sendable {
  /// The four bytes, first byte highest.
  public var rawValue: UInt32
  /// The code whose four bytes are `rawValue`, first byte highest.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension FourCC: ExpressibleByStringLiteral {
  /// Packs four Latin-1 characters; a literal of another length is a programmer error.
  @inlinable
  @inline(__always)
  public init(stringLiteral literal: StaticString) {
    // Nearly all codes are ASCII and cost nothing here in any module. Codes are compared for every box.
    if literal.utf8CodeUnitCount == 4, literal.isASCII {
      let text = unsafe literal.utf8Start
      self.init(
        rawValue: unsafe UInt32(text[0]) << 24 | UInt32(text[1]) << 16 | UInt32(text[2]) << 8 | UInt32(text[3]))
    } else {
      self.init(latin1: literal)
    }
  }

  @usableFromInline
  init(latin1 literal: StaticString) {
    let text = literal.description.unicodeScalars
    precondition(
      text.count == 4 && text.allSatisfy { $0.value < 256 }, "a four-character code has four Latin-1 characters")
    rawValue = text.reduce(0) { $0 << 8 | $1.value }
  }
}

extension FourCC {
  /// The code of at most four Latin-1 characters, padded with spaces; `nil` for other texts.
  public init?(_ text: some StringProtocol) {
    let scalars = text.unicodeScalars
    guard (1...4).contains(scalars.count), scalars.allSatisfy({ $0.value < 256 }) else { return nil }
    let filled = scalars.map(\.value) + repeatElement(0x20, count: 4 - scalars.count)
    self.init(rawValue: filled.reduce(0) { $0 << 8 | $1 })
  }
}

extension FourCC: CustomStringConvertible {
  /// The four characters, read as Latin-1.
  public var description: String {
    var text = ""
    for shift: UInt32 in [24, 16, 8, 0] {
      text.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: rawValue >> shift)))
    }
    return text
  }
}
