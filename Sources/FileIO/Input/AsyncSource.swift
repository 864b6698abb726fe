public import MP4Bytes
import MP4Platform

/// Bytes that an asynchronous closure returns: from a server, a database, or an actor.
///
/// Small reads are answered from blocks that were read before, and reads in sequence ask for more and more bytes at a
/// time. The closure runs in a task, one at a time, which is cancelled with the operation that reads. Use such a source
/// with the asynchronous functions of this library, which wait for it in threads of their own.
public final class AsyncSource: ByteSource {
  /// Its name in messages.
  public let name: String
  /// The number of bytes; `nil` if unknown before the end has been read.
  public var byteCount: Int? { given ?? state { $0.byteCount } }

  private let given: Int?
  private let state: Monitor<Reader>

  /// A source whose bytes come from `bytes`.
  ///
  /// - Parameters:
  ///   - name: Its name in messages.
  ///   - byteCount: The number of bytes; `nil` if unknown.
  ///   - blockSize: The number of bytes of the smallest request, except at the end.
  ///   - bytes: Returns the bytes of a range; fewer only if the source ends in it and its size is unknown. A thrown
  ///     error, or another number of bytes, becomes an `IOError` of reading.
  public init(
    name: String, byteCount: Int?, blockSize: Int = 64 << 10,
    bytes: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
  ) {
    (self.name, given) = (name, byteCount)
    state = Monitor(Reader(name, byteCount, blockSize: max(1, blockSize), bytes))
  }

  /// Reads from `offset` on; fewer bytes than requested mean the end.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    // A task that waits for another one can keep it from running.
    guard Cancellation.current != nil || !Self.isInTask else {
      let reason = "this source is asynchronous; call the asynchronous form of the function, or MediaThread.run"
      throw IOError(.read, file: name, offset: offset, reason: reason)
    }
    var done = 0
    while done < buffer.byteCount {
      let wanted = offset + done..<offset + buffer.byteCount
      let bytes = try state { (reader) throws(IOError) in try reader.bytes(at: wanted) }
      if bytes.isEmpty { break }
      unsafe buffer.withUnsafeMutableBytes { target in
        unsafe bytes.withUnsafeBytes { unsafe target[done...].copyBytes(from: $0) }
      }
      done += bytes.count
    }
    return done
  }

  private static var isInTask: Bool { unsafe withUnsafeCurrentTask { unsafe $0 != nil } }
}

extension ByteSource where Self == AsyncSource {
  /// Bytes that an asynchronous closure returns; see ``AsyncSource``.
  public static func ranges(
    name: String, byteCount: Int?, blockSize: Int = 64 << 10,
    bytes: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
  ) -> AsyncSource {
    AsyncSource(name: name, byteCount: byteCount, blockSize: blockSize, bytes: bytes)
  }
}

/// The known parts of an asynchronous source.
private struct Reader {
  private let name: String
  private(set) var byteCount: Int?
  private let read: @Sendable (Range<Int>) async throws -> [UInt8]
  private var cache: RecentBlocks
  /// The blocks after the latest requests, from which reading is likely to continue, and the number of blocks of these
  /// requests. Tracks that are stored separately are read alternately.
  private var lanes: [(next: Int, count: Int)] = []
  private static let laneLimit = 4
  /// The number of blocks of the largest request.
  private static let mostBlocks = 16

  init(
    _ name: String, _ byteCount: Int?, blockSize: Int, _ read: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
  ) {
    (self.name, self.byteCount, self.read) = (name, byteCount, read)
    cache = RecentBlocks(blockSize: blockSize)
  }

  /// The bytes from the start of the range to the end of its block, or of the range; empty at the end of the source.
  mutating func bytes(at range: Range<Int>) throws(IOError) -> ArraySlice<UInt8> {
    let number = range.lowerBound / cache.blockSize
    if range.lowerBound >= byteCount ?? .max { return [] }
    var bytes = cache.block(number)
    if bytes == nil { bytes = try request(number, upTo: (range.upperBound - 1) / cache.blockSize) }
    return (bytes ?? []).dropFirst(range.lowerBound % cache.blockSize).prefix(range.count)
  }

  /// Asks for a block and for those that are likely to be read next, at least up to `last`; returns the first one.
  private mutating func request(_ number: Int, upTo last: Int) throws(IOError) -> ArraySlice<UInt8> {
    var count = min(last - number + 1, Self.mostBlocks)
    if let lane = lanes.firstIndex(where: { $0.next == number }) {
      count = min(max(count, lanes.remove(at: lane).count * 4), Self.mostBlocks)
    }
    if let known = (1..<max(2, count)).first(where: { cache.has(number + $0) }) { count = min(count, known) }
    if lanes.count >= Self.laneLimit { lanes.removeFirst() }
    lanes.append((number + count, count))
    let start = number * cache.blockSize
    // A damaged file can refer to any offset.
    let end = start + min(count * cache.blockSize, Int.max - start)
    let given = try wait(start..<min(byteCount ?? .max, end))
    for index in 0..<count {
      let block = given.dropFirst(index * cache.blockSize).prefix(cache.blockSize)
      if index == 0 || !block.isEmpty { cache.keep(block, number + index) }
    }
    return given.prefix(cache.blockSize)
  }

  /// Runs the closure in a task, and waits for it.
  private mutating func wait(_ range: Range<Int>) throws(IOError) -> ArraySlice<UInt8> {
    let answer = Monitor<Result<[UInt8], any Error>?>(nil)
    let task = Task { [read] in
      let result: Result<[UInt8], any Error>
      do { result = .success(try await read(range)) } catch { result = .failure(error) }
      answer.change { $0 = result }
    }
    let result: Result<[UInt8], any Error>
    if let cancellation = Cancellation.current {
      result = Workers.whileWaiting {
        while !cancellation.isRequested {
          if let result = answer.wait(milliseconds: 10, until: { $0 }) { return result }
        }
        task.cancel()
        return answer.wait { $0 }
      }
    } else {
      // A thread of the caller.
      result = answer.wait { $0 }
    }
    try Cancellation.check(.read, of: name)
    switch result {
    case .success(let bytes) where bytes.count == range.count: return bytes[...]
    case .success(let bytes) where bytes.count < range.count && byteCount == nil:
      byteCount = range.lowerBound + bytes.count
      return bytes[...]
    case .success(let bytes):
      let reason = "it returned \(counted(bytes.count, "byte")) instead of \(range.count)"
      throw IOError(.read, file: name, offset: range.lowerBound, reason: reason)
    case .failure(let error as IOError): throw error
    case .failure(let error): throw IOError(reading: name, at: range.lowerBound, error)
    }
  }
}
