public import ISOBMFF
import MP4Bytes

/// A text with box definitions. Initially, only the part before the fields of each definition is read.
struct DefinitionText {
  /// A box, and whether it replaces a known one.
  struct Entry {
    var definition: BoxDefinition
    var replaces: Bool
    var line: Int
  }
  private(set) var entries: [Entry] = []
  /// The mistakes outside the fields, at most one per definition.
  private var mistakes: [DefinitionError] = []
  /// The positions at which lists of values start.
  private var valueLists: [LineScanner] = []
  private var values: [NamedLists.Values] = []
  private var fields: [NamedLists.Fields] = []
  private var places: [PlaceList] = []
  private var pending: [Pending] = []

  init(_ text: StaticText) {
    // A byte order mark has no meaning in UTF-8.
    let mark: StaticText = "\u{feff}"
    let hasMark = text.count >= mark.count && text[0..<mark.count] == mark
    var lines = Lines(text, from: hasMark ? mark.count : 0)
    while true {
      do throws(DefinitionError) {
        guard try readDefinition(&lines) else { break }
      } catch {
        mistakes.append(error)
        lines.skipIndented()
      }
    }
    let lists = NamedLists(values, fields)
    for next in pending {
      let body = next.body
      // The boxes in a sample group description are shown as part of it.
      let isOfGroup = next.heads.contains { $0.info.containers == [.sampleGroups] }
      let hasFields = body.hasFields || isOfGroup && body.holdsBoxes
      let fields = hasFields ? LazyFields(text, body, lists) : nil
      for head in next.heads {
        let definition =
          fields.map { BoxDefinition(head.info, BoxDeclaration($0)) }
          ?? BoxDefinition(head.info, holdsBoxes: body.holdsBoxes)
        entries.append(Entry(definition: definition, replaces: head.replaces, line: head.line))
      }
    }
  }

  /// Reads the definition that starts on the next line; `false` at the end of the text.
  private mutating func readDefinition(_ lines: inout Lines) throws(DefinitionError) -> Bool {
    guard let next = try lines.peek() else { return false }
    var line = LineScanner(lines.text, next)
    guard next.indent == 0 else { throw line.error(.indentation) }
    lines.take()
    if line.take(word: "values") {
      let name = try Self.newName(&line) { name in values.contains { $0.name == name } }
      valueLists.append(line)
      values.append(NamedLists.Values(name: name, text: line.rest()))
    } else if line.take(word: "fields") {
      let name = try Self.newName(&line) { name in fields.contains { $0.name == name } }
      try line.requireEnd()
      let body = try Body(&lines)
      guard body.end > body.start else { throw line.expected("indented lines below it") }
      fields.append(NamedLists.Fields(name: name, body: body))
    } else if line.take(word: "places") {
      let name = try Self.newName(&line) { name in places.contains { $0.name == name } }
      places.append(PlaceList(name: name, types: try Self.places(&line, places)))
      try line.requireEnd()
    } else {
      var heads = [try Head(&line, places)]
      // Consecutive box lines share the fields that follow.
      while let another = try lines.peek(), another.indent == 0 {
        var line = LineScanner(lines.text, another)
        guard Head.isNext(line) else { break }
        lines.take()
        heads.append(try Head(&line, places))
      }
      let body = try Body(&lines)
      guard body.end > body.start else {
        throw DefinitionError(problem: .noFields, line: heads[heads.count - 1].line, column: 1)
      }
      pending.append(Pending(heads: heads, body: body))
    }
    return true
  }

  private static func newName(_ line: inout LineScanner, _ isKnown: (StaticText) -> Bool) throws(DefinitionError)
    -> StaticText
  {
    let start = line.place
    guard let name = line.name() else { throw line.expected("a name for the list") }
    if isKnown(name) { throw line.error(.repeatedName("\(name)"), at: start) }
    return name
  }

