import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS

/// A group of audio renditions, among which a player chooses by name and language.
struct AudioGroup {
  fileprivate(set) var id: String
  /// Whether an input names it.
  fileprivate var isNamed: Bool
  /// One rendition for each of the alternatives, in the same order in all groups.
  let members: [GroupMember]
  fileprivate let names: RenditionNames
  /// The format of the group, and the number of groups of this format with a higher bit rate.
  fileprivate let format: Int
  fileprivate let level: Int
  /// The members in this format; the others are taken from another group.
  fileprivate let ownMembers: [GroupMember]

  /// The codecs of all members, without duplicates.
  var codecs: [String] {
    var result: [String] = []
    for codec in members.flatMap(\.codecs) where !result.contains(codec) { result.append(codec) }
    return result
  }

  /// The EXT-X-MEDIA lines of the members: the first one is the default.
  func renditions(_ uri: (GroupMember) -> String) -> [Rendition] {
    members.enumerated().map { index, member in
      var rendition = Rendition(.audio, group: id, name: names[index], uri: uri(member))
      rendition.language = member.language
      let chosen = members.firstIndex(where: \.attributes.isDefault) ?? members.firstIndex(where: \.isMain)
      rendition.isDefault = index == chosen ?? 0
      // Of several renditions in one language, players select the first one automatically, and those that users with
      // special needs have asked for.
      let isFirst = !members.prefix(index).contains { $0.language == member.language && $0.isMain }
      rendition.isAutoselected = rendition.isDefault || member.characteristics != nil || isFirst && member.isMain
      if let characteristics = member.characteristics { rendition.characteristics = characteristics }
      rendition.channels = member.channels
      return rendition
    }
  }
}

/// The audio of a presentation. Users choose one of the alternatives, which are the members of every
/// group, by language and name; players choose a group by codecs, channels and bit rate. RFC 8216, 4.3.4.1.1.
struct AudioGroups {
  private(set) var all: [AudioGroup] = []
  /// Diagnostics about decisions.
  private(set) var diagnostics: [Diagnostic] = []

  /// An alternative for users: the same audio in several formats and bit rates.
  private struct Alternative {
    var renditions: [GroupMember]

    /// The renditions of a format, with the highest bit rate first.
    func levels(_ format: [String]) -> [GroupMember] {
      renditions.filter { $0.audioFormat == format }.sorted { $0.bitRate > $1.bitRate }
    }
    /// Whether a rendition can be the same audio: all renditions of its format here have other bit rates.
    func takes(_ rendition: GroupMember) -> Bool {
      renditions.allSatisfy { $0.audioFormat != rendition.audioFormat || $0.isAtOtherBitRate(than: rendition) }
    }
    /// Whether it has the language of a rendition, and no track of the same input in that format: several tracks of one
    /// input are different audio.
    func isOpen(to rendition: GroupMember) -> Bool {
      renditions[0].language == rendition.language && renditions[0].roles == rendition.roles
        && renditions[0].characteristics == rendition.characteristics
        && (renditions[0].attributes.givenName == nil || rendition.attributes.givenName == nil
          || renditions[0].attributes.givenName == rendition.attributes.givenName)
        && (renditions[0].name == nil || rendition.name == nil || renditions[0].name == rendition.name)
        && renditions.allSatisfy {
          $0.audioFormat != rendition.audioFormat || $0.inputs.isDisjoint(with: rendition.inputs)
        }
    }
  }

  /// Groups of renditions whose folders are known.
  init(_ renditions: [GroupMember]) {
    var alternatives: [Alternative] = []
    var formats: [[String]] = []
    for rendition in renditions {
      if !formats.contains(rendition.audioFormat) { formats.append(rendition.audioFormat) }
      if let at = alternatives.firstIndex(where: { $0.isOpen(to: rendition) }), alternatives[at].takes(rendition) {
        alternatives[at].renditions.append(rendition)
      } else {
        alternatives.append(Alternative(renditions: [rendition]))
      }
    }
    let names = RenditionNames(alternatives.map { $0.renditions[0] }, otherwise: "Audio")
    for (number, format) in formats.enumerated() {
      let levels = alternatives.map { $0.levels(format) }
      for level in 0..<(levels.map(\.count).max() ?? 0) {
        let members = zip(alternatives, levels).map { alternative, own in
          own.isEmpty ? alternative.renditions[0] : own[min(level, own.count - 1)]
        }
        // If each language has another format, the groups of all formats are identical.
        let given = levels.joined().lazy.compactMap(\.attributes.audioGroup).first
        if let same = all.firstIndex(where: { $0.members.map(\.folder) == members.map(\.folder) }) {
          if let given, !all[same].isNamed { (all[same].id, all[same].isNamed) = (id(given), true) }
          continue
        }
        all.append(
          AudioGroup(
            id: id(given), isNamed: given != nil, members: members, names: names, format: number, level: level,
            ownMembers: levels.compactMap { $0.indices.contains(level) ? $0[level] : nil }))
      }
    }
    explain(alternatives, names)
  }

