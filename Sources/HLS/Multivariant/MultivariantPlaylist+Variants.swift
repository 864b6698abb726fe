extension MultivariantPlaylist {
  /// EXT-X-STREAM-INF with the URI after it.
  public var variants: [Variant] {
    get {
      variantPlaces.map { place in
        guard case .attributes(let list) = lines[place.tag].value else { return Variant(attributes: AttributeList()) }
        var variant = Variant(attributes: list)
        variant.uri = place.uri.flatMap { lines[$0].uri } ?? ""
        return variant
      }
    }
    set { replaceVariants(variants, with: newValue) }
  }

  /// The lines of the tags and of their URIs.
  var variantPlaces: [(tag: Int, uri: Int?)] {
    var places: [(tag: Int, uri: Int?)] = []
    var isOpen = false
    for (index, line) in lines.enumerated() {
      if line.tag == .variant {
        places.append((index, nil))
        isOpen = true
      } else if line.content == .uri, isOpen {
        places[places.count - 1].uri = index
        isOpen = false
      }
    }
    return places
  }

  /// Changes only the variants between the first and the last difference.
  private mutating func replaceVariants(_ old: [Variant], with new: [Variant]) {
    let places = variantPlaces
    let (start, oldEnd, newEnd) = changes(old.count, new.count) { old[$0] == new[$1] }
    let common = min(oldEnd, newEnd)
    // Changes start at the end, so that earlier positions stay valid.
    if newEnd > common {
      let added = new[common..<newEnd].flatMap { [MultivariantPlaylist.tag($0), PlaylistLine(uri: $0.uri)] }
      lines.insert(contentsOf: added, at: position(after: common, of: places))
    } else if oldEnd > common {
      let gone = Set(places[common..<oldEnd].flatMap { [$0.tag, $0.uri ?? $0.tag] })
      lines = lines.indices.filter { !gone.contains($0) }.map { lines[$0] }
    }
    for index in (start..<common).reversed() { change(places[index], from: old[index], to: new[index]) }
  }
  private mutating func change(_ place: (tag: Int, uri: Int?), from old: Variant, to new: Variant) {
    if old.uri != new.uri {
      if let uri = place.uri {
        lines.change(uri, to: PlaylistLine(uri: new.uri))
      } else {
        lines.insert(PlaylistLine(uri: new.uri), at: place.tag + 1)
      }
    }
    lines.change(place.tag, to: MultivariantPlaylist.tag(new))
  }
  /// The position of a new variant after the first `count` ones.
  private func position(after count: Int, of places: [(tag: Int, uri: Int?)]) -> Int {
    if count > 0 { return (places[count - 1].uri ?? places[count - 1].tag) + 1 }
    return places.first?.tag ?? lines.place(of: .variant)
  }
  private static func tag(_ variant: Variant) -> PlaylistLine {
    PlaylistLine(.variant, .attributes(variant.attributes))
  }
}
