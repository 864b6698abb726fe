import ISOBMFF
import MP4Bytes

extension ItemInformationEntry {
  /// Whether the item is XMP (Adobe, XMP Specification Part 3).
  var isXMP: Bool { itemType == "mime" && contentType.description == "application/rdf+xml" }
}

/// Locations in Exif and XMP: in metadata items (HEIF), in boxes of raw images (CR3), and in XMP boxes.
extension MovieEditor {
  /// The maximum size of Exif or XMP data.
  private static let dataLimit = 1 << 22

  /// The locations that were found, and problems.
  struct EmbeddedLocations {
    var overwrites: [Overwrite] = []
    var diagnostics: [Diagnostic] = []
    /// Whether items of Exif and XMP are removed anyway.
    var skipsItems = false
  }

  /// Finds the locations in Exif and XMP.
  func embeddedLocations(skippingItems: Bool) throws(MovieError) -> EmbeddedLocations {
    var found = EmbeddedLocations()
    found.skipsItems = skippingItems
    for item in items where !item.range.isEmpty && item.media == nil {
      switch item.type {
      case "uuid": try find(in: tree(of: item), &found)
      case "meta": try findItems(of: tree(of: item), &found)
      case "mpvd": warn("mpvd (the video of a motion photo) may include a location; not removed", &found)
      case "moov":
        let moov = try tree(of: item)
        for box in moov.boxes + moov.boxes.filter({ $0.type == "udta" || $0.type == "trak" }).flatMap(\.boxes) {
          switch box.type {
          case "uuid", "XMP_": try find(in: box, &found)
          case "meta": try findItems(of: box, &found)
          default: break
          }
        }
      default: break
      }
    }
    return found
  }

  /// Finds locations in a box of XMP or of raw images. Other `uuid` boxes only get a warning.
  private func find(in box: Box, _ found: inout EmbeddedLocations) throws(MovieError) {
    guard let payload = box.header?.payload else { return }
    let type = box.userType?.description
    guard payload.count <= Self.dataLimit else {
      return warn(
        "\(box.type) at byte \(payload.lowerBound) is too large to be searched for a location; not removed", &found)
    }
    let bytes = try bytes(in: payload)
    switch type {
    // XMP (Adobe, XMP Specification Part 3). Without a user type, it is in QuickTime user data.
    case nil, "be7acfcb-97a9-42e8-9c71-999491e3afac": findXMP(bytes[...], at: [payload], "XMP", &found)
    // Canon CR3: Exif and a thumbnail.
    case UserType.canonMetadata.description:
      if found.skipsItems { warn("uuid \(UserType.canonMetadata) has Exif; only its location is removed", &found) }
      var position = 0
      while position + 8 <= bytes.count {
        let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        guard size >= 8, size <= bytes.count - position else { break }
        let content = position + 8..<position + size
        switch String(decoding: bytes[position + 4..<position + 8], as: UTF8.self) {
        case "CMT4": findExif(bytes[content], at: [payload], "CMT4", isLocation: true, &found)
        case "CMT1": findExif(bytes[content], at: [payload], "CMT1", &found)
        case "THMB":
          if Self.hasExif(bytes[content]) {
            warn("THMB contains Exif, which may include a location; not removed", &found)
          }
        default: break
        }
        position += size
      }
    // Canon CR3: a preview picture.
    case "eaf42b5e-1c98-4b88-b9fb-b7dc406e4d16" where !Self.hasExif(bytes[...]): break
    default: warn("uuid \(type ?? "") may include a location; not removed", &found)
    }
  }

  /// Warnings for covers with Exif.
  func locationsOfCovers(_ moov: Box) throws(MovieError) -> [Diagnostic] {
    let lists = [moov.first("udta", "meta", "ilst"), moov.first("meta", "ilst")]
    for box in lists.flatMap({ $0?.boxes ?? [] }) where box.type == "covr" {
      guard let payload = box.header?.payload, payload.count <= Self.dataLimit else { continue }
      guard Self.hasExif(try bytes(in: payload)[...]) else { continue }
      return [Diagnostic(.warning, source.name, "the cover contains Exif, which may include a location; not removed")]
    }
    return []
  }

  private func warn(_ text: String, _ found: inout EmbeddedLocations) {
    found.diagnostics.append(Diagnostic(.warning, source.name, text))
  }

  private static let exifHeader = Array("Exif\0\0".utf8)
  /// Whether an image has Exif.
  private static func hasExif(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.contains { bytes[$0] == exifHeader[0] && bytes[$0...].starts(with: exifHeader) }
  }

  // MARK: Items

