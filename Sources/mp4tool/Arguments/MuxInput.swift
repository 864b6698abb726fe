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

  private static let settings: [InputWord.Setting] = [
    .tracks, .language, .name, .delay, .default, .init("group", "a number from 0 to 32767"), .rate,
    .init("forced", "no value"), .init("sdh", "no value"), .init("encoding", "the name of an encoding"),
    .init("channel", "CC1, CC2, CC3 or CC4"),
  ]

  init(_ argument: Argument) throws(UsageError) {
    let word = try InputWord(argument, Self.settings)
    file = word.file
    try word.forEach { set($0, $1) }
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
      guard let list = TrackList(joined: value) else { return false }
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
  func settings(rate: FrameRate?) -> InputSettings {
    var settings = InputSettings()
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
    let encoding = textSettings.first { $0.hasPrefix("encoding=") }.map { String($0.dropFirst(9)) }
    return SubtitleFile(
      source, at: file.path, language: language, name: name, delay: delay, isDefault: isDefault,
      isForced: textSettings.contains("forced"), describesSounds: textSettings.contains("sdh"), encoding: encoding)
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
