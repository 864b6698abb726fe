import MP4Bytes
import MP4Records

/// A property of a movie: a member of the JSON of `MovieSummary`, by its path or by a shorter name.
struct PropertyPath: Sendable {
  /// A step from a value of JSON to values in it.
  enum Step: Sendable, Equatable {
    case member(String)
    /// The element with this number of an array, starting at 1.
    case element(Int)
    /// Each element of an array.
    case each
    /// The number of elements of an array.
    case count
    /// The tracks of this kind.
    case tracks(String)
    /// The elements that have this member.
    case having(String)
    /// The value of the tag with this name or key.
    case tag(String)
    /// The member, or this text if there is none; with a third name, only if that member is true.
    case memberOr(String, String, if: String?)
    /// These words instead of true and false.
    case words(String, String)
  }
  /// As it was written.
  let text: String
  let steps: [Step]
  /// The JSON type of its values; `nil` for objects.
  let type: String?

  /// Reads a path such as `video.codec`, `audio[2].layout` or `tracks[*].edits`.
  init(_ words: inout SpecificationWords) throws(PropertyProblem) {
    guard case .plain(let first)? = words.take() else {
      throw PropertyProblem("a requirement begins with a property, such as `video.codec`")
    }
    var reader = PropertyReader()
    try reader.begin(first, &words)
    while !words.isAtEnd {
      if words.take(.sign(".")) {
        switch words.take() {
        case .plain(let name), .string(let name): try reader.add(name, isLast: words.next != .sign("."))
        default: throw PropertyProblem("`\(reader.text).` is followed by the name of a property")
        }
      } else if words.next == .sign("[") {
        try reader.add(index: PropertyReader.index(&words, after: reader.text))
      } else {
        break
      }
    }
    (text, steps) = (reader.text, try reader.finish())
    type = reader.type
  }
}

/// A shorter name of a part of the JSON.
struct PropertyPart: Sendable {
  let name: String
  let meaning: String
  /// How to get there.
  let steps: [PropertyPath.Step]
  /// Whether it is a list whose first element is meant without an index.
  let isList: Bool
  /// Other names of members.
  let aliases: [Alias]
  /// The member of which members are meant too, such as `video` of tracks.
  let inner: String?

  /// Another name of a member.
  struct Alias: Sendable {
    let name: String
    let meaning: String
    let steps: [PropertyPath.Step]
  }

  private static func alias(_ name: String, _ meaning: String, _ steps: PropertyPath.Step...) -> Alias {
    Alias(name: name, meaning: meaning, steps: steps)
  }
  private static let ofTracks = [
    alias("codec", "the common name of the codec without its level, such as `H.264 High`", .member("codec_profile")),
    alias("level", "the level of the codec, such as `4.1`", .member("codec_level")),
    alias("codecs", "the codecs string (RFC 6381)", .member("codec")),
  ]

  /// All of them.
  static let all = [
    PropertyPart(
      name: "video", meaning: "a video track; `video` alone is the first",
      steps: [.member("tracks"), .tracks("video")], isList: true,
      aliases: ofTracks + [
        alias("colors", "the colors, such as `BT.709`", .member("video"), .member("colors"), .member("name")),
        alias(
          "scan", "`progressive`, or the coding of interlaced pictures; missing if unknown", .member("video"),
          .memberOr("scan", "progressive", if: "progressive")),
        alias(
          "pixel_aspect", "the pixel aspect ratio, such as `1:1`", .member("video"),
          .memberOr("pixel_aspect", "1:1", if: nil)),
      ], inner: "video"),
    PropertyPart(
      name: "audio", meaning: "an audio track; `audio` alone is the first",
      steps: [.member("tracks"), .tracks("audio")], isList: true, aliases: ofTracks, inner: "audio"),
    PropertyPart(
      name: "text", meaning: "a track of subtitles or captions, not of chapters; `text` alone is the first",
      steps: [.member("tracks"), .tracks("text")], isList: true, aliases: ofTracks, inner: nil),
    PropertyPart(
      name: "container", meaning: "the file", steps: [], isList: false,
      aliases: [
        alias("moov", "`first` or `last`", .member("moov_first"), .words("first", "last")),
        alias("brand", "the major brand, without blanks at its end", .member("major_brand")),
      ], inner: nil),
    PropertyPart(
      name: "timecode", meaning: "the first timecode track",
      steps: [.member("tracks"), .having("timecode"), .element(1)], isList: false,
      aliases: [
        alias("start", "the timecode of the first frame, such as `10:00:00:00`", .member("timecode")),
        alias("end", "the timecode of the last frame", .member("last_timecode")),
      ], inner: nil),
    PropertyPart(
      name: "duration", meaning: "the duration of the presentation in seconds", steps: [.member("duration_seconds")],
      isList: false, aliases: [], inner: nil),
  ]
  static func named(_ name: String) -> PropertyPart? { all.first { $0.name == name } }
}

/// Reads the names and indices of a path, and finds what they mean in the schema.
private struct PropertyReader {
  private(set) var text = ""
  private var steps: [PropertyPath.Step] = []
  /// What the path means so far.
  private var schema: RecordSchema = MovieSummary.schema
  /// The part whose shorter names are possible next.
  private var part: PropertyPart?
  /// Whether the next name is that of a tag.
  private var isTag = false