  private func findItems(of meta: Box, _ found: inout EmbeddedLocations) throws(MovieError) {
    let payloads = MoviePayloads(source: source)
    for box in meta.boxes where box.type == "xml " || box.type == "bxml" || box.type == "ID32" {
      warn("meta/\(box.type) may include a location; not removed", &found)
    }
    guard let infos = meta.first("iinf")?.boxes, let box = meta.first("iloc") else { return }
    let iloc: ItemLocationBox
    do throws(MovieError) {
      iloc = try payloads.payload(of: box, in: "meta/iloc", ItemLocationBox.self)
    } catch {
      if case .io = error { throw error }
      return warn("meta/iloc is damaged; items may include a location; not removed", &found)
    }
    let data = meta.first("idat")?.header?.payload
    for info in infos where info.type == "infe" {
      guard let entry = try? payloads.payload(of: info, in: "meta/iinf/infe", ItemInformationEntry.self) else {
        warn("meta/iinf/infe is damaged; an item may include a location; not removed", &found)
        continue
      }
      let (isExif, isXMP) = (entry.itemType == "Exif", entry.isXMP)
      guard isExif || isXMP || entry.itemType == "jpeg", !found.skipsItems || entry.itemType == "jpeg" else { continue }
      let name = "item \(entry.itemID) (\(isExif ? "Exif" : isXMP ? "XMP" : "jpeg"))"
      let isCoded = entry.itemProtectionIndex != 0 || !(entry.contentEncoding?.description ?? "").isEmpty
      guard let item = iloc.items.first(where: { $0.itemID == entry.itemID }), !isCoded,
        let places = places(of: item, data)
      else {
        warn("\(name) cannot be read and may include a location; not removed", &found)
        continue
      }
      var bytes: [UInt8] = []
      for place in places { bytes += try self.bytes(in: place) }
      if isXMP {
        findXMP(bytes[...], at: places, name, &found)
      } else if isExif {
        // Exif items begin with the offset of the TIFF header.
        let offset = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let declared = bytes.count >= 4 && offset <= bytes.count - 4 ? [4 + offset] : []
        // Some writers store another offset there.
        let start = (declared + Array(0..<min(64, bytes.count))).first { ExifLocation(bytes[$0...]) != nil } ?? 0
        findExif(bytes[start...], at: places, name, &found)
      } else if Self.hasExif(bytes[...]) {
        warn("\(name) contains Exif, which may include a location; not removed", &found)
      }
    }
  }

  /// The bytes of an item, in this file or in `idat`; `nil` if they are elsewhere, not all there, or too many.
  func places(of item: ItemLocationBox.Item, _ data: Range<Int>?) -> [Range<Int>]? {
    guard item.dataReferenceIndex == 0, item.constructionMethod < 2, let size = source.byteCount else { return nil }
    let whole = item.constructionMethod == 0 ? 0..<size : data ?? 0..<0
    var places: [Range<Int>] = []
    var total = 0
    for extent in item.extents {
      let (offset, overflow) = item.baseOffset.addingReportingOverflow(extent.offset)
      guard !overflow, offset <= UInt64(whole.count) else { return nil }
      let start = whole.lowerBound + Int(offset)
      let length = extent.length == 0 ? UInt64(whole.upperBound - start) : extent.length
      guard length <= UInt64(whole.upperBound - start), length <= UInt64(Self.dataLimit - total) else { return nil }
      places.append(start..<start + Int(length))
      total += Int(length)
    }
    return places
  }

  // MARK: Data

  private func findExif(
    _ bytes: ArraySlice<UInt8>, at places: [Range<Int>], _ name: String, isLocation: Bool = false,
    _ found: inout EmbeddedLocations
  ) {
    guard let location = ExifLocation(bytes, isLocation: isLocation) else {
      if !bytes.isEmpty { warn("\(name) is not TIFF and may include a location; not removed", &found) }
      return
    }
    let start = bytes.startIndex
    for (ranges, isHidden) in [(location.counts, false), (location.values, true)] {
      for range in ranges {
        for place in Self.part(start + range.lowerBound..<start + range.upperBound, of: places) {
          found.overwrites.append(Overwrite(range: place, byte: 0, isHidden: isHidden))
        }
      }
    }
  }

  private func findXMP(
    _ bytes: ArraySlice<UInt8>, at places: [Range<Int>], _ name: String, _ found: inout EmbeddedLocations
  ) {
    let location = XMPLocation(bytes)
    for range in location.ranges {
      for place in Self.part(range, of: places) {
        found.overwrites.append(Overwrite(range: place, byte: UInt8(ascii: " ")))
      }
    }
    // Text in UTF-16 or UTF-32 contains zero bytes.
    if location.isIncomplete || bytes.prefix(64).contains(0) {
      warn("\(name) may include a location that cannot be removed", &found)
    }
    if location.namesPlaces { warn("\(name) has names of places, such as a city; not removed", &found) }
  }

  /// The file ranges of a part of data that is stored in several pieces.
  private static func part(_ range: Range<Int>, of places: [Range<Int>]) -> [Range<Int>] {
    var (result, start): ([Range<Int>], Int) = ([], 0)
    for place in places {
      let lower = max(range.lowerBound, start), upper = min(range.upperBound, start + place.count)
      if lower < upper { result.append(place.lowerBound + lower - start..<place.lowerBound + upper - start) }
      start += place.count
    }
    return result
  }

  private func bytes(in range: Range<Int>) throws(MovieError) -> [UInt8] {
    try io(source.bytes(in: range))
  }
}
