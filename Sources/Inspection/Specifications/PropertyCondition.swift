import MP4
import MP4Bytes
import MP4Records

/// What a requirement says about a property.
enum PropertyCondition: Sendable {
  case equal(RequiredValue, tolerance: RequiredNumber?)
  case notEqual(RequiredValue)
  case oneOf([RequiredValue])
  /// At least and at most.
  case range(RequiredNumber?, RequiredNumber?)
  case present
  case missing
}

/// A value of a requirement.
enum RequiredValue: Sendable {
  case string(String)
  case number(RequiredNumber)
  case bool(Bool)
}

/// A number as it was written. A property equals one with decimals if it rounds to it: `29.97` means 30000/1001.
struct RequiredNumber: Sendable {
  let text: String
  /// A number and not a time: fractions are exact.
  let value: MediaTime
  /// The largest difference of an equal number.
  let tolerance: MediaTime

  /// Reads `25`, `-0.5` or `30000/1001`; `nil` if it has more than nine decimals or more digits than 64 bits.
  init?(_ text: String) {
    self.text = text
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let numerator = Int64(parts[0]), let denominator = UInt32(parts[1]), denominator > 0 else { return nil }
      (value, tolerance) = (MediaTime(numerator, denominator), MediaTime(0, 1))
      return
    }
    let digits = text.split(separator: ".", omittingEmptySubsequences: false)
    let decimals = digits.count == 2 ? digits[1].utf8.count : 0
    guard digits.count <= 2, decimals <= 9, digits.count == 1 || decimals > 0, let first = text.utf8.last,
      (0x30...0x39).contains(first), let whole = Int64(digits.joined())
    else { return nil }
    let scale = (0..<decimals).reduce(UInt32(1)) { scale, _ in scale * 10 }
    value = MediaTime(whole, scale)
    tolerance = decimals == 0 ? MediaTime(0, 1) : MediaTime(5, 10 * (decimals < 9 ? scale : scale / 10))
  }
}

extension PropertyCondition {
  /// Reads what follows a property.
  init(_ words: inout SpecificationWords, of property: PropertyPath) throws(PropertyProblem) {
    switch words.take() {
    case .sign("="):
      let value = try RequiredValue(&words, of: property)
      guard words.take(.plain("within")) else {
        self = .equal(value, tolerance: nil)
        return
      }
      guard case .number = value, case .number(let tolerance) = try RequiredValue(&words, of: property),
        tolerance.value.value >= 0
      else { throw PropertyProblem("`within` stands between two numbers: `duration = 60 within 0.04`") }
      self = .equal(value, tolerance: tolerance)
    case .sign("!="): self = .notEqual(try RequiredValue(&words, of: property))
    case .plain("in"): self = try Self.choice(&words, of: property)
    case .plain("present"): self = .present
    case .plain("missing"): self = .missing
    default:
      throw PropertyProblem(
        "`\(property.text)` is followed by `=`, `!=`, `in`, `present` or `missing`: `\(property.text) = VALUE`, "
          + "`\(property.text) in [VALUE, VALUE]`, `\(property.text) in LEAST..MOST`")
    }
  }

  private static func choice(
    _ words: inout SpecificationWords, of property: PropertyPath
  ) throws(PropertyProblem) -> PropertyCondition {
    if words.take(.sign("[")) {
      var values: [RequiredValue] = []
      repeat { values.append(try RequiredValue(&words, of: property)) } while words.take(.sign(","))
      guard words.take(.sign("]")) else { throw PropertyProblem("a list of values ends with `]`") }
      return .oneOf(values)
    }
    func number(_ words: inout SpecificationWords) throws(PropertyProblem) -> RequiredNumber {
      guard case .number(let number) = try RequiredValue(&words, of: property) else {
        throw PropertyProblem("a range is between two numbers: `LEAST..MOST`")
      }
      return number
    }
    let least = words.next == .sign("..") ? nil : try number(&words)
    guard words.take(.sign("..")) else {
      throw PropertyProblem("`in` is followed by `[VALUE, VALUE]` or `LEAST..MOST`")
    }
    let most = words.isAtEnd ? nil : try number(&words)
    guard least != nil || most != nil else { throw PropertyProblem("a range has a least or a greatest number") }
    if let least, let most, most.value < least.value {
      throw PropertyProblem("the range \(least.text)..\(most.text) is empty")
    }
    return .range(least, most)
  }
}

