import MP4Bytes

/// The form of the values of an attribute (draft-pantos-hls-rfc8216bis, 4.2): how they are read, written and checked.
public struct AttributeForm<Value: Hashable & Sendable>: AttributeCheck {
  /// The valid values, in words.
  let description: String
  /// Whether valid values are in quotation marks. Missing ones are accepted when reading.
  let isQuoted: Bool
  /// Whether a playlist with an invalid value cannot be read. The rules report other invalid values.
  let isStrict: Bool
  /// Whether it is a URI, which changes if the playlist moves.
  fileprivate(set) var isURI = false
  /// The value; `nil` if it cannot be read. More spellings than the valid ones are accepted.
  let read: @Sendable (Attribute) -> Value?
  /// The canonical spelling; `nil` for a value that is written by omitting the attribute.
  let write: @Sendable (Value) -> String?
  /// Whether the value is valid, apart from its quotation marks.
  let isValid: @Sendable (Attribute) -> Bool

  init(
    _ description: String, isQuoted: Bool = false, isStrict: Bool = false,
    read: @escaping @Sendable (Attribute) -> Value?, write: @escaping @Sendable (Value) -> String?,
    isValid: (@Sendable (Attribute) -> Bool)? = nil
  ) {
    (self.description, self.isQuoted, self.isStrict) = (description, isQuoted, isStrict)
    (self.read, self.write, self.isValid) = (read, write, isValid ?? { read($0) != nil })
  }
  /// Some words, without quotation marks.
  fileprivate init(
    words: [String], read: @escaping @Sendable (String) -> Value?, write: @escaping @Sendable (Value) -> String?
  ) {
    self.init(
      words.joined(separator: ", "), read: { read($0.string) },
      write: { write($0).map { singleLine($0, quoted: true) } }, isValid: { words.contains($0.text) })
  }
}

/// The checks of a form, regardless of the type of its values.
protocol AttributeCheck: Sendable {
  var description: String { get }
  var isQuoted: Bool { get }
  var isStrict: Bool { get }
  var isURI: Bool { get }
  var isValid: @Sendable (Attribute) -> Bool { get }
}

extension AttributeCheck {
  /// Whether a playlist with this value can be read.
  func isReadable(_ attribute: Attribute) -> Bool { !isStrict || isValid(attribute) }
  /// Whether the value conforms to the standard.
  func holds(_ attribute: Attribute) -> Bool { (!isQuoted || attribute.isQuoted) && isValid(attribute) }
}

extension AttributeForm<String> {
  /// A quoted string, without its quotation marks. Line breaks and quotation marks, which are not allowed in it, are
  /// written as spaces and apostrophes.
  public static var string: Self {
    Self(
      "a string in quotation marks", isQuoted: true, read: { $0.string },
      write: { "\"\(singleLine($0, quoted: true))\"" })
  }
  /// A quoted string that is a URI.
  public static var uri: Self {
    var form = string
    form.isURI = true
    return form
  }
  /// An enumerated string, of which these are valid. Others can also be read.
  public static func word(_ words: [String]) -> Self { Self(words: words, read: { $0 }, write: { $0 }) }
}

extension AttributeForm where Value: RawRepresentable<String> {
  /// An enumerated string, of which these are valid.
  public static func word(_ values: [Value]) -> Self {
    Self(words: values.map(\.rawValue), read: { Value(rawValue: $0) }, write: \.rawValue)
  }
}

extension AttributeForm<Bool> {
  /// `YES`, or no attribute.
  public static var yes: Self { Self(words: ["YES"], read: { $0 == "YES" }, write: { $0 ? "YES" : nil }) }
  /// `YES` or `NO`. New attributes omit `NO`, the default.
  public static var yesOrNo: Self { Self(words: ["YES", "NO"], read: { $0 == "YES" }, write: { $0 ? "YES" : nil }) }
}

extension AttributeForm<Int> {
  /// A decimal integer without a sign.
  public static var integer: Self {
    Self(
      "a whole number without a sign, such as 6", isStrict: true, read: { Int(decimal: $0.text.utf8[...]) },
      write: { String(max(0, $0)) })
  }
}

extension AttributeForm<Duration> {
  /// A number of seconds without a sign.
  public static var seconds: Self {
    Self(
      "a number without a sign, such as 6.006", isStrict: true, read: signedSeconds.read, write: signedSeconds.write,
      isValid: { Duration(decimal: $0.text.utf8[...]) != nil })
  }
  /// A number of seconds.
  public static var signedSeconds: Self {
    Self(
      "a number such as -6.006", isStrict: true, read: { Duration(decimal: $0.text.utf8[...], signed: true) },
      write: { $0.decimalText(decimals: 3) })
  }
}

extension AttributeForm<Double> {
  /// A number without a sign, rounded to three decimals.
  public static var number: Self {
    Self(
      "a number without a sign, such as 6.006", isStrict: true, read: { Double(decimal: $0.text.utf8[...]) },
      write: { $0.withThreeDecimals })
  }
}

extension AttributeForm<Resolution> {
  /// A resolution.
  public static var resolution: Self {
    Self("WIDTHxHEIGHT", isStrict: true, read: { Resolution($0.text.utf8[...]) }, write: { $0.description })
  }
}

extension AttributeForm<ByteRange> {
  /// A byte range in quotation marks.
  public static var byteRange: Self {
    let read = { @Sendable (attribute: Attribute) in ByteRange(attribute.content) }
    return Self(
      "\"LENGTH@OFFSET\" or \"LENGTH\"", isQuoted: true, isStrict: true, read: read, write: { "\"\($0)\"" },
      isValid: { read($0) != nil || $0.hasVariable })
  }
}

extension AttributeForm<DateTime> {
  /// A date in quotation marks.
  public static var date: Self {
    let read = { @Sendable (attribute: Attribute) in DateTime(attribute.string) }
    return Self(
      "a date in quotation marks, such as \"2024-05-01T09:30:00.000Z\"", isQuoted: true, read: read,
      write: { "\"\($0)\"" }, isValid: { read($0) != nil || $0.hasVariable })
  }
}

extension AttributeForm<[UInt8]> {
  /// A hexadecimal sequence. An odd number of digits is read as if there were a leading 0.
  public static var hexadecimal: Self {
    let read = { @Sendable (attribute: Attribute) -> [UInt8]? in
      let text = attribute.text.utf8
      guard text.count > 2, text.starts(with: "0x".utf8) || text.starts(with: "0X".utf8) else { return nil }
      var bytes: [UInt8] = []
      var high: UInt8? = text.count % 2 == 0 ? nil : 0
      for digit in text.dropFirst(2) {
        guard let value = digit.hexadecimalValue else { return nil }
        if let first = high { bytes.append(first << 4 | value) }
        high = high == nil ? value : nil
      }
      return bytes
    }
    let write = { @Sendable (bytes: [UInt8]) in
      "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
    return Self(
      "0x and hexadecimal digits", read: read, write: write, isValid: { read($0) != nil || $0.hasVariable })
  }
}

/// The text without line breaks and other control characters, and without quotation marks, which would end it.
func singleLine(_ text: String, quoted: Bool = false) -> String {
  func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (quoted && scalar == "\"")
  }
  guard text.unicodeScalars.contains(where: isUnfit) else { return text }
  var output = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { output.append(isUnfit(scalar) ? (scalar == "\"" ? "'" : " ") : scalar) }
  return String(output)
}
