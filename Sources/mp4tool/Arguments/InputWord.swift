import MP4
import MP4Bytes
import MP4FileIO

/// An operand with settings after commas: `audio.wav,language=de,delay=-0.12`.
///
/// A word that as a whole names an existing file is that file.
struct InputWord {
  /// A setting that a command knows.
  struct Setting {
    let name: String
    /// What its value is.
    let expectation: String

    init(_ name: String, _ expectation: String) { (self.name, self.expectation) = (name, expectation) }

    static let tracks = Setting("tracks", "track IDs or kinds such as video, separated by +")
    static let language = Setting("language", "a language tag such as de or pt-BR")
    static let name = Setting("name", "a name")
    static let delay = Setting("delay", "a number of seconds such as 0.5 or -0.12")
    static let rate = Setting("rate", FrameRate.expectation)
    static let `default` = Setting("default", "no value")
  }
  let file: Argument
  private let word: Argument
  private let known: [Setting]
  private var settings: [(part: String, key: String, value: String?)] = []

  var hasSettings: Bool { !settings.isEmpty }

  /// Separates the settings from the name of the file.
  init(_ word: Argument, _ known: [Setting]) throws(UsageError) {
    (self.word, self.known) = (word, known)
    let names = known.map(\.name)
    let parts = word.bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let isFile = FileIdentity(of: word.path) != nil
    func isSetting(_ part: ArraySlice<UInt8>) -> Bool { names.contains(Self.split(part).key) }
    // A file name can contain commas; it ends before the first word that is a setting.
    let count = isFile ? parts.count : 1 + parts.dropFirst().prefix { !isSetting($0) }.count
    file = Argument(bytes: Array(parts[..<count].joined(separator: [UInt8(ascii: ",")])))
    for part in parts.dropFirst(count) {
      let (text, own) = (String(decoding: part, as: UTF8.self), Self.split(part))
      if let last = settings.last, last.key == "name", !names.contains(own.key) {
        settings[settings.count - 1].value = (last.value ?? "") + "," + text
        continue
      }
      guard !settings.contains(where: { $0.key == own.key }) else {
        throw UsageError("'\(word.text)' has the setting '\(own.key)' twice")
      }
      settings.append((text, own.key, own.value))
    }
    guard count > 1, !isFile else { return }
    if FileIdentity(of: file.path) == nil, FileIdentity(of: Argument(bytes: Array(parts[0])).path) != nil {
      let key = Self.split(parts[1]).key
      let like = Spelling.names(like: key, from: names).first.map { "did you mean '\($0)'?" }
      let help = like ?? "the settings are \(names.joined(separator: ", "))"
      throw UsageError("'\(key)' in '\(word.text)' is not a setting; \(help)")
    }
    for part in parts[1..<count] {
      // A word with a value whose name is nearly that of a setting.
      let (key, value) = Self.split(part)
      guard value != nil, let setting = Spelling.names(like: key, from: names).first else { continue }
      throw UsageError("'\(key)' in '\(word.text)' is not a setting; did you mean '\(setting)'?")
    }
  }

  private static func split(_ part: ArraySlice<UInt8>) -> (key: String, value: String?) {
    let words = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    return (words[0], words.count > 1 ? words[1] : nil)
  }

  /// Passes each setting to `set`, which returns whether its value is valid.
  func forEach(_ set: (_ key: String, _ value: String?) -> Bool) throws(UsageError) {
    for setting in settings where !set(setting.key, setting.value) {
      if let own = known.first(where: { $0.name == setting.key }) {
        throw UsageError("'\(setting.part)' in '\(word.text)': \(setting.key) takes \(own.expectation)")
      }
      let names = known.map(\.name)
      let help = Spelling.names(like: setting.key, from: names).first.map { "; did you mean '\($0)'?" }
      let list = help ?? "; the settings are \(names.joined(separator: ", "))"
      throw UsageError("'\(setting.part)' in '\(word.text)' is not a valid setting\(list)")
    }
  }
}
