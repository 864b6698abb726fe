import Bytes
import ISOBMFF

/// Changes of what a file says about its contents.
extension MovieEditor {
  /// An editor with the value of a tag, or without the tag if `value` is empty.
  ///
  /// A movie of QuickTime gets it by its key in `moov/meta` if it has metadata of that kind or none; other files get it
  /// as an item of iTunes. Values elsewhere that mean the same are removed, so that readers agree.
  public func setTag(_ tag: MetadataTag, to value: String) throws -> MovieEditor { try setTag(tag, to: [value]) }

  /// An editor with the values of a tag, such as several artists; empty ones are omitted. Only texts can have several
  /// values; of others the last one counts.
  public func setTag(_ tag: MetadataTag, to values: [String]) throws -> MovieEditor {
    let counting = tag.kind == .text ? values[...] : values.suffix(1)
    let fields = try counting.filter { !$0.isEmpty }.map { value in
      guard let fields = tag.fields(value) else {
        throw MovieError.impossible(file: source.name, EditObstacle.tag(tag.name, tag.expectation))
      }
      return fields
    }
    return try setTag(tag, fields)
  }

  /// An editor with another cover picture in JPEG, PNG or BMP; an empty one removes it.
  public func setCover(_ bytes: [UInt8]) throws -> MovieEditor {
    guard let tag = MetadataTag("cover") else { return self }
    guard !bytes.isEmpty else { return try setTag(tag, []) }
    guard let fields = MetadataTag.fields(picture: bytes) else {
      throw MovieError.impossible(file: source.name, EditObstacle.tag(tag.name, tag.expectation))
    }
    return try setTag(tag, [fields])
  }

  private func setTag(_ tag: MetadataTag, _ values: [MetadataDataBox]) throws -> MovieEditor {
    try editingMovie { moov in
      var metadata = try MovieMetadata(moov, of: source)
      metadata.set(tag, values)
      metadata.write(to: &moov)
    }
  }

  /// What can be removed from a file at once.
  public enum Removal: String, Sendable, CaseIterable {
    /// What describes the contents for people: titles, covers, comments, makers, and the location.
    case metadata
    /// Where it was recorded.
    case location
    /// Space that nothing uses.
    case free
    /// All of these.
    case all
  }

  /// An editor without the boxes of a kind.
  public func strip(_ removal: Removal) throws -> MovieEditor {
    switch removal {
    case .metadata: try strippingMetadata()
    case .location: try strippingLocation(warns: true)
    case .free: try removingIfThere("//free,//skip")
    case .all: try strippingMetadata().removingIfThere("//free,//skip")
    }
  }

  /// The sample entries of cameras whose samples have locations: GoPro, Camera Motion Metadata (Google), and metadata
  /// of QuickTime.
  private static let locatedEntries: Set<FourCC> = ["gpmd", "camm", "mebx"]

  /// Without locations; `warns` whether something that can have one stays.
  private func strippingLocation(warns: Bool) throws -> MovieEditor {
    var diagnostics: [Diagnostic] = []
    var isFound = false
    var editor = try editingMovie { moov in
      for trak in moov.boxes where trak.type == "trak" {
        let entries = trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? []
        guard let entry = entries.first(where: { Self.locatedEntries.contains($0.type) }) else { continue }
        let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
        diagnostics.append(
          Diagnostic(.warning, source.name, "track \(id) (\(entry.type)) can have locations in its samples, which stay")
        )
      }
      var metadata = try MovieMetadata(moov, of: source)
      isFound = metadata.removeLocation()
      metadata.write(to: &moov)
      let isLocation = { (box: Box) in MetadataTag.locationTexts.contains(box.type) }
      isFound = isFound || moov.boxes.contains(where: isLocation)
      moov.boxes.removeAll(where: isLocation)
      for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
        moov.boxes[index].edit("udta") { udta in
          isFound = isFound || udta.boxes.contains(where: isLocation)
          udta.boxes.removeAll(where: isLocation)
        }
      }
    }
    if warns {
      if editor.items.contains(where: { $0.type == "uuid" }) || editor.items.contains(where: { $0.type == "meta" }) {
        diagnostics.append(
          Diagnostic(
            .warning, source.name, "a uuid or meta box of the file, such as XMP, can have a location, and stays"))
      }
      if !isFound { diagnostics.append(Diagnostic(.note, source.name, "no location was found in the movie box")) }
      editor.diagnostics += diagnostics
    }
    return editor
  }

  private func strippingMetadata() throws -> MovieEditor {
    let editor = try strippingLocation(warns: false).editingMovie { moov in
      for index in moov.boxes.indices where moov.boxes[index].type == "trak" { moov.boxes[index].removeDescriptions() }
      moov.removeDescriptions()
    }
    // XMP (Adobe, XMP Specification Part 3).
    return try editor.removingFileBoxes(of: "uuid") {
      $0.userType?.description == "be7acfcb-97a9-42e8-9c71-999491e3afac"
    }
  }

  private func removingIfThere(_ path: String) throws -> MovieEditor {
    do { return try remove(path) } catch MovieError.noBox { return self }
  }
}

extension Box {
  /// Boxes of user data that say how something is presented, not what it is.
  private static let functionalTypes: Set<FourCC> = ["chpl", "hnti", "hinf", "kind", "ludt", "strk", "tsel", "name"]

  /// Removes metadata and user data about a movie or track, unless it contains items such as pictures.
  fileprivate mutating func removeDescriptions() {
    edit("udta") { udta in udta.boxes.removeAll { !Self.functionalTypes.contains($0.type) } }
    boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
    boxes.removeAll { $0.type == "meta" && $0.first("iloc") == nil }
  }
}
