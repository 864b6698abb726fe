import MP4Bytes

extension BoxDefinition {
  /// The boxes in a list: each has a type of four characters, a space and a name and, after a semicolon, its clause.
  /// They are on lines of their own or separated by `|`. Without a name, a box is named like `payload`; without a
  /// clause, it has the given one.
  ///
  /// As text, an entry takes only its own letters; as a call, it would take a hundred bytes of code.
  static func list(
    _ text: StaticText, in containers: [FourCC], _ clause: StaticText = "", as payload: (any BoxPayload.Type)? = nil,
    holdsBoxes: Bool = false
  ) -> [BoxDefinition] {
    var definitions: [BoxDefinition] = []
    var at = 0
    while at < text.count {
      let line = text.index(of: UInt8(ascii: "\n"), from: at, to: text.count)
      let end = text.index(of: UInt8(ascii: "|"), from: at, to: line)
      let type = FourCC(text, at: &at)
      let nameEnd = text.index(of: UInt8(ascii: ";"), from: at, to: end)
      var info = BoxInfo(type, payload?.info.name ?? "", in: containers, clause)
      if nameEnd > at + 1 { info.name = text.trimmed(at + 1, nameEnd) }
      if nameEnd < end { info.clause = text.trimmed(nameEnd + 2, end) }
      definitions.append(
        payload.map { BoxDefinition(info, as: $0) } ?? BoxDefinition(info, holdsBoxes: holdsBoxes))
      at = end == line ? end + 1 : end + 2
    }
    return definitions
  }
}

extension FourCC {
  /// The four Latin-1 characters from `at` on, in UTF-8.
  fileprivate init(_ text: StaticText, at: inout Int) {
    self.init()
    for _ in 0..<4 {
      var byte = text[at]
      at += 1
      if byte & 0xfc == 0xc0 {
        byte = byte << 6 | text[at] & 0x3f
        at += 1
      }
      rawValue = rawValue << 8 | UInt32(byte)
    }
  }
}

extension StaticText {
  /// The bytes from `start` to `end` without spaces at their end.
  fileprivate func trimmed(_ start: Int, _ end: Int) -> StaticText {
    var end = end
    while end > start, self[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return self[start..<end]
  }
}
