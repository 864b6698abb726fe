public import MP4

/// Requirements for movies, such as those of a delivery, from a text with one requirement in each line:
///
///     # Comments and blank lines are ignored.
///     video.codec = "ProRes 422 HQ"
///     video.frame_rate = 25
///     audio[*].sample_rate = 48000
///     audio[1].layout in ["stereo", "5.1"]
///     duration = 60 within 0.04
///     video.bit_rate in 8000000..12000000
///     warn metadata.title present
///
/// Properties are members of the JSON of `MovieSummary`, by their paths or by shorter names.
public struct Specification: Sendable {
  /// Its name in messages.
  public let name: String
  /// The requirements, in the order of the text.
  public let requirements: [Requirement]

  /// The requirements as a specification, without comments.
  public var text: String { requirements.map(\.text).joined(separator: "\n") }

  /// A requirement for a property.
  public struct Requirement: Sendable {
    /// Its line, starting at 1.
    public let line: Int
    /// What it says, without comments.
    public let text: String
    /// Whether a movie that does not meet it still passes.
    public let isAdvice: Bool
    /// The name of its rule, such as `spec-video.codec`; a second one about the property ends with `-2`.
    public fileprivate(set) var rule: String
    let property: PropertyPath
    let condition: PropertyCondition
  }

  /// The largest text that is read.
  package static let limit = 1 << 20

  /// Reads a specification.
  ///
  /// - Parameters:
  ///   - text: The text in UTF-8.
  ///   - name: Its name in messages.
  /// - Throws: `MovieError` with the line that cannot be read, and what is possible there.
  public init(_ text: [UInt8], name: String) throws(MovieError) {
    self.name = name
    let bytes = text.starts(with: [0xef, 0xbb, 0xbf]) ? text[3...] : text[...]
    var requirements: [Requirement] = []
    for (index, bytes) in bytes.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0a }).enumerated() {
      do throws(PropertyProblem) {
        guard String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) else {
          throw PropertyProblem("this is not UTF-8 text")
        }
        guard var requirement = try Requirement(Array(bytes), line: index + 1) else { continue }
        let count = requirements.count { $0.property.text == requirement.property.text }
        if count > 0 { requirement.rule += "-\(count + 1)" }
        requirements.append(requirement)
      } catch {
        throw Self.error(in: name, "line \(index + 1): \(error.text)", line: index + 1)
      }
    }
    self.requirements = requirements
    if requirements.isEmpty { throw Self.error(in: name, "it has no requirement", line: 0) }
  }

  private static func error(in name: String, _ reason: String, line: Int) -> MovieError {
    .impossible(file: name, Obstacle("specification", reason, ["line": .integer(line)]))
  }
}

/// Why a requirement cannot be read.
struct PropertyProblem: Error {
  let text: String
  init(_ text: String) { self.text = text }
}

extension Specification.Requirement {
  /// Reads a line; `nil` if it is blank or a comment.
  fileprivate init?(_ line: [UInt8], line number: Int) throws(PropertyProblem) {
    var words = try SpecificationWords(line)
    let isAdvice = words.takesWarn()
    guard !words.isAtEnd else {
      if isAdvice { throw PropertyProblem("`warn` is followed by a requirement") }
      return nil
    }
    property = try PropertyPath(&words)
    condition = try PropertyCondition(&words, of: property)
    guard words.isAtEnd else { throw PropertyProblem("the requirement ends before `\(words.rest)`") }
    (self.line, self.isAdvice, rule) = (number, isAdvice, "spec-" + property.text)
    text = words.text
  }
}

/// The words of a line: names, numbers, quoted strings and signs.
struct SpecificationWords {
  enum Word: Equatable {
    /// A name, or a number.
    case plain(String)
    case string(String)
    case sign(String)
  }
  private var words: [(word: Word, start: Int)] = []
  private var index = 0
  private let line: [UInt8]
  /// The line without comments and surrounding blanks.
  let text: String

  init(_ bytes: [UInt8]) throws(PropertyProblem) {
    var (index, end) = (0, 0)
    while index < bytes.count {
      let (start, byte) = (index, bytes[index])
      index += 1
      switch byte {
      case 0x20, 0x09, 0x0d: continue
      case UInt8(ascii: "#"): index = bytes.count
      case UInt8(ascii: "\""):
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
          text.append(bytes[index])
          index += 1
        }
        guard index < bytes.count else { throw PropertyProblem("a string ends with `\"`") }
        index += 1
        words.append((.string(String(decoding: text, as: UTF8.self)), start))
      case UInt8(ascii: "."):
        if index < bytes.count, bytes[index] == byte { index += 1 }
        words.append((.sign(index - start == 2 ? ".." : "."), start))
      case UInt8(ascii: "!") where index < bytes.count && bytes[index] == UInt8(ascii: "="):
        index += 1
        words.append((.sign("!="), start))
      case _ where Self.isPlain(byte):
        // The decimal point belongs to a number, two points to a range.
        let isNumber = byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte)
        while index < bytes.count,
          Self.isPlain(bytes[index]) || isNumber && bytes[index] == UInt8(ascii: "/")
            || isNumber && bytes[index] == UInt8(ascii: ".") && index + 1 < bytes.count
              && (0x30...0x39).contains(bytes[index + 1]) && bytes[index - 1] != UInt8(ascii: ".")
        { index += 1 }
        words.append((.plain(String(decoding: bytes[start..<index], as: UTF8.self)), start))
      default: words.append((.sign(String(decoding: [byte], as: UTF8.self)), start))
      }
      if byte != UInt8(ascii: "#") { end = index }
    }
    line = bytes
    let first = words.first?.start ?? end
    text = String(decoding: bytes[first..<max(first, end)], as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...0xff: true
    default: false
    }
  }

  var isAtEnd: Bool { index >= words.count }
  /// What follows, as it was written.
  var rest: String { isAtEnd ? "" : String(decoding: line[words[index].start...], as: UTF8.self).printable }
  var next: Word? { isAtEnd ? nil : words[index].word }

  mutating func take(_ word: Word) -> Bool {
    guard next == word else { return false }
    index += 1
    return true
  }
  mutating func take() -> Word? {
    defer { index += 1 }
    return next
  }
  /// Skips `warn`, unless it is a property.
  mutating func takesWarn() -> Bool { take(.plain("warn")) }
}