  mutating func begin(_ name: String, _ words: inout SpecificationWords) throws(PropertyProblem) {
    if name == "metadata", words.next == .sign(".") {
      (isTag, steps) = (true, [.member("metadata")])
    } else if let part = PropertyPart.named(name) {
      (self.part, steps) = (part, part.steps)
      for step in part.steps { schema = Self.schema(schema, after: step) ?? schema }
      // The first is meant without an index.
      if part.isList, words.next != .sign("["), !words.isCount { take(.element(1)) }
    } else {
      try member(name, isLast: words.next != .sign("."))
    }
    text = name
  }

  /// `[2]` or `[*]`.
  static func index(_ words: inout SpecificationWords, after text: String) throws(PropertyProblem) -> PropertyPath.Step
  {
    _ = words.take(.sign("["))
    let step: PropertyPath.Step? =
      switch words.take() {
      case .sign("*"): .each
      case .plain(let number): Int(number).flatMap { $0 > 0 ? .element($0) : nil }
      default: nil
      }
    guard let step, words.take(.sign("]")) else {
      throw PropertyProblem("the index of `\(text)` is a number, starting at 1, or `*`: `\(text)[1]`, `\(text)[*]`")
    }
    return step
  }

  private mutating func take(_ step: PropertyPath.Step) {
    steps.append(step)
    schema = Self.schema(schema, after: step) ?? schema
  }

  mutating func add(index step: PropertyPath.Step) throws(PropertyProblem) {
    guard case .array = schema.value else { throw PropertyProblem("`\(text)` is not a list, so it has no index") }
    take(step)
    text += "[" + (step == .each ? "*" : step.number.map(String.init) ?? "") + "]"
  }

  mutating func add(_ name: String, isLast: Bool) throws(PropertyProblem) {
    if isTag {
      (isTag, schema) = (false, .type("string"))
      steps.append(.tag(name))
      text += "." + name
    } else if case .array = schema.value {
      guard name == "count" else {
        throw PropertyProblem("`\(text)` is a list: use `\(text)[1]`, `\(text)[*]` or `\(text).count`")
      }
      take(.count)
      text += ".count"
    } else {
      try member(name, isLast: isLast)
      text += "." + name
    }
  }

  /// The member of the part, of its inner member, or of the value itself. An object can have a shorter name too, which
  /// is not meant if one of its members follows.
  private mutating func member(_ name: String, isLast: Bool) throws(PropertyProblem) {
    if let part {
      if isLast, let alias = part.aliases.first(where: { $0.name == name }) {
        for step in alias.steps { take(step) }
      } else if let inner = part.inner, let found = schema.member(inner), found.member(name) != nil {
        take(.member(inner))
        take(.member(name))
      } else if schema.member(name) != nil {
        take(.member(name))
      } else {
        throw unknown(name)
      }
      self.part = nil
    } else {
      guard schema.member(name) != nil else { throw unknown(name) }
      take(.member(name))
    }
  }

  /// The number of names in a message.
  private static let listLimit = 16

  private func unknown(_ name: String) -> PropertyProblem {
    let isFirst = steps.isEmpty && part == nil
    var names = schema.memberNames
    if let part {
      names += part.aliases.map(\.name)
      if let inner = part.inner { names += schema.member(inner)?.memberNames ?? [] }
    }
    if isFirst { names += PropertyPart.all.map(\.name) }
    let place = isFirst ? "" : "`\(text)` has "
    names = Set(names).sorted()
    let like = Spelling.names(like: name, from: names)
    let shown = names.prefix(Self.listLimit).map { "`\($0)`" }.joined(separator: ", ")
    let more = names.count > Self.listLimit ? " and \(names.count - Self.listLimit) others" : ""
    let advice =
      names.isEmpty
      ? ""
      : like.isEmpty
        ? "; possible are \(shown)\(more)"
        : "; did you mean " + like.map { "`\($0)`" }.joined(separator: " or ") + "?"
    return PropertyProblem(
      (isFirst ? "there is no property `\(name.printable)`" : place + "no property `\(name.printable)`") + advice)
  }

  /// The JSON type of the values; `nil` for objects.
  var type: String? { if case .type(let name) = schema.value { name.description } else { nil } }

  func finish() throws(PropertyProblem) -> [PropertyPath.Step] {
    if isTag { throw PropertyProblem("`metadata.` is followed by the name of a tag") }
    return steps
  }

  private static func schema(_ schema: RecordSchema, after step: PropertyPath.Step) -> RecordSchema? {
    switch step {
    case .member(let name): schema.member(name)
    case .element, .each: if case .array(let element) = schema.value { element } else { nil }
    case .count: .type("integer")
    case .tag, .words, .memberOr: .type("string")
    case .tracks, .having: schema
    }
  }
}

extension PropertyPath.Step {
  fileprivate var number: Int? { if case .element(let number) = self { number } else { nil } }
}

extension SpecificationWords {
  /// Whether `.count` follows.
  fileprivate var isCount: Bool {
    var words = self
    return words.take(.sign(".")) && words.take(.plain("count"))
  }
}
