import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import TimedText

/// A file with its settings: `audio.wav,language=de,delay=-0.12`.
struct MuxInput {
  let file: Argument
  private(set) var tracks = TrackSelection()
  private(set) var language: String?
  private(set) var name: String?
  private(set) var delay: MediaTime?
  private(set) var frameRate: FrameRate?
  private(set) var group: Int16?
  private(set) var isDefault = false
  /// The channel of closed captions.
  private(set) var channel: CaptionChannel?
  /// Settings that only subtitle files have.
  private(set) var textSettings: [String] = []
  /// The settings that do not apply to subtitle files.
  private(set) var mediaSettings: [String] = []

  static let words = [
    "tracks", "language", "name", "delay", "default", "group", "rate", "forced", "sdh", "encoding", "channel",
  ]

  /// The valid values of settings.
  private static let values = [
    "tracks": "track IDs or kinds such as video, separated by +", "language": "a language tag such as de or pt-BR",
    "name": "a name", "delay": "a number of seconds such as 0.5 or -0.12", "group": "a number from 0 to 32767",
    "rate": FrameRate.expectation, "default": "no value", "forced": "no value", "sdh": "no value",
    "encoding": "the name of an encoding", "channel": "CC1, CC2, CC3 or CC4",
  ]

  /// Separates the settings from the name of the file, unless the whole word names an existing file.
  init(_ word: Argument) throws(UsageError) {
    let parts = word.bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let isFile = FileIdentity(of: word.path) != nil
    // A file name can contain commas; it ends before the first word that is a setting.
    let count = isFile ? parts.count : 1 + parts.dropFirst().prefix { !Self.isSetting($0) }.count
    file = Argument(bytes: Array(parts[..<count].joined(separator: [UInt8(ascii: ",")])))
    var (isName, given) = (false, Set<String>())
    for part in parts.dropFirst(count).map({ String(decoding: $0, as: UTF8.self) }) {
      let (key, value) = Self.split(part)
      if isName, !Self.words.contains(key) {
        name = (name ?? "") + "," + part
        continue
      }
      isName = key == "name"
      if given.contains(key) { throw UsageError("'\(word.text)' has the setting '\(key)' twice") }
      given.insert(key)
      guard set(key, value) else {
        let known = Spelling.names(like: key, from: Self.words).first.map { "; did you mean '\($0)'?" }
        let list = known ?? "; the settings are \(Self.words.joined(separator: ", "))"
        if let help = Self.values[key] { throw UsageError("'\(part)' in '\(word.text)': \(key) takes \(help)") }
        throw UsageError("'\(part)' in '\(word.text)' is not a valid setting\(list)")
      }
    }
    if count > 1, !isFile, let typo = parts[1..<count].lazy.compactMap({ Self.nearlySetting($0) }).first {
      throw UsageError("'\(typo.word)' in '\(word.text)' is not a setting; did you mean '\(typo.setting)'?")
    }
  }

