package import Bytes
package import ISOBMFF

/// Values as JSON, with their meanings.
extension JSONPrinter {
  /// The meaning of a number, in a member next to it.
  mutating func printMeaning(_ name: StaticText, _ value: FieldValue) {
    switch value {
    case .named(let number, let names):
      guard let text = names.name(of: number) else { return }
      key(name, "_name")
      json.string(text)
    case .explained(_, let meaning):
      key(name, "_name")
      json.string(meaning)
    case .language(let number):
      guard let language = QuickTimeLanguage(number) else { return }
      key(name, "_name")
      json.string(language.name)
    case .flags(let number, let names):
      let set = meanings.names(of: number, names)
      if set.isEmpty { return }
      key(name, "_names")
      print(list: set)
    case .date(let seconds):
      guard let text = Date1904.text(seconds) else { return }
      key(name, "_date")
      json.string(text)
    default: return
    }
  }
  private mutating func key(_ name: StaticText, _ suffix: StaticText) {
    json.out.literal(",\"")
    json.out.literal(name)
    json.out.literal(suffix)
    json.out.literal("\":")
  }
  mutating func print(list: [String]) {
    json.beginArray()
    for text in list {
      json.comma()
      json.string(text)
    }
    json.endArray()
  }

  mutating func print(_ value: FieldValue) {
    if case .bytes(let bytes) = value { print(bytes: bytes) } else { json.value(value) }
  }

  /// Bytes as hexadecimal digits; for long values, the first bytes and the length.
  mutating func print(bytes: ArraySlice<UInt8>) {
    guard bytes.count > JSONOptions.longestBytes, !options.isFull else { return json.hex(bytes) }
    json.out.literal("{\"start\":")
    json.hex(bytes.prefix(JSONOptions.shownOfLongBytes))
    number(",\"length\":", bytes.count)
    json.out.literal("}")
  }
}

extension JSONWriter {
  /// A value without its meaning; bytes as hexadecimal digits.
  package mutating func value(_ value: FieldValue) {
    switch value {
    case .unsigned(let number), .hexadecimal(let number), .date(let number): out.unsigned(number)
    case .named(let number, _): out.signed(Int64(bitPattern: number))
    case .flags(let number, _), .explained(let number, _): out.unsigned(number)
    case .signed(let number): out.signed(number)
    case .fixed(let raw, let fractionBits): out.exact(raw, fractionBits: fractionBits)
    // JSON cannot express infinity and NaN.
    case .float(let number):
      if number.isFinite { out.text(number.description) } else { string(number.description) }
    case .code(let code): self.code(code)
    case .language(let language): string(languageTag(language))
    case .text(let text): string(text.description)
    case .seconds(let value, let timescale): out.seconds(value, timescale: timescale)
    case .bytes(let bytes): hex(bytes)
    }
  }
}

/// The three letters of a packed language; QuickTime's language codes are shown as numbers.
private func languageTag(_ value: UInt16) -> String {
  if value == 0x7fff { return "und" }
  let letters = [value >> 10, value >> 5, value].map { UInt8(truncatingIfNeeded: $0 & 31) }
  guard letters.allSatisfy({ (1...26).contains($0) }) else { return String(value) }
  return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
}
