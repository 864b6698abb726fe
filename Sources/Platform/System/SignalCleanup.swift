package import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The temporary files and folders that a signal handler removes, in memory that the handler may read.
///
/// This is the only global mutable state, because a signal handler receives no other context.
package enum SignalCleanup {
  /// Enough for every program here. A name that does not fit is simply not removed by a signal.
  private static let count = 64

  @safe private struct Slot {
    var folder: Int32 = 0
    /// The flags of `unlinkat`: 0 for a file, `AT_REMOVEDIR` for a folder.
    var flags: Int32 = 0
    /// `nil` in a free slot. Never freed, because a handler in another thread may be reading it.
    var name: UnsafeMutablePointer<CChar>?
  }

  nonisolated(unsafe) private static let slots = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    unsafe slots.initialize(repeating: Slot(), count: count)
    return unsafe slots
  }()

  /// The handler reads the table without taking this lock.
  private static let monitor = Monitor(())

  /// Allocates the memory, because a handler must not.
  static func prepare() { _ = unsafe (slots, monitor) }

  /// Adds a temporary file `name` in `folder`, or a folder of that name if `isFolder` is set, and returns its index in
  /// the table.
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

  /// Removes the entry at `index`, which `add` returned.
  package static func remove(_ index: Int?) {
    guard let index else { return }
    locked { unsafe slots[index].name = nil }
  }

  /// Removes all recorded files and empty folders; for signal handlers.
  static func removeAll() {
    for index in 0..<count {
      if let name = unsafe slots[index].name { _ = unsafe unlinkat(slots[index].folder, name, slots[index].flags) }
    }
  }

  /// Runs `body` while neither another thread nor a signal handler of this one reads the table.
  private static func locked<Result>(_ body: () -> Result) -> Result {
    var all = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return monitor { _ in body() }
  }
}
