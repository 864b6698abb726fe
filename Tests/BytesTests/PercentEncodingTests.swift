import MP4Bytes
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
  @Test(
    "Invalid encodings are refused or kept",
    arguments: [
      ("a%20b", "a b", "a b"), ("%c3%A9", "é", "é"), ("", "", ""), ("%", nil, "%"), ("%4", nil, "%4"),
      ("%zz%41", nil, "%zzA"), ("%+1", nil, "%+1"), ("%-1", nil, "%-1"), ("%25%32", "%2", "%2"),
    ] as [(String, String?, String)])
  func decoded(text: String, strict: String?, lenient: String) {
    let bytes = Array(text.utf8)[...]
    #expect(PercentEncoding.decoded(bytes) == strict.map { Array($0.utf8) })
    #expect(PercentEncoding.decoded(bytes, keepsBroken: true) == Array(lenient.utf8))
    #expect(PercentEncoding.decoded(text) == lenient)
  }

  @Test("A text that would not be UTF-8 is not decoded")
  func notUTF8() {
    #expect(PercentEncoding.decoded("a%20%ff") == "a%20%ff")
    #expect(PercentEncoding.decoded(Array("%ff".utf8)[...]) == [0xff])
  }

  @Test("Every byte is encoded and decoded")
  func everyByte() {
    let all = Array(UInt8.min...UInt8.max)
    let text = PercentEncoding.encoded(all) { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "%") }
    #expect(text.hasPrefix("%00%01") && text.hasSuffix("%FE%FF"))
    #expect(PercentEncoding.decoded(Array(text.utf8)[...]) == all)
  }
}
