import MP4HLS

/// Separates the header of a response from its content, in chunks of any size.
struct HeaderReader {
  private var bytes: [UInt8] = []
  private static let longest = 256 << 10

  /// Takes the next bytes. When the header is complete, returns it and the bytes after it. Interim (1xx) responses are
  /// skipped.
  mutating func take(_ more: [UInt8], from address: WebAddress) throws(FetchError)
    -> (response: FetchResponse, rest: [UInt8])?
  {
    // The empty line may have begun in the previous chunk.
    var known = max(bytes.count - 3, 0)
    var start = 0
    bytes += more
    while let end = Self.end(in: bytes[known...]), end - start <= Self.longest {
      guard let response = FetchResponse(bytes[start..<end], from: address) else { throw Self.notHTTP(address) }
      if response.status >= 200 { return (response, Array(bytes[end...])) }
      // An interim response; the final one follows.
      (start, known) = (end, end)
    }
    bytes.removeFirst(start)
    if bytes.count > Self.longest { throw Self.notHTTP(address) }
    return nil
  }

  private static func notHTTP(_ address: WebAddress) -> FetchError {
    FetchError(.damaged("the response is not HTTP"), address)
  }

  /// The index after the first empty line.
  private static func end(in bytes: ArraySlice<UInt8>) -> Int? {
    var lineStart: Int?
    for index in bytes.indices where bytes[index] == 0x0A {
      if let start = lineStart, index == start || index == start + 1 && bytes[start] == 0x0D { return index + 1 }
      lineStart = index + 1
    }
    return nil
  }
}
