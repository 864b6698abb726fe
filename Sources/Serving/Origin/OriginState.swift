import Fetching
import FileIO
import HLS

/// What a resource of the origin is at a time. Bytes of two states never come together.
struct OriginState: Hashable, Sendable {
  /// What its blocks are kept by; another for every state.
  let identifier: UInt64
  /// The address without user and password.
  let address: String
  /// What the origin is asked by whether it is still this: a strong ETag, or a Last-Modified that is as strong; `nil`
  /// where there is none.
  let validator: String?
  /// The number of bytes; `nil` as long as the origin has not said it.
  var length: Int?
  /// Whether it has more bytes than the cache may, so many that the origin does not say it.
  var isUnbounded = false
  /// The number of bytes in a block; the last one may have less.
  let blockSize: Int
  let mediaType: String
  /// When it changed last, in seconds since 1970.
  let modified: Int?
  /// The content coding of its bytes, such as `gzip`.
  let coding: String?
  /// Where it was in the end, after all redirections.
  var location: WebAddress?
  /// Whether the origin gives parts that are surely parts of this.
  var ranges: Ranges

  /// What is known of the parts that an origin gives.
  enum Ranges: String {
    /// It gave one, or says that it does.
    case known = "yes"
    /// It was not asked for: servers need not say that they do (RFC 9110, 14.3).
    case unknown = "maybe"
    case none = "no"
  }
  var hasRanges: Bool { ranges == .known }
  var mayHaveRanges: Bool { ranges != .none }

  /// No resource has more bytes; blocks after its end can still be counted.
  static let lengthLimit = 1 << 60

  /// The state that an answer with the whole says; `isDecoded` is whether its bytes are without their content coding,
  /// of which the answer does not say anything then.
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

  /// Another one for every content: the same for the same validator, whenever it is met.
  var entityTag: String {
    guard let validator else { return String(identifier, radix: 36) }
    return String(validator.utf8.fingerprint, radix: 36) + "-" + String(length ?? 0, radix: 36)
  }

  /// Whether an answer with the whole is about this.
  func isWhole(of response: FetchResponse) -> Bool {
    guard let validator, validator == response.lastingValidator else { return false }
    if coding != response.contentCoding { return false }
    guard let length, let other = response.contentLength else { return true }
    return length == other
  }

  /// Whether an answer with a part is about this; what it does not say is as it was asked for.
  func isPart(of response: FetchResponse) -> Bool {
    if let total = response.totalLength, let length, total != length { return false }
    if coding != response.contentCoding { return false }
    let isTag = validator?.utf8.first == UInt8(ascii: "\"")
    guard let said = isTag ? response.entityTag : response.lastModified else { return true }
    return said == validator
  }

  /// The bytes of the block `number`; of the last one not more than there are.
  func range(ofBlock number: Int) -> Range<Int> {
    let end = length ?? .max
    let (start, overflows) = number.multipliedReportingOverflow(by: blockSize)
    if overflows || start >= end { return end..<end }
    return start..<start + min(blockSize, end - start)
  }
}

extension FetchResponse {
  /// A validator that is another one for every other content. A date is one only if the file could not change once
  /// more within its second, after the answer (RFC 9110, 8.8.2.2).
  fileprivate var lastingValidator: String? {
    // Some other text in place of what could not be read.
    guard let validator, !validator.unicodeScalars.contains("\u{fffd}") else { return nil }
    if validator.utf8.first == UInt8(ascii: "\"") { return validator }
    guard let modified = HTTPDate.seconds(validator), let date = self["Date"].flatMap(HTTPDate.seconds) else {
      return nil
    }
    return modified < date ? validator : nil
  }

  /// What the origin says, unless it says nothing.
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
  /// Whether it can be found again by another run of the program.
  var isLasting: Bool { validator != nil && length != nil }

  /// As it is kept beside its blocks.
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

  /// The state that was kept so; `nil` for anything else.
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
