public import Bytes
public import HLS

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
