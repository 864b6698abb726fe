/// The characters of CEA-608: ANSI/CTA-608-E, 4.2 and Annexes.
enum CEA608Characters {
  /// The characters of codes that are not those of ASCII.
  private static let others: [UInt8: Unicode.Scalar] = [
    0x27: "’", 0x2a: "á", 0x5c: "é", 0x5e: "í", 0x5f: "ó", 0x60: "ú", 0x7b: "ç", 0x7c: "÷", 0x7d: "Ñ", 0x7e: "ñ",
    0x7f: "█",
  ]
  /// The character of a code from 0x20 to 0x7f.
  static func standard(_ code: UInt8) -> Unicode.Scalar { others[code] ?? Unicode.Scalar(code) }

  /// The characters of 0x11 and a code from 0x30 to 0x3f. The transparent space is a no-break space here.
  static let special: [Unicode.Scalar] = Array("®°½¿™¢£♪à\u{a0}èâêîôû".unicodeScalars)
  /// The characters of 0x12 and a code from 0x20 to 0x3f.
  static let extended12: [Unicode.Scalar] = Array("ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»".unicodeScalars)
  /// The characters of 0x13 and a code from 0x20 to 0x3f.
  static let extended13: [Unicode.Scalar] = Array("ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘".unicodeScalars)

  /// How a character is sent.
  enum Code {
    case standard(UInt8)
    /// Two bytes, of which the first is that of channel 1.
    case special(UInt8)
    /// Two bytes, after a similar character that decoders without them show.
    case extended(UInt8, UInt8, instead: UInt8)
  }

  /// The code of a character; `nil` if there is none.
  static func code(_ scalar: Unicode.Scalar) -> Code? { codes[scalar] }

  private static let codes: [Unicode.Scalar: Code] = {
    var result: [Unicode.Scalar: Code] = [:]
    for (index, scalar) in extended13.enumerated() {
      result[scalar] = .extended(0x13, 0x20 + UInt8(index), instead: instead(scalar))
    }
    for (index, scalar) in extended12.enumerated() {
      result[scalar] = .extended(0x12, 0x20 + UInt8(index), instead: instead(scalar))
    }
    for (index, scalar) in special.enumerated() { result[scalar] = .special(0x30 + UInt8(index)) }
    for code in UInt8(0x20)...0x7f { result[standard(code)] = .standard(code) }
    result["\u{2013}"] = .standard(0x2d)
    result["\u{2026}"] = nil
    result["♫"] = result["♪"]
    return result
  }()

  /// A similar standard character.
  private static func instead(_ scalar: Unicode.Scalar) -> UInt8 {
    switch scalar {
    case "Á", "À", "Â", "Ã", "Ä", "Å": UInt8(ascii: "A")
    case "É", "È", "Ê", "Ë": UInt8(ascii: "E")
    case "Í", "Ì", "Î", "Ï": UInt8(ascii: "I")
    case "Ó", "Ò", "Ô", "Õ", "Ö", "Ø": UInt8(ascii: "O")
    case "Ú", "Ù", "Û", "Ü": UInt8(ascii: "U")
    case "ã", "ä", "å": UInt8(ascii: "a")
    case "ë": UInt8(ascii: "e")
    case "ì", "ï": UInt8(ascii: "i")
    case "ò", "õ", "ö", "ø": UInt8(ascii: "o")
    case "ù", "ü": UInt8(ascii: "u")
    case "Ç": UInt8(ascii: "C")
    case "ß": UInt8(ascii: "s")
    case "‘", "'": 0x27
    case "“", "”", "«", "»": UInt8(ascii: "\"")
    case "—", "_", "~": UInt8(ascii: "-")
    case "{", "[": UInt8(ascii: "(")
    case "}": UInt8(ascii: ")")
    case "\\": UInt8(ascii: "/")
    case "|", "│": UInt8(ascii: "!")
    case "¡": UInt8(ascii: "!")
    case "•", "*": UInt8(ascii: ".")
    default: UInt8(ascii: " ")
    }
  }
}
