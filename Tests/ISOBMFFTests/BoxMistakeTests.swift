import BoxCatalog
import ISOBMFF
import Testing

@Suite("Mistakes in box definitions")
struct BoxMistakeTests {
  private func mistakes(_ text: String) -> [String] {
    BoxRegistry.standard.mistakes(inDefinitions: text).map { "\($0)" }
  }

  @Test(
    "Impossible fields are refused",
    arguments: [
      // After a field that takes the remaining bytes.
      ("data bytes", "more uint(8)", "3: no field can follow 'data', which extends to the end of the box"),
      ("note text", "more uint(8)", "3: no field can follow 'note', which extends to the end of the box"),
      ("boxes", "more uint(8)", "3: no field can follow 'boxes', which extends to the end of the box"),
      ("rows[] uint(8)", "more uint(8)", "3: no field can follow 'rows', which extends to the end of the box"),
      ("data bytes when remaining > 4", "more uint(8)", "3: no field can follow 'data'"),
      ("when 1 == remaining", "  boxes", "5: `boxes` cannot be part of a condition or a table"),
      // Two fields with the same name.
      ("size uint(8)", "size uint(8)", "3: 'size' is defined already"),
      ("size uint(8)", "size[] uint(8)", "3: 'size' is defined already"),
      // Numbers.
      ("rows[-1] uint(8)", "", "8: expected a number of rows, 1 or more"),
      ("rows[2 - 2] uint(8)", "", "8: expected a number of rows, 1 or more"),
      ("data bytes(-8)", "", "8: expected a width in bits that is one or more bytes"),
      ("data bytes(12)", "", "8: expected a width in bits that is one or more bytes"),
      ("note string(0)", "", "8: expected a width in bits that is one or more bytes"),
      ("size uint(0)", "", "8: expected a width of 1 to 56 or of 64 bits"),
      ("size uint(4 - 4)", "", "8: expected a width of 1 to 56 or of 64 bits"),
      ("size int(8 * 9)", "", "8: expected a width of 1 to 56 or of 64 bits"),
      ("rest bits(0)", "", "8: expected a width of 1 to 56 bits"),
      ("size uint(8) must be 4 to 2", "", "29: expected a number from 4 to 255"),
      ("size uint(8) must be 300 or more", "", "24: expected a number from 0 to 255"),
      ("version 2 to 1", "", "16: expected a number from 2 to 255"),
      ("size uint(4)", "", "3: expected fields that fill whole bytes; add `reserved bits(4)`"),
      ("size uint(12)", "note string", "14: expected fields that fill whole bytes before this one"),
      ("version 0", "flags 0x1000000 a", "9: expected a number from 0 to 16777215"),
      // Names and keywords.
      ("bit-rate uint(8)", "", "6: expected a space after the name; quote other names, such as 'bit-rate'"),
      ("version 0", "bytes", "8: expected a type after the name, such as uint(32)"),
      ("size uint(8)", "version 0", "3: expected `version` only in the first line"),
      ("size uint(8)", "otherwise", "3: expected `when` before `otherwise`"),
      ("size uint(15) language", "", "17: expected uint(16) before `language`"),
      // Names in expressions.
      ("note string", "data bytes(8 * note)", "18: 'note' is not a number"),
      ("rest bits(8)", "data bytes(8 * rest)", "18: 'rest' is not a number"),
      ("size uint(8) when flags has 1", "", "21: the box has no version and flags"),
      ("size uint(version == 1 ? 64 : 32)", "", "13: the box has no version and flags"),
      // Meanings of numbers.
      ("size uint(8) values", "", "22: expected a number and its meaning"),
      ("size uint(8) values a b", "", "23: expected a number and its meaning"),
      ("size uint(8) values 0 a; 1", "", "29: expected the meaning of the number"),
      ("size uint(8) values 0 a; 0x0 b", "", "28: '0x0' is defined already"),
      ("size uint(4) values 16 a", "", "23: expected a number from 0 to 15"),
      ("size int(32) date", "", "16: expected uint before `date`"),
      ("size int(32) fixed(0)", "", "22: expected 1 to 63 bits"),
      ("size uint(8) initially 256", "", "26: expected a number from 0 to 255"),
      ("type code initially 1", "", "13: expected the end of the line"),
      ("note string initially a", "", "15: expected the end of the line"),
      ("rows[ones(n)] uint(8)", "", "13: 'n' is not defined before this line"),
      ("rows[ones(1 + 2] uint(8)", "", "18: expected ')'"),
      ("size uint(64) fixed(8)", "", "17: expected int(64) before `fixed`"),
      ("rows[] uint(3)", "", "8: expected a number of rows, or rows that fill whole bytes"),
      ("size uint(4) flags 0x6=0x8 a", "", "22: expected a mask and bits under it"),
      ("size uint(4) flags 0x2 a; 0x2=0x2 b", "", "29: '0x2=0x2' is defined already"),
    ])
  func fields(first: String, second: String, message: String) {
    let found = mistakes("box acme \"Acme\"\n  \(first)\n  \(second)\n")
    let line = second.isEmpty ? 2 : 3
    #expect(found.count == 1 && found[0].hasPrefix("line \(line), column \(message)"), "\(found)")
  }

