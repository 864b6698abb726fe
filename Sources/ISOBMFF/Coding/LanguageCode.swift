/// The language of media: three letters of ISO 639-2 in five bits each, or a QuickTime language code below 0x400.
public struct LanguageCode: RawRepresentable, Hashable, Sendable {
  /// The 16 bits in the file.
  public var rawValue: UInt16
  /// The language whose 16 bits are `rawValue`.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The language with three lower-case letters; `nil` for other texts.
  public init?(_ letters: some StringProtocol) {
    guard letters.utf8.count == 3, letters.utf8.allSatisfy({ (0x61...0x7a).contains($0) }) else { return nil }
    rawValue = letters.utf8.reduce(0) { $0 << 5 | UInt16($1 & 31) }
  }
}

extension LanguageCode: ExpressibleByStringLiteral, CustomStringConvertible {
  /// The language with three lower-case letters; any other literal is a programmer error.
  public init(stringLiteral letters: String) {
    guard let code = LanguageCode(letters) else { preconditionFailure("'\(letters)' is not three small letters") }
    self = code
  }
  /// The letters, or the number if it has none.
  public var description: String {
    let letters = [rawValue >> 10, rawValue >> 5, rawValue].map { UInt8(truncatingIfNeeded: $0 & 31) }
    guard rawValue < 0x8000, letters.allSatisfy({ (1...26).contains($0) }) else { return "\(rawValue)" }
    return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
  }
}
