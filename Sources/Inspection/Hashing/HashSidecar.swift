package import MP4
import MP4Bytes

/// Hashes of tracks in a text file, one in each line, in the style of BSD's checksum programs:
///
///     SHA256 track 1 samples (movie.mp4) = 9f86d081…
///
/// A line with a newline, carriage return or backslash in the name of the file starts with a backslash, and has `\n`,
/// `\r` and `\\` instead, as `sha256sum` writes them.
package struct HashSidecar: Sendable {
  /// What is hashed.
  package enum Kind: String, Sendable {
    case samples
    case samplesAndTimes = "samples+times"
  }

  /// A line.
  package struct Entry: Sendable, Hashable {
    /// The path of the file.
    package let file: [UInt8]
    /// The ID of the track.
    package let track: UInt32
    package let kind: Kind
    package let algorithm: HashAlgorithm
    package let digest: [UInt8]

    package init(file: [UInt8], track: UInt32, kind: Kind, algorithm: HashAlgorithm, digest: [UInt8]) {
      (self.file, self.track, self.kind) = (file, track, kind)
      (self.algorithm, self.digest) = (algorithm, digest)
    }
  }

  /// The valid lines.
  package let entries: [Entry]
  /// The numbers of the other lines, starting at 1. Empty lines, and lines that start with `#`, are ignored.
  package let invalidLines: [Int]

  /// Reads the text of a sidecar.
  package init(_ text: [UInt8]) {
    var (entries, invalid): ([Entry], [Int]) = ([], [])
    // Some editors write a byte-order mark.
    let text = text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text[...]
    for (index, full) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      let line = full.last == 0x0d ? full.dropLast() : full
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      if let entry = Entry(line) { entries.append(entry) } else { invalid.append(index + 1) }
    }
    (self.entries, invalidLines) = (entries, invalid)
  }
}

extension HashSidecar.Entry {
  private static let escapes: [(byte: UInt8, letter: UInt8)] = [
    (0x5c, 0x5c), (0x0a, UInt8(ascii: "n")), (0x0d, UInt8(ascii: "r")),
  ]

  /// The line, with its end.
  package var line: [UInt8] {
    var (name, isEscaped): ([UInt8], Bool) = ([], false)
    for byte in file {
      if let escape = Self.escapes.first(where: { $0.byte == byte }) {
        name += [0x5c, escape.letter]
        isEscaped = true
      } else {
        name.append(byte)
      }
    }
    let start = "\(isEscaped ? "\\" : "")\(algorithm.name) track \(track) \(kind.rawValue) ("
    return Array(start.utf8) + name + Array(") = \(hexText(digest))\n".utf8)
  }

  /// Parses a line without its end; `nil` if it is not valid.
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    let isEscaped = line.first == 0x5c
    let line = isEscaped ? line.dropFirst() : line
    guard let open = line.firstIndex(of: UInt8(ascii: "(")), open > line.startIndex, line[open - 1] == 0x20,
      let last = line.lastIndex(of: UInt8(ascii: "=")),
      let (digest, name) = Self.parts(line[(open + 1)..<max(open + 1, last)], line[(last + 1)...])
    else { return nil }
    let words = String(decoding: line[..<(open - 1)], as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, words[1] == "track", let track = UInt32(words[2]),
      let kind = HashSidecar.Kind(rawValue: String(words[3])),
      let algorithm = HashAlgorithm.allCases.first(where: { $0.name == words[0] }),
      digest.count == algorithm.byteCount, let file = isEscaped ? Self.unescaped(name) : Array(name),
      !file.isEmpty, !file.contains(0)
    else { return nil }
    self.init(file: file, track: track, kind: kind, algorithm: algorithm, digest: digest)
  }

  /// The hash and the name around `) = `.
  private static func parts(_ start: ArraySlice<UInt8>, _ end: ArraySlice<UInt8>) -> ([UInt8], ArraySlice<UInt8>)? {
    guard start.suffix(2).elementsEqual(") ".utf8), end.first == 0x20 else { return nil }
    let digits = end.dropFirst().map(\.hexadecimalValue)
    let values = digits.compactMap(\.self)
    guard values.count == digits.count, digits.count % 2 == 0 else { return nil }
    let digest = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    return (digest, start.dropLast(2))
  }

  private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], name)
    while let byte = rest.popFirst() {
      guard byte == 0x5c else {
        result.append(byte)
        continue
      }
      guard let letter = rest.popFirst(), let escape = escapes.first(where: { $0.letter == letter }) else { return nil }
      result.append(escape.byte)
    }
    return result
  }
}
