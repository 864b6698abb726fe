import MP4Bytes

/// Collects the rule violations in the lines of a playlist.
struct RuleChecker {
  let lines: [PlaylistLine]
  var findings: [PlaylistFinding] = []
  /// The intended tags of lines with misspelled names, by line index.
  private(set) var misspelled: [Int: TagName] = [:]

  init(_ lines: [PlaylistLine]) {
    self.lines = lines
    for (index, line) in lines.enumerated() where line.content == .unknownTag {
      misspelled[index] = TagName(misspelledIn: line.text)
    }
  }

  /// The findings sorted by line, and for each line in the order of checks.
  var sortedFindings: [PlaylistFinding] {
    let sorted = findings.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
    return sorted.map(\.element)
  }
  /// Reports that the line at an index, or with `nil` the playlist as a whole, violates a rule.
  mutating func report(_ rule: PlaylistRule, at index: Int?, _ reason: String) {
    findings.append(PlaylistFinding(rule: rule, line: index.map { $0 + 1 } ?? 0, reason: reason))
  }

  /// The rules for both kinds of playlists.
  mutating func checkCommon(isMedia: Bool, hasByteOrderMark: Bool) {
    if lines.first?.tag != .playlistHeader { report(.firstLine, at: 0, "the first line must be #EXTM3U") }
    if hasByteOrderMark { report(.encoding, at: 0, "there is a byte order mark; remove it") }
    var seen: Set<TagName> = []
    for (index, line) in lines.enumerated() {
      checkCharacters(line, index)
      if line.content == .uri { checkURI(line.text, index) }
      if line.content == .unknownTag {
        checkName(line, index)
        checkValue(line, index)
      }
      guard let tag = line.tag else { continue }
      if tag.isSingle, !seen.insert(tag).inserted {
        report(.tagOnce, at: index, "\(tag) appears twice; remove one of them")
      }
      if tag.place != .both, (tag.place == .multivariant) == isMedia {
        let kind = tag.place == .multivariant ? "a multivariant playlist" : "a media playlist"
        report(.tagKind, at: index, "\(tag) can only be in \(kind)")
      }
      if case .attributes(let list) = line.value { checkAttributes(list, of: tag, index) }
    }
    checkVersion()
    checkDefinitions(isMedia: isMedia)
    checkVariables()
  }
  private mutating func checkCharacters(_ line: PlaylistLine, _ index: Int) {
    let isControl = { (byte: UInt8) in byte < 0x20 || byte == 0x7F || byte == 0xC2 }
    guard line.text.utf8.contains(where: isControl) else { return }
    let isWrong = line.text.unicodeScalars.contains {
      // The IDs in EXT-X-SKIP are separated by tabs.
      ($0.value < 0x20 && !($0 == "\t" && line.tag == .skip)) || (0x7F...0x9F).contains($0.value)
    }
    if isWrong { report(.encoding, at: index, "there is a control character in the line; remove it") }
  }
  /// A new URI line might not be read as a URI, or as a different one.
  private mutating func checkURI(_ text: String, _ index: Int) {
    switch text.utf8.first {
    case nil: report(.uri, at: index, "the URI is empty")
    case UInt8(ascii: "#"): report(.uri, at: index, "\(quoted(text)) is read as a comment or a tag, not as a URI")
    case _ where text.utf8.contains { $0 == 0x20 || $0 == 0x09 }:
      report(.uri, at: index, "there is a space in the URI \(quoted(text)); write it as %20 or remove it")
    default: break
    }
  }
  /// Reports a tag whose name is almost that of another one. A required tag that is misspelled is missing.
  private mutating func checkName(_ line: PlaylistLine, _ index: Int) {
    guard let tag = misspelled[index] else { return }
    let rule: PlaylistRule =
      switch tag {
      case .targetDuration: .targetDurationMissing
      case .segment: .durationMissing
      case .variant: .variantURI
      default: .tagName
      }
    report(rule, at: index, "\(quoted(TagName.name(in: line.text))) is not a tag; did you mean \(tag)?")
  }
  /// Reports a tag that was skipped because its value cannot be read.
  private mutating func checkValue(_ line: PlaylistLine, _ index: Int) {
    do throws(PlaylistError) { _ = try PlaylistLine(parsing: line.text) } catch {
      report(.tagValue, at: index, error.reason)
    }
  }
  /// Whether a tag is present, even if it was skipped because its value cannot be read, or its name is misspelled.
  func has(_ tag: TagName) -> Bool {
    if misspelled.values.contains(tag) { return true }
    return lines.contains { $0.tag == tag || $0.isUnreadable(tag) }
  }
  private mutating func checkAttributes(_ list: AttributeList, of tag: TagName, _ index: Int) {
    var values: Set<String> = []
    var meant: Set<String> = []
    let known = tag.attributes
    let missing = known.filter { list[$0.name] == nil }
    for attribute in list.attributes {
      if !values.insert(attribute.name).inserted {
        report(.attributeTwice, at: index, "\(tag) has \(quoted(attribute.name)) twice; remove one of them")
      }
      if let form = known.first(where: { $0.name == attribute.name })?.form {
        guard !form.holds(attribute) else { continue }
        report(
          .attributeForm, at: index,
          "\(attribute.name) of \(tag) is \(quoted(attribute.text)) but can only be \(form.description)")
      } else if !attribute.name.hasPrefix("X-"),
        let name = Spelling.name(meantBy: attribute.name, of: missing.map(\.name))
      {
        meant.insert(name)
        let isRequired = missing.contains { $0.name == name && $0.isRequired }
        report(
          isRequired ? .attributeMissing : .attributeName, at: index,
          "\(quoted(attribute.name)) is not an attribute of \(tag); did you mean \(name)?")
      }
    }
    for syntax in missing where syntax.isRequired && !meant.contains(syntax.name) {
      report(.attributeMissing, at: index, "\(tag) must have \(syntax.name)")
    }
  }
  private mutating func checkVersion() {
    let need = VersionNeed(lines)
    let version = lines.integer(.version) ?? 1
    guard need.version > version else { return }
    report(
      .version, at: need.index,
      "EXT-X-VERSION is \(version) but \(need.reason) needs \(need.version)")
  }
  private mutating func checkDefinitions(isMedia: Bool) {
    var names: Set<String> = []
    for (index, definition) in lines.indexed(.define, as: VariableDefinition.self) {
      let sources = [definition.name, definition.imported, definition.queryParameter].compactMap { $0 }
      guard sources.count == 1, let name = sources.first else {
        report(.definition, at: index, "EXT-X-DEFINE must have one of NAME, IMPORT and QUERYPARAM")
        continue
      }
      if definition.name != nil, definition.value == nil {
        report(.definition, at: index, "EXT-X-DEFINE with NAME must have VALUE")
      }
      if definition.imported != nil, !isMedia {
        report(.definition, at: index, "IMPORT of EXT-X-DEFINE can only be in a media playlist")
      }
      if !Variables.isName(name) {
        report(
          .definition, at: index,
          "the name of a variable can contain only letters, digits, - and _, unlike \(quoted(name))")
      }
      if !names.insert(name).inserted {
        report(.definition, at: index, "the variable \(quoted(name)) is already defined")
      }
    }
  }
  private mutating func checkVariables() {
    var defined: Set<String> = []
    for (index, line) in lines.enumerated() where line.content != .comment && line.content != .unknownTag {
      if line.text.utf8.contains(UInt8(ascii: "{")) {
        for name in Variables.references(in: line.text) where !defined.contains(name) {
          report(
            .variableUndefined, at: index,
            "the variable \(quoted(name)) is undefined; an EXT-X-DEFINE before this line must define it")
        }
      }
      if case .tag(.define, .attributes(let list)) = line.content {
        let definition = VariableDefinition(attributes: list)
        let name = definition.name ?? definition.imported ?? definition.queryParameter
        if let name { defined.insert(name) }
      }
    }
  }
}
