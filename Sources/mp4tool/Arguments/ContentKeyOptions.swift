import Bytes
import MP4

/// The options for the keys of encrypted inputs. Messages never contain a key.
enum ContentKeyOptions {
  static let key = Option.texts(
    "key", placeholder: "ID:KEY",
    help: "The key KEY, 32 hexadecimal digits, of the samples with the key ID (KID) ID, 32 hexadecimal digits with or "
      + "without hyphens, or of the track with the number ID. Can be repeated. Other users of this machine can see it "
      + "in the list of processes; use `--key-file` to avoid that.")
  static let keyFile = Option.paths(
    "key-file", placeholder: "FILE",
    help: "Read keys from FILE: lines of the form `ID:KEY`, as for `--key`. Empty lines and lines that start with `#` "
      + "are ignored. Can be repeated.")
  static let all: [any DeclaredOption] = [key, keyFile]

  /// Key files have a few lines.
  private static let sizeLimit = 1 << 20

  /// All given keys.
  static func keys(_ arguments: ParsedArguments, _ context: CommandContext) throws -> ContentKeys {
    var keys = ContentKeys()
    for word in arguments[key] {
      guard let line = ContentKeyLine(word.bytes[...]), line.add(to: &keys) else {
        throw UsageError(
          "option '--\(key.declaration.name)' takes ID:KEY, where ID is a key ID of 32 hexadecimal digits or the "
            + "number of a track, and KEY has 32 hexadecimal digits")
      }
    }
    try checkStandardInput(arguments, keyFile)
    for file in arguments[keyFile] {
      try forEachLine(of: file, context, form: "ID:KEY") { ContentKeyLine($0)?.add(to: &keys) ?? false }
    }
    return keys
  }

  /// Calls `body` with each line of a key file that is not empty or a comment; it returns whether the line is valid.
  static func forEachLine(
    of file: Argument, _ context: CommandContext, form: String, _ body: (ArraySlice<UInt8>) -> Bool
  ) throws {
    let source = try InputFiles(context).open(file, spool: false)
    var bytes = try source.bytes(in: 0..<sizeLimit + 1)
    guard bytes.count <= sizeLimit else {
      throw UnusableInput(file: source.name, reason: "this is not a text file with keys")
    }
    // The byte order mark of Windows editors.
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
    var isEmpty = true
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.drop(while: ContentKeyLine.isSpace)
      if text.isEmpty || text.first == UInt8(ascii: "#") { continue }
      isEmpty = false
      if body(text) { continue }
      throw UnusableInput(
        file: source.name, reason: "line \(index + 1) is not of the form \(form), with 32 hexadecimal digits each")
    }
    guard !isEmpty else {
      throw UnusableInput(file: source.name, reason: "there are no keys in it; write lines of the form \(form)")
    }
  }

  /// Throws if keys and an input would both be read from standard input.
  static func checkStandardInput(_ arguments: ParsedArguments, _ file: Option<[Argument]>) throws(UsageError) {
    let uses = (arguments[file] + arguments.operands).count(where: \.isDash)
    guard uses > 1, arguments[file].contains(where: \.isDash) else { return }
    throw UsageError("option '--\(file.declaration.name)' and another input cannot both be standard input")
  }

  /// Throws if a key is given with an option that it cannot be used with.
  static func refuse(_ arguments: ParsedArguments, with option: Option<Bool>) throws(UsageError) {
    for own in all where arguments.has(own) {
      throw UsageError("options '--\(own.declaration.name)' and '--\(option.declaration.name)' contradict each other")
    }
  }

  /// Inputs whose selected tracks are decrypted, if keys are given.
  static func decrypted(
    _ sources: [any ByteSource], _ arguments: ParsedArguments, _ context: CommandContext,
    tracks: TrackSelection = TrackSelection()
  ) throws -> [any ByteSource] {
    let keys = try keys(arguments, context)
    return keys.isEmpty ? sources : try Decryption(of: sources, with: keys, tracks: tracks).sources
  }
}

/// `ID:KEY`.
struct ContentKeyLine {
  private enum Owner {
    case keyID([UInt8])
    case track(UInt32)
  }
  private let owner: Owner
  private let key: [UInt8]

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

  init?(_ bytes: ArraySlice<UInt8>) {
    let words = bytes.filter { !Self.isSpace($0) }.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard words.count == 2, let key = Self.digits(words[1]) else { return nil }
    self.key = key
    if let keyID = Self.digits(words[0].filter { $0 != UInt8(ascii: "-") }[...]) {
      owner = .keyID(keyID)
    } else if let track = UInt32(String(decoding: words[0], as: UTF8.self)), track > 0 {
      owner = .track(track)
    } else {
      return nil
    }
  }

  /// The key in `[LIST=]KID:KEY`.
  static func encryptionKey(_ bytes: ArraySlice<UInt8>, _ selection: TrackSelection) -> Encryption.Key? {
    var (text, selection) = (bytes, selection)
    if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
      guard let list = TrackList(String(decoding: bytes[..<equals], as: UTF8.self)) else { return nil }
      (text, selection) = (bytes[equals...].dropFirst(), list.selection)
    }
    guard let line = Self(text), case .keyID(let keyID) = line.owner else { return nil }
    return Encryption.Key(line.key, keyID: keyID, tracks: selection)
  }

  func add(to keys: inout ContentKeys) -> Bool {
    switch owner {
    case .keyID(let keyID): keys.set(key, forKeyID: keyID)
    case .track(let track): keys.set(key, forTrack: track)
    }
  }

  /// Bytes from hexadecimal digits.
  static func digits(_ text: ArraySlice<UInt8>, count: Int = 16) -> [UInt8]? {
    guard text.count == 2 * count else { return nil }
    var (result, high): ([UInt8], UInt8?) = ([], nil)
    for character in text {
      guard let value = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
      if let first = high {
        result.append(first << 4 | UInt8(value))
        high = nil
      } else {
        high = UInt8(value)
      }
    }
    return result
  }
}
