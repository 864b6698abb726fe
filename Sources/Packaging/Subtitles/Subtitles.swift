import MP4
public import TimedText

/// Subtitles in one language, to be added to a presentation or to a movie.
public struct Subtitles: Sendable {
  /// The cues, with times relative to the start of the presentation.
  public var document: WebVTTDocument
  /// The language tag (BCP 47), such as `en` or `pt-BR`.
  public var language: String
  /// The name shown to users; `nil` is the name of the language.
  public var name: String?
  /// Whether they are shown by default.
  public var isDefault = false
  /// Whether they are shown even if the user has disabled subtitles, because they translate foreign speech.
  public var isForced = false
  /// Whether they describe sounds for the deaf and hard of hearing.
  public var describesSounds = false
  /// Their name in messages; usually the path as given by the user.
  public var source: String

  /// Subtitles in a language; the tag is shortened as BCP 47 requires, so that `eng` becomes `en`.
  public init(_ document: WebVTTDocument, language: String, source: String = "subtitles") {
    self.document = document
    self.language = LanguageTag.shortest(language)
    self.source = source
  }

  /// Whether a text can be a language tag (BCP 47): two letters of ISO 639-1 or three letters, optionally followed by
  /// subtags, or a tag for private use such as `x-klingon`. Longer names such as `English` are not tags.
  public static func isLanguage(_ tag: String) -> Bool { LanguageTag.isValid(tag) }

  /// The tag that is probably meant by an invalid one: `en` for `English`, `ja` for `jp`.
  public static func language(meantBy word: String) -> String? { LanguageTag.proposal(for: word) }

  /// The language in a file name: `en` for `film.en.srt` and `en.vtt`; `und` if there is none.
  public static func language(ofFile name: String) -> String {
    let parts = name.split(separator: "/").last?.split(separator: ".").dropLast() ?? []
    guard let tag = parts.last.map(String.init), isLanguage(tag), LanguageTag.isKnown(tag) else { return "und" }
    return tag
  }

  /// The name that is shown to users, without the number that distinguishes equal names.
  var shownName: String {
    if let name { return name }
    let base = language == "und" ? "Subtitles" : LanguageTag.name(of: language)
    return describesSounds ? "\(base) (SDH)" : isForced ? "\(base) (forced)" : base
  }
}
