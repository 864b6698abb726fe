public import MP4Bytes
import MP4FileIO
public import MP4HLS
import MP4Platform

/// A remote file of which only the ranges that are read are fetched, with conditional requests that detect
/// changes.
///
/// Sequential reads fetch growing ranges, so that media is streamed; skipped parts are not fetched. From a
/// server without range support the whole file is fetched, see ``open(_:_:scratch:onProgress:)``.
public final class RangeSource: ByteSource {
  /// The URL without user and password.
  public let name: String
  /// The size of the file.
  public let size: Int
  /// The size of the file; always known.
  public var byteCount: Int? { size }
  /// The number of requests.
  public var requests: Int { reader { $0.requests } }
  /// The number of bytes received.
  public var received: Int { reader { $0.received } }

  private let reader: Monitor<RangeReader>

  /// Opens the file at `address`. If the server does not support ranges, the whole file is fetched into `scratch`.
  ///
  /// - Parameters:
  ///   - address: The file.
  ///   - options: How it is fetched.
  ///   - scratch: The storage for a whole file.
  ///   - onProgress: Called while the whole file is fetched with the number of bytes received and the total; returns
  ///     whether to continue.
  public static func open(
    _ address: WebAddress, _ options: FetchOptions = FetchOptions(), scratch: ScratchSpace = ScratchSpace(),
    onProgress: (_ received: Int, _ expected: Int?) -> Bool = { _, _ in true }
  ) throws(FetchError) -> any ByteSource {
    let fetcher = Fetcher(options)
    func isStopped() -> Bool { !onProgress(0, nil) }
    let stream: FetchStream
    do throws(FetchError) {
      stream = try fetcher.retrying(isStopped) { () throws(FetchError) in
        try fetcher.stream(address, range: 0..<RangeReader.firstWindow, isStopped: isStopped)
      }
    } catch {
      // A range request for an empty file fails with status 416.
      guard error.problem == .status(416) else { throw error }
      return try whole(address, options, scratch, onProgress)
    }
    let response = stream.response
    if response.status == 206, response.contentCoding == nil, response.contentRange?.lowerBound == 0,
      let size = response.totalLength
    {
      return RangeSource(address, stream, size: size, options)
    }
    guard response.status == 200, response.contentCoding == nil else {
      stream.stop()
      return try whole(address, options, scratch, onProgress)
    }
    do throws(FetchError) {
      return try rest(of: stream, address, scratch, onProgress)
    } catch {
      guard error.isPassing else { throw error }
      return try whole(address, options, scratch, onProgress)
    }
  }

  /// The response of a server to a range request.
  private static func rest(
    of stream: FetchStream, _ address: WebAddress, _ scratch: ScratchSpace,
    _ onProgress: (_ received: Int, _ expected: Int?) -> Bool
  ) throws(FetchError) -> any ByteSource {
    let (target, expected) = (ScratchTarget(scratch, name: address.description), stream.response.contentLength)
    var received = 0
    while let bytes = try stream.next(isStopped: { !onProgress(received, expected) }) {
      received += bytes.count
      do throws(IOError) { try target.append(bytes) } catch { throw FetchError(.io(error), address) }
      guard onProgress(received, expected) else { throw FetchError(.stopped, address) }
    }
    if let expected, received < expected {
      throw FetchError(.failed("the connection ended after \(received) of \(expected) bytes", isPassing: true), address)
    }
    do throws(IOError) { try target.finish() } catch { throw FetchError(.io(error), address) }
    guard let source = target.source else { throw FetchError(.stopped, address) }
    return source
  }

  private static func whole(
    _ address: WebAddress, _ options: FetchOptions, _ scratch: ScratchSpace,
    _ onProgress: (_ received: Int, _ expected: Int?) -> Bool
  ) throws(FetchError) -> any ByteSource {
    let target = ScratchTarget(scratch, name: address.description)
    let download = Download(address, to: target)
    let downloads = Downloads(options)
    downloads.add(download)
    while !downloads.isEmpty {
      _ = downloads.wait(milliseconds: 200)
      if !onProgress(download.received, download.expected) { download.stop() }
    }
    if case .failure(let error) = download.result { throw error }
    guard let source = target.source else { throw FetchError(.stopped, address) }
    return source
  }

  private init(_ address: WebAddress, _ stream: FetchStream, size: Int, _ options: FetchOptions) {
    (name, self.size) = (address.description, size)
    reader = Monitor(RangeReader(address, stream, size: size, options))
  }

  /// Reads from `offset` on; fewer bytes than requested mean the end.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, max(size - offset, 0))
    var done = 0
    while done < wanted {
      let at = offset + done
      let bytes: ArraySlice<UInt8>
      do throws(FetchError) {
        bytes = try reader { reader throws(FetchError) in try reader.block(at / RangeReader.blockSize) }
      } catch {
        if case .io(let error) = error.problem { throw error }
        throw IOError(.read, file: name, offset: at, reason: error.reason)
      }
      let part = bytes.dropFirst(at % RangeReader.blockSize).prefix(wanted - done)
      unsafe buffer.withUnsafeMutableBytes { target in
        unsafe part.withUnsafeBytes { unsafe target[done...].copyBytes(from: $0) }
      }
      done += part.count
    }
    return done
  }
}

/// The fetched parts of a remote file, and its transfers.
struct RangeReader {
  private let size: Int
  private(set) var requests = 0
  private(set) var received = 0
  private let address: WebAddress
  /// The address of the file after redirects.
  private let found: WebAddress
  private let validator: String?
  private let fetcher: Fetcher
  private var cache = RecentBlocks(blockSize: blockSize)
  private var lanes: [Lane] = []
  private var clock = 0