extension RequiredValue {
  init(_ words: inout SpecificationWords, of property: PropertyPath) throws(PropertyProblem) {
    let rest = words.rest
    switch words.take() {
    case .string(let text):
      if property.type == "integer" || property.type == "number" {
        throw PropertyProblem("`\(property.text)` is a number, which is written without quotes")
      }
      if property.type == "boolean" { throw PropertyProblem("`\(property.text)` is true or false, without quotes") }
      self = .string(text)
    case .plain("true"): self = .bool(true)
    case .plain("false"): self = .bool(false)
    case .plain(let word):
      guard let number = RequiredNumber(word) else {
        throw PropertyProblem("`\(rest)` is not a number; text is written in quotes")
      }
      self = .number(number)
    default: throw PropertyProblem("a value is expected: text in quotes, a number, `true` or `false`")
    }
    if case .bool = self, property.type != "boolean" {
      throw PropertyProblem("`\(property.text)` is not true or false")
    }
  }

  /// As it is written in a specification.
  var text: String {
    switch self {
    case .string(let text): text.quoted
    case .number(let number): number.text
    case .bool(let value): value ? "true" : "false"
    }
  }

  func matches(_ value: JSONNode, within tolerance: MediaTime?) -> Bool {
    switch (self, value) {
    // Codes such as `qt` are filled with blanks.
    case (.string(let text), .string(let own)): return text.withoutBlanks == own.withoutBlanks
    case (.bool(let claim), .bool(let own)): return claim == own
    case (.number(let number), _):
      guard let own = value.number else { return false }
      return (own - number.value).magnitude <= tolerance ?? number.tolerance
    default: return false
    }
  }
}

extension JSONNode {
  /// A number, or text such as `30000/1001` and `25`.
  fileprivate var number: MediaTime? {
    switch self {
    case .number(let text), .string(let text): RequiredNumber(text)?.value
    default: nil
    }
  }

  /// The value as it is written in a specification.
  fileprivate var words: String {
    switch self {
    case .string(let text): text.printable.quoted
    case .number(let text): text
    case .bool(let value): value ? "true" : "false"
    case .array(let values): values.isEmpty ? "missing" : counted(values.count, "element")
    case .object: "present"
    case .null: "missing"
    }
  }

  /// Whether there is no value: null, or an empty list.
  fileprivate var isMissing: Bool {
    switch self {
    case .null: true
    case .array(let values): values.isEmpty
    default: false
    }
  }
}

extension JSONNode {
  /// Text in the form in which names of tags are compared: `album-artist` is `Album artist`.
  fileprivate var tagName: String? {
    guard case .string(let text) = self else { return nil }
    return String(text.lowercased().map { $0 == "-" || $0 == "_" ? " " : $0 })
  }
}

extension String {
  /// The text without blanks at its end.
  fileprivate var withoutBlanks: Substring {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return text
  }

  /// The text as it is written in a specification.
  var quoted: String { "\"" + reduce(into: "") { $0 += ["\"", "\\"].contains($1) ? "\\\($1)" : String($1) } + "\"" }
}

extension MediaTime {
  fileprivate var magnitude: MediaTime { value < 0 ? MediaTime(0, 1) - self : self }
}

// MARK: Testing a movie

extension PropertyPath {
  /// A property at its place in a movie, such as `audio[2].layout`.
  struct Value {
    let text: String
    /// `nil` if it is missing.
    let value: JSONNode?
  }

