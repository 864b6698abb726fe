import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Numbers that do not fit")
struct FieldRangeTests {
  @Test("Every number in every box is read back as written, or not written", arguments: PayloadCase.types)
  func everyField(_ box: PayloadCase) throws {
    if let type = box.type { try check(type) }
  }

  private func check<Payload: BoxPayload>(_ type: Payload.Type) throws {
    var random = SplitMix64(seed: UInt64(type.info.type.rawValue) + 3)
    let starts = PayloadCase(type: type).empty.compactMap { try? $0.encoded() }
    var tried: Set<String> = []
    // Boxes with numbers only in rows need a count that fits.
    for round in 0..<1000 where round < Effort.count(short: 3, all: 30) || tried.isEmpty {
      // Small numbers give counts that fit, and tables with rows.
      let tail = random.bytes(Int(random.next() % 60)).map { $0 & (random.next() % 4 == 0 ? 15 : 3) }
      let start = starts[Int(random.next() % UInt64(starts.count))]
      let front = start.prefix(Int(random.next() % UInt64(start.count + 1)))
      guard let payload = try? Payload(decoding: (front + tail)[...]) else { continue }
      // There can be as many samples without bytes as a number can express.
      guard Mirror(reflecting: payload).children.allSatisfy({ ($0.value as? any Collection)?.count ?? 0 < 1000 })
      else { continue }
      for (name, variant) in allVariants(of: payload) {
        guard let variant = variant as? Payload, variant != payload else { continue }
        tried.insert(name)
        check(variant, name)
      }
    }
    let fields = type.describe().filter { ["uint", "int"].contains($0.type) && !$0.name.hasSuffix("reserved") }
    #expect(!tried.isEmpty || fields.isEmpty, "no number of \(type) was changed")
  }

  /// A changed payload is read back as written, with a later version or more flags if necessary.
  private func check<Payload: BoxPayload>(_ payload: Payload, _ name: String) {
    guard let bytes = try? payload.encoded(), let read = try? Payload(decoding: bytes[...]) else { return }
    guard let full = payload as? any FullBoxPayload, let other = read as? any FullBoxPayload else {
      // NaN is not equal to itself.
      #expect(payload == read || payload != payload, "\(Payload.self).\(name): \(payload) is read as \(read)")
      return
    }
    #expect(other.flags & full.flags == full.flags && other.version >= full.version, "\(Payload.self).\(name)")
    var raised = full
    raised.header = other.header
    guard let raised = raised as? Payload else { return }
    #expect(raised == read || raised != raised, "\(Payload.self).\(name): \(payload) is read as \(read)")
  }
}

/// Values other than structures that contain numbers which can be replaced.
private protocol Varied {
  var variants: [(name: String, value: Any)] { get }
}

/// All copies of `value` in which one number is replaced, with the name of the number: a field, a field of a row, or of
/// a nested value.
private func allVariants(of value: Any) -> [(name: String, value: Any)] {
  // This comes first, because a cast to a number accepts an optional number.
  if let value = value as? any Varied { return value.variants }
  if let number = value as? any FixedWidthInteger { return edges(number).map { ("", $0) } }
  guard Mirror(reflecting: value).displayStyle == .struct else { return [] }
  return _openExistential(value, do: fieldVariants)
}

/// The smallest numbers that do not fit in fields of each width, and the extremes of the type.
private func edges<Number: FixedWidthInteger>(_ number: Number) -> [Number] {
  let powers = (2..<64).compactMap { Number(exactly: UInt64(1) << UInt64($0)) }
  return powers + [.max, .min] + (Number.isSigned ? [0 &- 1, .min >> 8] : [])
}

/// The copies of a structure in which one stored property is replaced.
private func fieldVariants<Value>(of value: Value) -> [(name: String, value: Any)] {
  var result: [(name: String, value: Any)] = []
  var offset = 0
  for (label, child) in Mirror(reflecting: value).children {
    // Stored properties are consecutive, each at the next offset with its alignment.
    func take<Child>(_: Child) -> Int {
      let alignment = MemoryLayout<Child>.alignment
      let start = (offset + alignment - 1) / alignment * alignment
      offset = start + MemoryLayout<Child>.size
      return start
    }
    let start = _openExistential(child, do: take)
    for (name, variant) in allVariants(of: child) {
      var changed = value
      func assign<Child>(_ variant: Child) {
        unsafe withUnsafeMutableBytes(of: &changed) { bytes in
          unsafe bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: Child.self).pointee = variant
        }
      }
      _openExistential(variant, do: assign)
      result.append(((label ?? "") + (name.isEmpty ? "" : ".") + name, changed))
    }
  }
  precondition(offset == MemoryLayout<Value>.size, "\(Value.self) lies otherwise in memory")
  return result
}

extension Optional: Varied {
  fileprivate var variants: [(name: String, value: Any)] {
    let wrapped: Any? = self ?? (Wrapped.self as? any FixedWidthInteger.Type)?.init()
    guard let wrapped else { return [] }
    return allVariants(of: wrapped).compactMap { name, value in (value as? Wrapped).map { (name, Self.some($0) as Any) }
    }
  }
}

extension Array: Varied {
  fileprivate var variants: [(name: String, value: Any)] { firstVaried(self) }
}

extension BoxTable: Varied {
  fileprivate var variants: [(name: String, value: Any)] { firstVaried(self) }
}

/// Rows in which the first one is replaced.
private func firstVaried<Rows: MutableCollection>(_ rows: Rows) -> [(name: String, value: Any)] {
  guard let first = rows.first else { return [] }
  return allVariants(of: first).compactMap { name, value in
    guard let row = value as? Rows.Element else { return nil }
    var changed = rows
    changed[changed.startIndex] = row
    return (name, changed)
  }
}
