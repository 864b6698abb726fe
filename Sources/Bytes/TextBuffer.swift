/// Collects text and passes it to a sink in large pieces. After a failed write, text is discarded.
///
/// The bytes are in manually allocated memory, because appending to an array costs several times as much for each piece
/// of a line.
@usableFromInline
@safe package struct TextBuffer: ~Copyable {
  @usableFromInline
  static let size = 1 << 16
  /// The longest piece for which space is checked only once.
  @usableFromInline
  static let longestPiece = 64

  @usableFromInline
  let start = UnsafeMutablePointer<UInt8>.allocate(capacity: TextBuffer.size)
  @usableFromInline
  var count = 0
  private let sink: any ByteSink
  package private(set) var failure: IOError?

  package init(_ sink: any ByteSink) { self.sink = sink }
  deinit { unsafe start.deallocate() }

  /// Passes the collected text to the sink.
  @usableFromInline
  package mutating func drain() {
    guard count > 0 else { return }
    if failure == nil {
      let text = unsafe RawSpan(_unsafeStart: start, byteCount: count)
      do throws(IOError) { try sink.write(text) } catch { failure = error }
    }
    count = 0
  }

  // MARK: Text

  /// Makes room for a piece.
  @inlinable
  @inline(__always)
  package mutating func reserve(_ piece: Int = TextBuffer.longestPiece) {
    if count &+ piece > Self.size { drain() }
  }
  /// Appends a byte; there must be room for it.
  @inlinable
  @inline(__always)
  package mutating func put(_ byte: UInt8) {
    unsafe start[count] = byte
    count &+= 1
  }
  @inlinable
  @inline(__always)
  package mutating func byte(_ byte: UInt8) {
    reserve(1)
    put(byte)
  }
  @inlinable
  @inline(__always)
  package mutating func literal(_ text: StaticText) {
    unsafe raw(text.utf8)
  }
  package mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { unsafe raw($0) }
  }
  /// Appends a CSV cell, quoted if it contains a comma, a quotation mark or a line ending (RFC 4180).
  package mutating func cell(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      // One pass over the bytes, because millions of records repeat the name of the file.
      guard unsafe bytes.contains(where: { $0 == 0x2c || $0 == 0x22 || $0 == 0x0a || $0 == 0x0d }) else {
        return unsafe raw(bytes)
      }
      byte(0x22)
      for index in bytes.indices {
        let letter = unsafe bytes[index]
        if letter == 0x22 { byte(0x22) }
        byte(letter)
      }
      byte(0x22)
    }
  }
  @usableFromInline
  package mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count <= Self.longestPiece else {
      for i in 0..<bytes.count { unsafe byte(bytes[i]) }
      return
    }
    reserve()
    // Here and below, the address is in a local variable. Otherwise, the compiler assumes that a stored byte may change
    // `count`, and loads and stores it for each byte.
    let target = unsafe start + count
    let size = bytes.count
    count &+= size
    guard size >= 8, let source = unsafe UnsafeRawPointer(bytes.baseAddress) else {
      for i in 0..<size { unsafe target[i] = bytes[i] }
      return
    }
    // Copies eight bytes at a time; the last eight overlap the previous ones.
    let end = size &- 8
    var at = 0
    repeat {
      unsafe Self.copyWord(source, target, at)
      at &+= 8
    } while at < end
    unsafe Self.copyWord(source, target, end)
  }
  @inline(__always)
  private static func copyWord(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ at: Int) {
    let word = unsafe source.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    unsafe UnsafeMutableRawPointer(target).storeBytes(of: word, toByteOffset: at, as: UInt64.self)
  }
  /// Appends four letters, the first one in the highest bits.
  package mutating func letters(_ code: UInt32) {
    reserve(4)
    unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: code.bigEndian, as: UInt32.self)
    count &+= 4
  }
  package mutating func endLine() { byte(0x0a) }

  package mutating func indent(_ depth: Int) {
    spaces(depth * 2)
  }
  package mutating func spaces(_ number: Int) {
    // mp4dump limits the indentation to this value.
    let number = max(0, min(number, 255))
    reserve(255)
    let target = unsafe start + count
    count &+= number
    guard number > 16 else {
      // Excess spaces are overwritten later.
      let spaces: UInt64 = 0x2020_2020_2020_2020
      unsafe UnsafeMutableRawPointer(target).storeBytes(of: spaces, as: UInt64.self)
      return unsafe UnsafeMutableRawPointer(target).storeBytes(of: spaces, toByteOffset: 8, as: UInt64.self)
    }
    for i in 0..<number { unsafe target[i] = 0x20 }
  }

  // MARK: Numbers

  package mutating func unsigned(_ value: UInt64) {
    reserve()
    guard value > 9 else { return put(UInt8(truncatingIfNeeded: 48 &+ value)) }
    var left = Self.digitCount(value)
    let target = unsafe start + count
    count &+= left
    var rest = value
    // Two digits per division.
    while left > 1 {
      let next = rest / 100
      let pair = rest &- next &* 100
      left &-= 2
      unsafe target[left] = UInt8(truncatingIfNeeded: 48 &+ pair / 10)
      unsafe target[left &+ 1] = UInt8(truncatingIfNeeded: 48 &+ pair % 10)
      rest = next
    }
    if left > 0 { unsafe target[0] = UInt8(truncatingIfNeeded: 48 &+ rest) }
  }
  package mutating func signed(_ value: Int64) {
    if value < 0 { byte(0x2d) }
    unsigned(value.magnitude)
  }
  package static func digitCount(_ value: UInt64) -> Int {
    var digits = 1
    var limit: UInt64 = 10
    while value >= limit {
      digits &+= 1
      if digits == 20 { break }
      limit &*= 10
    }
    return digits
  }

  package mutating func hex(_ value: UInt64, width: Int = 1) {
    let digits = max(width, (67 - value.leadingZeroBitCount) / 4)
    reserve()
    let target = unsafe start + count
    count &+= digits
    for i in 0..<digits {
      let place = UInt64((digits &- 1 &- i) &* 4)
      unsafe target[i] = Self.digit(UInt8(truncatingIfNeeded: value >> place & 15))
    }
  }
  @inlinable
  @inline(__always)
  package mutating func hexByte(_ value: UInt8) {
    reserve()
    put(Self.digit(value >> 4))
    put(Self.digit(value & 15))
  }
  @inlinable
  @inline(__always)
  static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 &+ value : 87 &+ value }

  /// Bytes as `[67 64 00 1e]`.
  package mutating func byteList(_ values: ArraySlice<UInt8>) {
    byte(0x5b)
    for i in values.indices {
      if i > values.startIndex { byte(0x20) }
      hexByte(values[i])
    }
    byte(0x5d)
  }

  /// A fixed-point number with six decimal places, rounded half to even as C prints a double.
  package mutating func sixDigits(_ raw: Int64, fractionBits: Int) {
    if raw < 0 { byte(0x2d) }
    let scale: UInt64 = 1 << UInt64(fractionBits)
    var whole = raw.magnitude / scale
    let product = (raw.magnitude % scale).multipliedFullWidth(by: 1_000_000)
    let (quotient, left) = scale.dividingFullWidth(product)
    var fraction = quotient
    if left * 2 > scale || left * 2 == scale && fraction % 2 == 1 { fraction += 1 }
    if fraction == 1_000_000 { (whole, fraction) = (whole + 1, 0) }
    unsigned(whole)
    byte(0x2e)
    var place: UInt64 = 100_000
    while place > 0 {
      byte(UInt8(truncatingIfNeeded: 48 + fraction / place % 10))
      place /= 10
    }
  }
  /// A time in seconds with six decimal places.
  package mutating func seconds(_ value: UInt64, timescale: UInt32) {
    let scale = UInt64(timescale)
    var whole = value / scale
    var micro = ((value % scale) * 1_000_000 + scale / 2) / scale
    if micro == 1_000_000 { (whole, micro) = (whole + 1, 0) }
    unsigned(whole)
    byte(0x2e)
    for _ in 0..<(6 - Self.digitCount(micro)) { byte(0x30) }
    unsigned(micro)
  }
  /// A fixed-point number with all its digits.
  package mutating func exact(_ raw: Int64, fractionBits: Int) {
    if raw < 0 { byte(0x2d) }
    let scale: UInt64 = 1 << UInt64(fractionBits)
    unsigned(raw.magnitude / scale)
    var rest = raw.magnitude % scale
    if rest > 0 { byte(0x2e) }
    while rest > 0 {
      let (digit, left) = scale.dividingFullWidth(rest.multipliedFullWidth(by: 10))
      byte(UInt8(truncatingIfNeeded: 48 + digit))
      rest = left
    }
  }
}
