import MP4Bytes
public import MP4HLS

/// A transfer of a resource, or a part of one, to a target, including redirects, interruptions and retries.
///
/// After an interruption it resumes if the server can tell that the resource has not changed; otherwise it
/// starts over, so that parts of different versions are never combined.
public final class Download {
  /// The requested address.
  public let address: WebAddress
  /// The requested bytes, or `nil` for all; an upper bound of `Int.max` means the end.
  public let range: Range<Int>?
  /// The destination of the bytes.
  public let target: any FetchTarget
  /// The number of bytes received.
  public private(set) var received = 0
  /// The total number of bytes, once known.
  public private(set) var expected: Int?
  /// The result, or `nil` while the transfer runs.
  public private(set) var result: Result<FetchResponse, FetchError>?

  private let isCompressed: Bool
  /// Whether the response is compressed, even if that was not requested.
  private var isPacked = false
  private var redirections = 0
  private var attempts: FetchAttempts?
  private var response: FetchResponse?
  private(set) var transfer: Transfer?
  /// When the next attempt begins.
  private(set) var wakeTime: ContinuousClock.Instant?
  static let mostRedirections = 10

  /// The bytes `range` of `address`, or all of them, for `target`. With `isCompressed`, the server may send a whole
  /// resource compressed, which is useful for text.
  public init(_ address: WebAddress, range: Range<Int>? = nil, isCompressed: Bool = false, to target: any FetchTarget) {
    precondition(!isCompressed || range == nil, "parts of what is compressed are of no use")
    self.address = address
    self.range = range
    self.isCompressed = isCompressed
    self.target = target
  }

  deinit { transfer?.stop() }

  /// Cancels it.
  public func stop() { end(.failure(FetchError(.stopped, address))) }

  /// Does everything that is possible without waiting.
  func step(_ options: FetchOptions) {
    guard result == nil else { return }
    do throws(FetchError) {
      if transfer == nil { try begin(at: address, options) }
      try takeEvents(options)
    } catch {
      fail(error, options)
    }
  }

  private func begin(at address: WebAddress, _ options: FetchOptions) throws(FetchError) {
    wakeTime = nil
    var request = FetchRequest(address: address, isCompressed: isCompressed, first: self.address)
    if received > 0 {
      request.validator = response?.validator
      request.range = (range?.lowerBound ?? 0) + received..<(range?.upperBound ?? .max)
    } else if let range {
      request.range = range
    } else {
      request.unpacks = true
    }
    transfer = try Transfer(request, options)
  }

  private func takeEvents(_ options: FetchOptions) throws(FetchError) {
    // A limit, so that other downloads can proceed.
    for _ in 0..<16 {
      guard result == nil, let transfer else { return }
      switch try transfer.next() {
      case .nothing: return
      case .response(let response): try take(response, of: transfer.request, options)
      case .bytes(let bytes): try take(bytes)
      case .ended: return try finish()
      }
    }
  }

  private func take(_ response: FetchResponse, of request: FetchRequest, _ options: FetchOptions) throws(FetchError) {
    if let target = try response.redirection {
      redirections += 1
      guard redirections <= Download.mostRedirections else {
        throw FetchError(.tooManyRedirections(limit: Download.mostRedirections), address)
      }
      transfer?.stop()
      return try begin(at: target, options)
    }
    if received > 0 {
      // The server may have ignored the condition of the request.
      let isSame = response.status == 206 && response.validator == self.response?.validator
      if !isSame, [200, 206, 416].contains(response.status) {
        // The resource has changed, or the server does not support ranges. The whole may be what was requested
        // originally.
        if response.status == 206 { _ = try response.start(wanting: request.range?.lowerBound, of: address) }
        try restart()
        guard response.status == 200, range?.lowerBound ?? 0 == 0 else {
          transfer?.stop()
          return try begin(at: request.address, options)
        }
      }
    }
    _ = try response.start(wanting: request.range?.lowerBound, of: address)
    if response.status == 200, let range, range.lowerBound > 0 { throw FetchError(.noRanges, address) }
    isPacked = isCompressed
    if !isCompressed, let coding = response.contentCoding {
      guard request.unpacks else { throw FetchError(.compressed(coding), address) }
      isPacked = true
    }
    self.response = response
    expected = isPacked ? nil : expectedCount(response)
    if let expected, expected > target.limit { throw FetchError(.tooLarge(limit: target.limit), address) }
  }

  private func expectedCount(_ response: FetchResponse) -> Int? {
    let rest = response.contentLength.map { received.addingReportingOverflow($0) }
    guard let count = rest.flatMap({ $0.overflow ? nil : $0.partialValue }) else { return nil }
    // The whole resource was sent, but only its start was requested.
    if response.status == 200 { return min(count, range?.count ?? .max) }
    // The server may send fewer bytes than requested; the rest is then requested separately.
    guard let total = response.totalLength else { return count }
    return max(count, min(range?.upperBound ?? total, total) - (range?.lowerBound ?? 0))
  }

  private func take(_ bytes: [UInt8]) throws(FetchError) {
    let wanted = (range.map { $0.upperBound == .max ? .max : $0.count } ?? .max) - received
    let part = bytes.count > wanted ? Array(bytes.prefix(wanted)) : bytes
    guard part.count <= target.limit - received else { throw FetchError(.tooLarge(limit: target.limit), address) }
    do throws(IOError) { try target.append(part) } catch { throw FetchError(.io(error), address) }
    received += part.count
    // How the connection ends no longer matters.
    if part.count < bytes.count || received == expected { try finish() }
  }

  private func restart() throws(FetchError) {
    do throws(IOError) { try target.restart() } catch { throw FetchError(.io(error), address) }
    received = 0
    response = nil
  }

  private func finish() throws(FetchError) {
    guard let response else { throw FetchError(.damaged("the server sent no response"), address) }
    if let expected, received < expected {
      throw FetchError(
        .failed("the connection ended after \(received) of \(counted(expected, "byte"))", isPassing: true), address)
    }
    do throws(IOError) { try target.finish() } catch { throw FetchError(.io(error), address) }
    end(.success(response))
  }

  /// Schedules another attempt, or ends.
  private func fail(_ error: FetchError, _ options: FetchOptions) {
    var attempts = attempts ?? FetchAttempts(options)
    let wait = attempts.wait(after: error, received: received)
    self.attempts = attempts
    guard let wait else { return end(.failure(error)) }
    transfer?.stop()
    transfer = nil
    redirections = 0
    // Without a validator, the received bytes cannot be combined with those of another attempt.
    if received > 0, response?.validator == nil || isPacked {
      do throws(FetchError) { try restart() } catch { return end(.failure(error)) }
    }
    wakeTime = .now + .milliseconds(wait)
  }

  private func end(_ result: Result<FetchResponse, FetchError>) {
    transfer?.stop()
    transfer = nil
    wakeTime = nil
    if self.result == nil { self.result = result }
  }
}

extension FetchResponse {
  /// The target of a redirect that is allowed.
  var redirection: WebAddress? {
    get throws(FetchError) {
      guard [301, 302, 303, 307, 308].contains(status), let location = self["Location"] else { return nil }
      guard let target = address.resolving(location) else {
        throw FetchError(.otherRedirection(to: String(location.prefix(200))), address)
      }
      if address.isSecure, !target.isSecure {
        throw FetchError(.insecureRedirection(to: target.description), address)
      }
      return target
    }
  }
}
