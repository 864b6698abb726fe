public import HLS
public import Presentations

extension InspectedPresentation {
  /// The playlist of a variant, by default the first one, and those of its renditions; of audio and subtitles only
  /// those in `languages`, if there are any. All playlists if there is no multivariant playlist.
  ///
  /// - Throws: `PresentationError.noStream` if there is no such variant, or no rendition of it in one of the languages.
  public func playlists(
    of choice: VariantChoice?, languages: [String] = []
  ) throws(PresentationError) -> [InspectedPlaylist] {
    guard let main = multivariant, !main.variants.isEmpty else { return playlists }
    guard let variant = main.variant(choice ?? .number(1)), let index = main.variants.firstIndex(of: variant) else {
      throw .noStream(file: name, .noVariant(there: main.variantSummaries))
    }
    let spoken = [Rendition.Kind.audio, .subtitles].flatMap { main.renditions($0, of: variant) }
    for language in languages where !spoken.contains(where: { $0.isIn(language) }) {
      throw .noStream(file: name, .noLanguage(language, there: spoken.compactMap(\.language)))
    }
    return playlists(ofVariant: index, languages: languages)
  }

  /// The playlist of the variant at `index`, and those of its renditions.
  func playlists(ofVariant index: Int, languages: [String] = []) -> [InspectedPlaylist] {
    guard let main = multivariant, main.variants.indices.contains(index) else { return playlists }
    let variant = main.variants[index]
    let spoken = [Rendition.Kind.audio, .subtitles].flatMap { main.renditions($0, of: variant) }.filter { rendition in
      languages.isEmpty || languages.contains { rendition.isIn($0) }
    }
    let wanted = main.renditions(.video, of: variant) + spoken
    let renditions = main.renditions
    return playlists.filter { playlist in
      playlist.roles.contains { role in
        switch role {
        case .variant(let own): own == index
        case .rendition(let own): renditions.indices.contains(own) && wanted.contains(renditions[own])
        case .iFrames: false
        }
      }
    }
  }
}
