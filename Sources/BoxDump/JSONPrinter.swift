package import ISOBMFF
package import MP4Bytes

/// Prints boxes as JSON and keeps track of what is open.
struct JSONPrinter: ~Copyable {
  var json: JSONWriter
  let options: JSONOptions
  var meanings = Meanings()
  /// What is open inside the current box.
  private enum Level { case fields, table, plainTable, row, descriptors, descriptor }
  private var levels: [Level] = []
  /// What follows from the box; it is printed after the fields.
  var derived: [(name: StaticText, value: FieldValue)] = []
  /// The open boxes, and whether the array of child boxes of each is open.
  private var openBoxes: [Bool] = []
  /// Whether the fields of the most recent box are incomplete.
  private var isInFields = false
  /// The number of open boxes that are deeper than the JSON nesting limit.
  private var flatCount = 0
  /// The nesting limit for boxes: `jq` 1.6 reads 256 levels, and a box takes three besides those of its fields.
  private static let nestingLimit = 64

  init(_ output: any ByteSink, _ options: JSONOptions) {
    json = JSONWriter(output)
    self.options = options
    if options.isLines { return }
    if let file = options.file {
      json.out.literal("{\"file\":")
      json.string(file)
      json.out.literal(",\"boxes\":")
    }
    json.out.literal("[")
  }
  var failure: IOError? { json.failure }
  mutating func finish() {
    if !options.isLines { json.out.literal(options.file != nil ? "]}\n" : "]\n") }
    json.out.drain()
  }

  mutating func flush() { json.out.drain() }

  // MARK: Boxes

  mutating func beginBox(_ node: BoxNode, _ path: BoxPath) {
    isInFields = true
    if options.isLines { beginLine() } else { beginElement() }
    json.out.literal("\"type\":")
    let isBox = if case .remainder = node.content { false } else { true }
    if isBox { json.code(node.type) } else { json.out.literal("null") }
    if let userType = node.header.userType {
      json.out.literal(",\"user_type\":\"")
      json.out.text(userType.description)
      json.out.literal("\"")
    }
    json.out.literal(",\"path\":")
    json.string(path.description)
    number(",\"offset\":", node.header.offset)
    if isBox { number(",\"header_size\":", node.header.headerSize) }
    number(",\"size\":", node.header.size)
    json.needsComma = true
    if options.isLines { return }
    if openBoxes.count < Self.nestingLimit { openBoxes.append(false) } else { flatCount += 1 }
  }

  private mutating func beginLine() {
    json.out.literal("{")
    guard let file = options.file else { return }
    json.out.literal("\"file\":")
    json.string(file)
    json.out.literal(",")
  }

  private mutating func beginElement() {
    if let parent = openBoxes.indices.last, !openBoxes[parent] {
      openBoxes[parent] = true
      json.out.literal(",\"boxes\":[")
      json.needsComma = false
    }
    json.comma()
    json.out.literal(openBoxes.isEmpty ? "\n{" : "{")
  }
  mutating func number(_ key: StaticText, _ value: Int) {
    json.out.literal(key)
    json.out.unsigned(UInt64(max(0, value)))
  }

  mutating func fullBoxHeader(_ header: FullBoxHeader, _ names: ValueNames) {
    number(",\"version\":", Int(header.version))
    number(",\"flags\":", Int(header.flags))
    if header.flags == 0 || names.isEmpty { return }
    let set = meanings.names(of: UInt64(header.flags), names)
    if set.isEmpty { return }
    json.out.literal(",\"flag_names\":")
    print(list: set)
  }

  /// Closes what is open in the box and prints the derived values. Damage may leave more than the fields open.
  private mutating func closeFields() {
    while !levels.isEmpty { close() }
    if derived.isEmpty { return }
    json.out.literal(",\"derived\":")
    json.beginObject()
    for (name, value) in derived {
      json.comma()
      key(name)
      print(value)
      printMeaning(name, value)
    }
    json.endObject()
    derived.removeAll(keepingCapacity: true)
  }

  mutating func beginBytes() {
    closeFields()
    json.out.literal(",\"bytes\":\"")
  }
  mutating func bytes(_ bytes: ArraySlice<UInt8>) { for byte in bytes { json.out.hexByte(byte) } }
  mutating func endBytes(omitted: Int) {
    json.out.literal("\"")
    if omitted > 0 { number(",\"omitted_bytes\":", omitted) }
  }

