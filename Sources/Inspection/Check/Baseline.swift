/// The findings of an earlier check, by the lines that it printed.
public struct Baseline: Sendable {
  private let lines: Set<String>

  /// Takes the output of an earlier check as text.
  public init(_ text: String) {
    lines = Set(text.split(whereSeparator: \.isNewline).map { Self.withoutPlace($0) })
  }

  /// Whether a finding is one of them. Its box may be elsewhere in the file now, or more boxes may have it.
  public func contains(_ finding: Finding) -> Bool { lines.contains(Self.withoutPlace(finding.description[...])) }

  /// A line without its offset and without the number of other places.
  private static func withoutPlace(_ line: Substring) -> String {
    var words = line.split(separator: " ", omittingEmptySubsequences: false)
    if let at = words.firstIndex(of: "byte"), at > 0, words[at - 1] == "at", at + 1 < words.count,
      words[at + 1].utf8.last == UInt8(ascii: ":")
    {
      // The colon stays.
      words[at - 1...at + 1] = [":"]
    }
    if let at = words.firstIndex(of: "(and"), at + 3 < words.count, words[at + 2] == "more" {
      words.removeSubrange(at...at + 3)
    }
    return words.joined(separator: " ")
  }
}
