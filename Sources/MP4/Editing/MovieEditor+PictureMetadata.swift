import ISOBMFF
import MP4Bytes

/// Exif and XMP of pictures (HEIF, AVIF), which are items beside them.
extension MovieEditor {
  /// Whether the file has pictures or other items at file level.
  var hasItems: Bool { items.contains { $0.type == "meta" } }

  /// An editor without the items of Exif and XMP at file level. Their data is overwritten with zeros, unless other
  /// items share it or it is not in this file.
  func strippingPictureMetadata() throws -> MovieEditor {
    guard hasItems else { return self }
    var data: [Overwrite] = []
    let editor = try replacing("meta") { meta in
      var meta = meta
      data += try removeMetadataItems(from: &meta).map { Overwrite(range: $0, byte: 0) }
      return [meta]
    }
    return try editor.overwriting(data)
  }

  /// Removes the items of Exif and XMP, and returns where their data is.
  private func removeMetadataItems(from meta: inout Box) throws -> [Range<Int>] {
    let payloads = MoviePayloads(source: source)
    var removed: Set<UInt32> = []
    meta.edit("iinf") { iinf in
      iinf.boxes.removeAll { box in
        guard box.type == "infe",
          let entry = try? payloads.payload(of: box, in: "meta/iinf/infe", ItemInformationEntry.self),
          entry.itemType == "Exif" || entry.isXMP
        else { return false }
        removed.insert(entry.itemID)
        return true
      }
    }
    guard !removed.isEmpty else { return [] }
    try meta.editBoxes(["iinf"]) { try $0.countBoxes(from: source, registry: registry) }
    var places: [Range<Int>] = []
    let idat = meta.first("idat")?.header?.payload
    try meta.edit(["iloc"], ItemLocationBox.self, of: source) { iloc in
      let others = iloc.items.filter { !removed.contains($0.itemID) }
      let kept = others.flatMap { self.places(of: $0, idat) ?? [] }
      for item in iloc.items where removed.contains(item.itemID) {
        places += (self.places(of: item, idat) ?? []).filter { place in !kept.contains { $0.overlaps(place) } }
      }
      iloc.items = others
    }
    try meta.editBoxes(["iref"]) { iref in
      for index in iref.boxes.indices where iref.boxes[index].hasHeader {
        try iref.boxes[index].edit([], ItemReferenceTypeBox.self, of: source) { reference in
          if removed.contains(reference.fromItemID) { reference.toItemIDs = [] }
          reference.toItemIDs.removeAll(where: removed.contains)
        }
      }
      try iref.boxes.removeAll {
        try $0.hasHeader && $0.payload([], ItemReferenceTypeBox.self, of: source)?.toItemIDs.isEmpty == true
      }
    }
    meta.boxes.removeAll { $0.type == "iref" && $0.boxes.isEmpty }
    try meta.edit(["iprp", "ipma"], ItemPropertyAssociationBox.self, of: source) { ipma in
      ipma.entries.removeAll { removed.contains($0.itemID) }
    }
    return places
  }
}
