import ISOBMFF
import MP4Bytes

/// The boxes and fields that `BoxComparison` ignores: boxes by path, and fields by the path of their box and their
/// name.
public struct BoxExclusions: Sendable {
  /// A path, and the ignored field of its boxes; `nil` for the boxes themselves.
  private struct Rule {
    let pattern: BoxPattern
    let field: String?
    /// The text that it was parsed from.
    let word: Substring
  }
  private var rules: [Rule] = []

  /// Ignores nothing.
  public init() {}

  /// Parses exclusions separated by commas: `//free` for boxes, as in `BoxPattern`, or `//tkhd/modification_time` for a
  /// field. A table is named without numbers in brackets, such as `moov/trak[2]//stts/entries`; so is a field of all
  /// its rows, such as `//stts/entries.sample_delta`. A name of four letters can be either. `nil` if `text` is not
  /// valid.
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

  /// Combines exclusions.
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

  /// Whether a field is ignored, given the ignored fields of its box.
  static func ignores(_ name: String, _ fields: [String]) -> Bool {
    fields.contains { field in
      name.isPart(of: field) || !field.contains("[") && name.withoutNumbers.isPart(of: field)
    }
  }

  /// The exclusions with the texts that they were parsed from.
  var words: [(text: String, exclusions: BoxExclusions)] {
    var words: [Substring] = []
    for rule in rules where !words.contains(rule.word) { words.append(rule.word) }
    return words.map { word in
      var exclusions = BoxExclusions()
      exclusions.rules = rules.filter { $0.word == word }
      return (String(word), exclusions)
    }
  }

  /// A filter for all boxes of a file, in file order.
  var filter: Filter { Filter(rules.map { ($0.pattern, $0.field) }) }

  /// Determines what is ignored in each box.
  struct Filter {
    private let rules: [(pattern: BoxPattern, field: String?)]
    /// The states of the patterns for the file and for each box on the path to the latest one.
    private var states: [[[UInt64]]]
    private var keys = MetadataKeys()
    private let hasKeys: Bool

    fileprivate init(_ rules: [(pattern: BoxPattern, field: String?)]) {
      self.rules = rules
      states = [rules.map(\.pattern.start)]
      hasKeys = rules.contains { $0.pattern.hasKeys }
    }

    /// Whether a box is ignored with its contents, and which of its fields are.
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
  /// Whether this is the name of a field or of a part of it.
  fileprivate func isPart(of field: String) -> Bool {
    guard hasPrefix(field) else { return false }
    let next = utf8.dropFirst(field.utf8.count).first
    return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
  }

  /// The name without row numbers in brackets.
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
