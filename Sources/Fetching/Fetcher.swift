public import MP4Bytes
internal import MP4FileIO
public import MP4HLS
import MP4Platform
import MP4Processes

/// Fetches remote resources with the system's `curl` program, which handles TLS, proxies and protocols.
///
/// ```swift
/// if let address = WebAddress("https://example.com/master.m3u8") {
///   let (bytes, response) = try Fetcher().bytes(address, limit: 16 << 20)
///   print(bytes.count, response.address, response.contentType as Any)
/// }
/// ```
public struct Fetcher: Sendable {
  /// Its options.
  public var options: FetchOptions

  /// Creates a fetcher.
  public init(_ options: FetchOptions = FetchOptions()) { self.options = options }

  /// Fails if the program is not installed, so that this can be reported before `address` is needed.
  public func checkProgram(for address: WebAddress) throws(FetchError) {
    do throws(Errno) { _ = try ChildProcess(options.program, ["--version"]).waitForEnd() } catch {
      throw FetchError(startOf: options.program, error, address)
    }
  }

  /// Fetches `address` into memory, at most `limit` bytes.
  ///
  /// - Parameters:
  ///   - address: The resource.
  ///   - range: The bytes to fetch, or `nil` for all; an upper bound of `Int.max` means the end.
  ///   - limit: The maximum size.
  ///   - onProgress: Called several times per second with the number of bytes received; returns whether to continue.
  /// - Returns: The bytes, and the header of the response.
  public func bytes(
    _ address: WebAddress, range: Range<Int>? = nil, limit: Int, onProgress: (Int) -> Bool = { _ in true }
  ) throws(FetchError) -> (bytes: [UInt8], response: FetchResponse) {
    let target = MemoryTarget(limit: limit)
    let response = try run(Download(address, range: range, isCompressed: range == nil, to: target), onProgress)
    return (target.bytes, response)
  }

  /// Fetches `address` to the file `path`, which appears under its final name when it is complete.
  ///
  /// - Parameters:
  ///   - address: The resource.
  ///   - range: The bytes to fetch, or `nil` for all; an upper bound of `Int.max` means the end.
  ///   - path: The file to write.
  ///   - onProgress: Called several times per second with the number of bytes received; returns whether to continue.
  /// - Returns: The header of the response.
  @discardableResult
  public func file(
    _ address: WebAddress, range: Range<Int>? = nil, to path: Pathname, onProgress: (Int) -> Bool = { _ in true }
  ) throws(FetchError) -> FetchResponse {
    try run(Download(address, range: range, to: FileTarget(path)), onProgress)
  }

  private func run(_ download: Download, _ onProgress: (Int) -> Bool) throws(FetchError) -> FetchResponse {
    let downloads = Downloads(options)
    downloads.add(download)
    while !downloads.isEmpty {
      _ = downloads.wait(milliseconds: 200)
      if !onProgress(download.received) { download.stop() }
    }
    switch download.result {
    case .success(let response): return response
    case .failure(let error): throw error
    case nil: throw FetchError(.stopped, download.address)
    }
  }

  /// Requests `address` and returns when the header of the response has arrived. Redirects are followed. Statuses other
  /// than 200, 206 and, with `known`, 304 are errors, and there are no retries.
  ///
  /// - Parameters:
  ///   - address: The resource.
  ///   - range: The bytes to fetch, or `nil` for all; an upper bound of `Int.max` means the end. A server without range
  ///     support responds with status 200 and the whole resource.
  ///   - validator: The `FetchResponse.validator` of bytes received before: if the resource has changed,
  ///     the response has status 200 and the whole resource.
  ///   - known: The `FetchResponse.validator` of the cached version: if the resource has not changed, the response has
  ///     status 304 and no bytes.
  ///   - unpacks: Whether a whole resource that is stored compressed is decompressed; its header then declares neither
  ///     a coding nor a length.
  ///   - isStopped: Asked several times per second whether to stop.
  /// - Returns: The response, whose bytes have not arrived yet.
  public func stream(
    _ address: WebAddress, range: Range<Int>? = nil, validator: String? = nil, known: String? = nil,
    unpacks: Bool = false, isStopped: () -> Bool = { false }
  ) throws(FetchError) -> FetchStream {
    var request = FetchRequest(address: address, range: range, validator: validator, known: known, first: address)
    request.unpacks = unpacks && range == nil
    for _ in 0...Download.mostRedirections {
      let transfer = try Transfer(request, options)
      let response = try FetchStream.response(of: transfer, isStopped)
      guard let target = try response.redirection else {
        guard [200, 206].contains(response.status) || response.status == 304 && known != nil else {
          throw FetchError(.status(response.status), address)
        }
        return FetchStream(request.unpacks ? response.unpacked : response, transfer)
      }
      request.address = target
    }
    throw FetchError(.tooManyRedirections(limit: Download.mostRedirections), address)
  }
}

/// A response whose bytes are read as they arrive.
public final class FetchStream {
  /// Its header.
  public let response: FetchResponse
  private let transfer: Transfer

  init(_ response: FetchResponse, _ transfer: Transfer) {
    self.response = response
    self.transfer = transfer
  }

  deinit { transfer.stop() }

  /// Waits for the next bytes, at least one; `nil` at the end. `isStopped` is asked several times per second
  /// whether to stop.
  public func next(isStopped: () -> Bool = { false }) throws(FetchError) -> [UInt8]? {
    while true {
      switch try transfer.next() {
      case .bytes(let bytes): return bytes
      case .ended: return nil
      case .response: continue
      case .nothing: try FetchStream.wait(for: transfer, isStopped)
      }
    }
  }

  /// Cancels the transfer.
  public func stop() { transfer.stop() }

  static func response(of transfer: Transfer, _ isStopped: () -> Bool) throws(FetchError) -> FetchResponse {
    while true {
      switch try transfer.next() {
      case .response(let response): return response
      case .nothing: try wait(for: transfer, isStopped)
      case .bytes, .ended: throw FetchError(.damaged("the server sent no response"), transfer.request.address)
      }
    }
  }

  private static func wait(for transfer: Transfer, _ isStopped: () -> Bool) throws(FetchError) {
    ChildProcess.wait(for: [transfer.process], milliseconds: 200)
    if isStopped() {
      transfer.stop()
      throw FetchError(.stopped, transfer.request.address)
    }
  }
}

extension Fetcher: Transport {
  /// Returns the bytes of a resource or a part of it, and its address after redirects.
  public func fetch(
    _ address: WebAddress, range: Range<Int>?, limit: Int, isStopped: () -> Bool
  ) throws(FetchError) -> (bytes: [UInt8], address: WebAddress) {
    let answer = try bytes(address, range: range, limit: limit) { _ in !isStopped() }
    return (answer.bytes, answer.response.address)
  }

  /// Returns a resource of which only the ranges that are read are fetched, if the server supports that.
  public func source(_ address: WebAddress, limit: Int) throws(FetchError) -> any ByteSource {
    try RangeSource.open(address, options)
  }
}
