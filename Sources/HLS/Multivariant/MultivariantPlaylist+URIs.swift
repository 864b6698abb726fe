extension MultivariantPlaylist {
  /// Replaces all URIs: of playlists, keys, session data and the steering manifest. Lines whose URIs do not change keep
  /// every byte.
  ///
  /// - Parameter change: Receives a URI as written, with variables, and returns a new URI or the same one.
  public mutating func changeURIs(_ change: (String) throws -> String) rethrows { try lines.changeURIs(change) }
}

extension MediaPlaylist {
  /// Replaces all URIs: of segments, init segments, parts, keys and other playlists. Lines whose URIs do not change
  /// keep every byte.
  ///
  /// - Parameter change: Receives a URI as written, with variables, and returns a new URI or the same one.
  public mutating func changeURIs(_ change: (String) throws -> String) rethrows {
    try header.changeURIs(change)
    for index in segments.indices { try segments[index].lines.changeURIs(change) }
    try trailer.changeURIs(change)
  }
}

extension [PlaylistLine] {
  fileprivate mutating func changeURIs(_ change: (String) throws -> String) rethrows {
    for index in indices {
      switch self[index].content {
      case .uri:
        guard let uri = self[index].uri else { break }
        self.change(index, to: PlaylistLine(uri: try change(uri)))
      case .tag(let name, .attributes(var list)):
        var isChanged = false
        for attribute in Self.uriAttributes[name] ?? [] {
          guard let uri = list[attribute, .uri] else { continue }
          list[attribute, .uri] = try change(uri)
          isChanged = true
        }
        if isChanged { self.change(index, to: PlaylistLine(name, .attributes(list))) }
      default: break
      }
    }
  }
  private static let uriAttributes: [TagName: [String]] = {
    var names: [TagName: [String]] = [:]
    for tag in TagName.allCases { names[tag] = tag.attributes.filter(\.form.isURI).map(\.name) }
    // Attributes of interstitials, which the tag does not define.
    names[.dateRange] = ["X-ASSET-URI", "X-ASSET-LIST"]
    return names
  }()
}
