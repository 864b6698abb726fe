package import ISOBMFF

/// Language tags (BCP 47).
package enum LanguageTag {
  private struct Language {
    var letters: Substring
    var longer: [Substring]
    var name: Substring
  }
  private static let languages: [Language] = LanguageTable.rows.split(separator: "\n").map { row in
    let words = row.split(separator: " ", maxSplits: 2)
    return Language(letters: words[0], longer: words[1].split(separator: "/"), name: words[2])
  }

  /// A tag with the shortest code of its language, as RFC 5646, 2.2.1, requires: `eng` becomes `en`.
  package static func shortest(_ tag: String) -> String {
    let parts = tag.split(separator: "-", maxSplits: 1)
    guard let first = parts.first.map({ $0.lowercased() }),
      let language = languages.first(where: { $0.longer.contains { $0 == first } })
    else { return tag }
    return parts.count > 1 ? "\(language.letters)-\(parts[1])" : String(language.letters)
  }

  /// Whether a tag is that of a known language.
  package static func isKnown(_ tag: String) -> Bool {
    guard let first = tag.split(separator: "-", maxSplits: 1).first?.lowercased() else { return false }
    return languages.contains { $0.letters == first || $0.longer.contains { $0 == first } }
  }

  /// Whether a text can be a tag: two letters of ISO 639-1 or three letters, optionally followed by subtags, or a tag
  /// for private use such as `x-klingon` (RFC 5646, 2.2.7). Longer names such as `English` are not tags.
  package static func isValid(_ tag: String) -> Bool {
    let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
    guard let first = parts.first, first.allSatisfy(isLetter) else { return false }
    let isPrivate = first.count == 1 && first.first.map { $0 | 0x20 } == UInt8(ascii: "x") && parts.count > 1
    guard isPrivate || first.count == 3 || first.count == 2 && isKnown(tag) else { return false }
    return tag.utf8.count <= 35
      && parts.allSatisfy { part in
        (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      }
  }

  /// The tag that an invalid one may mean: the name of a language in English or in itself, a country code, or a
  /// tag with an underscore.
  package static func proposal(for word: String) -> String? {
    let parts = word.split(maxSplits: 1) { "-_ ".contains($0) }.map(String.init)
    guard let first = parts.first?.lowercased() else { return nil }
    let rest = parts.count > 1 ? "-" + parts[1].split { "_ ".contains($0) }.joined(separator: "-") : ""
    let named = languages.first { $0.name.lowercased() == first }.map { String($0.letters) }
    let code = named ?? LanguageTable.others[first] ?? (isKnown(first) ? shortest(first) : nil)
    return code.map { $0 + rest }.flatMap { $0 != word && isValid($0) ? $0 : nil }
  }

  /// The English name of a language, or the tag if it is unknown.
  package static func name(of tag: String) -> String {
    let parts = tag.split(separator: "-", maxSplits: 1)
    guard let first = parts.first.map({ $0.lowercased() }),
      let language = languages.first(where: { $0.letters == first })
    else { return tag }
    return parts.count > 1 ? "\(language.name) (\(parts[1]))" : String(language.name)
  }

  /// The three letters of the language (ISO 639-2/T) in 16 bits, as in media headers; `und` if it has none.
  package static func packed(_ tag: String) -> LanguageCode {
    let first = tag.split(separator: "-", maxSplits: 1).first?.lowercased() ?? ""
    let known = languages.first { $0.letters == first }?.longer.first.map(String.init) ?? first
    return LanguageCode(known) ?? "und"
  }
}
