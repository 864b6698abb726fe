import MP4Bytes
import MP4FileIO
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct LockTests {
  let folder = TemporaryFolder()

  /// Copies of all descriptors of the file at `path`, like those a child process has while another thread is starting
  /// it.
  private func copies(of path: Pathname) -> [Int32] {
    var (wanted, found) = (stat(), stat())
    guard unsafe stat(path.c, &wanted) == 0 else { return [] }
    let numbers = (3..<Int32(1024)).filter { number in
      unsafe fstat(number, &found) == 0 && found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
    }
    return numbers.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
  }

  @Test("A folder is unlocked when its owner closes it, even while a starting child process has it open")
  func ownedFolder() throws {
    let owner = try LockedDirectory("cache", in: folder.path)
    let copies = copies(of: folder("cache"))
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    #expect(throws: (any Error).self) { try LockedDirectory("cache", in: folder.path) }
    owner.close()
    try LockedDirectory("cache", in: folder.path).close()
  }

  @Test("The same applies to a file that was changed in place")
  func inPlaceFile() throws {
    folder("file").store([1, 2, 3])
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    do {
      let file = try InPlaceFile(folder("file"))
      copies = self.copies(of: folder("file")).filter { fcntl($0, F_GETFL) & O_ACCMODE == O_RDWR }
      #expect(copies.count == 1)
      #expect(throws: (any Error).self) { try InPlaceFile(folder("file")) }
      withExtendedLifetime(file) {}
    }
    let another = unsafe open(folder("file").c, O_RDONLY | O_CLOEXEC)
    defer { close(another) }
    #expect(flock(another, LOCK_EX | LOCK_NB) == 0)
  }
}
