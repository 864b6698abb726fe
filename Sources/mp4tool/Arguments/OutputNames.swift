import MP4
import MP4Bytes

/// A file name without a folder.
struct FileName: TextOptionValue {
  static let expectation = "a file name without slashes"
  let text: String

  init?(_ word: String) {
    guard NumberedName.fileName(word) != nil else { return nil }
    text = word
  }
}

extension NumberedName: TextOptionValue {
  static let expectation = "a file name that contains one %d or %0Nd, such as seg-%05d.m4s"
}

/// The paths of several outputs, such as `parts/%02d %t.mp4`: with their number, their title, and where they start.
struct OutputNames {
  private enum Piece {
    case text([UInt8])
    case number(digits: Int)
    case title
    case place
  }
  private let pieces: [Piece]
  private let hasExtension: Bool

  /// `nil` unless the name has one `%d` or `%0Nd` in it, and no other placeholder.
  init?(numbered output: Argument) {
    self.init(output, placeholders: "d")
    if pieces.count(where: { if case .number = $0 { true } else { false } }) != 1 { return nil }
  }

  /// `nil` unless the name has a placeholder, and only valid ones.
  init?(_ output: Argument, placeholders: String = "dntc%") {
    let slash = output.bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    var pieces = [Piece.text(Array(output.bytes[..<slash]))]
    var rest = output.bytes[slash...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      pieces.append(.text(Array(rest[..<percent])))
      let letters = rest[(percent + 1)...]
      guard let letter = letters.first(where: { !(0x30...0x39).contains($0) }) else { return nil }
      let figures = letters.prefix { $0 != letter }
      guard placeholders.utf8.contains(letter) else { return nil }
      switch letter {
      case UInt8(ascii: "d") where figures.isEmpty, UInt8(ascii: "n") where figures.isEmpty:
        pieces.append(.number(digits: 1))
      case UInt8(ascii: "d") where figures.first == 0x30:
        guard let digits = Int(String(decoding: figures, as: UTF8.self)), 1...20 ~= digits else { return nil }
        pieces.append(.number(digits: digits))
      case UInt8(ascii: "t") where figures.isEmpty: pieces.append(.title)
      case UInt8(ascii: "%") where figures.isEmpty: pieces.append(.text([letter]))
      case UInt8(ascii: "c") where figures.isEmpty: pieces.append(.place)
      default: return nil
      }
      rest = letters.dropFirst(figures.count + 1)
    }
    self.pieces = pieces + [.text(Array(rest))]
    hasExtension = output.bytes[slash...].contains(UInt8(ascii: "."))
    let isFixed = pieces.allSatisfy { if case .text = $0 { true } else { false } }
    if isFixed { return nil }
  }

  /// The path of an output, with an extension if it has none. Characters that file names cannot have everywhere become
  /// `-` or `_`.
  func name(_ number: Int, title: String? = nil, place: String = "", extension usual: String? = nil) -> Argument {
    let bytes = pieces.flatMap { piece -> [UInt8] in
      switch piece {
      case .text(let bytes): return bytes
      case .number(let digits):
        let figures = String(number)
        return Array((String(repeating: "0", count: max(0, digits - figures.utf8.count)) + figures).utf8)
      case .title: return Array(Self.safe(title ?? "").isEmpty ? String(number).utf8 : Self.safe(title ?? "").utf8)
      case .place: return place.utf8.map { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") ? UInt8(ascii: "-") : $0 }
      }
    }
    let added = hasExtension ? nil : usual.map { Array(".\($0)".utf8) }
    return Argument(bytes: bytes + (added ?? []))
  }

  private static func safe(_ title: String) -> String {
    let characters = title.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7f || "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar
    }
    var result = ""
    for scalar in characters where result.utf8.count < 100 { result.unicodeScalars.append(scalar) }
    // A name that starts with a point is hidden.
    return result.hasPrefix(".") ? "_" + result.dropFirst() : result
  }
}
