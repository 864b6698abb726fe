import MP4Fetching
import MP4HLS
import Testing

@Suite("URLs and responses")
struct AddressTests {
  @Test(
    "Only http and https URLs with a host are accepted",
    arguments: [
      "file:///etc/passwd", "ftp://a/b", "data:text/plain,x", "a/b.m3u8", "/a", "//host/a", "http://", "http:///a",
      "http://user@/a", "http://:80/a", "--output=x", "",
    ])
  func refused(_ text: String) { #expect(WebAddress(text) == nil) }

  @Test("References are resolved against the URL, and other schemes are refused")
  func relative() throws {
    let base = try #require(WebAddress("HTTPS://user:secret@example.com/a/b.m3u8?x=1#y"))
    #expect(base.isSecure)
    #expect(base.description == "https://example.com/a/b.m3u8?x=1")
    #expect(base.resolving("c/../d.mp4")?.description == "https://example.com/a/d.mp4")
    #expect(base.resolving("//other/e")?.description == "https://other/e")
    #expect(base.resolving("http://example.com/e")?.isSecure == false)
    #expect(base.resolving("file:///etc/passwd") == nil)
    #expect(base.resolving("data:,x") == nil)
  }

  @Test("File names that look like URLs are reported")
  func meaning() {
    #expect(WebAddress.isMeant(by: "hTTps://x"))
    #expect(!WebAddress.isMeant(by: "http:/x"))
    #expect(!WebAddress.isMeant(by: "https.m3u8"))
  }
}
