/// Text on its way to a sink, which gets it in large pieces. After a write that fails, text is dropped.
struct TextBuffer {
  private var bytes: [UInt8] = []
  private let sink: any ByteSink
  private(set) var failure: IOError?
  private static let size = 1 << 16

  init(_ sink: any ByteSink) {
    self.sink = sink
    bytes.reserveCapacity(Self.size + 4096)
  }

  mutating func drain() {
    guard !bytes.isEmpty else { return }
    if failure == nil {
      let text = bytes[...]
      do throws(IOError) { try sink.write(text.raw) } catch { failure = error }
    }
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  @inline(__always) mutating func literal(_ text: StaticString) {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
  mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }
  mutating func raw(_ text: some Sequence<UInt8>) { bytes.append(contentsOf: text) }

  /// Ends a line, the moment at which a full buffer goes out.
  mutating func endLine() {
    bytes.append(0x0a)
    if bytes.count >= Self.size { drain() }
  }
  /// Gives out a full buffer where there are no lines.
  mutating func drainIfFull() { if bytes.count >= Self.size { drain() } }

  mutating func indent(_ depth: Int) {
    // mp4dump indents no further than this.
    for _ in 0..<min(depth * 2, 255) { bytes.append(0x20) }
  }

  mutating func unsigned(_ value: UInt64) {
    var rest = value
    var digits = 1
    var limit: UInt64 = 10
    while rest >= limit {
      digits &+= 1
      if digits == 20 { break }
      limit &*= 10
    }
    let end = bytes.count &+ digits
    for _ in 0..<digits { bytes.append(0x30) }
    var at = end
    repeat {
      at &-= 1
      bytes[at] = UInt8(truncatingIfNeeded: 48 &+ rest % 10)
      rest /= 10
    } while rest > 0
  }
  mutating func signed(_ value: Int64) {
    if value < 0 { byte(0x2d) }
    unsigned(value.magnitude)
  }

  private static let digits: [UInt8] = Array("0123456789abcdef".utf8)
  private static let capitals: [UInt8] = Array("0123456789ABCDEF".utf8)

  mutating func hex(_ value: UInt64, width: Int = 1) {
    var shift = 60
    var seen = false
    while shift >= 0 {
      let digit = Int(value >> UInt64(shift) & 15)
      if digit != 0 || seen || shift < width * 4 {
        seen = true
        byte(Self.digits[digit])
      }
      shift -= 4
    }
  }
  mutating func hexByte(_ value: UInt8, capital: Bool = false) {
    let digits = capital ? Self.capitals : Self.digits
    byte(digits[Int(value >> 4)])
    byte(digits[Int(value & 15)])
  }
  /// Bytes as `[67 64 00 1e]`.
  mutating func byteList(_ values: ArraySlice<UInt8>) {
    byte(0x5b)
    for i in values.indices {
      if i > values.startIndex { byte(0x20) }
      hexByte(values[i])
    }
    byte(0x5d)
  }

  /// A fixed-point number with six digits after the point, rounded to even as C prints a double.
  mutating func sixDigits(_ raw: Int64, fractionBits: Int) {
    if raw < 0 { byte(0x2d) }
    let scale: UInt64 = 1 << UInt64(fractionBits)
    var whole = raw.magnitude / scale
    let product = (raw.magnitude % scale) * 1_000_000
    var fraction = product / scale
    let left = product % scale
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
  /// A fixed-point number with as many digits as it has.
  mutating func exact(_ raw: Int64, fractionBits: Int) {
    if raw < 0 { byte(0x2d) }
    let scale: UInt64 = 1 << UInt64(fractionBits)
    unsigned(raw.magnitude / scale)
    var rest = raw.magnitude % scale
    if rest > 0 { byte(0x2e) }
    while rest > 0 {
      rest *= 10
      byte(UInt8(truncatingIfNeeded: 48 + rest / scale))
      rest %= scale
    }
  }
}
