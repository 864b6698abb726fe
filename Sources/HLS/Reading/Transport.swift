/// Gets what is on servers: the networking of an app, or the `Fetcher` of the module `Fetching`, which runs the curl of
/// the system.
public protocol Transport: Sendable {
  /// The bytes of a resource, which are waited for.
  ///
  /// - Parameters:
  ///   - address: What is fetched; redirections are followed.
  ///   - range: Which bytes of it; `nil` for all.
  ///   - limit: The most bytes that it may have; for more, the error is `tooLarge`.
  ///   - isStopped: Asked from time to time whether to give up, with the error `stopped`.
  /// - Returns: The bytes, and where the resource was in the end, after all redirections.
  func fetch(
    _ address: WebAddress, range: Range<Int>?, limit: Int, isStopped: () -> Bool
  ) throws(FetchError) -> (bytes: [UInt8], address: WebAddress)
}
