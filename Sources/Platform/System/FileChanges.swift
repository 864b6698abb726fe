package import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits until a folder or a file changes. Linux reports changes; other systems are polled.
package final class FileChanges {
  /// Whether a process closed a file after writing to it.
  package private(set) var isClosed = false
  #if os(Linux)
    private let events: Descriptor?
    /// How long no change was reported. Network file systems do not report changes made by other machines.
    private var silence = 0
    private static let longestSilence = 500
  #endif
  private static let step = 20

  /// Watches the file or folder at `path`.
  package init(_ path: Pathname) {
    #if os(Linux)
      let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      events = number < 0 ? nil : Descriptor(owning: number)
      let mask =
        UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_CLOSE_WRITE)
      if let events { _ = unsafe inotify_add_watch(events.number, path.cString, mask) }
    #endif
  }

  /// Waits for a change, for at most `milliseconds`; returns whether something may have changed.
  package func wait(milliseconds: Int) -> Bool {
    #if os(Linux)
      if let events {
        if events.waitToRead(milliseconds: milliseconds) {
          takeEvents(events)
          silence = 0
          return true
        }
        silence += milliseconds
        guard silence >= Self.longestSilence else { return false }
        silence = 0
        return true
      }
    #endif
    SystemClock.sleep(milliseconds: min(milliseconds, Self.step))
    return true
  }
}

#if os(Linux)
  extension FileChanges {
    /// Reads the events; only the closing of files matters.
    private func takeEvents(_ events: Descriptor) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(events.number, $0.baseAddress, $0.count) }
        if count <= 0 { return }
        var start = 0
        // An event consists of the watch, the kind of event, a cookie, and the length of the name that follows.
        while start + 16 <= count {
          let numbers = unsafe buffer.withUnsafeBytes { bytes in
            [4, 12].map { unsafe bytes.loadUnaligned(fromByteOffset: start + $0, as: UInt32.self) }
          }
          if numbers[0] & UInt32(IN_CLOSE_WRITE) != 0 { isClosed = true }
          start += 16 + Int(numbers[1])
        }
      }
    }
  }
#endif
