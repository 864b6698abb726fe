import ISOBMFF
import MP4Bytes
import Support

/// The configuration of a sample entry, given as the bytes of the whole box.
func configuration(_ entry: [UInt8], handler: FourCC? = nil) -> DecoderConfiguration {
  let type = FourCC(rawValue: entry[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
  return DecoderConfiguration(type: type, payload: entry[8...], handler: handler)
}

/// A video sample entry with these boxes.
func visual(_ type: String, _ boxes: [UInt8]...) -> [UInt8] {
  EntryBytes.visual(type, width: 64, height: 48, boxes.flatMap { $0 })
}

/// An audio sample entry that declares two channels and 16 kHz.
func audio(_ type: String, _ boxes: [UInt8]...) -> [UInt8] {
  EntryBytes.audio(type, channels: 2, rate: 16_000, boxes.flatMap { $0 })
}

/// A box with its payload in hexadecimal.
func hexBox(_ type: String, _ payload: String) -> [UInt8] { box(type, hexBytes(Array(payload.utf8))) }

/// An `esds` with an object type and the decoder configuration in hexadecimal.
func esds(_ objectType: UInt8, _ info: String = "") -> [UInt8] {
  let bytes = hexBytes(Array(info.utf8))
  let specific = bytes.isEmpty ? [] : [5, UInt8(bytes.count)] + bytes
  let decoder = [4, UInt8(13 + specific.count), objectType, 0x15] + zeros(11) + specific
  return fullBox("esds", [3, UInt8(3 + decoder.count), 0, 0, 0] + decoder)
}

/// The protection box with the original format of an encrypted entry.
func protection(_ format: String, in wrapper: String = "sinf") -> [UInt8] { box(wrapper, box("frma", ascii(format))) }

/// An XML subtitle entry with its strings and boxes.
func subtitles(_ namespace: String, schema: String = "", _ boxes: [UInt8]...) -> [UInt8] {
  box("stpp", zeros(6), [0, 1], ascii(namespace + "\0" + schema + "\0\0"), boxes.flatMap { $0 })
}

/// Groups of bits as bytes, padded with zeros.
func bits(_ text: String) -> [UInt8] {
  let digits = text.filter { $0 == "0" || $0 == "1" }
  let whole = digits + String(repeating: "0", count: (8 - digits.count % 8) % 8)
  return stride(from: 0, to: whole.count, by: 8).map { UInt8(whole.dropFirst($0).prefix(8), radix: 2) ?? 0 }
}
