package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file descriptor, closed when its last reference is released.
///
/// Several threads may read and write at offsets at the same time. Only a caller that knows that no other thread uses
/// it may close or release it.
package final class Descriptor: @unchecked Sendable {
  /// The system's number for it, or -1 after `close()`.
  package private(set) var number: Int32
  /// Whether this process holds the lock of the file.
  private var isLocked = false

  package init(owning number: Int32) { self.number = number }

  deinit { try? close() }

  /// Opens `path`, resolved from `folder`.
  package convenience init(
    opening path: Pathname, from folder: Descriptor? = nil, _ options: OpenOptions, _ permissions: Permissions = 0
  ) throws(Errno) {
    let start = folder?.number ?? AT_FDCWD
    let flags = options.rawValue | O_CLOEXEC
    self.init(owning: try uninterrupted { unsafe openat(start, path.cString, flags, permissions.mode) })
  }

  /// Another descriptor for the file that `number` has open; both share the position and the append mode.
  package convenience init(duplicating number: Int32) throws(Errno) {
    self.init(owning: try checked(fcntl(number, F_DUPFD_CLOEXEC, 3)))
  }

  /// Passes the number to the caller, which must close it.
  func release() -> Int32 {
    defer { number = -1 }
    return number
  }

  package var isClosed: Bool { number < 0 }

  /// Closes the descriptor. Some file systems report failed writes only here.
  package func close() throws(Errno) {
    if number < 0 { return }
    defer { number = -1 }
    // If another thread starts a program at this moment, the child has copies of all descriptors until it calls exec.
    // Such copies keep the lock of a file that is only closed.
    if isLocked { _ = flock(number, LOCK_UN) }
    // Linux has closed the descriptor even when it reports EINTR.
    if systemClose(number) != 0, errno != EINTR { throw .current }
  }

  /// Locks the file until `close`; fails with `wouldBlock` if another process holds the lock.
  package func lock() throws(Errno) {
    _ = try uninterrupted { flock(number, LOCK_EX | LOCK_NB) }
    isLocked = true
  }
}

// Functions whose names are hidden by members of types.
func systemClose(_ number: Int32) -> Int32 { close(number) }
func systemRead(_ number: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, start, count)
}
func systemWrite(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, start, count)
}
