import BoxDump
import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO

/// An assignment: the target before the first `=` of a word, and the value after it.
private struct Assignment {
  let name: String
  let value: [UInt8]
  var text: String { String(decoding: value, as: UTF8.self) }

  /// Splits a word; `nil` without `=`, or if the target is not UTF-8.
  init?(_ word: Argument) {
    guard let equals = word.bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    name = String(decoding: word.bytes[..<equals], as: UTF8.self)
    value = Array(word.bytes[(equals + 1)...])
  }
}

/// A field and its new value: `moov/trak[2]/mdia/mdhd/language=deu`.
struct FieldEdit: OptionValue {
  static let expectation = "PATH/FIELD=VALUE, such as 'moov/trak[2]/mdia/mdhd/language=deu'"
  let path: String
  /// Its name in the standard.
  let field: String
  let value: FieldValue

  init?(_ word: Argument) {
    guard let parts = Assignment(word), let slash = parts.name.lastIndex(of: "/") else { return nil }
    path = String(parts.name[..<slash])
    let name = String(parts.name[slash...].dropFirst())
    let type = path.split(separator: "/").last.flatMap { FourCC($0.prefix { $0 != "[" }) }
    field = type.flatMap { TextOptions.standardName(of: name, in: $0) } ?? name
    guard BoxPattern(path) != nil, !field.isEmpty else { return nil }
    value = .text(BoxString(parts.value, form: .unterminated))
  }
}

/// A path and new boxes: bytes in hexadecimal digits, a box as text, or a file.
struct BoxEdit: OptionValue {
  static let expectation =
    "PATH=BOX, where BOX is a file, hex:DIGITS, or a type with fields such as 'kind{schemeURI=urn:x,value=main}'"
  let path: String
  let value: [UInt8]

  init?(_ word: Argument) {
    guard let parts = Assignment(word), !parts.value.isEmpty else { return nil }
    path = parts.name
    value = parts.value
    if !path.isEmpty, BoxPattern(path) == nil { return nil }
  }

  /// The boxes, to be inserted into `parent`.
  func boxes(in parent: FourCC, registry: BoxRegistry, _ context: CommandContext) throws -> [Box] {
    let text = String(decoding: value, as: UTF8.self)
    if text.hasPrefix("hex:") {
      guard let bytes = hexadecimal(text.dropFirst(4)) else {
        throw UsageError("'\(text)' is not an even number of hexadecimal digits")
      }
      return try [Box](allOf: bytes, name: "the box for '\(path)'")
    }
    do throws(FieldError) {
      if let box = try Box(text: text, in: parent, registry: registry) { return [box] }
    } catch { throw UsageError("'\(text)': \(error)") }
    let source = try InputFiles(context).open(Argument(bytes: value), spool: true)
    let bytes = try source.bytes(in: 0..<Self.sizeLimit + 1)
    guard bytes.count <= Self.sizeLimit else {
      throw UnusableInput(file: source.name, reason: "the file is larger than 256 MiB, the maximum size of new boxes")
    }
    return try [Box](allOf: bytes, name: source.name)
  }

  private static let sizeLimit = 1 << 28