  /// The values of the property in the JSON of a movie; none if a list has no elements.
  func values(in movie: JSONNode) -> [Value] {
    var values = [(value: JSONNode?.some(movie), indices: [Int]())]
    for step in steps {
      values = values.flatMap { value, indices -> [(value: JSONNode?, indices: [Int])] in
        guard step == .each else { return [(step.applied(to: value), indices)] }
        guard case .array(let elements)? = value else { return [] }
        return elements.enumerated().map { ($1, indices + [$0 + 1]) }
      }
    }
    return values.map { value, indices in
      Value(text: Self.text(text, indices), value: value?.isMissing == true ? nil : value)
    }
  }

  /// The text with a number instead of each `*`.
  private static func text(_ text: String, _ indices: [Int]) -> String {
    var indices = indices[...]
    return text.reduce(into: "") { result, character in
      result += character == "*" ? indices.popFirst().map(String.init) ?? "*" : String(character)
    }
  }
}

extension PropertyPath.Step {
  fileprivate func applied(to value: JSONNode?) -> JSONNode? {
    switch (self, value) {
    case (.member(let name), let value?): value[name]
    case (.element(let number), .array(let values)?): number <= values.count ? values[number - 1] : nil
    case (.count, .array(let values)?): .number(String(values.count))
    case (.tracks(let kind), .array(let values)?):
      .array(
        values.filter { $0["kind"] == .string(kind) && (kind != "text" || $0["is_chapters"] != .bool(true)) })
    case (.having(let name), .array(let values)?): .array(values.filter { $0[name] != nil })
    case (.tag(let name), .array(let values)?):
      values.first { $0["key"] == .string(name) }?["value"]
        ?? values.first { $0["name"]?.tagName == JSONNode.string(name).tagName }?["value"]
    case (.memberOr(let name, let text, let condition), let value?):
      value[name] ?? (condition.map { value[$0] == .bool(true) } ?? true ? .string(text) : nil)
    case (.words(let first, let second), .bool(let value)?): .string(value ? first : second)
    default: nil
    }
  }
}

extension Specification.Requirement {
  /// Why a movie does not meet it, for each value; empty if it meets it.
  func problems(in movie: JSONNode) -> [String] {
    let values = property.values(in: movie)
    // Nothing is said about the elements of an empty list, which is rarely meant.
    guard !values.isEmpty else {
      if case .missing = condition { return [] }
      return ["\(property.text): there is none"]
    }
    return values.compactMap { value in
      switch (condition, value.value) {
      case (.missing, nil), (.present, _?): return nil
      case (.missing, let own?): return "\(value.text) is \(own.words), but must be missing"
      case (.notEqual, nil): return "\(value.text) is missing"
      case (_, nil): return "\(value.text) is missing" + condition.words(", but must be ")
      case (_, let own?):
        return condition.accepts(own) ? nil : "\(value.text) is \(own.words)" + condition.words(", not ")
      }
    }
  }
}

extension PropertyCondition {
  fileprivate func accepts(_ value: JSONNode) -> Bool {
    switch self {
    case .equal(let expected, let tolerance): return expected.matches(value, within: tolerance?.value)
    case .notEqual(let other): return !other.matches(value, within: nil)
    case .oneOf(let values): return values.contains { $0.matches(value, within: nil) }
    case .range(let least, let most):
      guard let number = value.number else { return false }
      return least.map { $0.value - $0.tolerance <= number } ?? true
        && most.map { number <= $0.value + $0.tolerance } ?? true
    case .present: return true
    case .missing: return false
    }
  }

  /// What is expected, after these words; empty if any value is.
  fileprivate func words(_ before: String) -> String {
    switch self {
    case .equal(let value, let tolerance):
      before + value.text + (tolerance.map { " within \($0.text)" } ?? "")
    case .notEqual(let value): ", which it must not be (\(value.text))"
    case .oneOf(let values): before + "one of " + values.map(\.text).joined(separator: ", ")
    case .range(let least, let most):
      before
        + (least == nil
          ? "at most \(most?.text ?? "")"
          : most == nil
            ? "at least \(least?.text ?? "")"
            : "between \(least?.text ?? "") and \(most?.text ?? "")")
    case .present, .missing: ""
    }
  }
}
