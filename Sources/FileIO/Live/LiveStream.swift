import MP4Bytes
import MP4Platform

/// A pipe, a terminal or a file, read to its end as data arrives.
final class LiveStream: LiveInput {
  let name: String
  private let descriptor: Descriptor
  private var buffer = [UInt8](repeating: 0, count: LiveStream.bufferCount)
  private var offset = 0

  /// Several times the default capacity of a pipe on Linux.
  static let bufferCount = 256 << 10

  init(_ descriptor: Descriptor, name: String) { (self.descriptor, self.name) = (descriptor, name) }

  func next(waiting time: Duration) throws(IOError) -> LiveInputEvent {
    guard descriptor.waitToRead(milliseconds: time.milliseconds) else { return .nothing }
    let count = try attempt(.read, name, offset: offset, descriptor.readNext(into: &buffer))
    offset += count
    return count == 0 ? .end : .bytes(buffer[..<count])
  }
}
