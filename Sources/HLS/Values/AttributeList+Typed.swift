/// Typed attributes. A missing or malformed attribute is `nil`. Setting `nil` removes it, and
/// setting the current value changes nothing.
extension AttributeList {
  /// A quoted string, without its quotation marks. Line breaks and quotation marks, which are not allowed in it, are
  /// written as spaces and apostrophes. Missing quotation marks are accepted when reading.
  public subscript(string name: String) -> String? {
    get { self[name]?.string }
    set {
      guard newValue == nil || newValue != self[string: name] else { return }
      self[name] = newValue.map { Attribute(name: name, text: "\"\(singleLine($0, quoted: true))\"") }
    }
  }
  /// An enumerated string; quotation marks are accepted when reading.
  public subscript(word name: String) -> String? {
    get { self[name]?.string }
    set {
      guard newValue == nil || newValue != self[word: name] else { return }
      self[name] = newValue.map { Attribute(name: name, text: singleLine($0, quoted: true)) }
    }
  }
  /// Whether the value is `YES`; setting `false` removes it.
  public subscript(flag name: String) -> Bool {
    get { self[word: name] == "YES" }
    set {
      guard newValue != self[flag: name] else { return }
      self[word: name] = newValue ? "YES" : nil
    }
  }
  /// An integer.
  public subscript(integer name: String) -> Int? {
    get { self[name].flatMap { decimalInteger($0.text) } }
    set {
      guard newValue == nil || newValue != self[integer: name] else { return }
      self[name] = newValue.map { Attribute(name: name, text: String(max(0, $0))) }
    }
  }
  /// A number of seconds.
  public subscript(seconds name: String) -> Duration? {
    get { self[name].flatMap { Duration(decimal: $0.text, signed: true) } }
    set {
      guard newValue == nil || newValue != self[seconds: name] else { return }
      self[name] = newValue.map { Attribute(name: name, text: $0.decimalText(decimals: 3)) }
    }
  }
  /// A number with three decimals.
  public subscript(decimal name: String) -> Double? {
    get { self[name].flatMap { Double(decimal: $0.text) } }
    set {
      let text = newValue?.withThreeDecimals
      guard text == nil || text != self[decimal: name]?.withThreeDecimals else { return }
      self[name] = text.map { Attribute(name: name, text: $0) }
    }
  }
  /// A resolution.
  public subscript(resolution name: String) -> Resolution? {
    get { self[name].flatMap { Resolution($0.text) } }
    set {
      guard newValue == nil || newValue != self[resolution: name] else { return }
      self[name] = newValue.map { Attribute(name: name, text: $0.description) }
    }
  }
  /// A byte range in quotation marks.
  public subscript(byteRange name: String) -> ByteRange? {
    get { self[string: name].flatMap { ByteRange($0) } }
    set {
      guard newValue == nil || newValue != self[byteRange: name] else { return }
      self[string: name] = newValue?.description
    }
  }
  /// A date in quotation marks.
  public subscript(date name: String) -> DateTime? {
    get { self[string: name].flatMap { DateTime($0) } }
    set {
      guard newValue == nil || newValue != self[date: name] || newValue?.zone != self[date: name]?.zone else { return }
      self[string: name] = newValue?.description
    }
  }
  /// A hexadecimal sequence.
  public subscript(bytes name: String) -> [UInt8]? {
    get { self[name]?.bytes }
    set {
      guard newValue == nil || newValue != self[bytes: name] else { return }
      self[name] = newValue.map { Attribute(name: name, text: hexadecimal($0)) }
    }
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

private func hexadecimal(_ bytes: [UInt8]) -> String {
  "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}
