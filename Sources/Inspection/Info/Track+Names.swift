import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes

extension Track {
  /// The name in its user data, or in its handler if that is more specific than the kind of the track.
  var name: String? {
    if let name = payload(["udta", "name"], as: UserDataNameBox.self)?.text.printable { return name }
    let own = payload(["mdia", "hdlr"], as: HandlerBox.self)?.name.printable
    return own.flatMap { name in
      let isUsual = name.hasSuffix("Handler") || name.hasSuffix("handler") || name.hasPrefix("Core Media")
      return isUsual ? nil : name
    }
  }

  /// The default key ID of its first protected sample entry, or else the key ID of its first sample; `nil` if there is
  /// none or samples are clear by default.
  var defaultKeyID: [UInt8]? {
    for entry in box.first(in: ["mdia", "minf", "stbl", "stsd"])?.boxes ?? [] {
      guard let tenc = entry.first("sinf", "schi", "tenc"),
        let encryption = try? tenc.payload(as: TrackEncryptionBox.self, from: boxSource).get(),
        encryption.defaultIsProtected != 0
      else { continue }
      // Some writers only declare it in sample groups.
      if encryption.defaultKeyID.contains(where: { $0 != 0 }) { return encryption.defaultKeyID }
    }
    let groups = (try? samples.first?.groups()) ?? []
    // The key ID follows three bytes for the pattern and the vector: ISO/IEC 23001-7, 6.
    guard let group = groups.first(where: { $0.type == "seig" }), group.description.count >= 20 else { return nil }
    return Array(group.description[4..<20])
  }
}

extension String {
  /// The text with spaces instead of line breaks, and without other control characters.
  var printable: String {
    var letters = String.UnicodeScalarView()
    for letter in unicodeScalars {
      if letter == "\n" || letter == "\t" || letter == "\r" {
        letters.append(" ")
      } else if letter.value >= 0x20, !(0x7f...0x9f).contains(letter.value) {
        letters.append(letter)
      }
    }
    return String(letters)
  }
}

extension BoxString {
  /// The trimmed text without control characters; `nil` if it is empty.
  var printable: String? {
    var text = description.printable[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text.isEmpty ? nil : String(text)
  }
}
