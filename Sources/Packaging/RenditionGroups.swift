import HLS
import ISOBMFF

/// Renditions of sound among which a player chooses by language: all of one codec and number of channels.
struct AudioGroup {
  let id: String
  private(set) var members: [PackagedRendition]

  /// The groups of renditions, in the order in which they come.
  static func groups(of renditions: [PackagedRendition]) -> [AudioGroup] {
    var groups: [(key: [String], group: AudioGroup)] = []
    for rendition in renditions {
      let key = rendition.codecs + [rendition.channels ?? ""]
      if let at = groups.firstIndex(where: { $0.key == key }) {
        groups[at].group.members.append(rendition)
      } else {
        groups.append((key, AudioGroup(id: "audio-\(groups.count + 1)", members: [rendition])))
      }
    }
    return groups.map(\.group)
  }

  /// The codecs of all members, each once.
  var codecs: [String] {
    var result: [String] = []
    for codec in members.flatMap(\.codecs) where !result.contains(codec) { result.append(codec) }
    return result
  }

  /// The lines of the members: the first one is played unless the user wants another.
  func renditions(_ uri: (PackagedRendition) -> String) -> [Rendition] {
    let names = RenditionNames(members, otherwise: "Audio")
    return members.enumerated().map { index, member in
      var rendition = Rendition(.audio, group: id, name: names[index], uri: uri(member))
      rendition.language = member.language
      rendition.isDefault = index == 0
      // Of several in one language, players take the first without being told to.
      rendition.isAutoselected = !members.prefix(index).contains { $0.language == member.language }
      rendition.channels = member.channels
      return rendition
    }
  }
}

/// Renditions of subtitles, none of which is shown unless the user wants it.
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

/// What people choose renditions of a group by: different names.
struct RenditionNames {
  private var names: [String] = []

  /// The names of their languages; `otherwise` where these are not known.
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

extension PackagedRendition {
  /// The attribute CHANNELS.
  var channels: String? { configurations.lazy.compactMap(\.sound).first?.channels }
}
