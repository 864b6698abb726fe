package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The temporary files and folders that a signal removes, in memory that its handler may read.
///
/// This is the one piece of global mutable state there is: a signal handler is handed nothing else.
package enum SignalCleanup {
  /// Enough for any program here; a name that finds no place is only not removed by a signal.
  private static let count = 64

  @safe private struct Slot {
    var folder: Int32 = 0
    /// The flags of `unlinkat`: 0 for a file, `AT_REMOVEDIR` for a folder.
    var flags: Int32 = 0
    /// `nil` in a free slot. Never freed, since a handler in another thread may be reading it.
    var name: UnsafeMutablePointer<CChar>?
  }

  nonisolated(unsafe) private static let slots = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    unsafe slots.initialize(repeating: Slot(), count: count)
    return unsafe slots
  }()

  /// The handler looks at the table without it.
  private static let monitor = Monitor(())

  /// Makes the memory, so that a handler need not.
  static func prepare() { _ = unsafe (slots, monitor) }

  /// Notes that `folder` holds a temporary file `name`, or a folder of that name when `isFolder` says so, and returns
  /// where that was noted.
  package static func add(_ name: Pathname, in folder: Descriptor, isFolder: Bool = false) -> Int? {
    guard let copy = unsafe strdup(name.cString) else { return nil }
    return locked {
      for index in 0..<count where unsafe slots[index].name == nil {
        unsafe slots[index].folder = folder.number
        unsafe slots[index].flags = isFolder ? Int32(AT_REMOVEDIR) : 0
        unsafe slots[index].name = copy
        return index
      }
      return nil
    }
  }

  /// Forgets what `add` noted at `index`.
  package static func remove(_ index: Int?) {
    guard let index else { return }
    locked { unsafe slots[index].name = nil }
  }

  /// Removes all files noted, and those folders in which there is nothing; for signal handlers.
  static func removeAll() {
    for index in 0..<count {
      if let name = unsafe slots[index].name { _ = unsafe unlinkat(slots[index].folder, name, slots[index].flags) }
    }
  }

  /// Runs `body` while neither another thread nor a signal handler of this one looks at the table.
  private static func locked<Result>(_ body: () -> Result) -> Result {
    var all = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return monitor { _ in body() }
  }
}
