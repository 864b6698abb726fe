import ISOBMFF
public import MP4
public import MP4Bytes
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

extension Subtitles {
  /// Diagnostics of reading the file, with line numbers; the first of many.
  public var diagnostics: [Diagnostic] {
    let findings = document.findings
    var result = findings.prefix(Self.most).map { Diagnostic($0.severity, source, "\($0)") }
    let rest = findings.dropFirst(Self.most)
    if let severity = rest.map(\.severity).max() {
      result.append(Diagnostic(severity, source, "and \(rest.count) more like this"))
    }
    return result
  }
  private static let most = 20

  /// Shifts the cues so that the time in X-TIMESTAMP-MAP corresponds to the media of a presentation, which starts at
  /// `mediaStart`. Returns diagnostics.
  mutating func useTimestampMap(mediaStart: MediaTime?) -> [Diagnostic] {
    guard let map = document.timestampMap else { return [] }
    guard let mediaStart else {
      return [Diagnostic(.warning, source, "X-TIMESTAMP-MAP is ignored, because the media times are unknown")]
    }
    // Timestamps have 33 bits.
    let difference = (map.mpegTS &- MediaClock.mpegTS(mediaStart)) & 0x1_ffff_ffff
    let ticks = Int64(difference) - (difference > 0xffff_ffff ? 1 << 33 : 0)
    let shift = (ticks + (ticks < 0 ? -45 : 45)) / 90 - map.localMilliseconds
    guard shift != 0 else { return [] }
    document.move(by: shift)
    let way = shift < 0 ? "earlier" : "later"
    var result = [
      Diagnostic(
        .note, source, "X-TIMESTAMP-MAP makes its cues \(CueTime.text(abs(shift))) \(way) in this presentation")
    ]
    let early = document.cues.filter { $0.endMilliseconds <= 0 && $0.start < $0.end }.count
    if early > 0 {
      let cues = early == 1 ? "1 cue ends" : "\(early) cues end"
      result.append(Diagnostic(.warning, source, "\(cues) before the presentation starts and cannot be shown"))
    }
    return result
  }

  /// Diagnostics about cues after the end of the presentation, whose duration is in milliseconds.
  func diagnostic(end: Int64) -> Diagnostic? {
    let late = document.cues.filter { $0.startMilliseconds >= end }.count
    guard late > 0 else { return nil }
    let cues = counted(late, "cue starts", "cues start")
    let text = "\(cues) after the end of the presentation at \(CueTime.text(end)) and cannot be shown"
    return Diagnostic(.warning, source, text)
  }
}

extension TextFinding {
  /// Cues that are not visible count as lost. Features that players ignore are only reported.
  fileprivate var severity: Diagnostic.Severity {
    if isLoss { return .error }
    return problem == .neverShown ? .warning : .note
  }
}

/// Why a subtitle file cannot be read.
public enum SubtitleFileError: Error, Sendable {
  /// It cannot be read.
  case io(IOError)
  /// It is too large for subtitles.
  case tooLong(file: String, limit: Int)
  /// It is empty.
  case empty(file: String)
  /// It has another format, with this name.
  case otherFormat(file: String, name: String)
  /// It is not a valid subtitle file.
  case text(file: String, TimedTextError)
}

extension SubtitleFileError: CustomStringConvertible {
  /// A sentence that names the file.
  public var description: String {
    switch self {
    case .io(let error): error.description
    case .tooLong(let file, let limit):
      "\(file): the file is larger than \(limit >> 20) MiB, the maximum size of subtitles"
    case .empty(let file): "\(file): the file is empty"
    case .otherFormat(let file, let name): "\(file): this is \(name), not WebVTT or SubRip"
    case .text(let file, let error): "\(file): \(error)"
    }
  }
}

extension Subtitles {
  /// The maximum size of a subtitle file, a hundred times that of the longest real ones.
  private static let limit = 64 << 20

  /// Reads a WebVTT or SubRip file; the format is determined by its extension or else by its first lines.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - language: The tag of its language (BCP 47).
  ///   - encoding: The encoding of its text; by default, UTF-8 or that of its byte order mark.
  public init(
    reading source: any ByteSource, language: String, encoding: TextEncoding? = nil
  ) throws(SubtitleFileError) {
    let bytes: [UInt8]
    do throws(IOError) {
      var window = ByteWindow(source)
      bytes = Array(try window.slice(at: 0, count: Self.limit + 1))
    } catch { throw .io(error) }
    guard bytes.count <= Self.limit else { throw .tooLong(file: source.name, limit: Self.limit) }
    let ending = source.name.utf8.suffix(4).map { $0 | 0x20 }
    let isSubRip = ending == Array(".srt".utf8)
    let isKnown = isSubRip || ending == Array(".vtt".utf8)
    let document: WebVTTDocument
    do throws(TimedTextError) {
      document = try WebVTTDocument(bytes, isSubRip: isKnown ? isSubRip : nil, encoding: encoding)
    } catch {
      if bytes.isEmpty { throw .empty(file: source.name) }
      if let name = Self.otherFormat(bytes) { throw .otherFormat(file: source.name, name: name) }
      throw .text(file: source.name, error)
    }
    self.init(document, language: language, source: source.name)
  }

  /// The format of a file that is not subtitles, if its first bytes identify it.
  private static func otherFormat(_ bytes: [UInt8]) -> String? {
    let start = Array(bytes.prefix(1024))
    if let format = ForeignFormat(start: start) {
      // If the format is uncertain, the file can be text in an unknown encoding.
      return format.isCertain && format != .webVTT ? format.name : nil
    }
    return FileBox(startOf: start[...]) == nil ? nil : "an MP4 file"
  }

  /// Features of these subtitles that a track cannot express, so that packaging loses them.
  public func diagnostics(ofTrack format: TextFormat) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    if isForced, format == .webVTT {
      let text = "WebVTT tracks (wvtt) cannot be marked as forced; tx3g tracks can"
      diagnostics.append(Diagnostic(.warning, source, text))
    }
    if describesSounds {
      let text = "tracks cannot be marked as SDH; use the track name"
      diagnostics.append(Diagnostic(.note, source, text))
    }
    return diagnostics
  }
}

extension Subtitles {
  /// Whether a file has subtitles: its name says so, or it starts like WebVTT or SubRip.
  package static func isSubtitles(_ source: any ByteSource) throws(IOError) -> Bool {
    let ending = source.name.lowercased().utf8.suffix(4)
    if [".srt", ".vtt"].contains(where: { ending.elementsEqual($0.utf8) }) { return true }
    let start = try source.bytes(in: 0..<256)
    if ForeignFormat(start: start) == .webVTT { return true }
    // A number, and a line with two times.
    let lines = start.split { $0 == 10 || $0 == 13 }
    guard lines.count > 1, let digit = lines[0].last, 0x30...0x39 ~= digit else { return false }
    let arrow = Array(" --> ".utf8)
    return lines[1].indices.contains { lines[1][$0...].starts(with: arrow) }
  }
}
