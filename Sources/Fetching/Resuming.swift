package import HLS

/// When what failed is tried again: how often in a row, and after how long. An attempt that brought bytes counts as the
/// first one.
package struct FetchAttempts {
  private let options: FetchOptions
  private var failures = 0
  /// The most bytes that an attempt came to: only more than that is a step forward.
  private var farthest = 0

  package init(_ options: FetchOptions) { self.options = options }

  /// Milliseconds until the next attempt after one that ended with `error` when `received` bytes were there; `nil` when
  /// there is to be none.
  package mutating func wait(after error: FetchError, received: Int = 0) -> Int? {
    failures = received > farthest ? 1 : failures + 1
    farthest = max(farthest, received)
    guard error.isPassing, failures <= options.retries else { return nil }
    return min(options.retryWait << min(failures - 1, 16), 30_000)
  }
}

extension FetchResponse {
  /// Which byte of the resource comes first, where those from `offset` on were asked for: that one, or the first of all
  /// when the resource has changed or the server knows no parts.
  ///
  /// - Throws: `FetchError` for an answer that says neither.
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
