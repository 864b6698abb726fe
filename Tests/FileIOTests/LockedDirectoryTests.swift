import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Folders locked by one process")
struct LockedDirectoryTests {
  @Test("Leftovers of a killed process are removed; used and unrelated files are kept")
  func abandoned() throws {
    let folder = try Support.TemporaryFolder()
    let path = try #require(Pathname(folder.path))
    let first = try LockedDirectory(temporary: "cache.XXXXXX", in: path)
    try first.write(ascii("one"), as: "block")
    for name in ["cache.abcdef", "cache.abcdefg", "other.abcdef"] {
      #expect(try run("mkdir", [folder(name)]).exitCode == 0)
      try folder.write(name + "/block", ascii("old"))
    }
    try folder.write("cache.123456", ascii("a file"))
    let second = try LockedDirectory(temporary: "cache.XXXXXX", in: path)
    #expect(!folder.names.contains("cache.abcdef"))
    #expect(folder.names.count == 5)
    #expect(try first.open("block").size == 3)
    first.close()
    second.close()
    #expect(folder.names.sorted() == ["cache.123456", "cache.abcdefg", "other.abcdef"])
  }
}
