import MP4Bytes

/// The findings of an earlier check, read from its text output.
public struct Baseline: Sendable {
  /// The lines without their positions, by the rule and source at their end.
  private var lines: [Substring: Set<String>] = [:]
  /// The files and boxes of further occurrences, by the rule and source at the end of the line.
  private var places: [Substring: Set<String>] = [:]
  /// The lines whose further occurrences are counted, but not all listed.
  private var openLines: [Substring: Set<String>] = [:]
  private let operands: [String]

  /// Parses the text output of an earlier check; `nil` if `text` is something else. `operands` are the files, folders
  /// and playlists of the current check, in which the findings are looked up.
  public init?(_ text: String, operands: [String] = []) {
    self.operands = operands
    var isKnown = text.allSatisfy(\.isWhitespace)
    for line in text.split(whereSeparator: \.isNewline) {
      // The last line gives the number of rules: `(157 rules of iso)`.
      let words = line.split(separator: " ")
      isKnown = isKnown || zip(words, words.dropFirst()).contains { ["rule", "rules"].contains($0) && $1 == "of" }
      guard let rule = Self.rule(of: line) else { continue }
      let id = rule.dropFirst(3).prefix { $0 != "," }
      isKnown = isKnown || Rule.named(String(id)) != nil
      lines[rule, default: []].insert(Self.withoutPlace(line))
      places[rule, default: []].formUnion(Self.otherPlaces(line))
      if Self.hasUnlistedPlaces(line) { openLines[rule, default: []].insert(Self.withoutPlace(line)) }
    }
    if !isKnown { return nil }
  }

  /// Whether the earlier check has the finding, for the same file or for one with the same path in an operand. Its box
  /// may have moved in the file, and more boxes may have it.
  public func contains(_ finding: Finding) -> Bool {
    let description = finding.description
    guard let rule = Self.rule(of: description[...]), let known = lines[rule] else { return false }
    let own = Self.withoutPlace(description[...])
    if known.contains(own) { return true }
    // The folder of an operand may have a different name.
    if isListed(own, of: finding.file, in: known) { return true }
    // It may be an occurrence that was not listed.
    let rest = own.utf8.dropFirst(finding.file.printable.utf8.count)
    if openLines[rule, default: []].contains(where: { $0.utf8.suffix(rest.count).elementsEqual(rest) }) { return true }
    // The first occurrence may have been fixed.
    guard let others = places[rule], !others.isEmpty else { return false }
    return finding.allPlaces.contains { isListed("\($0.file): \($0.path ?? "")".printable, of: $0.file, in: others) }
  }

  /// Whether a line that starts with the name of a file is one of these, whose files may be in other folders.
  private func isListed(_ line: String, of file: String, in known: Set<String>) -> Bool {
    let rest = line.utf8.dropFirst(file.printable.utf8.count)
    let name = Array(relativeName(of: file).printable.utf8)
    return known.contains { line in
      guard line.utf8.count >= rest.count, line.utf8.suffix(rest.count).elementsEqual(rest) else { return false }
      let file = line.utf8.dropLast(rest.count)
      guard file.count >= name.count, file.suffix(name.count).elementsEqual(name) else { return false }
      return file.count == name.count || file.dropLast(name.count).last == UInt8(ascii: "/")
    }
  }

  /// The path of a file relative to the checked folder, or to the folder of the checked file or playlist.
  private func relativeName(of file: String) -> String {
    for operand in operands {
      let folder = operand == file ? operand[..<(operand.lastIndex(of: "/") ?? operand.startIndex)] : operand[...]
      let prefix = folder.isEmpty || folder.last == "/" ? String(folder) : folder + "/"
      if !prefix.isEmpty, file.hasPrefix(prefix) { return String(file.dropFirst(prefix.count)) }
      // The files of a playlist are beside it.
      let beside = operand.lastIndex(of: "/").map { operand[...$0] } ?? ""
      if !beside.isEmpty, file.hasPrefix(beside) { return String(file.dropFirst(beside.count)) }
    }
    return file
  }

  /// `  [iso-box-size, ISO/IEC 14496-12:2022]` at the end of a line.
  private static func rule(of line: Substring) -> Substring? {
    guard line.last == "]", let start = line.lastIndex(of: "[") else { return nil }
    let rule = line[..<start].suffix(2)
    return rule == "  " ? line[rule.startIndex...] : nil
  }

  /// A line without its offset, and without the number and the list of further occurrences.
  private static func withoutPlace(_ line: Substring) -> String {
    let rule = rule(of: line) ?? ""
    var words = words(of: line[..<(rule.isEmpty ? line.endIndex : rule.startIndex)])
    if let at = words.firstIndex(of: "byte"), at > 0, words[at - 1] == "at", at + 1 < words.count,
      words[at + 1].utf8.last == UInt8(ascii: ":")
    {
      // The colon is kept.
      words[at - 1...at + 1] = [":"]
    }
    if let at = startOfOthers(words) { words.removeSubrange(at...) }
    return words.joined(separator: " ") + rule
  }

  private static func words(of line: Substring) -> [Substring] {
    line.split(separator: " ", omittingEmptySubsequences: false)
  }
  /// The start of `(and 2 more places: a.m4s: moof at byte 8; b.m4s: moof at byte 8)`.
  private static func startOfOthers(_ words: [Substring]) -> Int? {
    guard let at = words.lastIndex(of: "(and"), at + 3 < words.count, words[at + 2] == "more" else { return nil }
    return at
  }

  /// Whether a line has more further occurrences than it lists.
  private static func hasUnlistedPlaces(_ line: Substring) -> Bool {
    let words = words(of: line[..<(rule(of: line)?.startIndex ?? line.endIndex)])
    guard let at = startOfOthers(words) else { return false }
    return Int(words[at + 1]) ?? 0 > Finding.listedOthers
  }

  /// The files and boxes of the further occurrences that a line lists, if they are in other files.
  private static func otherPlaces(_ line: Substring) -> [String] {
    guard let rule = rule(of: line) else { return [] }
    let words = words(of: line[..<rule.startIndex])
    guard let at = startOfOthers(words), words[at + 3].last == ":" else { return [] }
    let list = words[(at + 4)...].joined(separator: " ").dropLast()
    var (places, place) = ([String](), [Substring]())
    for word in list.split(separator: " ") {
      place.append(word.last == ";" ? word.dropLast() : word)
      guard word.last == ";" else { continue }
      places.append(name(of: place))
      place = []
    }
    return (places + [name(of: place)]).filter { name in
      let ends = zip(name, name.dropFirst() + " ")
      return ends.contains { $0 == ":" && $1 == " " }
    }
  }
  /// `a.m4s: moof` for `a.m4s: moof at byte 8`.
  private static func name(of place: [Substring]) -> String {
    let at = place.lastIndex(of: "byte").map { $0 - 1 } ?? place.endIndex
    return place[..<max(0, at)].joined(separator: " ")
  }
}
