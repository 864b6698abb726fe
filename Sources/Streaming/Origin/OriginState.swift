import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Serving

/// A version of a resource of the origin. Bytes of two states are never combined.
struct OriginState: Hashable, Sendable {
  /// Identifies its blocks; unique for every state.
  let identifier: UInt64
  /// The address without user and password.
  let address: String
  /// The validator for conditional requests: a strong ETag, or a Last-Modified date that is equally strong; `nil` if
  /// there is none.
  let validator: String?
  /// The number of bytes; `nil` until it is known.
  var length: Int?
  /// Whether the resource, whose length the origin does not declare, is larger than the cache.
  var isUnbounded = false
  /// The number of bytes in a block; the last block may be shorter.
  let blockSize: Int
  let mediaType: String
  /// The modification time in seconds since 1970.
  let modified: Int?
  /// The content coding of its bytes, such as `gzip`.
  let coding: String?
  /// The final address after all redirects.
  var location: WebAddress?
  /// When the request was sent whose response confirmed the state, in nanoseconds since 1970.
  var confirmed = 0
  /// Whether the origin supports range requests with validation.
  var ranges: Ranges

  /// What is known about range requests.
  enum Ranges: String {
    /// The origin answered one or declares support.
    case known = "yes"
    /// The origin was not asked for a range: servers need not declare support (RFC 9110, 14.3).
    case unknown = "maybe"
    case none = "no"
  }
  var hasRanges: Bool { ranges == .known }
  var mayHaveRanges: Bool { ranges != .none }

  /// The maximum length of a resource; the number of a block after its end still does not overflow.
  static let lengthLimit = 1 << 60

  /// The state that a full response declares. `isDecoded` tells whether the content coding was removed; the response no
  /// longer names it then.
  init(_ response: FetchResponse, of address: WebAddress, blockSize: Int, isDecoded: Bool = false) {
    identifier = .random(in: .min ... .max)
    self.address = address.description
    validator = response.lastingValidator
    length = response.contentLength
    coding = response.contentCoding
    location = response.address
    self.blockSize = blockSize
    mediaType = response.mediaType(of: address)
    modified = response.lastModified.flatMap(HTTPDate.seconds)
    if validator == nil || isDecoded && length == nil || response["Accept-Ranges"]?.lowercased() == "none" {
      ranges = .none
    } else {
      ranges = response.acceptsRanges ? .known : .unknown
    }
  }

  /// Unique for each content; states with the same validator have the same tag.
  var entityTag: String {
    guard let validator else { return String(identifier, radix: 36) }
    return String(validator.utf8.fingerprint, radix: 36) + "-" + String(length ?? 0, radix: 36)
  }

  /// Whether a full response is for this state.
  func isWhole(of response: FetchResponse) -> Bool {
    guard let validator, validator == response.lastingValidator else { return false }
    if coding != response.contentCoding { return false }
    guard let length, let other = response.contentLength else { return true }
    return length == other
  }

  /// Whether a partial response is for this state. What it does not declare is assumed to be as requested.
  func isPart(of response: FetchResponse) -> Bool {
    if let total = response.totalLength, let length, total != length { return false }
    if coding != response.contentCoding { return false }
    let isTag = validator?.utf8.first == UInt8(ascii: "\"")
    guard let said = isTag ? response.entityTag : response.lastModified else { return true }
    return said == validator
  }

  /// The byte range of the block `number`; the last block ends with the resource.
  func range(ofBlock number: Int) -> Range<Int> {
    let end = length ?? .max
    let (start, overflows) = number.multipliedReportingOverflow(by: blockSize)
    if overflows || start >= end { return end..<end }
    return start..<start + min(blockSize, end - start)
  }
}

extension FetchResponse {
  /// A validator that differs for every version of the content. A date qualifies only if the file could not change
  /// again within the same second after the response (RFC 9110, 8.8.2.2).
  fileprivate var lastingValidator: String? {
    // The text was not valid UTF-8, so it would not be sent back unchanged.
    guard let validator, !validator.unicodeScalars.contains("\u{fffd}") else { return nil }
    if validator.utf8.first == UInt8(ascii: "\"") { return validator }
    guard let modified = HTTPDate.seconds(validator), let date = self["Date"].flatMap(HTTPDate.seconds) else {
      return nil
    }
    return modified < date ? validator : nil
  }

  /// The type that the origin declares, or else the type of the file name.
  fileprivate func mediaType(of address: WebAddress) -> String {
    let named = MediaType.named(address.reference.path.utf8)
    guard let contentType else { return named }
    let kind = contentType.utf8.prefix { $0 != UInt8(ascii: ";") && !$0.isSpace }.map(\.lowercased)
    let saysNothing = [MediaType.unknown, "text/plain"].contains { Array($0.utf8) == kind }
    return kind.isEmpty || saysNothing && named != MediaType.unknown ? named : contentType
  }
}

// MARK: - In the cache

extension OriginState {
  /// Whether a later run of the program can use it.
  var isLasting: Bool { validator != nil && length != nil }

  /// The record that is stored beside its blocks.
  var record: [UInt8] {
    var lines = [Self.heading, "address \(address)", "block \(blockSize)", "type \(mediaType)"]
    if let validator { lines.append("validator \(validator)") }
    if let length { lines.append("length \(length)") }
    if let modified { lines.append("modified \(modified)") }
    if mayHaveRanges { lines.append("ranges \(ranges.rawValue)") }
    if let coding { lines.append("coding \(coding)") }
    if let location, location.description != address { lines.append("location \(location)") }
    let bytes = lines.flatMap { $0.utf8.filter { $0 >= 0x20 } + [0x0A] }
    return bytes + Array("end \(String(bytes.fingerprint, radix: 36))\n".utf8)
  }

  private static let heading = "mp4tool cache 1"

  /// The state of a stored record; `nil` if the record is invalid.
  init?(record: [UInt8], identifier: UInt64) {
    let lines = record.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    let hashed = record.dropLast((lines.last?.utf8.count ?? 0) + 1)
    guard lines.first == Self.heading, lines.last == "end \(String(hashed.fingerprint, radix: 36))", record.last == 0x0A
    else { return nil }
    var values: [Substring: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { values[parts[0]] = String(parts[1]) }
    }
    guard let address = values["address"], let validator = values["validator"], let mediaType = values["type"],
      let length = values["length"].flatMap(Int.init), 0...Self.lengthLimit ~= length,
      let blockSize = values["block"].flatMap(Int.init), blockSize > 0
    else { return nil }
    (self.identifier, self.address, self.validator, self.length) = (identifier, address, validator, length)
    (self.blockSize, self.mediaType, self.modified) = (blockSize, mediaType, values["modified"].flatMap(Int.init))
    ranges = values["ranges"].flatMap(Ranges.init) ?? .none
    coding = values["coding"]
    location = WebAddress(values["location"] ?? address)
  }
}
