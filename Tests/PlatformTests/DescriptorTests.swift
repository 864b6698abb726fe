import MP4Bytes
import MP4Platform
import Support
import Testing

@Suite("Open files")
struct DescriptorTests {
  private let folder: Support.TemporaryFolder
  private let path: Pathname

  init() throws {
    folder = try Support.TemporaryFolder()
    path = try #require(Pathname(folder.path))
  }

  @Test("Failed calls report the reason")
  func errors() throws {
    #expect(throws: Errno.noSuchFileOrDirectory) { try Descriptor(opening: path.appending("a"), .readOnly) }
    #expect(throws: Errno.isDirectory) { try Descriptor(opening: path, .writeOnly) }
    let file = try Descriptor(opening: path.appending("a"), [.createNew, .writeOnly], 0o600)
    #expect(throws: Errno.notDirectory) { try Descriptor(opening: path.appending("a/b"), .readOnly) }
    #expect(throws: Errno.fileExists) { try Descriptor(opening: path.appending("a"), [.createNew, .writeOnly], 0o600) }
    #expect(try FileStatus(of: file).permissions == 0o600)
    #expect(throws: Errno.directoryNotEmpty) { try path.removeFolder() }
    #expect("\(Errno.directoryNotEmpty)" == "the directory is not empty")
  }

  @Test("Bytes are written and read at any offset up to the end of the file")
  func bytes() throws {
    let file = try Descriptor(temporaryIn: path)
    try file.write([1, 2, 3], at: 4)
    var buffer = [UInt8](repeating: 9, count: 6)
    #expect(try file.read(at: 2, into: &buffer) == 5)
    #expect(buffer == [0, 0, 1, 2, 3, 9])
    try file.truncate(to: 5)
    #expect(try FileStatus(of: file).size == 5 && file.position() == 0)
    #expect(try path.isEmptyFolder())
    #expect(!file.isClosed)
    try file.close()
    #expect(file.isClosed)
  }

  @Test("A lock has one owner and is released when the file is closed")
  func locks() throws {
    let name = path.appending("a")
    let first = try Descriptor(opening: name, [.createNew, .writeOnly], 0o600)
    let second = try Descriptor(opening: name, .readOnly)
    try first.lock()
    #expect(throws: Errno.wouldBlock) { try second.lock() }
    try first.close()
    try second.lock()
  }

  @Test("Names are changed relative to an open folder")
  func names() throws {
    let parent = try Descriptor(folder: path)
    try parent.makeFolder("in", 0o700)
    for name in ["a", "b"] as [Pathname] {
      _ = try Descriptor(opening: name, from: parent, [.createNew, .writeOnly], 0o600)
    }
    #expect(throws: Errno.fileExists) { try parent.renameWithoutReplacing("a", to: "b") }
    try parent.renameWithoutReplacing("a", to: "c")
    try parent.rename("c", to: "b")
    let entries = try path.entries().sorted { $0.name.description < $1.name.description }
    #expect(entries.map(\.name) == ["b", "in"] && entries.map(\.kind) == [.regular, .directory])
    try parent.remove("b")
    try parent.removeFolder("in")
    #expect(try path.isEmptyFolder())
  }
}
