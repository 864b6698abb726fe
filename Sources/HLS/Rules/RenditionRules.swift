extension RuleChecker {
  /// Checks each EXT-X-MEDIA on its own (4.4.6.1).
  mutating func checkRenditions() {
    for (index, rendition) in lines.indexed(.rendition, as: Rendition.self) {
      if rendition.isDefault, rendition.attributes["AUTOSELECT"] != nil, !rendition.isAutoselected {
        report(.autoselect, at: index, "with DEFAULT=YES, AUTOSELECT must be YES or absent")
      }
      checkStableID(rendition.stableID, "STABLE-RENDITION-ID", at: index)
      if let kind = rendition.kind { checkKind(rendition, kind, at: index) }
    }
  }
  private mutating func checkKind(_ rendition: Rendition, _ kind: Rendition.Kind, at index: Int) {
    if rendition.attributes["FORCED"] != nil, kind != .subtitles {
      report(.forced, at: index, "FORCED requires TYPE=SUBTITLES")
    }
    if kind != .audio {
      for name in ["CHANNELS", "BIT-DEPTH", "SAMPLE-RATE"] where rendition.attributes[name] != nil {
        report(.audioAttribute, at: index, "\(name) requires TYPE=AUDIO")
      }
    } else if let channels = rendition.channels, Variables.references(in: channels).isEmpty {
      if Int(decimal: channels.utf8[...].halves(at: "/").0) == nil {
        report(.channels, at: index, "CHANNELS is \(quoted(channels)) but must begin with the number of channels")
      }
    }
    switch kind {
    case .closedCaptions:
      if rendition.uri != nil {
        report(.renditionURI, at: index, "closed captions are in the video and cannot have a URI")
      }
      if !RuleChecker.isCaptionID(rendition.inStreamID ?? "") {
        report(.inStreamID, at: index, "INSTREAM-ID must be CC1 to CC4 or SERVICE1 to SERVICE63")
      }
    case .subtitles:
      if rendition.uri == nil { report(.renditionURI, at: index, "EXT-X-MEDIA with TYPE SUBTITLES must have URI") }
    case .audio, .video: break
    }
  }
  private static func isCaptionID(_ id: String) -> Bool {
    if ["CC1", "CC2", "CC3", "CC4"].contains(id) || !Variables.references(in: id).isEmpty { return true }
    guard id.utf8.starts(with: "SERVICE".utf8) else { return false }
    return Int(decimal: id.utf8.dropFirst(7)).map { (1...63).contains($0) } ?? false
  }

  /// Checks the members of groups (4.4.6.1.1).
  mutating func checkGroups() {
    var names: Set<[String]> = []
    var defaults: Set<[String]> = []
    var groups = RenditionGroups()
    for (index, rendition) in lines.indexed(.rendition, as: Rendition.self) {
      guard let kind = rendition.kind else { continue }
      if !names.insert([kind.rawValue, rendition.group, rendition.name]).inserted {
        let group = quoted(rendition.group)
        report(.nameTwice, at: index, "the group \(group) already has a rendition with NAME \(quoted(rendition.name))")
      }
      if rendition.isDefault, !defaults.insert([kind.rawValue, rendition.group]).inserted {
        report(.defaultTwice, at: index, "the group \(quoted(rendition.group)) can have only one DEFAULT=YES")
      }
      groups.add(rendition, kind, at: index)
    }
    for (index, reason) in groups.differences { report(.groupsAlike, at: index, reason) }
  }
}

/// The members of the groups of each kind, which must be equal.
private struct RenditionGroups {
  /// The attributes that can differ between encodings.
  private static let free: Set = [
    "GROUP-ID", "URI", "CHANNELS", "BIT-DEPTH", "SAMPLE-RATE", "STABLE-RENDITION-ID",
  ]
  private typealias Members = [String: [Attribute]]
  private var names: [Rendition.Kind: [String]] = [:]
  private var members: [Rendition.Kind: [String: Members]] = [:]
  private var lines: [[String]: Int] = [:]

  mutating func add(_ rendition: Rendition, _ kind: Rendition.Kind, at index: Int) {
    let group = rendition.group
    if members[kind]?[group] == nil {
      names[kind, default: []].append(group)
      lines[[kind.rawValue, group]] = index
    }
    // An omitted attribute with the default NO equals an explicit one.
    let free = RenditionGroups.free
    let fixed = rendition.attributes.attributes.filter { !free.contains($0.name) && $0.text != "NO" }
    members[kind, default: [:]][group, default: [:]][rendition.name] = fixed.sorted { $0.name < $1.name }
  }
  /// The differences from the first group of the same kind, with the first line of each group.
  var differences: [(Int, String)] {
    var output: [(Int, String)] = []
    for kind in Rendition.Kind.allCases {
      guard let groups = names[kind], let first = groups.first, let expected = members[kind]?[first] else { continue }
      for group in groups.dropFirst() {
        guard let found = members[kind]?[group], found != expected else { continue }
        let name = expected.keys.sorted().first { found[$0] != expected[$0] } ?? found.keys.sorted().first
        let reason =
          "the groups \(quoted(first)) and \(quoted(group)) must have the same members with the same attributes; "
          + "\(quoted(name ?? "")) differs"
        output.append((lines[[kind.rawValue, group]] ?? 0, reason))
      }
    }
    return output
  }
}