  /// The GROUP-ID of the next group.
  private func id(_ given: String?) -> String {
    let base = given ?? "audio-\(all.count + 1)"
    var (id, number) = (base, 2)
    while all.contains(where: { $0.id == id }) {
      id = "\(base)-\(number)"
      number += 1
    }
    return id
  }

  /// The groups for each video: one of each format, and every group for at least one video.
  ///
  /// If there are several bit rates, a video uses that of its input. If its input has none, the highest bit rates are
  /// used with the videos that have the highest bit rates.
  func pairs(with videos: [GroupMember]) -> [[AudioGroup]] {
    let ranked = videos.indices.sorted { videos[$0].bitRate > videos[$1].bitRate }
    var taken = videos.map { _ in Set<Int>() }
    for format in Set(all.map(\.format)) {
      let groups = all.indices.filter { all[$0].format == format }.sorted { all[$0].level < all[$1].level }
      for (rank, video) in ranked.enumerated() {
        let own = groups.filter { group in
          all[group].ownMembers.contains { !$0.inputs.isDisjoint(with: videos[video].inputs) }
        }
        taken[video].formUnion(own.isEmpty ? [groups[rank * groups.count / ranked.count]] : own)
      }
      for (level, group) in groups.enumerated() where !taken.contains(where: { $0.contains(group) }) {
        if !ranked.isEmpty { taken[ranked[level * ranked.count / groups.count]].insert(group) }
      }
    }
    return taken.map { $0.sorted().map { all[$0] } }
  }

  // MARK: Diagnostics

  private mutating func explain(_ alternatives: [Alternative], _ names: RenditionNames) {
    for (index, alternative) in alternatives.enumerated() {
      for (at, rendition) in alternative.renditions.enumerated() {
        guard let first = alternative.renditions.prefix(at).first(where: { $0.audioFormat == rendition.audioFormat })
        else { continue }
        let text =
          "same language, codec and channels as \(first.folder) at another bit rate "
          + "(\(rendition.bitRate / 1000) instead of \(first.bitRate / 1000) kbit/s); it has its own group"
        diagnostics.append(Diagnostic(.note, rendition.folder, text))
      }
      let first = alternative.renditions[0]
      let same = alternatives.prefix(index).firstIndex {
        let other = $0.renditions[0]
        return other.language == first.language && other.audioFormat == first.audioFormat
      }
      guard let same else { continue }
      let text =
        "same language, codec and channels as \(alternatives[same].renditions[0].folder), but different samples; "
        + "players offer both, as \"\(names[same])\" and \"\(names[index])\""
      diagnostics.append(Diagnostic(.note, first.folder, text))
    }
    for group in all {
      for (index, member) in group.members.enumerated()
      where !group.ownMembers.contains(where: { $0.folder == member.folder }) {
        let isOther = group.ownMembers.allSatisfy { $0.audioFormat != member.audioFormat }
        let missing = isOther ? "this format (\(group.ownMembers[0].formatName))" : "this bit rate"
        let text =
          "\"\(names[index])\" is not available in \(missing); the group lists \(member.folder) instead, because all "
          + "groups need the same members"
        diagnostics.append(Diagnostic(.note, group.id, text))
      }
    }
    let defaults = alternatives.indices.filter { alternatives[$0].renditions[0].attributes.isDefault }
    if defaults.count > 1 {
      let text =
        "\(counted(defaults.count, "rendition")) are chosen as the default, but there can be only one; it is "
        + "\"\(names[defaults[0]])\""
      diagnostics.append(Diagnostic(.warning, alternatives[defaults[1]].renditions[0].folder, text))
    }
    guard let first = all.first, all.allSatisfy({ $0.codecFamilies.count > 1 }) else { return }
    let text =
      "each audio group mixes codecs (\(first.codecFamilies.joined(separator: ", "))); a player that lacks one of them "
      + "may not play at all: add every language in one codec"
    diagnostics.append(Diagnostic(.warning, first.id, text))
  }
}

extension AudioGroup {
  /// The codecs without profiles.
  fileprivate var codecFamilies: [String] {
    var result: [String] = []
    for codec in codecs.map({ String($0.prefix { $0 != "." }) }) where !result.contains(codec) { result.append(codec) }
    return result
  }
}

extension GroupMember {
  /// The differences between audio groups other than the bit rate.
  fileprivate var audioFormat: [String] { attributes.audioGroup.map { [$0] } ?? codecs + [channels ?? ""] }
  fileprivate var formatName: String {
    codecs.joined(separator: ",") + (channels.map { ", \($0) channel\($0 == "1" ? "" : "s")" } ?? "")
  }

  /// Whether it has the same duration as another rendition and a bit rate that differs by more than encoders vary.
  fileprivate func isAtOtherBitRate(than other: GroupMember) -> Bool {
    let (low, high) = (min(bitRate, other.bitRate), max(bitRate, other.bitRate))
    let difference = duration - other.duration
    return Double(high) > Double(low) * 1.1 && difference < .seconds(1) && difference > .seconds(-1)
  }
}
