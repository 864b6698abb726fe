package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file descriptor, closed when nothing holds it any more.
///
/// Several threads may read and write at offsets at once. Closing and releasing it is for one that knows that no other
/// uses it.
package final class Descriptor: @unchecked Sendable {
  /// What the system calls it, or -1 after `close()`.
  package private(set) var number: Int32
  /// Whether this process holds the lock of the file.
  private var isLocked = false

  package init(owning number: Int32) { self.number = number }

  deinit { try? close() }

  /// Opens `path`, seen from `folder`.
  package convenience init(
    opening path: Pathname, from folder: Descriptor? = nil, _ options: OpenOptions, _ permissions: Permissions = 0
  ) throws(Errno) {
    let start = folder?.number ?? AT_FDCWD
    let flags = options.rawValue | O_CLOEXEC
    self.init(owning: try uninterrupted { unsafe openat(start, path.cString, flags, permissions.mode) })
  }

  /// Another descriptor of what `number` has open; they share position and append mode.
  package convenience init(duplicating number: Int32) throws(Errno) {
    self.init(owning: try checked(fcntl(number, F_DUPFD_CLOEXEC, 3)))
  }

  /// Hands the number over to the caller, which closes it.
  func release() -> Int32 {
    defer { number = -1 }
    return number
  }

  /// Whether it was closed.
  package var isClosed: Bool { number < 0 }

  /// Closes the descriptor; some file systems report only now that writing failed.
  package func close() throws(Errno) {
    if number < 0 { return }
    defer { number = -1 }
    // A program that another thread starts at this moment has copies of all descriptors until it runs. They keep a lock
    // that is only closed.
    if isLocked { _ = flock(number, LOCK_UN) }
    // Linux has closed the descriptor even when it says EINTR.
    if systemClose(number) != 0, errno != EINTR { throw .current }
  }

  /// Takes the lock of the file, which is released by `close`; fails with `wouldBlock` where another program has it.
  package func lock() throws(Errno) {
    _ = try uninterrupted { flock(number, LOCK_EX | LOCK_NB) }
    isLocked = true
  }
}

// Names that members of types hide.
func systemClose(_ number: Int32) -> Int32 { close(number) }
func systemRead(_ number: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, start, count)
}
func systemWrite(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, start, count)
}
