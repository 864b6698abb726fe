import MP4Bytes
import MP4FileIO
import Testing

@Suite struct PathTests {
  @Test(
    "A path splits into folder and last component as dirname and basename do",
    arguments: [
      ("a/b/c", "a/b", "c"), ("c", ".", "c"), ("/c", "/", "c"), ("a//b", "a", "b"), ("a/b/", "a", "b"),
      ("/", "/", ""), ("//", "/", ""), ("", ".", ""), ("./x", ".", "x"), ("a", ".", "a"),
    ])
  func splits(path: String, folder: String, last: String) throws {
    let path = try #require(Pathname(path))
    #expect(path.folder.description == folder)
    #expect(path.lastComponent.description == last)
  }

  @Test("Joining adds one slash, and an absolute path replaces the folder")
  func joins() {
    #expect(Pathname("a").appending("b") == "a/b")
    #expect(Pathname("a/").appending("b") == "a/b")
    #expect(Pathname("a").appending("/b") == "/b")
    #expect(Pathname("").appending("b") == "b")
    #expect(Pathname("/").appending("b") == "/b")
  }

  @Test("A text with a NUL is not a path")
  func refusesNUL() {
    #expect(Pathname([97, 0, 98]) == nil)
    let text = "a\0b"
    #expect(Pathname(text) == nil)
  }

  @Test("Bytes that are not UTF-8 are kept, and replaced for display")
  func keepsBytes() throws {
    let path = try #require(Pathname([0x61, 0xFF, 0x62]))
    #expect(path.bytes == [0x61, 0xFF, 0x62])
    #expect(path.description == "a\u{FFFD}b")
    let copy = [0x61, -1, 0x62, 0] as [CChar]
    let made = unsafe Pathname(cString: copy)
    #expect(made == path)
  }

  @Test("A path from a text is opened normally, and a text with a NUL is not a path")
  func texts() throws {
    let source = try FileSource.open(String(#filePath))
    #expect(source.name == #filePath && (source.byteCount ?? 0) > 1000)
    let error = #expect(throws: IOError.self) { try FileSource.open(String("a\0b")) }
    #expect(error?.operation == .open)
  }
}
