public import TimedText

/// Subtitles in one language, to be added to a presentation or to a movie.
public struct Subtitles: Sendable {
  /// The cues. Their times count from the start of the presentation.
  public var document: WebVTTDocument
  /// The tag of the language by BCP 47, such as `en` or `pt-BR`.
  public var language: String
  /// What people choose them by; the name of the language when it is `nil`.
  public var name: String?
  /// Whether they are shown when the user chose nothing.
  public var isDefault = false
  /// Whether they are shown even to those who want none, as they translate what is foreign in the film.
  public var isForced = false
  /// Whether they describe sounds too, for viewers who do not hear them.
  public var describesSounds = false
  /// What messages call them; usually the path as the user gave it.
  public var source: String

  /// Subtitles in a language; the tag is made as short as BCP 47 wants it, so that `eng` is `en`.
  public init(_ document: WebVTTDocument, language: String, source: String = "subtitles") {
    self.document = document
    self.language = LanguageTag.shortest(language)
    self.source = source
  }

  /// Whether a text can be the tag of a language by BCP 47: two letters of ISO 639-1 or three others, and perhaps more
  /// after hyphens. There are no languages of more letters, such as `English`.
  public static func isLanguage(_ tag: String) -> Bool {
    let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
    guard let first = parts.first, (2...3).contains(first.count), first.allSatisfy(isLetter) else { return false }
    guard first.count == 3 || LanguageTag.isKnown(tag) else { return false }
    return tag.utf8.count <= 35
      && parts.allSatisfy { part in
        (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      }
  }

  /// The tag that may have been meant by a word that is none: `en` for `English`, `ja` for `jp`.
  public static func language(meantBy word: String) -> String? { LanguageTag.proposal(for: word) }

  /// The language that the name of a file says: `en` of `film.en.srt` and of `en.vtt`; `und` where it says none.
  public static func language(ofFile name: String) -> String {
    let parts = name.split(separator: "/").last?.split(separator: ".").dropLast() ?? []
    guard let tag = parts.last.map(String.init), isLanguage(tag), LanguageTag.isKnown(tag) else { return "und" }
    return tag
  }

  /// The name that people see, without a number for those of several that are called alike.
  var shownName: String {
    if let name { return name }
    let base = language == "und" ? "Subtitles" : LanguageTag.name(of: language)
    return describesSounds ? "\(base) (SDH)" : isForced ? "\(base) (forced)" : base
  }
}
