import MP4Bytes
import Testing

@Suite("XML documents")
struct XMLTests {
  private func element(_ text: String) throws -> XMLElement { try XMLElement(document: Array(text.utf8)[...]) }

  @Test("Elements have names without prefixes, attributes, text without references, and lines")
  func document() throws {
    let root = try element(
      """
      \u{FEFF}<?xml version="1.0"?><!-- a > b --><a xmlns:x="u">
      <x:b  x:c='1 &lt;&#x41;&#66;' d = "2"/>t&amp;<![CDATA[<&>]]><b/></a>
      """)
    #expect(root.name == "a")
    #expect(root.all("b").map(\.line) == [2, 2])
    let first = try #require(root.first("b"))
    #expect([first["c"], first["d"], first["e"], root["x"]] == ["1 <AB", "2", nil, nil])
    #expect(root.text == "\nt&<&>")
  }

  @Test(
    "Documents that are not well-formed are errors with their places",
    arguments: [
      ("<a>\n <b></a>", "line 2, column 5: the end tag 'a' does not match 'b'"),
      ("<a>", "line 1, column 1: the end tag of 'a' is missing"),
      ("<a b='1' b='2'/>", "line 1, column 10: the attribute 'b' is there twice"),
      ("<a b=1/>", "line 1, column 4: the value of 'b' is not in quotation marks"),
      ("<a>&lol;</a>", "line 1, column 4: this entity is not supported; a plain '&' is written '&amp;'"),
      ("<a>&#0;</a>", "line 1, column 4: this entity is not supported; a plain '&' is written '&amp;'"),
      ("<a><!-- b</a>", "line 1, column 4: '-->' is missing"),
      ("<a", "line 1, column 1: the tag 'a' has no end"),
      ("<a/>\n<b/>", "line 2, column 1: there is something after the end of the document"),
      ("", "line 1, column 1: there is no element"),
      (
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
        "line 1, column 1: a document type is not supported, because it can define entities"
      ),
    ])
  func damage(text: String, message: String) {
    #expect { try element(text) } throws: { "\($0)" == message }
  }

  @Test("Deep nesting is an error")
  func depth() {
    let deep = String(repeating: "<a>", count: 100_000)
    #expect { try element(deep) } throws: { "\($0)" == "line 1, column 193: elements are nested too deeply" }
  }
}
