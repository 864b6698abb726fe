/// A four-character code: the type of a box, a brand, a handler or a codec.
public struct FourCC: Hashable, Sendable {
  /// The four bytes, first byte highest.
  public var rawValue: UInt32
  /// The code whose four bytes are `rawValue`, first byte highest.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension FourCC: ExpressibleByStringLiteral {
  /// Packs four Latin-1 characters; a literal of another length is a programmer error.
  @inline(__always)
  public init(stringLiteral literal: StaticString) {
    guard literal.hasPointerRepresentation, literal.utf8CodeUnitCount == 4, literal.isASCII else {
      rawValue = Self.latin1(literal)
      return
    }
    // Comparing with a literal is frequent, and the compiler makes this a constant.
    let bytes = unsafe UnsafeRawPointer(literal.utf8Start)
    rawValue = unsafe UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
  }

  /// The code of a literal that is not four ASCII characters.
  private static func latin1(_ literal: StaticString) -> UInt32 {
    let text = literal.description.unicodeScalars
    precondition(
      text.count == 4 && text.allSatisfy { $0.value < 256 }, "a four-character code has four Latin-1 characters")
    return text.reduce(0) { $0 << 8 | $1.value }
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
