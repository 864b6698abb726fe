import BoxCatalog
import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Fields of the box language")
struct BoxLanguageFieldTests {
  private func declaration(_ fields: String, before: String = "") throws -> BoxDeclaration {
    let registry = try BoxRegistry.standard.adding(definitions: "\(before)box acme \"Acme\" in udta\n\(fields)")
    return try #require(registry.definition(of: "acme", in: BoxContext(parent: "udta"))?.payload)
  }
  /// The payload of these bytes, which is written back unchanged.
  private func payload(_ fields: String, _ bytes: [UInt8], before: String = "") throws -> any BoxPayload {
    try #require(roundTrip(declaration(fields, before: before), bytes))
  }
  private func set(_ payload: some BoxPayload, _ name: String, to value: FieldValue) throws -> [UInt8] {
    try payload.setting(name, to: value).encoded()
  }

  @Test("A count can be a number of bits that are set")
  func ones() throws {
    let fields = "  mask  uint(8)\n  rows[ones(mask & 0xf)]  uint(8)\n  last  uint(ones(mask) * 8)\n"
    let payload = try payload(fields, [0x15, 1, 2, 0, 0, 3])
    #expect(payload["rows[2]"] == 2 && payload["rows[3]"] == nil && payload["last"] == 3)
  }

  @Test("A count is derived from its rows if it can also be a constant")
  func counted() throws {
    let fields = "  version 0 to 1\n  count  uint(8) when version > 0\n  rows[version == 0 ? 1 : count]  uint(8)\n"
    let one = try payload(fields, [0, 0, 0, 0, 7])
    #expect(try set(one, "version", to: 1) == [1, 0, 0, 0, 1, 7])
    #expect(throws: FieldError(.derived, "count")) { try set(payload(fields, [1, 0, 0, 0, 1, 7]), "count", to: 2) }
  }

  @Test("Unicode text is UTF-8 or, after a byte order mark, UTF-16, and ends with a zero character")
  func unicode() throws {
    let fields = "  name  unicode\n  last  uint(8)\n"
    #expect(try payload(fields, [0x61, 0, 9])["last"] == 9)
    let wide = try payload(fields, [0xfe, 0xff, 0x30, 0, 0, 0x61, 0, 0, 9])
    #expect(wide["last"] == 9)
    #expect(try set(wide, "name", to: "b") == [0x62, 0, 9])
    #expect(try declaration(fields).describe().map(\.typeAndWidth) == ["string", "uint(8)"])
  }

  @Test("A list of fields is a part of several boxes and rows")
  func lists() throws {
    let list = """
      fields place
        x  uint(8)
        when flagged
          y  uint(8)
      fields point
        flagged  uint(8)
        <place>

      """
    let payload = try payload(
      "  flagged  uint(8)\n  <place>\n  rows[]\n    <point>\n", [1, 2, 3, 0, 4, 1, 5, 6], before: list)
    #expect(payload["y"] == 3 && payload["rows[1].y"] == nil && payload["rows[2].y"] == 6)
  }

  @Test("A new box has the initial values, and the undetermined language")
  func initial() throws {
    let fields = "  a  uint(8) initially 3\n  b  int(8) initially -1 must be -1 to 0\n"
    let blank = try declaration(fields + "  c  uint(16) language\n  d  uint(8) must be 2 or more\n").blank
    #expect(try blank.encoded() == [3, 0xff] + big(UInt16(0x55c4)) + [2])
    let read = try payload(fields, [0, 0])
    #expect(read["a"] == 0 && read["b"] == .signed(0))
  }

  @Test("Other fields can declare the number of fractional bits")
  func fractions() throws {
    let payload = try payload("  bits  uint(8)\n  a  int(16) fixed(bits & 31)\n", [4, 0x00, 0x18])
    #expect(payload["a"] == .fixed(raw: 24, fractionBits: 4))
    #expect(try set(payload, "a", to: 2.5) == [4, 0, 40])
    let large = try self.payload("  bits  uint(8)\n  a  int(16) fixed(bits)\n", [200, 0x00, 0x18])
    #expect(large["a"] == .fixed(raw: 24, fractionBits: 63))
  }

  @Test("Setting a field that depends on a flag sets the flag")
  func flags() throws {
    let fields = "  version 0\n  a  uint(8)\n  when flags has 0x4\n    b  uint(8)\n    c  uint(8)\n"
    let payload = try payload(fields, [0, 0, 0, 1, 7])
    #expect(try set(payload, "c", to: 9) == [0, 0, 0, 5, 7, 0, 9])
    #expect(try set(payload, "a", to: 8) == [0, 0, 0, 1, 8])
    let table = "  version 0\n  rows[]\n    a  uint(8)\n    b  uint(8) when flags has 2\n"
    let rows = try self.payload(table, [0, 0, 0, 0, 7, 8])
    #expect(try set(rows, "rows[2].b", to: 9) == [0, 0, 0, 2, 7, 0, 8, 9])
  }

  @Test("A table of texts with too few texts is damaged")
  func texts() throws {
    let fields = "  count  uint(8)\n  names[count]  string\n"
    #expect(try payload(fields, [2, 0x61, 0, 0x62])["names[2]"] == .text(BoxString([0x62], form: .unterminated)))
    #expect(try declaration(fields).decoded([3, 0x61, 0, 0x62], context: BoxContext()) == nil)
  }
}
