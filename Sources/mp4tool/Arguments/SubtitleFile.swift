import FileIO
import ISOBMFF
import MP4
import Packaging
import TimedText

/// A file of subtitles that an option gives, with what it is: `en=subs.vtt,name=English,default`.
struct SubtitleFile: RepeatedValue {
  static let expectation =
    "a file and perhaps its language before it and what it is behind it, such as en=subs.vtt,name=English,default"
  /// The tag of its language, if one is given.
  let language: String?
  let path: Path
  private(set) var name: String?
  private(set) var isDefault = false
  private(set) var isForced = false
  private(set) var describesSounds = false

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
    // A file may have commas in its name: what it is begins with the first word that says so.
    let file = parts.prefix(1) + parts.dropFirst().prefix { !Self.isWord(String(decoding: $0, as: UTF8.self)) }
    guard let path = Path(Array(file.joined(separator: [UInt8(ascii: ",")]))), !path.bytes.isEmpty else { return nil }
    self.path = path
    var isName = false
    for part in parts.dropFirst(file.count).map({ String(decoding: $0, as: UTF8.self) }) {
      switch part {
      case "default": isDefault = true
      case "forced": isForced = true
      case "sdh": describesSounds = true
      case _ where part.hasPrefix("name="): name = String(part.dropFirst(5))
      case _ where isName: name = (name ?? "") + "," + part
      default: return nil
      }
      isName = part.hasPrefix("name=") || isName && !Self.isWord(part)
    }
    // An attribute has no way to write these.
    if let name, name.isEmpty || name.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }) { return nil }
  }
  private static func isWord(_ text: String) -> Bool {
    ["default", "forced", "sdh"].contains(text) || text.hasPrefix("name=")
  }

  /// The most bytes that such a file has: a hundred times the longest ones there are.
  private static let limit = 64 << 20

  /// Reads the file, in `language` where none is given with it.
  func read(language other: String) throws -> Subtitles {
    let source = try openSource(path)
    var window = ByteWindow(source)
    let bytes = Array(try window.slice(at: 0, count: Self.limit + 1))
    guard bytes.count <= Self.limit else {
      throw MovieError.impossible(file: source.name, reason: "it has more than 64 MiB, which no file of subtitles has")
    }
    let ending = path.bytes.suffix(4).map { $0 | 0x20 }
    let isKnown = ending == Array(".srt".utf8) || ending == Array(".vtt".utf8)
    let document: WebVTTDocument
    do throws(TimedTextError) {
      document = try WebVTTDocument(bytes, isSubRip: isKnown ? ending == Array(".srt".utf8) : nil)
    } catch { throw MovieError.impossible(file: source.name, reason: error.description) }
    var subtitles = Subtitles(document, language: language ?? other, source: source.name)
    subtitles.name = name
    subtitles.isDefault = isDefault
    subtitles.isForced = isForced
    subtitles.describesSounds = describesSounds
    return subtitles
  }
}

extension [SubtitleFile] {
  /// Checks that each has a language, as players need it; `option` is what gives them.
  func checkLanguages(_ option: Option<[SubtitleFile]>) throws(UsageError) {
    guard let file = first(where: { $0.language == nil }) else { return }
    if let equals = file.path.bytes.firstIndex(of: UInt8(ascii: "=")) {
      let tag = String(decoding: file.path.bytes[..<equals], as: UTF8.self)
      throw UsageError("'\(tag)' in '\(file.path)' is no tag of a language by BCP 47, such as en or pt-BR")
    }
    throw UsageError(
      "'\(file.path)' needs its language before it, as in '--\(option.declaration.name) en=\(file.path)'")
  }
}