  /// Box codes separated by commas; `<name>` is a list of codes.
  fileprivate static func places(_ line: inout LineScanner, _ known: [PlaceList]) throws(DefinitionError)
    -> [FourCC]
  {
    var places: [FourCC] = []
    repeat {
      if line.take("<") {
        let start = line.at
        guard let name = line.name() else { throw line.expected("the name of a list of boxes") }
        guard let list = known.first(where: { $0.name == name })?.types ?? BoxRegistry.places(named: "\(name)") else {
          throw line.error(.unknownName("\(name)"), at: start)
        }
        try line.require(">")
        places += list
      } else {
        places.append(try line.code())
      }
      // The clause also follows a comma.
      let before = line
      guard line.take(",") else { break }
      if line.peek() == UInt8(ascii: "\"") {
        line = before
        break
      }
    } while true
    return places
  }
}

/// Boxes that share their fields, and the position of the fields.
private struct Pending {
  var heads: [Head]
  var body: Body
}

/// Boxes that are grouped under a name.
private struct PlaceList {
  var name: StaticText
  var types: [FourCC]
}

/// `box code "Name" in code, code, "clause"`, or `group code "Name", "clause"` for a sample group description in
/// `sgpd`.
private struct Head {
  var info: BoxInfo
  var replaces: Bool
  var line: Int

  static func isNext(_ line: LineScanner) -> Bool {
    var line = line
    return line.take(word: "box") || line.take(word: "group") || line.take(word: "replace")
  }

  init(_ line: inout LineScanner, _ lists: [PlaceList]) throws(DefinitionError) {
    replaces = line.take(word: "replace")
    self.line = line.number
    let isGroup = line.take(word: "group")
    guard isGroup || line.take(word: "box") else {
      throw line.expected("`box`, `group`, `replace box`, `replace group`, `values`, `fields` or `places`")
    }
    let type = try line.code()
    var userType: UserType?
    if type == "uuid", !isGroup {
      let start = line.place
      guard let type = line.userType() else { throw line.error(.expected("the user type of the uuid box"), at: start) }
      userType = type
    }
    guard let name = line.quoted(UInt8(ascii: "\"")) else {
      throw line.expected("the name of the \(isGroup ? "group" : "box") in quotation marks")
    }
    var places: [FourCC] = isGroup ? [.sampleGroups] : []
    if !isGroup, line.take(word: "in") { places = try DefinitionText.places(&line, lists) }
    var clause: StaticText = ""
    if line.take(",") {
      guard let quoted = line.quoted(UInt8(ascii: "\"")) else { throw line.expected("the clause in quotation marks") }
      clause = quoted
    }
    try line.requireEnd()
    info = BoxInfo(type, name, in: places, clause, userType: userType)
  }
}

extension LineScanner {
  /// A UUID.
  fileprivate mutating func userType() -> UserType? {
    _ = peek()
    var digits: [UInt8] = []
    while digits.count < 32, let next = peek() {
      let digit: UInt8
      switch next {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = next - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = next - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = next - UInt8(ascii: "A") + 10
      case UInt8(ascii: "-"):
        skip()
        continue
      default: return nil
      }
      skip()
      digits.append(digit)
    }
    guard digits.count == 32 else { return nil }
    return UserType((0..<16).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
  }
}

/// The position of a definition's fields in its text.
struct Body: Sendable {
  var start: Int
  var end: Int
  var line: Int
  var isFullBox = false
  var holdsBoxes = false
  /// Whether it has anything besides boxes and bytes that are not read.
  var hasFields = false

  /// Takes the indented lines.
  init(_ lines: inout Lines) throws(DefinitionError) {
    let first = try lines.peek()
    (start, end, line) = (first?.start ?? 0, first?.start ?? 0, first?.number ?? 0)
    guard let first, first.indent > 0 else { return }
    var last = first
    while let next = try lines.peek(), next.indent > 0 {
      last = next
      lines.take()
    }
    end = last.end
    var scanner = LineScanner(lines.text, first)
    if scanner.take(word: "version"), (try? scanner.integer()) != nil { isFullBox = true }
    scanner = LineScanner(lines.text, last)
    holdsBoxes = last.indent == first.indent && scanner.take(word: "boxes") && scanner.isAtEnd
    scanner = LineScanner(lines.text, last)
    let isOpaque = scanner.take(word: "bytes") && scanner.isAtEnd
    hasFields = !holdsBoxes && !isOpaque || last.number > first.number
  }
}

/// A definition whose fields are compiled when they are first needed.
private final class LazyFields: FieldDefinition {
  private let text: StaticText
  private let body: Body
  private let lists: NamedLists

