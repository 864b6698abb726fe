import MP4
import MP4HLS

/// Subtitle renditions. None is shown by default unless an input says so.
struct TextGroup {
  static let id = "subtitles"
  private let members: [GroupMember]

  init(_ members: [GroupMember]) { self.members = members }

  func renditions(_ uri: (GroupMember) -> String) -> [Rendition] {
    let names = RenditionNames(members, otherwise: "Subtitles")
    return members.enumerated().map { index, member in
      var rendition = Rendition(.subtitles, group: Self.id, name: names[index], uri: uri(member))
      rendition.language = member.language
      rendition.isDefault = index == members.firstIndex(where: \.attributes.isDefault)
      rendition.isAutoselected =
        rendition.isDefault || member.characteristics != nil
        || member.language != nil
          && !members.prefix(index).contains { $0.language == member.language && $0.characteristics == nil }
      rendition.isForced = member.isForced
      if let characteristics = member.characteristics { rendition.characteristics = characteristics }
      return rendition
    }
  }
}

extension GroupMember {
  /// The CHARACTERISTICS attribute for the roles of its track: draft-pantos-hls-rfc8216bis, 4.4.6.1, and ISO/IEC
  /// 23009-1, 5.8.5.5.
  var characteristics: String? {
    if !attributes.characteristics.isEmpty { return attributes.characteristics.joined(separator: ",") }
    var result: [String] = []
    for role in roles.map(\.value).sorted() {
      switch (role, kind) {
      case ("description", .audio): result.append("public.accessibility.describes-video")
      case ("enhanced-audio-intelligibility", .audio):
        result.append("public.accessibility.enhances-speech-intelligibility")
      case ("caption", .text), ("hard-of-hearing", .text):
        for one in ["transcribes-spoken-dialog", "describes-music-and-sound"] {
          result.append("public.accessibility.\(one)")
        }
      case ("easyreader", _): result.append("public.easy-to-read")
      default: break
      }
    }
    var unique: [String] = []
    for one in result where !unique.contains(one) { unique.append(one) }
    return unique.isEmpty ? nil : unique.joined(separator: ",")
  }

  /// Whether its text is shown even if the user has disabled subtitles.
  var isForced: Bool { kind == .text && roles.contains { ["forced-subtitle", "forced_subtitle"].contains($0.value) } }

  /// Whether it is what most users want to hear.
  var isMain: Bool { characteristics == nil && !roles.contains { $0.value == "commentary" } }
}

/// Distinct names, by which users choose renditions of a group.
struct RenditionNames {
  private var names: [String] = []

  /// The names that settings give them; without these, those that their authors gave them, if they differ; otherwise
  /// those of their languages, or `otherwise` if these are unknown.
  init(_ members: [GroupMember], otherwise: String) {
    for (index, member) in members.enumerated() {
      let isTaken = members.enumerated().contains { $0.offset != index && $0.element.name == member.name }
      let own = member.attributes.givenName ?? (isTaken ? nil : member.name)
      let base = own ?? member.language.map(LanguageTag.name) ?? otherwise
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
