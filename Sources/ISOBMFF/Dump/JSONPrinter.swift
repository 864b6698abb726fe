/// The JSON of boxes, with what is open at the moment.
struct JSONPrinter: ~Copyable {
  var out: TextBuffer
  private let hasFile: Bool
  /// Whether the next value in the current object or array needs a comma.
  private var needsComma = false
  /// What is open inside the current box.
  private enum Level { case fields, table, plainTable, row, descriptors, descriptor }
  private var levels: [Level] = []
  /// The open boxes, and whether the array of the boxes inside each is open.
  private var openBoxes: [Bool] = []
  /// How many boxes are open that are deeper than JSON is nested.
  private var flatCount = 0
  /// How deep boxes are nested: `jq` 1.6 reads 256 levels, of which a box takes three besides those of its fields.
  private static let nestingLimit = 64

  init(_ output: any ByteSink, file: String?) {
    out = TextBuffer(output)
    hasFile = file != nil
    if let file {
      out.literal("{\"file\":")
      string(file.utf8)
      out.literal(",\"boxes\":")
    }
    out.literal("[")
  }
  mutating func finish() {
    out.literal(hasFile ? "]}\n" : "]\n")
    out.drain()
  }

  // MARK: Boxes

  mutating func beginBox(_ node: BoxNode) {
    if let parent = openBoxes.indices.last, !openBoxes[parent] {
      openBoxes[parent] = true
      out.literal(",\"boxes\":[")
      needsComma = false
    }
    comma()
    out.literal(openBoxes.isEmpty ? "\n{\"type\":" : "{\"type\":")
    let isBox = if case .remainder = node.content { false } else { true }
    if isBox { code(node.type) } else { out.literal("null") }
    if let userType = node.header.userType {
      out.literal(",\"user_type\":\"")
      out.text(userType.description)
      out.literal("\"")
    }
    number(",\"offset\":", node.header.offset)
    if isBox { number(",\"header_size\":", node.header.headerSize) }
    number(",\"size\":", node.header.size)
    needsComma = true
    if openBoxes.count < Self.nestingLimit { openBoxes.append(false) } else { flatCount += 1 }
  }
  private mutating func number(_ key: StaticString, _ value: Int) {
    out.literal(key)
    out.unsigned(UInt64(max(0, value)))
  }

  mutating func fullBoxHeader(_ header: FullBoxHeader) {
    number(",\"version\":", Int(header.version))
    number(",\"flags\":", Int(header.flags))
  }

  mutating func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    while !levels.isEmpty { close() }
    if !rest.isEmpty {
      out.literal(",\"rest\":")
      hex(rest)
    }
    if let problem {
      out.literal(",\"error\":{\"field\":")
      string(problem.field.description.utf8)
      number(",\"offset\":", problem.offset)
      out.literal(",\"message\":")
      string(problem.description.utf8)
      out.literal("}")
    }
    // What is in a box that is too deep does not stand in it but after it.
    if flatCount > 0 { out.literal("}") }
    needsComma = true
  }

  mutating func endBox() {
    if flatCount > 0 { return flatCount -= 1 }
    if openBoxes.popLast() == true { out.literal("]") }
    out.literal("}")
    needsComma = true
  }

  // MARK: Fields

  mutating func field(_ name: StaticString, _ value: FieldValue) {
    if levels.isEmpty { openFields() }
    if levels.last == .descriptors { close() }
    comma()
    if name.utf8CodeUnitCount > 0 { key(name) }
    print(value)
  }

  mutating func beginTable(_ name: StaticString, plain: Bool) {
    if levels.isEmpty { openFields() }
    if levels.last == .descriptors { close() }
    comma()
    key(name)
    open(plain ? .plainTable : .table)
  }
  mutating func beginRow() {
    guard levels.last == .table else { return }
    comma()
    open(.row)
  }
  mutating func endRow() { if levels.last == .row { close() } }

  mutating func beginDescriptor(_ tag: UInt8, _ name: StaticString, headerSize: Int, size: Int) {
    if levels.isEmpty { openFields() }
    if levels.last != .descriptors {
      comma()
      key("descriptors")
      open(.descriptors)
    }
    comma()
    open(.descriptor)
    needsComma = true
    number("\"tag\":", Int(tag))
    out.literal(",\"name\":\"")
    out.literal(name)
    out.literal("\"")
    number(",\"header_size\":", headerSize)
    number(",\"size\":", size)
  }
  mutating func endDescriptor() {
    if levels.last == .descriptors { close() }
    close()
  }

  private mutating func openFields() {
    out.literal(",\"fields\":")
    open(.fields)
  }
  private mutating func open(_ level: Level) {
    switch level {
    case .table, .plainTable, .descriptors: out.byte(0x5b)
    case .fields, .row, .descriptor: out.byte(0x7b)
    }
    levels.append(level)
    needsComma = false
  }
  mutating func close() {
    switch levels.popLast() {
    case .table, .plainTable, .descriptors: out.byte(0x5d)
    case .fields, .row, .descriptor: out.byte(0x7d)
    case nil: break
    }
    needsComma = true
  }
  private mutating func key(_ name: StaticString) {
    out.byte(0x22)
    out.literal(name)
    out.literal("\":")
  }
  private mutating func comma() {
    if needsComma { out.byte(0x2c) }
    needsComma = true
  }

  // MARK: Values

  private mutating func print(_ value: FieldValue) {
    switch value {
    case .unsigned(let number), .hexadecimal(let number): out.unsigned(number)
    case .signed(let number): out.signed(number)
    case .fixed(let raw, let fractionBits): out.exact(raw, fractionBits: fractionBits)
    case .code(let code): self.code(code)
    case .language(let language): string(languageTag(language).utf8)
    case .text(let text): string(text.description.utf8)
    case .bytes(let bytes): hex(bytes)
    }
  }
  private mutating func code(_ code: FourCC) {
    // Four letters are the usual case.
    var isPlain = true
    for shift: UInt32 in [24, 16, 8, 0] {
      let byte = UInt8(truncatingIfNeeded: code.rawValue >> shift)
      isPlain = isPlain && byte >= 0x20 && byte < 0x7f && byte != 0x22 && byte != 0x5c
    }
    guard isPlain else { return string(code.description.utf8) }
    out.byte(0x22)
    for shift: UInt32 in [24, 16, 8, 0] { out.byte(UInt8(truncatingIfNeeded: code.rawValue >> shift)) }
    out.byte(0x22)
  }
  private mutating func hex(_ bytes: ArraySlice<UInt8>) {
    out.byte(0x22)
    for byte in bytes { out.hexByte(byte) }
    out.byte(0x22)
  }
  private mutating func string(_ text: some Sequence<UInt8>) {
    out.byte(0x22)
    for byte in text {
      switch byte {
      case 0x22: out.literal("\\\"")
      case 0x5c: out.literal("\\\\")
      case 0..<0x20, 0x7f:
        out.literal("\\u00")
        out.hexByte(byte)
      default: out.byte(byte)
      }
    }
    out.byte(0x22)
  }
}

/// The three letters of a packed language; QuickTime's numbers are shown as numbers.
private func languageTag(_ value: UInt16) -> String {
  if value == 0x7fff { return "und" }
  let letters = [value >> 10, value >> 5, value].map { UInt8(truncatingIfNeeded: $0 & 31) }
  guard letters.allSatisfy({ (1...26).contains($0) }) else { return String(value) }
  return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
}