  static let blockSize = 64 << 10
  /// Tracks that are stored separately are read alternately.
  private static let maxLanes = 4
  static let firstWindow = 64 << 10
  private static let largestWindow = 1 << 30
  /// Gaps smaller than this are read instead of skipped.
  private static let smallGap = 256 << 10

  /// A position from which the file is read sequentially.
  private final class Lane {
    /// The next byte, at the start of a block.
    var position: Int
    /// The size of the next request.
    var window: Int
    /// The end of the current range.
    var end: Int
    var stream: FetchStream?
    /// Bytes that were received and not used yet.
    var pending: [UInt8] = []
    var used = 0

    init(at position: Int, window: Int) { (self.position, self.window, end) = (position, window, position) }
  }

  init(_ address: WebAddress, _ stream: FetchStream, size: Int, _ options: FetchOptions) {
    (self.address, self.size) = (address, size)
    found = stream.response.address
    validator = stream.response.validator
    var options = options
    options.start = options.start ?? address
    fetcher = Fetcher(options)
    let lane = Lane(at: 0, window: Self.firstWindow)
    lane.stream = stream
    lane.end = min(stream.response.contentRange?.upperBound ?? 0, size)
    lanes = [lane]
    requests = 1
  }

  // MARK: Blocks

  mutating func block(_ number: Int) throws(FetchError) -> ArraySlice<UInt8> {
    if let known = cache.block(number) { return known }
    clock += 1
    let start = number * Self.blockSize
    let lane = lane(for: start)
    lane.used = clock
    while true {
      let at = lane.position
      let bytes = try take(from: lane)
      cache.keep(bytes[...], at / Self.blockSize)
      if at >= start { return bytes[...] }
    }
  }

  /// The lane that reaches `start` soonest: one whose next byte it is, or that skips only a few bytes; otherwise a new
  /// one.
  private mutating func lane(for start: Int) -> Lane {
    let near = lanes.filter { lane in
      let gap = start - lane.position
      return gap == 0 || gap > 0 && gap <= Self.smallGap && lane.stream != nil && start < lane.end
    }
    if let lane = near.max(by: { $0.position < $1.position }) { return lane }
    if lanes.count >= Self.maxLanes, let oldest = lanes.min(by: { $0.used < $1.used }) {
      oldest.stream?.stop()
      lanes.removeAll { $0 === oldest }
    }
    let lane = Lane(at: start, window: 0)
    lanes.append(lane)
    return lane
  }

  // MARK: Fetching

  /// The next block of a lane.
  private mutating func take(from lane: Lane) throws(FetchError) -> [UInt8] {
    let count = min(Self.blockSize, size - lane.position)
    var attempts = FetchAttempts(fetcher.options)
    while lane.pending.count < count {
      do throws(FetchError) {
        if lane.stream == nil { try ask(lane) }
        if let bytes = try lane.stream?.next() {
          lane.pending += bytes
          received += bytes.count
          continue
        }
        lane.stream = nil
        guard lane.position + lane.pending.count < lane.end else { continue }
        throw FetchError(.failed("the connection ended early", isPassing: true), address)
      } catch {
        lane.stream?.stop()
        lane.stream = nil
        guard let wait = attempts.wait(after: error, received: received) else { throw error }
        SystemClock.sleep(milliseconds: wait)
      }
    }
    let bytes = Array(lane.pending.prefix(count))
    lane.pending.removeFirst(count)
    lane.position += count
    return bytes
  }

  /// Requests the next range of a lane, which is larger than the previous one.
  private mutating func ask(_ lane: Lane) throws(FetchError) {
    let start = lane.position + lane.pending.count
    lane.window = lane.window == 0 ? Self.firstWindow : min(lane.window * 4, Self.largestWindow)
    let range = start..<min(size, start + lane.window)
    requests += 1
    var stream: FetchStream
    do throws(FetchError) {
      stream = try fetcher.stream(found, range: range, validator: validator)
    } catch {
      // The target of a redirect may be valid for a limited time only.
      guard case .status(let status) = error.problem, status < 500, found != address else { throw changed(error) }
      do throws(FetchError) {
        stream = try fetcher.stream(address, range: range, validator: validator)
      } catch { throw changed(error) }
    }
    let response = stream.response
    let isSame = response.totalLength == size && (validator == nil || response.validator == validator)
    guard isSame else {
      stream.stop()
      throw FetchError(.changed, address)
    }
    guard response.status == 206, let given = response.contentRange, given.lowerBound == start else {
      stream.stop()
      throw FetchError(.noRanges, address)
    }
    (lane.stream, lane.end) = (stream, min(given.upperBound, size))
  }

  /// The error for a file that has become shorter.
  private func changed(_ error: FetchError) -> FetchError {
    error.problem == .status(416) ? FetchError(.changed, address) : error
  }
}

extension Fetcher {
  /// Runs an operation that may fail temporarily, with retries.
  func retrying<Value>(
    _ isStopped: () -> Bool, _ body: () throws(FetchError) -> Value
  ) throws(FetchError) -> Value {
    var attempts = FetchAttempts(options)
    while true {
      do throws(FetchError) { return try body() } catch {
        guard let wait = attempts.wait(after: error), !isStopped() else { throw error }
        SystemClock.sleep(milliseconds: wait)
      }
    }
  }
}
