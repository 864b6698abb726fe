extension MultivariantPlaylist {
  /// The role of a media playlist in a presentation: an index into a list of the multivariant playlist.
  public enum Role: Hashable, Sendable {
    /// A variant, in ``MultivariantPlaylist/variants``.
    case variant(Int)
    /// A rendition, in ``MultivariantPlaylist/renditions``.
    case rendition(Int)
    /// An I-frame playlist, in ``MultivariantPlaylist/iFrameVariants``.
    case iFrames(Int)
  }

  /// The line of the tag that declares a variant, a rendition or an I-frame playlist; `nil` if there is none.
  package func line(of role: Role) -> Int? {
    let (tag, index) =
      switch role {
      case .variant(let index): (TagName.variant, index)
      case .rendition(let index): (TagName.rendition, index)
      case .iFrames(let index): (TagName.iFrameVariant, index)
      }
    return lines.indices.lazy.filter { lines[$0].tag == tag }.dropFirst(index).first.map { $0 + 1 }
  }

  /// The media playlists of variants, renditions and I-frames, in this order: their URIs as written, and the lines that
  /// declare them. Those without a URI are omitted.
  package var references: [(role: Role, uri: String, line: Int)] {
    let main = zip(variants, variantPlaces).enumerated().map { index, variant in
      (role: Role.variant(index), uri: variant.0.uri, line: (variant.1.uri ?? variant.1.tag) + 1)
    }
    let others = lines.indexed(.rendition, as: Rendition.self).enumerated().map { index, rendition in
      (role: Role.rendition(index), uri: rendition.view.uri ?? "", line: rendition.index + 1)
    }
    let pictures = lines.indexed(.iFrameVariant, as: IFrameVariant.self).enumerated().map { index, variant in
      (role: Role.iFrames(index), uri: variant.view.uri, line: variant.index + 1)
    }
    return (main + others + pictures).filter { !$0.uri.isEmpty }
  }
}
