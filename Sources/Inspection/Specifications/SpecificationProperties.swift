import MP4
import MP4Records

extension Specification {
  /// The parts that have shorter names, with the meanings of these names.
  package static var parts: [(name: String, meaning: String)] {
    PropertyPart.all.flatMap { part in
      [(part.name, part.meaning)] + part.aliases.map { ("\(part.name).\($0.name)", $0.meaning) }
    } + [("metadata.NAME", "the tag with this name or key, as text; a name with other letters is in quotes")]
  }

  /// The properties by their full paths, with their meanings.
  package static var properties: [(name: String, meaning: String)] {
    MovieSummary.schema.paths.map { ($0.path.withIndices, $0.meaning) }
  }

  /// Writes a first version of a specification that this movie meets, to be edited.
  public static func draft(from movie: MovieSummary) -> String {
    var draft = Draft(movie.json)
    draft.lines.append("# The properties of \(movie.name.printable), as requirements.")
    draft.lines.append("# Delete what does not matter, and write `warn` before what need not be met.")
    draft.add("layout", "container.moov", "container.brand")
    draft.add("video.count", "audio.count", "text.count")
    for kind in ["video", "audio", "text"] {
      let count = movie.tracks.count { $0.kind == kind }
      for number in 1...max(count, 1) where count > 0 {
        draft.lines.append("")
        let part = count == 1 ? kind : "\(kind)[\(number)]"
        draft.add(Self.drafted[kind, default: []].map { "\(part).\($0)" })
      }
    }
    draft.lines.append("")
    draft.add("timecode.start")
    draft.add("chapters.count")
    if movie.metadata.title != nil { draft.lines.append("metadata.title present") }
    draft.add("duration", comment: true)
    draft.add("bit_rate", comment: true)
    return draft.lines.joined(separator: "\n") + "\n"
  }

  private static let drafted = [
    "video": [
      "codec", "level", "width", "height", "pixel_aspect", "frame_rate", "scan", "first_field", "chroma", "bit_depth",
      "dynamic_range", "colors",
    ],
    "audio": ["codec", "sample_rate", "channels", "layout", "language"],
    "text": ["codec", "language"],
  ]

  private struct Draft {
    private let movie: JSONNode
    var lines: [String] = []
    init(_ movie: JSONNode) { self.movie = movie }

    mutating func add(_ properties: String..., comment: Bool = false) { add(properties, comment: comment) }
    mutating func add(_ properties: [String], comment: Bool = false) {
      for property in properties {
        guard var words = try? SpecificationWords(Array(property.utf8)), let path = try? PropertyPath(&words),
          let value = path.values(in: movie).first?.value,
          let text = value.requirement(asNumber: property.hasSuffix("frame_rate"))
        else { continue }
        lines.append((comment ? "# " : "") + "\(property) = \(text)")
      }
    }
  }
}

extension JSONNode {
  /// The value as it is written in a requirement; `nil` for lists and objects. Text can be a number.
  fileprivate func requirement(asNumber isNumber: Bool) -> String? {
    switch self {
    case .string(let text):
      if isNumber, RequiredNumber(text) != nil {
        text
      } else {
        text.quoted
      }
    case .number(let text): text
    case .bool(let value): value ? "true" : "false"
    case .array, .object, .null: nil
    }
  }
}

extension String {
  /// `[*]` for each `[]`.
  fileprivate var withIndices: String { reduce(into: "") { $0 += $1 == "]" ? "*]" : String($1) } }
}
