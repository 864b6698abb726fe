import MP4Bytes

/// One word of the command line, as the bytes passed by the system.
///
/// A path on Linux can contain any bytes except NUL, so a word is text only for messages.
struct Argument: Hashable, Sendable {
  var bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The word as a path. The system ends words at NUL, so they contain none.
  var path: Pathname {
    guard let path = Pathname(bytes) else { preconditionFailure("a word contains no NUL") }
    return path
  }

  /// The word for messages; invalid UTF-8 is shown as `\xNN`.
  var text: String { Printable.text(of: bytes) }

  /// Whether the word is `-`, which means standard input or standard output.
  var isDash: Bool { bytes == [UInt8(ascii: "-")] }
}

extension Argument {
  /// The words after the program's name.
  static func fromCommandLine() -> [Argument] {
    var words: [Argument] = []
    for index in stride(from: 1, to: Int(CommandLine.argc), by: 1) {
      guard let word = unsafe CommandLine.unsafeArgv[index] else { break }
      var bytes: [UInt8] = []
      var position = 0
      while unsafe word[position] != 0 {
        bytes.append(UInt8(bitPattern: unsafe word[position]))
        position += 1
      }
      words.append(Argument(bytes: bytes))
    }
    return words
  }
}
