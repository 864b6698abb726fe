extension MultivariantPlaylist {
  /// Puts other URIs in place of all that it names: playlists, keys, session data, the steering manifest. Lines whose URIs
  /// stay keep every byte.
  ///
  /// - Parameter change: gets a URI as it is written, with variables as they are, and gives another or the same.
  public mutating func changeURIs(_ change: (String) throws -> String) rethrows {
    for index in lines.indices {
      switch lines[index].content {
      case .uri:
        guard let uri = lines[index].uri else { break }
        lines.change(index, to: PlaylistLine(uri: try change(uri)))
      case .tag(let name, .attributes(var list)):
        guard let attribute = Self.uriAttributes[name], let uri = list[string: attribute] else { break }
        list[string: attribute] = try change(uri)
        lines.change(index, to: PlaylistLine(name, .attributes(list)))
      default: break
      }
    }
  }
  private static let uriAttributes: [TagName: String] = [
    .rendition: "URI", .iFrameVariant: "URI", .sessionData: "URI", .sessionKey: "URI", .contentSteering: "SERVER-URI",
  ]
}
