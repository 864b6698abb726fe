import Bytes
import ISOBMFF

/// What `BoxComparison` ignores: boxes by their paths, and fields by the paths of their boxes and their names.
public struct BoxExclusions: Sendable {
  /// A path, and the field of its boxes that is ignored; `nil` for the boxes themselves.
  private struct Rule {
    let pattern: BoxPattern
    let field: String?
    /// The word that it is of.
    let word: Substring
  }
  private var rules: [Rule] = []

  /// Nothing is ignored.
  public init() {}

  /// What `text` says: `//free` for boxes as `BoxPattern` has them, `//tkhd/modification_time` for a field. A table is
  /// named without numbers in brackets, `moov/trak[2]//stts/entries`; so is a field of all its rows,
  /// `//stts/entries.sample_delta`. Commas separate several. What is of four letters can be both. `nil` if it is
  /// neither.
  public init?(_ text: String) {
    for path in text.split(separator: ",", omittingEmptySubsequences: false) {
      let before = rules.count
      if let pattern = BoxPattern(String(path)) { rules.append(Rule(pattern: pattern, field: nil, word: path)) }
      if let slash = path.lastIndex(of: "/") {
        let (field, boxes) = (path[path.index(after: slash)...], path[..<slash])
        if let pattern = BoxPattern(String(boxes)), Self.isName(field) {
          rules.append(Rule(pattern: pattern, field: String(field), word: path))
        }
      }
      if rules.count == before { return nil }
    }
  }

  /// What any of `exclusions` say.
  public init(_ exclusions: [BoxExclusions]) { rules = exclusions.flatMap(\.rules) }

  /// Whether nothing is ignored.
  public var isEmpty: Bool { rules.isEmpty }

  private static func isName(_ text: Substring) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
      let name = word.prefix { $0 != "[" }
      let number = word.dropFirst(name.count)
      guard number.isEmpty || number.hasSuffix("]") && Int(number.dropFirst().dropLast()) ?? 0 > 0 else { return false }
      return !name.isEmpty
        && name.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
          case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
          default: false
          }
        }
    }
  }

  /// Whether a field is ignored, given the names of those of its box that are.
  static func ignores(_ name: String, _ fields: [String]) -> Bool {
    fields.contains { field in
      name.isPart(of: field) || !field.contains("[") && name.withoutNumbers.isPart(of: field)
    }
  }

  /// Each of the words that it was made of.
  var words: [(text: String, exclusions: BoxExclusions)] {
    var words: [Substring] = []
    for rule in rules where !words.contains(rule.word) { words.append(rule.word) }
    return words.map { word in
      var exclusions = BoxExclusions()
      exclusions.rules = rules.filter { $0.word == word }
      return (String(word), exclusions)
    }
  }

  /// Decides box by box, in the order of the file, what is ignored.
  var filter: Filter { Filter(rules.map { ($0.pattern, $0.field) }) }

  /// What of each box is ignored.
  struct Filter {
    private let rules: [(pattern: BoxPattern, field: String?)]
    /// The states of the patterns for the file and for each box down to the one that came last.
    private var states: [[[UInt64]]]
    private var keys = MetadataKeys()
    private let hasKeys: Bool

    fileprivate init(_ rules: [(pattern: BoxPattern, field: String?)]) {
      self.rules = rules
      states = [rules.map(\.pattern.start)]
      hasKeys = rules.contains { $0.pattern.hasKeys }
    }

    /// Whether a box is ignored with all that is in it, and which fields of it are.
    mutating func choice(
      of node: BoxNode, _ parser: inout BoxParser
    ) throws(IOError) -> (isIgnored: Bool, fields: [String]) {
      if rules.isEmpty || node.isRemainder { return (false, []) }
      if hasKeys { try keys.note(node, &parser) }
      let key = hasKeys ? keys.name(of: node) : nil
      states.removeLast(max(0, states.count - node.depth - 1))
      let outer = states[states.count - 1]
      var (inner, isIgnored, fields): ([[UInt64]], Bool, [String]) = ([], false, [])
      for (rule, state) in zip(rules, outer) {
        var next: [UInt64] = []
        if rule.pattern.matches(node.type, node.index, key: key, in: state[...], next: &next) {
          if let field = rule.field { fields.append(field) } else { isIgnored = true }
        }
        inner.append(next)
      }
      states.append(inner)
      return (isIgnored, fields)
    }
  }
}

extension String {
  /// Whether this is the name of a field or of something in it.
  fileprivate func isPart(of field: String) -> Bool {
    guard hasPrefix(field) else { return false }
    let next = utf8.dropFirst(field.utf8.count).first
    return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
  }

  /// The name without the numbers in brackets that say which row is meant.
  var withoutNumbers: String {
    guard utf8.contains(UInt8(ascii: "[")) else { return self }
    var (result, isInside) = ([UInt8](), false)
    for byte in utf8 {
      if byte == UInt8(ascii: "[") { isInside = true }
      if !isInside { result.append(byte) }
      if byte == UInt8(ascii: "]") { isInside = false }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
