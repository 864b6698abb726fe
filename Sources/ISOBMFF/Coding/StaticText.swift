/// A text that is there as long as the program: a literal, or a name in a definition that was read.
public struct StaticText: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// Where the text is, which a zero byte ends. It goes along with every field, so that it should be a single word.
  private let address: UInt

  /// The text of `stringLiteral`.
  public init(stringLiteral: StaticString) { unsafe address = UInt(bitPattern: stringLiteral.utf8Start) }

  /// A copy of `text` that is never freed, as names of fields are read once.
  package init(keeping text: String) {
    let bytes = Array(text.utf8) + [0]
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = unsafe copy.initialize(from: bytes)
    address = UInt(bitPattern: copy.baseAddress)
  }

  /// The bytes of the text, without the zero byte.
  var utf8: UnsafeBufferPointer<UInt8> {
    guard let start = unsafe UnsafePointer<UInt8>(bitPattern: address) else {
      return unsafe UnsafeBufferPointer(start: nil, count: 0)
    }
    var count = 0
    while unsafe start[count] != 0 { count += 1 }
    return unsafe UnsafeBufferPointer(start: start, count: count)
  }

  /// Whether there is no text.
  public var isEmpty: Bool { unsafe UnsafePointer<UInt8>(bitPattern: address)?.pointee ?? 0 == 0 }
  /// The text as a string.
  public var description: String { unsafe String(decoding: utf8, as: UTF8.self) }

  /// Whether both say the same.
  public static func == (a: StaticText, b: StaticText) -> Bool {
    // Equal literals of one module usually are the same one.
    unsafe a.address == b.address || a.utf8.elementsEqual(b.utf8)
  }
  /// Adds the text to a hash.
  public func hash(into hasher: inout Hasher) { unsafe hasher.combine(bytes: UnsafeRawBufferPointer(utf8)) }

  // Where it is enough whether two are one and the same, which takes no time.

  /// Whether both are the same text at the same place.
  func isSameText(as other: StaticText) -> Bool { address == other.address }
  /// Adds the place to a hash.
  func hashPlace(into hasher: inout Hasher) { hasher.combine(address) }
}
