import ISOBMFF
import MP4Bytes

/// Edits descriptive metadata.
extension MovieEditor {
  /// An editor that sets a tag, or removes it if `value` is empty.
  ///
  /// A QuickTime movie gets it under its key in `moov/meta`, unless it only has other kinds of metadata; other files
  /// get an iTunes item. Equivalent values elsewhere are removed, so that all readers show the same.
  public func settingTag(_ tag: MetadataTag, to value: String) throws -> MovieEditor {
    try settingTag(tag, to: [value])
  }

  /// An editor that sets the values of a tag, such as several artists; empty ones are omitted. Only text tags can have
  /// several values; for other tags, the last one is used.
  public func settingTag(_ tag: MetadataTag, to values: [String]) throws -> MovieEditor {
    let counting = tag.kind == .text ? values[...] : values.suffix(1)
    let fields = try counting.filter { !$0.isEmpty }.map { value in
      guard let fields = tag.fields(value) else {
        throw MovieError.impossible(file: source.name, Obstacle("tag_value", "\(tag.name) must be \(tag.expectation)"))
      }
      return fields
    }
    return try settingTag(tag, fields)
  }

  /// An editor that sets the cover image (JPEG, PNG or BMP), or removes it if `bytes` is empty.
  public func settingCover(_ bytes: [UInt8]) throws -> MovieEditor {
    guard let tag = MetadataTag("cover") else { return self }
    guard !bytes.isEmpty else { return try settingTag(tag, []) }
    guard let fields = MetadataTag.fields(picture: bytes) else {
      throw MovieError.impossible(file: source.name, Obstacle("tag_value", "\(tag.name) must be \(tag.expectation)"))
    }
    return try settingTag(tag, [fields])
  }

  private func settingTag(_ tag: MetadataTag, _ values: [MetadataDataBox]) throws -> MovieEditor {
    try editingMovie { moov in
      var metadata = try MovieMetadata(moov, of: source)
      metadata.set(tag, values)
      metadata.write(to: &moov)
    }
  }

  /// Contents that can be removed from a file in one call.
  public enum Removal: String, Sendable, CaseIterable {
    /// Descriptive metadata: titles, covers, comments, makers, and the location.
    case metadata
    /// The recording location.
    case location
    /// Unused space.
    case free
    /// All of the above.
    case all
    /// The names of encoders and their settings, in tags and in the streams of video.
    case encoder
  }

  /// An editor that removes these contents.
  public func stripping(_ removal: Removal) throws -> MovieEditor {
    switch removal {
    case .metadata: try strippingMetadata()
    case .location: try strippingLocation(asPartOfMetadata: false)
    case .free: try removingIfThere("//free,//skip")
    case .all: try strippingMetadata().removingIfThere("//free,//skip")
    case .encoder: try strippingEncoder()
    }
  }

  /// Whether the file has a movie or should have one: files of pictures have none.
  private var hasMovie: Bool { !hasItems || items.contains { $0.type == "moov" } }

  /// The sample entries of DJI's cameras whose samples have locations in formats that are not published.
  private static let locatedEntries: Set<FourCC> = ["djmd", "dbgi"]

