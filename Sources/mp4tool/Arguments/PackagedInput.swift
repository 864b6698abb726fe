import MP4
import MP4Bytes
import MP4Packaging

/// An input of a presentation with its settings: `en.m4a,name=English,default,language=en`.
struct PackagedInput {
  let file: Argument
  let hasSettings: Bool
  /// The settings that do not apply to subtitles.
  private var mediaSettings: [String] = []
  private(set) var settings = InputSettings()
  private(set) var attributes = Packager.RenditionAttributes()

  /// The roles that say how renditions differ.
  private static let roles = [
    "main", "alternate", "supplementary", "commentary", "dub", "description", "enhanced-audio-intelligibility",
    "emergency", "karaoke", "subtitle", "caption", "forced-subtitle", "easyreader", "sign",
  ]
  private static let known: [InputWord.Setting] = [
    .tracks, .language, .name, .delay, .default, .rate,
    .init("group", "letters, digits, '-', '_' and '.'"),
    .init("role", "one of \(roles.joined(separator: ", ")), or several separated by +"),
    .init("characteristics", "names such as public.accessibility.describes-video, separated by +"),
    .init("forced", "no value"), .init("sdh", "no value"), .init("score", "a number from 0 to 1000000, such as 1.5"),
  ]

  init(_ argument: Argument) throws(UsageError) {
    let word = try InputWord(argument, Self.known)
    (file, hasSettings) = (word.file, word.hasSettings)
    try word.forEach { set($0, $1) }
  }

  /// A subtitle file with its settings.
  init(_ file: SubtitleFile) {
    (self.file, hasSettings) = (Argument(bytes: file.path.bytes), true)
    (settings.language, settings.name, attributes.isDefault) = (file.language, file.name, file.isDefault)
    attributes.roles = (file.isForced ? ["forced-subtitle"] : []) + (file.describesSounds ? ["caption"] : [])
  }

  /// The subtitles of a file with these settings. Without a language, they have that of the file name.
  func subtitles(_ source: any ByteSource, _ arguments: ParsedArguments) throws -> Subtitles {
    if let setting = mediaSettings.first {
      throw UsageError("the setting '\(setting)' does not apply to subtitles, such as '\(file.text)'")
    }
    let text = SubtitleFile(
      source, at: file.path, language: settings.language, name: settings.name, delay: settings.delay,
      isDefault: attributes.isDefault, isForced: attributes.roles.contains("forced-subtitle"),
      describesSounds: attributes.roles.contains("caption"))
    let language = Subtitles.language(ofFile: file.text)
    return try text.read(language: language, encoding: arguments[SubtitleFile.encoding])
  }

  private mutating func set(_ key: String, _ value: String?) -> Bool {
    if ["tracks", "rate", "group", "characteristics", "score"].contains(key) { mediaSettings.append(key) }
    switch (key, value) {
    case ("default", nil): attributes.isDefault = true
    case ("forced", nil): attributes.roles.append("forced-subtitle")
    case ("sdh", nil): attributes.roles.append("caption")
    case ("name", let value?):
      // Attributes cannot contain these characters.
      guard !value.isEmpty, !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }) else { return false }
      settings.name = value
    case ("language", let value?):
      guard LanguageTag.isValid(value) else { return false }
      settings.language = value
    case ("tracks", let value?):
      guard let list = TrackList(joined: value) else { return false }
      settings.tracks = list.selection
    case ("delay", let value?):
      guard let time = SignedTime(value)?.time else { return false }
      settings.delay = time
    case ("rate", let value?):
      guard let rate = FrameRate(value) else { return false }
      settings.stream.frameRate = rate
    case ("group", let value?):
      guard Self.isName(value) else { return false }
      attributes.audioGroup = value
    case ("role", let value?):
      let all = value.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
      guard all.allSatisfy(Self.roles.contains) else { return false }
      attributes.roles += all
    case ("characteristics", let value?):
      let all = value.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
      guard all.allSatisfy(Self.isName) else { return false }
      attributes.characteristics = all
    case ("score", let value?):
      guard let score = Double(value), score >= 0, score <= 1_000_000 else { return false }
      attributes.score = score
    default: return false
    }
    return true
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
          || "-_.".utf8.contains(byte)
      }
  }
}
