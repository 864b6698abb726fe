public import Bytes
internal import FileIO
public import HLS
import Platform
import Processes

/// What fetches from servers, by the `curl` program of the system: TLS, proxies and protocols are its work.
///
/// ```swift
/// if let address = WebAddress("https://example.com/master.m3u8") {
///   let (bytes, response) = try Fetcher().bytes(address, limit: 16 << 20)
///   print(bytes.count, response.address, response.contentType as Any)
/// }
/// ```
public struct Fetcher: Sendable {
  /// How it is done.
  public var options: FetchOptions

  /// A fetcher.
  public init(_ options: FetchOptions = FetchOptions()) { self.options = options }

  /// Fails when the program that fetches is not installed, so that this can be reported before `address` is needed.
  public func checkProgram(for address: WebAddress) throws(FetchError) {
    do throws(Errno) { _ = try ChildProcess(options.program, ["--version"]).waitForEnd() } catch {
      throw FetchError(startOf: options.program, error, address)
    }
  }

  /// Fetches the whole of `address` into memory, `limit` bytes at most.
  ///
  /// - Parameters:
  ///   - address: What to fetch.
  ///   - range: Which bytes of it, or `nil` for all; an upper bound of `Int.max` stands for the end.
  ///   - limit: The most bytes that it can have.
  ///   - onProgress: Called several times a second with how many bytes are there; it says whether to go on.
  /// - Returns: The bytes, and what the server said of them.
  public func bytes(
    _ address: WebAddress, range: Range<Int>? = nil, limit: Int, onProgress: (Int) -> Bool = { _ in true }
  ) throws(FetchError) -> (bytes: [UInt8], response: FetchResponse) {
    let target = MemoryTarget(limit: limit)
    let response = try run(Download(address, range: range, isCompressed: range == nil, to: target), onProgress)
    return (target.bytes, response)
  }

  /// Fetches `address` into the file `path`, which bears its name when all bytes are there.
  ///
  /// - Parameters:
  ///   - address: What to fetch.
  ///   - range: Which bytes of it, or `nil` for all; an upper bound of `Int.max` stands for the end.
  ///   - path: The file to make.
  ///   - onProgress: Called several times a second with how many bytes are there; it says whether to go on.
  /// - Returns: What the server said.
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

  /// Asks for `address` and returns when the header of the answer is there; redirections are followed, other statuses
  /// than 200, 206 and, where something is known, 304 are errors, and nothing is tried again.
  ///
  /// - Parameters:
  ///   - address: What to fetch.
  ///   - range: Which bytes of it, or `nil` for all; an upper bound of `Int.max` stands for the end. A server that
  ///     knows no ranges answers with status 200 and the whole.
  ///   - validator: The `FetchResponse.validator` of bytes that are there already: when the resource has changed since,
  ///     the answer has status 200 and is the whole.
  ///   - known: The `FetchResponse.validator` of what is there already as a whole: when it is still the same, the answer has
  ///     status 304 and no bytes.
  ///   - unpacks: Whether the whole of what is stored compressed comes unpacked; then the header of the answer does not say
  ///     so, and no length.
  ///   - isStopped: Asked several times a second whether to give up.
  /// - Returns: The answer, whose bytes are still to come.
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

/// An answer of a server whose bytes are taken as they come.
public final class FetchStream {
  /// The header of the answer.
  public let response: FetchResponse
  private let transfer: Transfer

  init(_ response: FetchResponse, _ transfer: Transfer) {
    self.response = response
    self.transfer = transfer
  }

  deinit { transfer.stop() }

  /// Waits for the next bytes, some at least; `nil` when all were there. `isStopped` is asked several times a second
  /// whether to give up.
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

  /// Gives up what is still to come.
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
