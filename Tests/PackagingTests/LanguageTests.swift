import MP4
import Testing

@testable import MP4Packaging

@Suite("Languages")
struct LanguageTests {
  @Test("A tag has the shortest code of its language, with all subtags")
  func shortest() {
    let tags = [
      ("eng", "en"), ("ENG", "en"), ("en", "en"), ("ger", "de"), ("deu", "de"), ("deu-AT", "de-AT"), ("chi", "zh"),
      ("zho-Hant-TW", "zh-Hant-TW"), ("haw", "haw"), ("en-GB", "en-GB"), ("", ""), ("-", "-"), ("x", "x"),
    ]
    for (tag, want) in tags { #expect(LanguageTag.shortest(tag) == want, "\(tag)") }
  }

  @Test(
    "An invalid language tag is refused, with the suggested tag",
    arguments: [
      ("English", "en"), ("german", "de"), ("Deutsch", "de"), ("jp", "ja"), ("cz", "cs"), ("pt_BR", "pt-BR"),
      ("english_us", "en-us"), ("eng_US", "en-US"), ("日本語", "ja"), ("Klingon", nil), ("xx", nil), ("12", nil),
      ("", nil), ("x", nil), ("x-", nil), ("x-klingonese", nil), ("y-klingon", nil), ("1-a", nil),
      ("brazilian", "pt-BR"),
    ] as [(String, String?)])
  func proposals(word: String, expected: String?) {
    #expect(!Subtitles.isLanguage(word) && Subtitles.language(meantBy: word) == expected)
  }

  @Test(
    "Known and possible tags are accepted",
    arguments: ["en", "EN", "eng", "haw", "zh-Hant-TW", "und", "de-1996", "x-klingon", "X-a-1"])
  func tags(tag: String) { #expect(Subtitles.isLanguage(tag)) }

  @Test("Each common word in place of a tag is invalid and has a suggestion")
  func others() {
    for (word, tag) in LanguageTable.others {
      #expect(!Subtitles.isLanguage(word) && Subtitles.isLanguage(tag) && LanguageTag.isKnown(tag), "\(word)")
    }
  }

  @Test("A language has its English name")
  func name() {
    let names = [
      ("en", "English"), ("nb", "Norwegian Bokmål"), ("de-AT", "German (AT)"), ("EN", "English"), ("haw", "haw"),
      ("", ""), ("zh-Hant-TW", "Chinese (Hant-TW)"),
    ]
    for (tag, want) in names { #expect(LanguageTag.name(of: tag) == want, "\(tag)") }
  }

  @Test("Every row has a two-letter code, one or two three-letter codes, and a name; codes are unique")
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
