/// The media playlists of a multivariant playlist to read.
public struct StreamChoice: Hashable, Sendable {
  /// The variant.
  public var variant = VariantChoice.best
  /// The languages of audio and text; empty for the default.
  public var languages: [String] = []
  /// Whether text is included; without languages, all of it.
  public var takesText = false
  /// Whether all variants and all their renditions are used.
  public var takesAll = false

  /// The best variant with its audio.
  public init() {}

  /// A media playlist that was chosen.
  public struct Stream: Hashable, Sendable {
    /// The type of the rendition; `nil` for the variant itself.
    public var kind: Rendition.Kind?
    /// Its URI in the multivariant playlist.
    public var uri: String
    /// The line that declares it.
    public var line: Int
    /// The rendition; `nil` for a variant.
    public var rendition: Rendition?
    /// The name of the rendition; empty for a variant.
    public var name: String { rendition?.name ?? "" }
  }
  /// Why nothing can be chosen.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A problem with the playlist.
    case playlist(PlaylistError)
    /// There is no such variant; the existing ones.
    case noVariant(there: [String])
    /// There is no rendition in that language; the existing languages.
    case noLanguage(String, there: [String])

    /// The problem, and what is available.
    public var description: String {
      switch self {
      case .playlist(let error): return error.description
      case .noVariant(let there):
        if there.isEmpty { return "it has no variants" }
        let all = there.joined(separator: ", ")
        return "no such variant; it has \(there.count == 1 ? "only variant" : "variants") \(all)"
      case .noLanguage(let language, let there):
        let known = there.isEmpty ? "none has a language" : Self.list(there)
        return "no rendition in the language \(quoted(language)); \(known)"
      }
    }
    private static func list(_ there: [String]) -> String {
      "there \(there.count == 1 ? "is only" : "are") \(there.joined(separator: ", "))"
    }
  }

  /// The media playlists without duplicates, the variant first, and the variables that they can use.
  public func streams(
    of playlist: MultivariantPlaylist, at uri: URIReference
  ) throws(Failure) -> (streams: [Stream], variables: Variables) {
    let variables: Variables
    let all: MultivariantPlaylist
    do throws(PlaylistError) {
      variables = try Variables(playlist.definitions, uri: uri)
      all = try playlist.substituted(variables)
    } catch { throw .playlist(error) }
    let kinds: [Rendition.Kind] = takesText ? [.audio, .subtitles] : [.audio]
    let chosen = try all.position(of: variant, speaking: languages, in: kinds)
    var streams: [Stream] = []
    func add(_ kind: Rendition.Kind?, _ uri: String?, _ line: Int, _ rendition: Rendition? = nil) {
      guard let uri, !streams.contains(where: { $0.uri == uri }) else { return }
      let line = playlist.source?.lines[uri] ?? line
      streams.append(Stream(kind: kind, uri: uri, line: line, rendition: rendition))
    }
    for position in takesAll ? Array(all.variants.indices) : [chosen] {
      let place = all.variantPlaces[position]
      add(nil, all.variants[position].uri, (place.uri ?? place.tag) + 1)
    }
    let numbered = all.lines.indexed(.rendition, as: Rendition.self)
    func addRenditions(_ kind: Rendition.Kind, _ chosen: [Rendition]) {
      for rendition in chosen {
        let line = numbered.first { $0.view == rendition }.map { $0.index + 1 } ?? 0
        add(kind, rendition.uri, line, rendition)
      }
    }
    if takesAll {
      let groups = Set(
        all.variants.flatMap { [$0.audio, $0.video, takesText ? $0.subtitles : nil] }.compactMap(\.self))
      for kind in [Rendition.Kind.video, .audio, .subtitles] {
        addRenditions(kind, all.renditions.filter { $0.kind == kind && groups.contains($0.group) })
      }
      return (streams, variables)
    }
    let variant = all.variants[chosen]
    addRenditions(.video, all.renditions(.video, of: variant).chosen([]))
    let sound = all.renditions(.audio, of: variant)
    let text = takesText ? all.renditions(.subtitles, of: variant) : []
    let inLanguage = sound.chosen(languages)
    addRenditions(.audio, inLanguage.isEmpty ? sound.chosen([]) : inLanguage)
    addRenditions(.subtitles, languages.isEmpty ? text : text.chosen(languages))
    return (streams, variables)
  }
}

extension Variant {
  /// A text such as `1280x720, 2400000 bit/s`.
  fileprivate var summary: String { (self.resolution.map { "\($0), " } ?? "") + "\(self.bandwidth) bit/s" }
}

extension MultivariantPlaylist {
  /// The index of the chosen variant, whose renditions of these kinds must include all languages.
  package func position(
    of choice: VariantChoice, speaking languages: [String], in kinds: [Rendition.Kind]
  ) throws(StreamChoice.Failure) -> Int {
    guard let variant = variant(choice), let position = variants.firstIndex(of: variant) else {
      throw .noVariant(there: variants.prefix(20).enumerated().map { "\($0.offset + 1) (\($0.element.summary))" })
    }
    let spoken = kinds.flatMap { renditions($0, of: variant) }
    for language in languages where !spoken.contains(where: { $0.isIn(language) }) {
      throw .noLanguage(language, there: spoken.compactMap(\.language))
    }
    return position
  }

  /// The playlist with variables replaced, line by line.
  package func substituted(_ variables: Variables) throws(PlaylistError) -> MultivariantPlaylist {
    var copy = self
    for index in lines.indices {
      switch lines[index].content {
      case .uri: copy.lines[index] = PlaylistLine(uri: try variables.substituted(lines[index].uri ?? ""))
      case .tag(let tag, .attributes(let list)) where tag != .define:
        copy.lines[index] = PlaylistLine(tag, .attributes(try variables.substituted(list)))
      default: break
      }
    }
    return copy
  }
}
