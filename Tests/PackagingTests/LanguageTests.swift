import Testing

@testable import Packaging

@Suite("Languages")
struct LanguageTests {
  @Test("A tag has the shortest code of its language, whatever is behind it")
  func shortest() {
    let tags = [
      ("eng", "en"), ("ENG", "en"), ("en", "en"), ("ger", "de"), ("deu", "de"), ("deu-AT", "de-AT"), ("chi", "zh"),
      ("zho-Hant-TW", "zh-Hant-TW"), ("haw", "haw"), ("en-GB", "en-GB"), ("", ""), ("-", "-"), ("x", "x"),
    ]
    for (tag, want) in tags { #expect(LanguageTag.shortest(tag) == want, "\(tag)") }
  }

  @Test("A language has its English name")
  func name() {
    let names = [
      ("en", "English"), ("nb", "Norwegian Bokmål"), ("de-AT", "German (AT)"), ("EN", "English"), ("haw", "haw"),
      ("", ""), ("zh-Hant-TW", "Chinese (Hant-TW)"),
    ]
    for (tag, want) in names { #expect(LanguageTag.name(of: tag) == want, "\(tag)") }
  }

  @Test("Every row has two letters, one or two codes of three, and a name, and no code stands twice")
  func table() {
    let rows = LanguageTable.rows.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
    #expect(rows.count > 180)
    var codes: [Substring] = []
    for row in rows {
      #expect(row.count == 3 && row[0].count == 2)
      let longer = row[1].split(separator: "/")
      #expect((1...2).contains(longer.count) && longer.allSatisfy { $0.count == 3 })
      codes += [row[0]] + longer
    }
    #expect(codes.allSatisfy { $0.allSatisfy { ("a"..."z").contains($0) } })
    #expect(Set(codes).count == codes.count)
  }
}
