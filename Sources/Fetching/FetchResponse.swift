public import MP4HLS

/// The header of a response.
public struct FetchResponse: Hashable, Sendable {
  /// A header field.
  public struct Field: Hashable, Sendable {
    /// Its name as received.
    public var name: String
    /// Its value without surrounding spaces.
    public var value: String
  }
  /// The address after all redirects, which is the base of relative references in the resource.
  public var address: WebAddress
  /// Such as 200, or 206 for a partial response.
  public var status: Int
  /// The header fields in order.
  public var fields: [Field]

  /// The value of the first field called `name`, ignoring case.
  public subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// ETag, with its quotation marks.
  public var entityTag: String? { self["ETag"] }
  /// Last-Modified, as received.
  public var lastModified: String? { self["Last-Modified"] }
  /// Content-Type.
  public var contentType: String? { self["Content-Type"] }
  /// The content coding of the bytes, if they are compressed.
  public var contentCoding: String? {
    self["Content-Encoding"].map { $0.lowercased() }.flatMap { $0.isEmpty || $0 == "identity" ? nil : $0 }
  }
  /// The response after decompression: with another length, and without ranges.
  var unpacked: FetchResponse {
    guard contentCoding != nil else { return self }
    var copy = self
    let gone = ["content-encoding", "content-length", "accept-ranges"]
    copy.fields.removeAll { gone.contains($0.name.lowercased()) }
    return copy
  }
  /// The length of the content, if declared.
  public var contentLength: Int? { self["Content-Length"].flatMap(FetchResponse.count) }
  /// Whether the server declares support for ranges.
  public var acceptsRanges: Bool { status == 206 || self["Accept-Ranges"]?.lowercased() == "bytes" }

  /// The range of a partial response (status 206), if declared.
  public var contentRange: Range<Int>? {
    guard let (range, _) = contentRangeParts else { return nil }
    let bounds = range.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = FetchResponse.count(bounds[0]), let last = FetchResponse.count(bounds[1])
    else {
      return nil
    }
    return first <= last && last < .max ? first..<last + 1 : nil
  }

  /// The size of the whole resource, if declared.
  public var totalLength: Int? {
    if let (_, total) = contentRangeParts { return FetchResponse.count(total) }
    return status == 200 ? contentLength : nil
  }

  /// The validator for If-Range: a strong ETag, or Last-Modified.
  public var validator: String? {
    guard let tag = entityTag else { return lastModified }
    return tag.hasPrefix("W/") ? lastModified : tag
  }

  private var contentRangeParts: (range: Substring, total: Substring)? {
    guard let text = self["Content-Range"], text.lowercased().hasPrefix("bytes") else { return nil }
    let parts = text.dropFirst(5).drop { $0 == " " || $0 == "=" }.split(
      separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }

  private static func count(_ text: some StringProtocol) -> Int? {
    let digits = text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    return digits ? Int(text) : nil
  }
}

extension FetchResponse {
  /// The response whose header is `bytes`, up to the empty line; `nil` if that is not a valid header.
  init?(_ bytes: some Sequence<UInt8>, from address: WebAddress) {
    let lines = String(decoding: Array(bytes), as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    guard let first = lines.first, first.hasPrefix("HTTP/") else { return nil }
    let words = first.split(separator: " ", maxSplits: 2)
    guard words.count > 1, words[1].utf8.count == 3, let status = FetchResponse.count(words[1]) else { return nil }
    self.address = address
    self.status = status
    fields = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].trimmed
      return Field(name: String(line[..<colon].trimmed), value: String(value))
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return start[...last]
  }
}
