import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import TimedText

/// A subtitle file with its settings: `en=subs.vtt,name=English,default`.
struct SubtitleFile: OptionValue {
  static let expectation =
    "[LANG=]FILE and optional settings, such as en=subs.vtt,name=English,default"
  /// Its language tag, if given.
  let language: String?
  let path: Pathname
  /// The file, if it is open; a pipe can be opened only once.
  var opened: (any ByteSource)?
  /// By how much its cues are later.
  var delay: MediaTime?
  private(set) var name: String?
  private(set) var isDefault = false
  private(set) var isForced = false
  private(set) var describesSounds = false
  /// The name of its encoding, if given.
  private(set) var encoding: String?

  /// An open file with settings.
  init(
    _ source: any ByteSource, at path: Pathname, language: String?, name: String?, delay: MediaTime?, isDefault: Bool,
    isForced: Bool, describesSounds: Bool, encoding: String? = nil
  ) {
    (opened, self.path, self.language, self.name, self.delay) = (source, path, language, name, delay)
    (self.isDefault, self.isForced, self.describesSounds) = (isDefault, isForced, describesSounds)
    self.encoding = encoding
  }

  init?(_ word: Argument) {
    var bytes = word.bytes[...]
    var language: String?
    if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
      let tag = String(decoding: bytes[..<equals], as: UTF8.self)
      if Subtitles.isLanguage(tag) {
        language = tag
        bytes = bytes[equals...].dropFirst()
      }
    }
    self.language = language
    let parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    // A file name may contain commas; it ends at the first word that is a setting.
    let file = parts.prefix(1) + parts.dropFirst().prefix { !Self.isWord(String(decoding: $0, as: UTF8.self)) }
    guard let path = Pathname(Array(file.joined(separator: [UInt8(ascii: ",")]))), !path.bytes.isEmpty else {
      return nil
    }
    self.path = path
    var isName = false
    for part in parts.dropFirst(file.count).map({ String(decoding: $0, as: UTF8.self) }) {
      switch part {
      case "default": isDefault = true
      case "forced": isForced = true
      case "sdh": describesSounds = true
      case _ where part.hasPrefix("encoding="): encoding = String(part.dropFirst(9))
      case _ where part.hasPrefix("name="): name = String(part.dropFirst(5))
      case _ where isName: name = (name ?? "") + "," + part
      default: return nil
      }
      isName = part.hasPrefix("name=") || isName && !Self.isWord(part)
    }
    // Attributes cannot contain these characters.
    if let name, name.isEmpty || name.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }) { return nil }
  }
  private static func isWord(_ text: String) -> Bool {
    ["default", "forced", "sdh"].contains(text) || text.hasPrefix("name=") || text.hasPrefix("encoding=")
  }

  /// Reads the file. `language` and `encoding` are used if the file does not specify its own.
  func read(language other: String, encoding: String?) throws -> Subtitles {
    let encoding = try self.encoding(otherwise: encoding)
    let source = try opened ?? FileSource.open(path)
    var subtitles: Subtitles
    do throws(SubtitleFileError) {
      subtitles = try Subtitles(reading: source, language: language ?? other, encoding: encoding)
    } catch {
      switch error {
      case .io(let error): throw error
      case .text(let file, let error) where error.problem == .notUTF8:
        let help = "; use for example '--encoding windows-1252' or '--encoding shift_jis'"
        throw UnusableInput(file: file, reason: error.description + help)
      default: throw error
      }
    }
    if let delay { subtitles.document.move(by: Duration(delay)) }
    subtitles.name = name
    subtitles.isDefault = isDefault
    subtitles.isForced = isForced
    subtitles.describesSounds = describesSounds
    return subtitles
  }
}

extension SubtitleFile {
  /// The encoding of subtitle files that do not specify their own.
  static let encoding = Option.text(
    "encoding", placeholder: "NAME",
    help:
      "The encoding of subtitles that are not UTF-8 and have no byte order mark: `utf-16le`, `utf-16be`, `iso-8859-1` "
      + "to `iso-8859-16`, `windows-1250` to `windows-1258`, or `shift_jis`. Bytes that it does not define count as "
      + "lost characters. Without this option, bytes that are not UTF-8 are an error; the encoding is never guessed. "
      + "`encoding=NAME` after a FILE applies to that file.")

  /// The encoding of the file, or else that of the option.
  private func encoding(otherwise option: String?) throws(UsageError) -> TextEncoding? {
    guard let name = encoding ?? option else { return nil }
    if let encoding = TextEncoding(named: name) { return encoding }
    let copy = path.bytes.split(separator: UInt8(ascii: "/")).last.map { Array("utf8-".utf8) + $0 } ?? []
    let words = [Array(name.utf8), path.bytes, copy].map(Self.shellWord)
    throw UsageError(
      "unknown encoding '\(name)'; convert the file first: iconv -f \(words[0]) -t UTF-8 \(words[1]) > \(words[2])"
    )
  }
  /// Quoted as a single shell word.
  private static func shellWord(_ bytes: [UInt8]) -> String {
    let isPlain = bytes.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || Array("-_./+:".utf8).contains(byte)
    }
    guard !isPlain else { return String(decoding: bytes, as: UTF8.self) }
    let parts = bytes.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
    return "'" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "'\\''") + "'"
  }
}

extension [SubtitleFile] {
  /// Reads all files; `language` is used for files without a language.
  func read(_ arguments: ParsedArguments, language: (SubtitleFile) -> String = { _ in "und" }) throws -> [Subtitles] {
    try map { try $0.read(language: language($0), encoding: arguments[SubtitleFile.encoding]) }
  }

  /// Checks that the languages are valid and, if `isNeeded`, that each file has one; `option` is the option for the
  /// files.
  func checkLanguages(_ option: Option<[SubtitleFile]>, isNeeded: Bool = true) throws(UsageError) {
    let name = option.declaration.name
    for file in self where file.language == nil {
      if let equals = file.path.bytes.firstIndex(of: UInt8(ascii: "=")) {
        let word = String(decoding: file.path.bytes[..<equals], as: UTF8.self)
        if let tag = Subtitles.language(meantBy: word) {
          let rest = String(decoding: file.path.bytes[equals...], as: UTF8.self)
          throw UsageError("'\(word)' is not a language tag (BCP 47); use '--\(name) \(tag)\(rest)'")
        }
        guard !isNeeded else { throw UsageError("'\(word)' is not a language tag (BCP 47), such as en or pt-BR") }
      }
      guard !isNeeded else {
        throw UsageError("'\(file.path)' needs a language, as in '--\(name) en=\(file.path)'")
      }
    }
  }
}
