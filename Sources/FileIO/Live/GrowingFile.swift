public import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is read while it grows. It has ended when its writer has closed it, or when it stays as it is for long.
public final class GrowingFile: LiveInput {
  /// Something that its user may want to know.
  public enum Event: Sendable {
    /// All of it was read, and more is waited for.
    case waits
    /// It has ended as it did not grow for so long.
    case idle(Duration)
  }

  /// What messages call it.
  public let name: String
  /// Called with what happens, each event once.
  public var onEvent: ((Event) -> Void)?
  /// Nothing follows in a file that a writer has finished.
  public var endsWithMovie: Bool { true }

  private let descriptor: Descriptor
  private let changes: any Changes
  private let idle: Duration
  /// The time, by a clock that never goes back.
  private let now: () -> Duration
  private var offset = 0
  /// When it had more the last time.
  private var grown: Duration
  private var hasWaited = false
  private var buffer = [UInt8](repeating: 0, count: LiveStream.bufferCount)

  init(
    _ descriptor: Descriptor, name: String, _ changes: any Changes, idle: Duration, now: @escaping () -> Duration
  ) {
    (self.descriptor, self.name, self.changes, self.idle, self.now) = (descriptor, name, changes, idle, now)
    grown = now()
  }

  /// Waits for what comes next, at most for so many milliseconds.
  public func next(waiting milliseconds: Int) throws(IOError) -> LiveArrival {
    // What was written before the file was closed is there.
    let isClosed = changes.isClosed
    if let arrival = try read() { return arrival }
    if isClosed { return .end }
    let rest = idle - (now() - grown)
    if rest <= .zero {
      onEvent?(.idle(idle))
      return .end
    }
    if !hasWaited { onEvent?(.waits) }
    hasWaited = true
    // No less than a millisecond, so that time passes.
    let wait = min(milliseconds, Int(clamping: rest.components.seconds + 1) * 1000)
    return changes.wait(milliseconds: max(1, wait)) ? try read() ?? .nothing : .nothing
  }

  /// The time by a clock that never goes back.
  static var uptime: Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// What it has more than before.
  private func read() throws(IOError) -> LiveArrival? {
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe descriptor.read(at: offset, into: $0) }
    guard let count else { throw IOError(.read, file: name, offset: offset) }
    if count > 0 {
      offset += count
      grown = now()
      return .bytes(buffer[..<count])
    }
    guard let size = FileStatus(of: descriptor.number)?.size, size < offset else { return nil }
    // It was emptied and is written again.
    (offset, grown) = (0, now())
    return .file(name)
  }
}
