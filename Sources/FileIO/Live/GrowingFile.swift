package import MP4Bytes
import MP4Platform

/// Reports changes of a file or folder.
protocol Changes: AnyObject {
  /// Waits for a change, at most this number of milliseconds; returns whether something may have changed.
  func wait(milliseconds: Int) -> Bool
  /// Whether a process has closed a file after writing to it.
  var isClosed: Bool { get }
}

extension FileChanges: Changes {}

/// A file that is read while it grows. It ends when its writer has closed it, or when it has not grown for some time.
package final class GrowingFile: LiveInput {
  /// An event for the user.
  package enum Event: Sendable {
    /// Everything so far was read, and more is expected.
    case waits
    /// It is considered complete because it has not grown for this time.
    case idle(Duration)
  }

  /// Its name in messages.
  package let name: String
  /// Called with each event, at most once.
  package var onEvent: ((Event) -> Void)?
  /// A file whose writer has finished does not continue.
  package var endsWithMovie: Bool { true }

  private let descriptor: Descriptor
  private let changes: any Changes
  private let idle: Duration
  /// The time of a monotonic clock.
  private let now: () -> Duration
  private var offset = 0
  /// When it last grew.
  private var grown: Duration
  private var hasWaited = false
  private var buffer = [UInt8](repeating: 0, count: LiveStream.bufferCount)

  init(
    _ descriptor: Descriptor, name: String, _ changes: any Changes, idle: Duration, now: @escaping () -> Duration
  ) {
    (self.descriptor, self.name, self.changes, self.idle, self.now) = (descriptor, name, changes, idle, now)
    grown = now()
  }

  /// Waits for the next data, at most for this time.
  package func next(waiting time: Duration) throws(IOError) -> LiveInputEvent {
    // If the file was closed before, all of its data can be read now.
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
    // At least 1 millisecond, to avoid a busy loop.
    let wait = min(time.milliseconds, Int(clamping: rest.components.seconds + 1) * 1000)
    return changes.wait(milliseconds: max(1, wait)) ? try read() ?? .nothing : .nothing
  }

  /// The new bytes.
  private func read() throws(IOError) -> LiveInputEvent? {
    let count = try attempt(.read, name, offset: offset, descriptor.read(at: offset, into: &buffer))
    if count > 0 {
      offset += count
      grown = now()
      return .bytes(buffer[..<count])
    }
    guard let size = (try? FileStatus(of: descriptor))?.size, size < offset else { return nil }
    // The file was truncated and is being written again.
    (offset, grown) = (0, now())
    return .file(name)
  }
}
