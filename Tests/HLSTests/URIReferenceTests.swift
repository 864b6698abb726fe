import MP4HLS
import Support
import Testing

@Suite("URI references")
struct URIReferenceTests {
  @Test(
    "References are resolved as in RFC 3986, 5.4.1 and 5.4.2",
    arguments: [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
      (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"),
      ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
      ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
      ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
  func standard(reference: String, expected: String) {
    let base = URIReference("http://a/b/c/d;p?q")
    #expect(URIReference(reference).resolved(against: base).description == expected)
  }

  @Test(
    "Other bases work too: local paths, hosts without a path, and relative paths that leave their folder",
    arguments: [
      ("out/master.m3u8", "video/index.m3u8", "out/video/index.m3u8"),
      ("out/video/index.m3u8", "../init.mp4", "out/init.mp4"), ("master.m3u8", "a.mp4", "a.mp4"),
      ("out/index.m3u8", "../../secret", "../secret"), ("index.m3u8", "../x/../y", "../y"),
      ("/srv/index.m3u8", "../../../etc/passwd", "/etc/passwd"), ("https://host", "a.ts", "https://host/a.ts"),
      ("https://host?x=1", "?y=2", "https://host?y=2"), ("out/index.m3u8", "..", ""), ("a/b/c", "..", "a/"),
      ("https://h/a//b/c", "d", "https://h/a//b/d"), ("https://h/a/b", "x//../y", "https://h/a/x/y"),
      ("file:///srv/a.m3u8", "b.ts", "file:///srv/b.ts"), ("https://h/a", "C:b", "C:b"),
      ("https://h/a/b", "1:b", "https://h/a/1:b"), ("https://h/a/b", "é/ü", "https://h/a/é/ü"),
    ])
  func others(base: String, reference: String, expected: String) {
    #expect(URIReference(reference).resolved(against: URIReference(base)).description == expected)
  }

  @Test("A URI has five parts")
  func parts() {
    let uri = URIReference("https://user@example.com:8080/a/b;c?x=1&y=%20z#frag?ment")
    #expect(uri.scheme == "https" && uri.authority == "user@example.com:8080" && uri.path == "/a/b;c")
    #expect(uri.query == "x=1&y=%20z" && uri.fragment == "frag?ment" && uri.isAbsolute)
    #expect(uri.queryValues("y") == ["%20z"] && uri.queryValues("z").isEmpty)
    #expect(URIReference("?a&a=2&b=").queryValues("a") == ["", "2"])
    #expect(URIReference("data:text/plain,1").path == "text/plain,1" && !URIReference("//h/p").isAbsolute)
    #expect(URIReference.percentDecoded("a%20b%C3%A9%") == "a bé%")
    #expect(URIReference.percentDecoded("%ff%zz%4") == "%ff%zz%4")
  }

  @Test("Any text is reassembled unchanged, and resolving twice changes nothing")
  func random() {
    var random = SplitMix64(seed: 7)
    let pieces = ["a", "b.ts", "/", "//", ":", "?", "#", ".", "..", "../", "é", "%2F", "\u{301}", "http:", "@"]
    let base = URIReference("https://example.com/x/y/z?q")
    for _ in 0..<5000 {
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
      let reference = URIReference(text)
      #expect(Array(reference.description.utf8) == Array(text.utf8))
      let resolved = reference.resolved(against: base)
      #expect(resolved.isAbsolute)
      let path = resolved.path.split(separator: "/", omittingEmptySubsequences: false)
      if resolved.authority != nil { #expect(!path.contains("..") && !path.contains(".")) }
    }
  }
}
