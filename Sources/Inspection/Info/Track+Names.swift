import BoxCatalog
import Bytes
import ISOBMFF
import MP4

extension Track {
  /// The name in its user data, or that of its handler if it says more than the kind of the track.
  var name: String? {
    if let name = payload(["udta", "name"], as: UserDataNameBox.self)?.text.printable { return name }
    let own = payload(["mdia", "hdlr"], as: HandlerBox.self)?.name.printable
    return own.flatMap { name in
      let isUsual = name.hasSuffix("Handler") || name.hasSuffix("handler") || name.hasPrefix("Core Media")
      return isUsual ? nil : name
    }
  }

  /// The default key ID of its first protected sample entry; `nil` if there is none or samples are clear by default.
  var defaultKeyID: [UInt8]? {
    for entry in box.first(in: ["mdia", "minf", "stbl", "stsd"])?.boxes ?? [] {
      guard let tenc = entry.first("sinf", "schi", "tenc"),
        let encryption = try? tenc.payload(as: TrackEncryptionBox.self, from: boxSource).get(),
        encryption.defaultIsProtected != 0
      else { continue }
      return encryption.defaultKeyID
    }
    return nil
  }
}

extension BoxString {
  /// The text without control characters and spaces around it; `nil` if nothing is left.
  var printable: String? {
    let letters = description.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }
    var text = String(String.UnicodeScalarView(letters))[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text.isEmpty ? nil : String(text)
  }
}
