package import MP4HLS

/// Decides on retries: their number and delays. An attempt that received new bytes resets the count.
package struct FetchAttempts {
  private let options: FetchOptions
  private var failures = 0
  /// The most bytes that any attempt has received; only more than that counts as progress.
  private var farthest = 0

  package init(_ options: FetchOptions) { self.options = options }

  /// The delay in milliseconds after an attempt that ended with `error` when `received` bytes had arrived; `nil` if
  /// there is no further attempt.
  package mutating func wait(after error: FetchError, received: Int = 0) -> Int? {
    failures = received > farthest ? 1 : failures + 1
    farthest = max(farthest, received)
    guard error.isPassing, failures <= options.retries else { return nil }
    return min(options.retryWait << min(failures - 1, 16), 30_000)
  }
}

extension FetchResponse {
  /// The offset of the first byte of the response to a request from `offset` on: `offset`, or 0 if the resource has
  /// changed or the server does not support ranges.
  ///
  /// - Throws: `FetchError` for any other response.
  package func start(wanting offset: Int?, of asked: WebAddress) throws(FetchError) -> Int {
    switch status {
    case 200: return 0
    case 206:
      guard let offset, contentRange?.lowerBound == offset else {
        throw FetchError(.damaged("the server sent another byte range than requested"), asked)
      }
      return offset
    default: throw FetchError(.status(status), asked)
    }
  }
}
