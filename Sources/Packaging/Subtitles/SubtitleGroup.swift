import MP4HLS

/// Subtitles as a group of renditions in a multivariant playlist.
struct SubtitleGroup {
  /// The names of the renditions.
  private(set) var names: [String] = []

  /// Adds renditions to all existing subtitle groups, and refers to a group in every variant. Groups must have the same
  /// members: draft-pantos-hls-rfc8216bis, 4.4.6.1.1. `uris` are the URIs of the playlists.
  init(adding subtitles: [Subtitles], uris: [String], to main: inout MultivariantPlaylist) throws(SubtitleError) {
    guard !main.variants.isEmpty else { throw .noVariants }
    let known = main.renditions.filter { $0.kind == .subtitles }
    var groups: [String] = []
    for group in known.map(\.group) where !groups.contains(group) { groups.append(group) }
    if groups.isEmpty { groups = [Self.freeID(in: main)] }
    try checkDefaults(subtitles, known)
    try findNames(subtitles, known)
    var renditions: [Rendition] = []
    for group in groups {
      for (index, one) in subtitles.enumerated() {
        var rendition = Rendition(.subtitles, group: group, name: names[index], uri: uris[index])
        if one.language != "und" { rendition.language = one.language }
        rendition.isDefault = one.isDefault
        // Of several renditions in one language, players select the first one automatically, and forced ones in
        // addition.
        let others = known.filter { $0.group == group } + renditions.filter { $0.group == group }
        rendition.isAutoselected =
          one.isDefault || one.isForced || one.describesSounds
          || !others.contains { $0.language == one.language && !$0.isForced }
        rendition.isForced = one.isForced
        if one.describesSounds { rendition.characteristics = Self.describesSounds }
        renditions.append(rendition)
      }
    }
    main.renditions = main.renditions + renditions
    main.variants = main.variants.map { variant in
      var variant = variant
      if variant.subtitles == nil { variant.subtitles = groups[0] }
      return variant
    }
  }
  /// The characteristics of SDH subtitles in Apple's authoring specification.
  private static let describesSounds =
    "public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound"

  private func checkDefaults(_ subtitles: [Subtitles], _ known: [Rendition]) throws(SubtitleError) {
    let defaults = subtitles.filter(\.isDefault).map(\.shownName)
    guard let first = defaults.first else { return }
    if let other = known.first(where: \.isDefault) { throw .defaultTwice(other.name) }
    if defaults.count > 1 { throw .defaultTwice(first) }
  }

  /// Given names are kept. Generated names get a number if several renditions are added. A name that already exists in
  /// the presentation most likely means the same subtitles, which are not added twice.
  private mutating func findNames(_ subtitles: [Subtitles], _ known: [Rendition]) throws(SubtitleError) {
    var taken = Set(known.map(\.name))
    for one in subtitles where taken.contains(one.shownName) { throw .nameTwice(one.shownName) }
    for name in subtitles.compactMap(\.name) where !taken.insert(name).inserted { throw .nameTwice(name) }
    for one in subtitles {
      var (name, number) = (one.shownName, 2)
      if one.name == nil {
        while !taken.insert(name).inserted {
          name = "\(one.shownName) \(number)"
          number += 1
        }
      }
      names.append(name)
    }
  }

  private static func freeID(in main: MultivariantPlaylist) -> String {
    let taken = Set(main.renditions.map(\.group))
    var (id, number) = ("subtitles", 2)
    while taken.contains(id) {
      id = "subtitles-\(number)"
      number += 1
    }
    return id
  }
}