  private static func split(_ part: String) -> (key: String, value: String?) {
    let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(words[0]), words.count > 1 ? String(words[1]) : nil)
  }
  private static func isSetting(_ part: ArraySlice<UInt8>) -> Bool {
    words.contains(split(String(decoding: part, as: UTF8.self)).key)
  }
  /// A word with a value whose name is nearly that of a setting.
  private static func nearlySetting(_ part: ArraySlice<UInt8>) -> (word: String, setting: String)? {
    let (key, value) = split(String(decoding: part, as: UTF8.self))
    guard value != nil, let setting = Spelling.names(like: key, from: words).first else { return nil }
    return (key, setting)
  }

  private mutating func set(_ key: String, _ value: String?) -> Bool {
    switch (key, value) {
    case ("default", nil): isDefault = true
    case ("forced", nil), ("sdh", nil): textSettings.append(key)
    case ("encoding", let value?): textSettings.append("encoding=\(value)")
    case ("name", let value?): name = value
    case ("channel", let value?):
      guard let own = CaptionChannel(value), own.isCEA608 else { return false }
      channel = own
    case ("language", let value?):
      guard LanguageTag.isValid(value) else { return false }
      language = value
    case ("tracks", let value?):
      guard let list = TrackList(String(value.map { $0 == "+" ? "," : $0 })) else { return false }
      tracks = list.selection
      mediaSettings.append(key)
    case ("delay", let value?):
      guard let time = SignedTime(value)?.time else { return false }
      delay = time
      mediaSettings.append(key)
    case ("rate", let value?):
      guard let rate = FrameRate(value) else { return false }
      frameRate = rate
      mediaSettings.append(key)
    case ("group", let value?):
      guard let number = Int16(value), number >= 0 else { return false }
      group = number
      mediaSettings.append(key)
    default: return false
    }
    return true
  }

  /// The settings for a multiplexer. `rate` is the frame rate of streams that have no setting.
  func settings(rate: FrameRate?) -> Multiplexer.Settings {
    var settings = Multiplexer.Settings()
    (settings.tracks, settings.language, settings.name) = (tracks, language, name)
    (settings.delay, settings.isDefault, settings.alternateGroup) = (delay, isDefault, group)
    settings.stream.frameRate = frameRate ?? rate
    return settings
  }

  /// A movie with closed captions, if the file has them, or subtitles that become captions of a channel.
  func captions(_ source: any ByteSource, encoding: String?) throws -> CaptionMovie? {
    if try CaptionMovie.isScenarist(source) {
      if let setting = textSettings.first {
        throw UsageError("the setting '\(setting)' applies only to subtitles, not to '\(file.text)'")
      }
      return try CaptionMovie(scenarist: source, channel: channel ?? .cc(1))
    }
    guard let channel, try Subtitles.isSubtitles(source) else { return nil }
    var (plain, encodings) = (self, textSettings.filter { $0.utf8.starts(with: "encoding=".utf8) })
    if let setting = textSettings.first(where: { !encodings.contains($0) }) {
      throw UsageError("the setting '\(setting)' does not apply to closed captions, such as '\(file.text)'")
    }
    swap(&plain.textSettings, &encodings)
    (plain.mediaSettings, plain.name, plain.language, plain.isDefault, plain.delay) = ([], nil, nil, false, nil)
    let subtitles = try plain.subtitles(source).read(language: "und", encoding: encoding)
    var movie = try CaptionMovie(subtitles, channel: channel)
    movie.diagnostics = subtitles.diagnostics + movie.diagnostics
    return movie
  }

  /// The subtitle file with the same settings.
  func subtitles(_ source: any ByteSource) throws(UsageError) -> SubtitleFile {
    if let setting = mediaSettings.first(where: { $0 != "delay" }) {
      throw UsageError("the setting '\(setting)' does not apply to subtitles, such as '\(file.text)'")
    }
    let settings = (name.map { ["name=\($0)"] } ?? []) + (isDefault ? ["default"] : []) + textSettings
    let start = language.map { Array("\($0)=".utf8) } ?? []
    let word = start + file.bytes + settings.flatMap { Array(",\($0)".utf8) }
    guard var result = SubtitleFile(Argument(bytes: word)) else {
      throw UsageError("'\(file.text)' cannot have these settings: \(settings.joined(separator: ", "))")
    }
    (result.opened, result.delay) = (source, delay)
    return result
  }

  /// Throws if a setting has no effect on a file that is no subtitle file.
  func checkMedia(_ source: any ByteSource) throws {
    if channel != nil {
      throw UsageError("the setting 'channel' applies only to subtitles and SCC, not to '\(file.text)'")
    }
    if let setting = textSettings.first {
      throw UsageError("the setting '\(setting)' applies only to WebVTT and SubRip, not to '\(file.text)'")
    }
    let video: [ElementaryStreamFormat?] = [.h264, .h265, .h266, .ivf, .obu]
    // That a file is unknown is the better message.
    guard frameRate != nil, case let format = try ElementaryStreamFormat(of: source), !video.contains(format),
      try format != nil || FileBox(startOf: source.bytes(in: 0..<32)[...]) != nil
    else { return }
    throw UsageError("the setting 'rate' applies only to video streams, not to '\(file.text)'")
  }
}
