package import Bytes
import Platform

/// What reports changes of something that others write.
protocol Changes: AnyObject {
  /// Whether something may have changed; if not, only after so many milliseconds.
  func wait(milliseconds: Int) -> Bool
  /// Whether a process closed a file that it had written to.
  var isClosed: Bool { get }
}

extension FileChanges: Changes {}

/// A file that is read while it grows. It has ended when its writer has closed it, or when it stays as it is for long.
package final class GrowingFile: LiveInput {
  /// Something that its user may want to know.
  package enum Event: Sendable {
    /// All of it was read, and more is waited for.
    case waits
    /// It has ended as it did not grow for so long.
    case idle(Duration)
  }

  /// What messages call it.
  package let name: String
  /// Called with what happens, each event once.
  package var onEvent: ((Event) -> Void)?
  /// Nothing follows in a file that a writer has finished.
  package var endsWithMovie: Bool { true }

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

  /// Waits for what comes next, at most for so long.
  package func next(waiting time: Duration) throws(IOError) -> LiveInputEvent {
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
    let wait = min(time.milliseconds, Int(clamping: rest.components.seconds + 1) * 1000)
    return changes.wait(milliseconds: max(1, wait)) ? try read() ?? .nothing : .nothing
  }

  /// What it has more than before.
  private func read() throws(IOError) -> LiveInputEvent? {
    let count = try attempt(.read, name, offset: offset, descriptor.read(at: offset, into: &buffer))
    if count > 0 {
      offset += count
      grown = now()
      return .bytes(buffer[..<count])
    }
    guard let size = (try? FileStatus(of: descriptor))?.size, size < offset else { return nil }
    // It was emptied and is written again.
    (offset, grown) = (0, now())
    return .file(name)
  }
}