  private func hexadecimal(_ digits: Substring) -> [UInt8]? {
    let values = digits.utf8.filter { $0 != UInt8(ascii: " ") }.map(\.hexadecimalValue)
    guard values.count.isMultiple(of: 2), !values.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for at in stride(from: 0, to: values.count, by: 2) {
      guard let high = values[at], let low = values[at + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

/// A tag and its new value: `album-artist=Various`.
struct TagEdit: OptionValue {
  static let expectation =
    "NAME=VALUE, where NAME is a tag such as 'title', a code such as '©nam', a key such as "
    + "'com.apple.quicktime.make', or DOMAIN:NAME such as "
    + "'com.example:mood'"
  let tag: MetadataTag
  let value: String

  init(_ tag: MetadataTag, _ value: String) { (self.tag, self.value) = (tag, value) }

  init?(_ word: Argument) {
    guard let parts = Assignment(word), let tag = MetadataTag(parts.name) else { return nil }
    (self.tag, value) = (tag, parts.text)
  }

  static func suggestions(for word: String) -> [String] {
    // A tag without a value already has a valid name.
    guard word.utf8.contains(UInt8(ascii: "=")) else { return [] }
    return Spelling.names(like: String(word.prefix { $0 != "=" }), from: MetadataTag.names.map(\.name))
  }
}

/// Tracks and a new value: `2=de`.
struct TrackEdit: OptionValue {
  static let expectation = "TRACK=VALUE, where TRACK is an ID or a kind such as 'audio'"
  let tracks: TrackSelection
  let value: String

  init?(_ word: Argument) {
    guard let parts = Assignment(word), let list = TrackList(parts.name) else { return nil }
    (tracks, value) = (list.selection, parts.text)
  }
}

/// A value of video, optionally for some tracks only: `90` or `1=90`.
struct VideoEdit<Value: TextOptionValue>: OptionValue {
  static var expectation: String { Value.expectation + ", optionally after TRACK=" }
  let tracks: TrackSelection
  let value: Value

  init?(_ word: Argument) {
    let edit = TrackEdit(word)
    tracks = edit?.tracks ?? TrackSelection([.handlers(["vide"])])
    guard let value = Value(edit?.value ?? word.text) else { return nil }
    self.value = value
  }

  static func suggestions(for word: String) -> [String] {
    let parts = word.split(separator: "=", maxSplits: 1)
    return Value.suggestions(for: parts.last.map(String.init) ?? word).map {
      parts.count == 2 ? "\(parts[0])=\($0)" : $0
    }
  }
  static var offered: [String] { Value.offered }
}

/// An angle by which pictures are rotated.
enum Rotation: Int, TextOptionValue {
  static let expectation = "0, 90, 180 or 270"
  case none = 0
  case right = 90
  case upsideDown = 180
  case left = 270

  init?(_ text: String) {
    guard let degrees = Int(text) else { return nil }
    self.init(rawValue: degrees)
  }
}

extension DeclaredColors: TextOptionValue {
  static let expectation = "colors such as bt709, or codes such as 9/16/9"
  static func suggestions(for word: String) -> [String] { Spelling.names(like: word, from: offered) }
  static var offered: [String] { named.map(\.name) }
}

extension SampleAspect: TextOptionValue {
  static let expectation = "a width and a height such as 16:11"
}

extension MasteringDisplay: TextOptionValue {
  static let expectation =
    "primaries, the maximum luminance and a smaller minimum such as p3-d65,1000,0.0001, or the notation of x265"
  static func suggestions(for word: String) -> [String] {
    let name = String(word.prefix { $0 != "," })
    let names = named.map(\.name)
    return names.contains(name)
      ? [] : Spelling.names(like: name, from: names).map { $0 + word.dropFirst(name.count) }
  }
}

extension ContentLightLevel: TextOptionValue {
  static let expectation = "MaxCLL and a MaxFALL that is not above it, such as 1000,400"
}

extension CodecLevel: TextOptionValue {
  static let expectation = "a level such as 4.1"
}

extension FieldOrder: TextOptionValue {
  static let expectation = "'tff', 'bff' or 'progressive'"
  init?(_ text: String) { self.init(rawValue: text) }
  static func suggestions(for word: String) -> [String] { Spelling.names(like: word, from: offered) }
  static var offered: [String] { allCases.map(\.rawValue) }
}

/// A range of the values of pictures.
enum ColorRange: String, TextOptionValue {
  static let expectation = "'full' or 'limited'"
  case full, limited

  init?(_ text: String) { self.init(rawValue: text) }
  static var offered: [String] { ["full", "limited"] }
}

/// A date: `2024-02-29T12:00:00Z`.
struct CreationTime: TextOptionValue {
  static let expectation = "a date and time in UTC after 1903, such as 2024-02-29T12:00:00Z"
  let seconds: UInt64

  init?(_ word: String) {
    guard let seconds = Date1904.seconds(word) else { return nil }
    self.seconds = seconds
  }
}

extension FourCC: TextOptionValue {
  static var expectation: String { "four characters" }

  init?(_ word: String) { self.init(word[...]) }
}