  /// Removes locations. Warnings report what may contain one and remains. Exif and XMP items of pictures are not
  /// searched if all metadata is removed.
  private func strippingLocation(asPartOfMetadata: Bool) throws -> MovieEditor {
    let embedded = try embeddedLocations(skippingItems: asPartOfMetadata)
    var diagnostics = embedded.diagnostics
    var overwrites = embedded.overwrites
    if hasMovie { overwrites += try locationsInSamples(&diagnostics) }
    var isFound = !overwrites.isEmpty
    var editor = try overwriting(overwrites)
    if hasMovie {
      editor = try editor.editingMovie { moov in
        if !asPartOfMetadata { try diagnostics += locationsOfCovers(moov) }
        var metadata = try MovieMetadata(moov, of: source)
        isFound = metadata.removeLocation() || isFound
        metadata.write(to: &moov)
        try moov.editBoxes(["udta"]) { udta in
          let count = udta.boxes.count
          try udta.boxes.removeAll { try hasTelemetryLocation($0) }
          isFound = isFound || udta.boxes.count < count
        }
        let isLocation = { (box: Box) in MetadataTag.locationTexts.contains(box.type) }
        isFound = isFound || moov.boxes.contains(where: isLocation)
        moov.boxes.removeAll(where: isLocation)
        for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
          var metadata = try MovieMetadata(moov.boxes[index], of: source)
          isFound = metadata.removeLocation() || isFound
          metadata.write(to: &moov.boxes[index])
        }
      }
    }
    if !isFound, diagnostics.isEmpty, !asPartOfMetadata {
      diagnostics.append(Diagnostic(.note, source.name, "no location was found"))
    }
    editor.diagnostics += diagnostics
    return editor
  }

  /// Whether a box of user data has telemetry of a camera with positions, as for the whole recording.
  private func hasTelemetryLocation(_ box: Box) throws(MovieError) -> Bool {
    guard box.type == "GPMF", let header = box.header, header.end - header.offset <= 1 << 20 else { return false }
    let bytes: [UInt8]
    do throws(IOError) { bytes = try source.bytes(in: header.offset + 8..<max(header.offset + 8, header.end)) } catch {
      throw .io(error)
    }
    var result = bytes
    return !GPMF.removeLocations(&result) || result != bytes
  }

  /// Finds the locations in the samples of telemetry tracks.
  private func locationsInSamples(_ diagnostics: inout [Diagnostic]) throws(MovieError) -> [Overwrite] {
    var hasTrack = false
    for item in items where item.type == "moov" && !item.range.isEmpty && item.media == nil {
      hasTrack = try tree(of: item).first("trak") != nil || hasTrack
    }
    // Raw images have a movie box without tracks.
    guard hasTrack else { return [] }
    let movie: Movie
    do throws(MovieError) { movie = try Movie(reading: [source]) } catch {
      if case .io = error { throw error }
      let text = "the movie cannot be read, so locations in its samples are not removed: \(error.reason)"
      diagnostics.append(Diagnostic(.warning, source.name, text))
      return []
    }
    var overwrites: [Overwrite] = []
    let kept = try Telemetry(movie).forEachLocation { sample, before, after in
      overwrites += Overwrite.differences(before, after, at: sample.offset)
    }
    for (track, reason) in kept {
      let text = "the samples of track \(track) may include locations; not removed, because \(reason)"
      diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    for track in movie.tracks {
      guard let entry = track.decoderConfigurations.first(where: { Self.locatedEntries.contains($0.codedFormat) })
      else { continue }
      let text = "the samples of track \(track.id) (\(entry.codedFormat)) may include locations; not removed"
      diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    return overwrites
  }

  private func strippingMetadata() throws -> MovieEditor {
    var editor = try strippingLocation(asPartOfMetadata: true).strippingPictureMetadata()
    if hasMovie {
      editor = try editor.editingMovie { moov in
        for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
          moov.boxes[index].removeDescriptions()
        }
        moov.removeDescriptions()
      }
    }
    // XMP (Adobe, XMP Specification Part 3).
    return try editor.removingFileBoxes(of: "uuid") {
      $0.userType?.description == "be7acfcb-97a9-42e8-9c71-999491e3afac"
    }
  }

  private func removingIfThere(_ path: String) throws -> MovieEditor {
    do { return try removing(path) } catch MovieError.noBox { return self }
  }
}

extension Box {
  /// Boxes of user data that affect playback instead of describing the contents.
  private static let functionalTypes: Set<FourCC> = ["chpl", "hnti", "hinf", "kind", "ludt", "strk", "tsel", "name"]

  /// Removes the metadata and user data of a movie or track, unless it contains items such as images.
  fileprivate mutating func removeDescriptions() {
    edit("udta") { udta in udta.boxes.removeAll { !Self.functionalTypes.contains($0.type) } }
    boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
    boxes.removeAll { $0.type == "meta" && $0.first("iloc") == nil }
  }
}
