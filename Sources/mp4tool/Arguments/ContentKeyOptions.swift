import MP4
import MP4Bytes
import MP4Packaging

/// The options for content keys: the keys of encrypted inputs, or the keys to encrypt an output. Messages never contain
/// a key.
struct ContentKeyOptions {
  /// The keys of encrypted inputs.
  static let input = ContentKeyOptions(
    "ID:KEY",
    help: "Decrypt samples with this key. If a key is given, all selected tracks that are encrypted need a key. KEY "
      + "has 32 hexadecimal digits. ID is a key ID (KID) of 32 hexadecimal digits, with or without hyphens, or a track "
      + "ID. Can be repeated.",
    expectation: "ID:KEY, where ID is a key ID of 32 hexadecimal digits or a track ID, and KEY has 32 hexadecimal "
      + "digits"
  ) { !$0.hasList }
  /// The keys of an encrypted output.
  static let output = ContentKeyOptions(
    "[LIST=]KID:KEY",
    help: "A key and the tracks that it encrypts. KID (the key ID) and KEY have 32 hexadecimal digits each. LIST "
      + "contains track IDs or kinds, as in `--tracks`. Can be repeated; the first matching key is used for a track.",
    expectation: "KID:KEY, with 32 hexadecimal digits each, or LIST=KID:KEY with a list of tracks"
  ) { $0.hasKeyID && (!$0.hasList || $0.tracks != nil) }
  /// The keys of an encrypted package.
  static let package = ContentKeyOptions(
    "[LIST=]KID:KEY", prefix: "encrypt-",
    help: "A key, and the media that it encrypts. KID (the key ID) and KEY have 32 hexadecimal digits each. LIST "
      + "contains `audio`, `video`, `sd` (video of at most 768×576 pixels), `hd` (more, and at most 1920×1080) and "
      + "`uhd` (more), separated by commas. Without LIST, it applies to all audio and video. Can be repeated; the "
      + "first matching key is used, and media without a key stays clear.",
    expectation: "KID:KEY, with 32 hexadecimal digits each, or LIST=KID:KEY with a list of 'audio', 'video', 'sd', "
      + "'hd' and 'uhd'"
  ) { $0.hasKeyID && (!$0.hasList || $0.media != nil) }

  let key: Option<[Argument]>
  let keyFile: Option<[Argument]>
  var all: [any DeclaredOption] { [key, keyFile] }
  /// The options of a command that needs a key.
  var required: [any DeclaredOption] { [key.required(unless: [keyFile]), keyFile] }
  /// The format of a key, for help texts and messages.
  private let form: String
  private let expectation: String
  /// Whether a key has all required parts, and no others.
  private let isValid: @Sendable (ContentKeyLine) -> Bool

  private init(
    _ form: String, prefix: String = "", help: String, expectation: String,
    _ isValid: @escaping @Sendable (ContentKeyLine) -> Bool
  ) {
    key = .texts(
      "\(prefix)key", placeholder: form,
      help: help + " Other users of this machine can see the key in the process list; use `--\(prefix)key-file` to "
        + "avoid this.")
    keyFile = .paths(
      "\(prefix)key-file", placeholder: "FILE",
      help:
        "Read keys from FILE, which contains lines of the form `\(form)`, as in `--\(prefix)key`. Empty lines and "
        + "lines that start with `#` are ignored. Can be repeated.")
    (self.form, self.expectation, self.isValid) = (form, expectation, isValid)
  }

  /// The maximum size of a key file.
  private static let sizeLimit = 1 << 20

  /// All given keys: those of `--key`, then those of files. Two different keys with the same ID are an error.
  func lines(_ arguments: ParsedArguments, _ context: CommandContext) throws -> [ContentKeyLine] {
    var lines: [ContentKeyLine] = []
    for word in arguments[key] {
      guard let line = ContentKeyLine(word.bytes[...]), isValid(line) else {
        throw UsageError("option '--\(key.declaration.name)' takes \(expectation)")
      }
      guard line.agrees(with: lines) else {
        throw UsageError("option '--\(key.declaration.name)' specifies two different keys for \(line.owner)")
      }
      lines.append(line)
    }
    try checkStandardInput(arguments)
    for file in arguments[keyFile] { try read(file, &lines, context) }
    return lines
  }

  /// All given keys; at least one is required.
  func requiredLines(_ arguments: ParsedArguments, _ context: CommandContext) throws -> [ContentKeyLine] {
    let lines = try lines(arguments, context)
    guard !lines.isEmpty else {
      throw UsageError(
        "no key is specified; use '--\(key.declaration.name) \(form)' or '--\(keyFile.declaration.name) FILE'")
    }
    return lines
  }

