import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A pipe, a terminal or a file, read to its end as its bytes come.
final class LiveStream: LiveInput {
  let name: String
  private let descriptor: Descriptor
  private var buffer = [UInt8](repeating: 0, count: LiveStream.bufferCount)
  private var offset = 0

  /// As much as a pipe of Linux holds by default, several times.
  static let bufferCount = 256 << 10

  init(_ descriptor: Descriptor, name: String) { (self.descriptor, self.name) = (descriptor, name) }

  func next(waiting milliseconds: Int) throws(IOError) -> LiveArrival {
    var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    let ready = unsafe poll(&request, 1, Int32(clamping: milliseconds))
    if ready == 0 || (ready < 0 && errno == EINTR) { return .nothing }
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe descriptor.readNext(into: $0) }
    guard let count else { throw IOError(.read, file: name, offset: offset) }
    offset += count
    return count == 0 ? .end : .bytes(buffer[..<count])
  }
}
