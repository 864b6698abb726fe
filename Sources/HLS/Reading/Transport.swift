public import MP4Bytes

/// Fetches remote resources: your app's networking, or the `Fetcher` of the module `Fetching`, which runs the system's
/// curl.
public protocol Transport: Sendable {
  /// Returns the bytes of a resource, synchronously.
  ///
  /// - Parameters:
  ///   - address: The resource; redirects are followed.
  ///   - range: The bytes to fetch; `nil` for all.
  ///   - limit: The maximum size; if it is exceeded, the error is `tooLarge`.
  ///   - isStopped: Asked from time to time whether to stop, with the error `stopped`.
  /// - Returns: The bytes, and the URL after all redirects.
  func fetch(
    _ address: WebAddress, range: Range<Int>?, limit: Int, isStopped: () -> Bool
  ) throws(FetchError) -> (bytes: [UInt8], address: WebAddress)

  /// Returns a resource whose bytes can be read at any offset. By default, it is fetched into memory.
  ///
  /// - Parameters:
  ///   - address: The resource; redirects are followed.
  ///   - limit: The maximum size in memory; if it is exceeded, the error is `tooLarge`.
  func source(_ address: WebAddress, limit: Int) throws(FetchError) -> any ByteSource
}

extension Transport {
  /// Returns a resource that is fetched into memory.
  public func source(_ address: WebAddress, limit: Int) throws(FetchError) -> any ByteSource {
    MemorySource(try fetch(address, range: nil, limit: limit) { false }.bytes, name: address.description)
  }
}