  private func read(_ file: Argument, _ keys: inout [ContentKeyLine], _ context: CommandContext) throws {
    let source = try InputFiles(context).open(file, spool: false)
    var bytes = try source.bytes(in: 0..<Self.sizeLimit + 1)
    guard bytes.count <= Self.sizeLimit else {
      throw UnusableInput(file: source.name, reason: "this is not a text file with keys")
    }
    // The byte order mark that Windows editors write.
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
    var isEmpty = true
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.drop(while: ContentKeyLine.isSpace)
      if text.isEmpty || text.first == UInt8(ascii: "#") { continue }
      isEmpty = false
      guard let key = ContentKeyLine(text), isValid(key) else {
        throw UnusableInput(
          file: source.name, reason: "line \(index + 1) is not a key; a key is written as \(expectation)")
      }
      guard key.agrees(with: keys) else {
        throw UnusableInput(
          file: source.name,
          reason: "line \(index + 1) has a key for \(key.owner) that differs from the one specified before")
      }
      keys.append(key)
    }
    guard !isEmpty else {
      throw UnusableInput(file: source.name, reason: "the file contains no keys; write lines of the form \(form)")
    }
  }

  /// Throws if keys and an input would both be read from standard input.
  private func checkStandardInput(_ arguments: ParsedArguments) throws(UsageError) {
    let uses = (arguments[keyFile] + arguments.operands).count(where: \.isDash)
    guard uses > 1, arguments[keyFile].contains(where: \.isDash) else { return }
    throw UsageError("option '--\(keyFile.declaration.name)' and another input cannot both be standard input")
  }

  /// Throws if a key is given together with an option that excludes it.
  func refuse(_ arguments: ParsedArguments, with option: Option<Bool>) throws(UsageError) {
    for own in all where arguments.has(own) { throw UsageError(own, contradicts: option) }
  }

  /// Inputs whose selected tracks are decrypted, if keys are given.
  func decrypted(
    _ sources: [any ByteSource], _ arguments: ParsedArguments, _ context: CommandContext,
    tracks: TrackSelection = TrackSelection()
  ) throws -> [any ByteSource] {
    let keys = ContentKeys(try lines(arguments, context))
    if keys.isEmpty { return sources }
    let decryption = try Decryption(of: sources, with: keys, tracks: tracks)
    // The command reports the losses of the movie itself.
    for diagnostic in decryption.diagnostics where diagnostic.severity == .warning {
      context.diagnostics.say(diagnostic)
    }
    return decryption.sources
  }
}

/// `[LIST=]ID:KEY`: a key, its ID or track, and the tracks that are encrypted with it.
struct ContentKeyLine {
  /// The ID or track that a key belongs to.
  enum Owner: Hashable, CustomStringConvertible {
    case keyID([UInt8])
    case track(UInt32)

    /// A text such as `KID 00112233445566778899aabbccddeeff`.
    var description: String {
      switch self {
      case .keyID(let bytes): "KID " + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      case .track(let id): "track \(id)"
      }
    }
  }
  let owner: Owner
  /// The tracks and the media of its list; `nil` if there is none, or it is a list of something else.
  private(set) var tracks: TrackSelection?
  private(set) var media: Set<Packager.Protection.Media>?
  let hasList: Bool
  private let key: [UInt8]
  var hasKeyID: Bool { if case .keyID = owner { true } else { false } }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

  init?(_ line: ArraySlice<UInt8>) {
    var bytes = line
    let equals = bytes.firstIndex(of: UInt8(ascii: "="))
    hasList = equals != nil
    if let equals {
      let list = String(decoding: bytes[..<equals].filter { !Self.isSpace($0) }, as: UTF8.self)
      (tracks, media) = (TrackList(list)?.selection, Self.media(list))
      guard tracks != nil || media != nil else { return nil }
      bytes = bytes[equals...].dropFirst()
    }
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

  /// Whether `others` have no other key for the same ID.
  func agrees(with others: [ContentKeyLine]) -> Bool { others.allSatisfy { $0.owner != owner || $0.key == key } }

  /// The encryption key for its tracks, or for `selection` if it does not specify any.
  func encryptionKey(_ selection: TrackSelection) -> Encryption.Key? {
    guard case .keyID(let keyID) = owner else { return nil }
    return try? Encryption.Key(key, keyID: keyID, tracks: tracks ?? selection)
  }

  /// The key of a package.
  var packageKey: Packager.Protection.Key? {
    guard case .keyID(let keyID) = owner, let key = try? Encryption.Key(key, keyID: keyID) else { return nil }
    return media.map { Packager.Protection.Key(key, for: $0) } ?? Packager.Protection.Key(key)
  }

  private static func media(_ list: String) -> Set<Packager.Protection.Media>? {
    let words = list.split(separator: ",", omittingEmptySubsequences: false)
    let media = words.compactMap { word in Packager.Protection.Media.allCases.first { "\($0)" == word } }
    return media.count == words.count ? Set(media) : nil
  }

  fileprivate func add(to keys: inout ContentKeys) {
    // The digits of keys and key IDs were counted.
    switch owner {
    case .keyID(let keyID): try? keys.set(key, forKeyID: keyID)
    case .track(let track): try? keys.set(key, forTrack: track)
    }
  }

  /// Decodes hexadecimal digits.
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

extension ContentKeys {
  /// The keys of encrypted inputs.
  init(_ lines: [ContentKeyLine]) {
    self.init()
    for line in lines { line.add(to: &self) }
  }
}
