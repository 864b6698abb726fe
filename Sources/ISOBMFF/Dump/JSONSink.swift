/// Prints boxes as JSON: an array of objects, each with `type`, `offset`, `header_size` and `size`, then `version` and
/// `flags` of a full box, `fields` by the standard's names, `error` where something is damaged, and `boxes`.
///
/// What repeats is an array, so that no key stands twice in an object; bytes are strings of hexadecimal digits.
public final class JSONSink: BoxSink {
  private var out: TextBuffer
  /// Whether the next value in the current object or array needs a comma.
  private var needsComma = false
  /// What is open inside the current box.
  private enum Level { case fields, table, plainTable, row, descriptors, descriptor }
  private var levels: [Level] = []
  /// The open boxes, and whether the array of the boxes inside each is open.
  private var openBoxes: [Bool] = []

  /// A sink that writes to `output`.
  public init(_ output: any ByteSink) {
    out = TextBuffer(output)
    out.literal("[")
  }
  /// The error of the output.
  public var failure: IOError? { out.failure }

  /// Ends the array and writes out what is left.
  public func finish() {
    out.literal("]\n")
    out.drain()
  }

  // MARK: Boxes

  /// Opens an object in the array of the file or of the enclosing box.
  public func beginBox(_ node: BoxNode) {
    if let parent = openBoxes.indices.last, !openBoxes[parent] {
      openBoxes[parent] = true
      out.literal(",\"boxes\":[")
      needsComma = false
    }
    comma()
    out.literal(openBoxes.isEmpty ? "\n{\"type\":" : "{\"type\":")
    if case .remainder = node.content { out.literal("null") } else { code(node.type) }
    if let userType = node.header.userType {
      out.literal(",\"user_type\":\"")
      out.text(userType.description)
      out.literal("\"")
    }
    out.literal(",\"offset\":")
    out.unsigned(UInt64(node.header.offset))
    if case .remainder = node.content {
    } else {
      out.literal(",\"header_size\":")
      out.unsigned(UInt64(node.header.headerSize))
    }
    out.literal(",\"size\":")
    out.unsigned(UInt64(node.header.size))
    needsComma = true
    openBoxes.append(false)
  }

  /// Closes the object of fields, and whatever damage left open in it.
  public func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    while !levels.isEmpty { close() }
    if !rest.isEmpty {
      out.literal(",\"rest\":")
      hex(rest)
    }
    if let problem {
      out.literal(",\"error\":{\"field\":\"")
      out.text(problem.field.description)
      out.literal("\",\"offset\":")
      out.unsigned(UInt64(max(0, problem.offset)))
      out.literal(",\"message\":")
      string(problem.description.utf8)
      out.literal("}")
    }
    needsComma = true
  }

  /// Closes the object of the box.
  public func endBox(_ node: BoxNode) {
    if openBoxes.popLast() == true { out.literal("]") }
    out.literal("}")
    needsComma = true
    out.drainIfFull()
  }

  // MARK: Fields

  /// A member of the fields or of a row, or an element of a plain table.
  public func field(_ name: StaticString, _ value: FieldValue) {
    if levels.isEmpty, StaticText(name) != "version", StaticText(name) != "flags" { openFields() }
    if levels.last == .descriptors { close() }
    comma()
    if name.utf8CodeUnitCount > 0 { key(name) }
    self.value(value)
  }

  /// Opens an array.
  public func beginTable(_ name: StaticString, count: Int, plain: Bool) -> Bool {
    if levels.isEmpty { openFields() }
    comma()
    key(name)
    open(plain ? .plainTable : .table, "[")
    return true
  }
  /// Opens an object, unless the rows are plain values.
  public func beginRow(_ index: Int) {
    guard levels.last == .table else { return }
    comma()
    open(.row, "{")
  }
  /// Closes the object of the row.
  public func endRow() {
    if levels.last == .row { close() }
    out.drainIfFull()
  }
  /// Closes the array.
  public func endTable() { close() }

  /// Opens an element of the array `descriptors`.
  public func beginDescriptor(_ tag: UInt8, _ name: StaticString, headerSize: Int, size: Int) {
    if levels.isEmpty { openFields() }
    if levels.last != .descriptors {
      comma()
      key("descriptors")
      open(.descriptors, "[")
    }
    comma()
    open(.descriptor, "{")
    field("tag", .unsigned(UInt64(tag)))
    field("name", .text(BoxString(Array(name.description.utf8))))
    field("header_size", .unsigned(UInt64(headerSize)))
    field("size", .unsigned(UInt64(size)))
  }
  /// Closes the descriptor, and the array of those in it.
  public func endDescriptor() {
    if levels.last == .descriptors { close() }
    close()
  }

  private func openFields() {
    out.literal(",\"fields\":")
    open(.fields, "{")
  }
  private func open(_ level: Level, _ bracket: StaticString) {
    out.literal(bracket)
    levels.append(level)
    needsComma = false
  }
  private func close() {
    switch levels.popLast() {
    case .table, .plainTable, .descriptors: out.literal("]")
    case .fields, .row, .descriptor: out.literal("}")
    case nil: break
    }
    needsComma = true
  }
  private func key(_ name: StaticString) {
    out.literal("\"")
    out.literal(name)
    out.literal("\":")
  }
  private func comma() {
    if needsComma { out.literal(",") }
    needsComma = true
  }

  // MARK: Values

  private func value(_ value: FieldValue) {
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
  private func code(_ code: FourCC) { string(code.description.utf8) }
  private func hex(_ bytes: ArraySlice<UInt8>) {
    out.literal("\"")
    for byte in bytes { out.hexByte(byte) }
    out.literal("\"")
  }
  private func string(_ text: some Sequence<UInt8>) {
    out.literal("\"")
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
    out.literal("\"")
  }
}

/// The three letters of a packed language; QuickTime's numbers are shown as numbers.
func languageTag(_ value: UInt16) -> String {
  let letters = [value >> 10, value >> 5, value].map { UInt8(truncatingIfNeeded: $0 & 31) }
  guard letters.allSatisfy({ (1...26).contains($0) }) else { return String(value) }
  return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
}
