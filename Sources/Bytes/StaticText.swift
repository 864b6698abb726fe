/// A text that exists until the program ends: a literal, or a name from a definition that was read.
public struct StaticText: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The address of the text.
  @usableFromInline
  package let address: UInt
  /// The number of bytes.
  @usableFromInline
  package let count: Int

  /// The text of `stringLiteral`.
  public init(stringLiteral: StaticString) {
    unsafe address = UInt(bitPattern: stringLiteral.utf8Start)
    count = stringLiteral.utf8CodeUnitCount
  }

  /// A copy of `text` that is kept until the program ends, because its parts are passed on without reference counting.
  package init(keeping text: String) {
    var text = text
    let (address, count) = text.withUTF8 { bytes in
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + 1)
      _ = unsafe copy.initialize(from: bytes)
      unsafe copy[bytes.count] = 0
      return (UInt(bitPattern: copy.baseAddress), bytes.count)
    }
    (self.address, self.count) = (address, count)
  }
  private init(address: UInt, count: Int) { (self.address, self.count) = (address, count) }

  /// The byte at `index`.
  @inlinable
  package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count)
    return unsafe utf8[index]
  }
  /// The index of the first `byte` from `start` on, or `end` if there is none before it.
  @inlinable
  package func index(of byte: UInt8, from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count)
    let bytes = unsafe utf8
    var at = start
    while at < end, unsafe bytes[at] != byte { at &+= 1 }
    return at
  }
  /// The index of the first byte other than `byte` from `start` on, or `end` if there is none before it.
  @inlinable
  package func index(after byte: UInt8, from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count)
    let bytes = unsafe utf8
    var at = start
    while at < end, unsafe bytes[at] == byte { at &+= 1 }
    return at
  }
  /// A part of the text; it is not terminated by a zero byte.
  package subscript(range: Range<Int>) -> StaticText {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return StaticText(address: address + UInt(range.lowerBound), count: range.count)
  }

  /// The bytes of the text, without the terminating zero byte.
  @inlinable
  package var utf8: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: UnsafePointer(bitPattern: address), count: count)
  }

  /// Whether the text is empty.
  public var isEmpty: Bool { count == 0 }
  /// The text as a string.
  public var description: String { unsafe String(decoding: utf8, as: UTF8.self) }

  /// Whether both have the same bytes.
  @inlinable
  @inline(__always)
  public static func == (a: StaticText, b: StaticText) -> Bool {
    guard a.count == b.count else { return false }
    // Equal literals of a module usually have the same address.
    return a.address == b.address || hasSameBytes(a, b)
  }
  @inline(never)
  @usableFromInline
  static func hasSameBytes(_ a: StaticText, _ b: StaticText) -> Bool { unsafe a.utf8.elementsEqual(b.utf8) }
  /// Adds the text to a hash.
  public func hash(into hasher: inout Hasher) { unsafe hasher.combine(bytes: UnsafeRawBufferPointer(utf8)) }
}
