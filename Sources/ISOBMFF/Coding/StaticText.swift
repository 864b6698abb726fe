/// A text that is there as long as the program: a literal, or a name in a definition that was read.
public struct StaticText: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// Where the text is, which a zero byte ends.
  let address: UInt
  private let count: Int

  /// The text of `stringLiteral`.
  public init(stringLiteral: StaticString) {
    unsafe address = UInt(bitPattern: stringLiteral.utf8Start)
    count = stringLiteral.utf8CodeUnitCount
  }

  /// The bytes of the text, without the zero byte.
  var utf8: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: UnsafePointer(bitPattern: address), count: count)
  }

  /// Whether there is no text.
  public var isEmpty: Bool { count == 0 }
  /// The text as a string.
  public var description: String { unsafe String(decoding: utf8, as: UTF8.self) }

  /// Whether both say the same.
  @inline(__always)
  public static func == (a: StaticText, b: StaticText) -> Bool {
    guard a.count == b.count else { return false }
    // Equal literals of one module usually are the same one.
    return a.address == b.address || hasSameBytes(a, b)
  }
  @inline(never)
  private static func hasSameBytes(_ a: StaticText, _ b: StaticText) -> Bool { unsafe a.utf8.elementsEqual(b.utf8) }
  /// Adds the text to a hash.
  public func hash(into hasher: inout Hasher) { unsafe hasher.combine(bytes: UnsafeRawBufferPointer(utf8)) }
}