  init(_ text: StaticText, _ body: Body, _ lists: NamedLists) {
    (self.text, self.body, self.lists) = (text, body, lists)
  }

  var isFullBox: Bool { body.isFullBox }
  var holdsBoxes: Bool { body.holdsBoxes }
  var blank: any BoxPayload { prepared.blank }
  /// Definitions with mistakes are rejected earlier, so this cannot fail.
  var prepared: any FieldDefinition { (try? compiled()) ?? CompiledFields.none }
  func code(_ c: inout FieldCoder) throws(BoxError) { try prepared.code(&c) }

  func compiled() throws(DefinitionError) -> CompiledFields {
    var compiler = DefinitionCompiler(Lines(text, from: body.start, to: body.end, line: body.line), lists)
    return try compiler.compile()
  }
}

extension DefinitionText {
  /// All mistakes, including those in fields and lists, in line order. The name of a list counts as defined even if the
  /// list has a mistake.
  func allMistakes() -> [DefinitionError] {
    var found = mistakes
    for var list in valueLists { note(&found) { () throws(DefinitionError) in _ = try list.valueNames() } }
    // Boxes with shared fields share their mistakes.
    var last: LazyFields?
    for case let fields as LazyFields in entries.map(\.definition.payload?.definition) where fields !== last {
      note(&found) { () throws(DefinitionError) in _ = try fields.compiled() }
      last = fields
    }
    for (index, entry) in entries.enumerated()
    where entries[..<index].contains(where: { $0.definition.info.overlaps(entry.definition.info) }) {
      found.append(
        DefinitionError(problem: .repeatedName("\(entry.definition.info.type)"), line: entry.line, column: 1))
    }
    return found
  }

  private func note(_ found: inout [DefinitionError], _ check: () throws(DefinitionError) -> Void) {
    do throws(DefinitionError) { try check() } catch {
      // Boxes with the same list of fields share its mistakes.
      if !found.contains(error) { found.append(error) }
    }
  }
}

extension BoxRegistry {
  /// A registry that also knows the boxes that `text` defines in the box language.
  ///
  /// The text remains in memory until the program ends. Only `replace box` redefines a box that is already known in the
  /// same container. The error is the first of the ``mistakes(inDefinitions:)``.
  public func adding(definitions text: String) throws(DefinitionError) -> BoxRegistry {
    let text = DefinitionText(StaticText(keeping: text))
    if let first = mistakes(in: text).first { throw first }
    return adding(text.entries.map(\.definition))
  }

  /// The mistakes in a text with definitions: the first one of each definition, in line order.
  public func mistakes(inDefinitions text: String) -> [DefinitionError] {
    mistakes(in: DefinitionText(StaticText(keeping: text)))
  }

  private func mistakes(in text: DefinitionText) -> [DefinitionError] {
    let all = all + groups
    let known = text.entries.filter { entry in
      !entry.replaces && all.contains { $0.info.overlaps(entry.definition.info) }
    }
    let mistakes = known.map { DefinitionError(problem: .known($0.definition.info.type), line: $0.line, column: 1) }
    let read = text.entries.filter { entry in
      entry.replaces && BoxRegistry.core.all.contains { $0.holdsBoxes && $0.info.overlaps(entry.definition.info) }
    }.map { DefinitionError(problem: .isRead($0.definition.info.type), line: $0.line, column: 1) }
    return (text.allMistakes() + mistakes + read).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
  }
}
