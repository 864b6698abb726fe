#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits until something in a folder changes: told by the system on Linux, by looking again and again elsewhere.
final class FolderChanges {
  #if os(Linux)
    private let events: Descriptor?
    /// How long nothing was told; file systems of a network tell nothing of what others write.
    private var silence = 0
    private static let longestSilence = 500
  #endif
  private static let step = 20

  init(_ folder: Path) {
    #if os(Linux)
      let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      events = number < 0 ? nil : Descriptor(owning: number)
      let mask = UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)
      if let events { _ = unsafe inotify_add_watch(events.number, folder.cString, mask) }
    #endif
  }

  /// Whether something may have changed; if not, only after so many milliseconds.
  func wait(milliseconds: Int) -> Bool {
    #if os(Linux)
      if let events {
        var request = pollfd(fd: events.number, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&request, 1, Int32(clamping: milliseconds)) > 0 {
          // What it was does not matter.
          var buffer = [UInt8](repeating: 0, count: 4096)
          while unsafe buffer.withUnsafeMutableBytes({ unsafe read(events.number, $0.baseAddress, $0.count) }) > 0 {}
          silence = 0
          return true
        }
        silence += milliseconds
        guard silence >= Self.longestSilence else { return false }
        silence = 0
        return true
      }
    #endif
    let time = min(milliseconds, Self.step)
    _ = poll(nil, 0, Int32(time))
    return true
  }
}