  @Test(
    "Unusual but valid definitions are accepted",
    arguments: [
      "  n uint(8)\n  data bytes when n\n  more uint(8) when not n\n",
      "  n uint(8)\n  when n\n    x uint(8)\n  otherwise\n    x uint(16)\n  data bytes(8 * x)\n",
      "  n uint(8)\n  rows[n]\n    n uint(8)\n", "  a bits(4)\n  a bits(4)\n", "  bytes\n", "  boxes\n",
      "  version 0\n", "  a uint(4)\n  b uint(4)\n  c string\n",
      "  a uint(8)\n  b uint(4) when a\n  c uint(4) when a\n  d string\n", "  version 0\n  flags 1 a\n  x uint(8)\n",
      "  version uint(8)\n  more uint(8) when version == 1\n", "  n int(8) must be -4 to 2 values -1 none\n",
      "  n uint(8) flags 0x6=0x2 a; 0x6=0x4 b; 0xf0=# level  \r\n",
    ])
  func right(body: String) {
    for head in ["box acme \"Acme\"\n", "\u{feff}box acme \"Acme\"\n", "group acme \"Acme\"\n"] {
      #expect(mistakes(head + body) == [])
    }
  }

  @Test("A box must declare fields or that it has none, and must be defined once per container")
  func boxes() {
    let none = "the box has no fields; add `boxes` (only child boxes) or `bytes` (opaque content) below it"
    #expect(mistakes("box acme \"Acme\"\n") == ["line 1, column 1: \(none)"])
    #expect(mistakes("box acme \"Acme\"\n\nvalues a 0 b\n") == ["line 1, column 1: \(none)"])
    let head = "box acme \"Acme\" in udta\n  a uint(8)\n"
    #expect(mistakes(head + "box acme \"Acme\" in moov\n  b uint(8)\n") == [])
    for places in [" in moov, udta", ""] {
      let again = "box acme \"Acme\"\(places)\n  b uint(8)\n"
      #expect(mistakes(head + again) == ["line 3, column 1: 'acme' is defined already"])
    }
  }

  @Test("A named list has only numbers that the field can have")
  func lists() {
    let text =
      "values codes 1 a; 256 b\nbox acme \"Acme\"\n  wide uint(16) values <codes>\n  size uint(8) values <codes>\n"
    #expect(mistakes(text) == ["line 4, column 24: expected a list of numbers that the field can have"])
  }

  @Test(
    "Mistakes in lists of fields are reported once, at their place",
    arguments: [
      ("fields a\n  x word\nbox acme \"A\"\n  <a>\nbox acm2 \"A\"\n  <a>\n", "line 2, column 5: expected a type"),
      ("box acme \"A\"\n  <a>\n", "line 2, column 4: 'a' is not defined"),
      ("box acme \"A\"\n  <a b>\nfields a\n  x uint(8)\n", "line 2, column 6: expected '>'"),
      ("fields a\nbox acme \"A\"\n  <a>\n", "line 1, column 9: expected indented lines"),
      ("fields a\n  x uint(8)\nfields a\n  y uint(8)\n", "line 3, column 8: 'a' is defined already"),
      ("fields a\n  x uint(8)\nbox acme \"A\"\n  x uint(8)\n  <a>\n", "line 2, column 3: 'x' is defined already"),
      ("fields a\n  x bytes\nbox acme \"A\"\n  <a>\n  y uint(8)\n", "line 5, column 3: no field can follow 'x'"),
      ("fields a\n  x uint(8)\n  boxes\nbox acme \"A\"\n  <a>\n", "line 3, column 3: `boxes` cannot be part"),
      ("fields a\n  x uint(4)\nbox acme \"A\"\n  <a>\n", "line 2, column 3: expected fields that fill whole"),
      ("fields a\n    x uint(8)\n  y uint(8)\nbox acme \"A\"\n  <a>\n", "line 3, column 3: the indentation"),
      ("fields a\n  <a>\n  <a>\nbox acme \"A\"\n  <a>\n", "line 2, column 3: more than 16 nested blocks"),
    ])
  func fieldLists(text: String, message: String) {
    let found = mistakes(text)
    let count = text.hasPrefix("fields a\nbox") ? 2 : 1
    #expect(found.count == count && found[0].hasPrefix(message), "\(found)")
  }

  @Test("A row cannot take the bytes that later fields need")
  func rows() {
    #expect(
      mistakes("box acme \"Acme\"\n  rows[2]\n    a uint(8)\n    data bytes\n")
        == ["line 2, column 8: no field can follow 'data', which extends to the end of the box"])
  }

  @Test("A definition is read even if previous ones are wrong")
  func several() {
    let text = """
      box acme "Acme"
        size  word
        more  word
      values modes video
      box abc "Three letters"
        mode  uint(8)
      \t  word
        more  word
      list of what
        more  uint(8)
      box acm2 "Acme"
        mode  uint(8) values <modes>
      box mvhd "Mine" in moov
        mode  uint(8)

      """
    #expect(
      mistakes(text) == [
        "line 2, column 9: expected a type such as uint(32)",
        "line 4, column 14: expected a number and its meaning",
        "line 5, column 5: expected a four-character code",
        "line 9, column 1: expected `box`, `group`, `replace box`, `replace group`, `values`, `fields` or "
          + "`places`",
        "line 13, column 1: 'mvhd' is already defined; start the line with `replace` to redefine it",
      ])
  }
}