  mutating func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    closeFields()
    isInFields = false
    if !rest.isEmpty {
      json.out.literal(",\"rest\":")
      print(bytes: rest)
    }
    if let problem {
      json.out.literal(problem.isNote ? ",\"note\":{\"field\":" : ",\"error\":{\"field\":")
      json.string(problem.field.description)
      number(",\"offset\":", problem.offset)
      json.out.literal(",\"message\":")
      json.string(problem.description)
      json.out.literal("}")
    }
    if options.isLines { return json.out.literal("}\n") }
    // The contents of a box that is nested too deeply are printed after it instead of inside it.
    if flatCount > 0 { json.out.literal("}") }
    json.needsComma = true
  }

  /// Reports in place of a box why the rest of the file is missing.
  mutating func fail(_ message: String) {
    if isInFields {
      closeFields()
      if options.isLines { json.out.literal("}\n") } else if flatCount > 0 { json.out.literal("}") }
      (isInFields, json.needsComma) = (false, true)
    }
    flatCount = 0
    while !openBoxes.isEmpty { endBox() }
    if options.isLines { beginLine() } else { beginElement() }
    json.out.literal("\"error\":{\"message\":")
    json.string(message)
    json.out.literal("}}")
    if options.isLines { json.out.literal("\n") }
    json.needsComma = true
  }

  mutating func endBox() {
    if options.isLines { return }
    if flatCount > 0 { return flatCount -= 1 }
    if openBoxes.popLast() == true { json.out.literal("]") }
    json.out.literal("}")
    json.needsComma = true
  }

  // MARK: Fields

  mutating func field(_ name: StaticText, _ value: FieldValue) {
    if levels.isEmpty { openFields() }
    if levels.last == .descriptors { close() }
    json.comma()
    if !name.isEmpty { key(name) }
    print(value)
    // A value of a plain table has no member for its meaning.
    if !name.isEmpty { printMeaning(name, value) }
  }

  mutating func beginTable(_ name: StaticText, plain: Bool) {
    if levels.isEmpty { openFields() }
    if levels.last == .descriptors { close() }
    json.comma()
    key(name)
    open(plain ? .plainTable : .table)
  }
  mutating func beginRow() {
    guard levels.last == .table else { return }
    json.comma()
    open(.row)
  }
  mutating func endRow() { if levels.last == .row { close() } }
  mutating func row(_ fields: [(name: StaticText, value: FieldValue)]) {
    beginRow()
    // Uses a span because reading an element from an array copies it.
    let span = fields.span
    for index in span.indices { field(span[index].name, span[index].value) }
    endRow()
  }

  mutating func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    if levels.isEmpty { openFields() }
    if levels.last != .descriptors {
      json.comma()
      key("descriptors")
      open(.descriptors)
    }
    json.comma()
    open(.descriptor)
    json.needsComma = true
    number("\"tag\":", Int(tag))
    json.out.literal(",\"name\":\"")
    json.out.literal(name)
    json.out.literal("\"")
    number(",\"header_size\":", headerSize)
    number(",\"size\":", size)
  }
  mutating func endDescriptor() {
    if levels.last == .descriptors { close() }
    close()
  }

  private mutating func openFields() {
    json.out.literal(",\"fields\":")
    open(.fields)
  }
  private mutating func open(_ level: Level) {
    switch level {
    case .table, .plainTable, .descriptors: json.beginArray()
    case .fields, .row, .descriptor: json.beginObject()
    }
    levels.append(level)
  }
  mutating func close() {
    switch levels.popLast() {
    case .table, .plainTable, .descriptors: json.endArray()
    case .fields, .row, .descriptor: json.endObject()
    case nil: json.needsComma = true
    }
  }
  mutating func key(_ name: StaticText) {
    json.out.byte(0x22)
    json.out.literal(name)
    json.out.literal("\":")
  }
}

/// Values as JSON, with their meanings.
extension JSONPrinter {
  /// The meaning of a number, in a member next to it.
  mutating func printMeaning(_ name: StaticText, _ value: FieldValue) {
    switch value {
    case .named(let number, let names):
      guard let text = names.name(of: number) else { return }
      key(name, "_name")
      json.string(text)
    case .explained(_, let meaning):
      key(name, "_name")
      json.string(meaning)
    case .language(let number):
      guard let language = QuickTimeLanguage(number) else { return }
      key(name, "_name")
      json.string(language.name)
    case .flags(let number, let names):
      let set = meanings.names(of: number, names)
      if set.isEmpty { return }
      key(name, "_names")
      print(list: set)
    case .date(let seconds):
      guard let text = Date1904.text(seconds) else { return }
      key(name, "_date")
      json.string(text)
    default: return
    }
  }
  private mutating func key(_ name: StaticText, _ suffix: StaticText) {
    json.out.literal(",\"")
    json.out.literal(name)
    json.out.literal(suffix)
    json.out.literal("\":")
  }
  mutating func print(list: [String]) {
    json.beginArray()
    for text in list {
      json.comma()
      json.string(text)
    }
    json.endArray()
  }

  mutating func print(_ value: FieldValue) {
    if case .bytes(let bytes) = value { print(bytes: bytes) } else { json.value(value) }
  }

  /// Bytes as hexadecimal digits; for long values, the first bytes and the length.
  mutating func print(bytes: ArraySlice<UInt8>) {
    guard bytes.count > JSONOptions.longestBytes, !options.isFull else { return json.hex(bytes) }
    json.out.literal("{\"start\":")
    json.hex(bytes.prefix(JSONOptions.shownOfLongBytes))
    number(",\"length\":", bytes.count)
    json.out.literal("}")
  }
}

extension JSONWriter {
  /// A value without its meaning; bytes as hexadecimal digits.
  package mutating func value(_ value: FieldValue) {
    switch value {
    case .unsigned(let number), .hexadecimal(let number), .date(let number): out.unsigned(number)
    case .named(let number, _): out.signed(Int64(bitPattern: number))
    case .flags(let number, _), .explained(let number, _): out.unsigned(number)
    case .signed(let number): out.signed(number)
    case .fixed(let raw, let fractionBits): out.exact(raw, fractionBits: fractionBits)
    // JSON cannot express infinity and NaN.
    case .float(let number):
      if number.isFinite { out.text(number.description) } else { string(number.description) }
    case .code(let code): self.code(code)
    case .language(let language): string(languageTag(language))
    case .text(let text): string(text.description)
    case .seconds(let value, let timescale): out.seconds(value, timescale: timescale)
    case .bytes(let bytes): hex(bytes)
    }
  }
}

/// The three letters of a packed language; QuickTime's language codes are shown as numbers.
private func languageTag(_ value: UInt16) -> String {
  if value == 0x7fff { return "und" }
  let letters = [value >> 10, value >> 5, value].map { UInt8(truncatingIfNeeded: $0 & 31) }
  guard letters.allSatisfy({ (1...26).contains($0) }) else { return String(value) }
  return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
}
