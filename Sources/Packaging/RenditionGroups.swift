import HLS
import MP4

/// Subtitle renditions, none of which is shown by default.
struct TextGroup {
  static let id = "subtitles"
  private let members: [PackagedRendition]

  init(_ members: [PackagedRendition]) { self.members = members }

  func renditions(_ uri: (PackagedRendition) -> String) -> [Rendition] {
    let names = RenditionNames(members, otherwise: "Subtitles")
    return members.enumerated().map { index, member in
      var rendition = Rendition(.subtitles, group: Self.id, name: names[index], uri: uri(member))
      rendition.language = member.language
      rendition.isAutoselected =
        member.language != nil && !members.prefix(index).contains { $0.language == member.language }
      return rendition
    }
  }
}

/// Distinct names, by which users choose renditions of a group.
struct RenditionNames {
  private var names: [String] = []

  /// The names of their languages; `otherwise` if these are unknown.
  init(_ members: [PackagedRendition], otherwise: String) {
    for member in members {
      let base = member.language.map(LanguageTag.name) ?? otherwise
      var name = base
      var number = 2
      while names.contains(name) {
        name = "\(base) \(number)"
        number += 1
      }
      names.append(name)
    }
  }

  subscript(index: Int) -> String { names[index] }
}
