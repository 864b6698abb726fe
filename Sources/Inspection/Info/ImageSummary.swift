import BoxCatalog
public import ISOBMFF
public import MP4
public import MP4Bytes
package import MP4Records

/// The contents of a file of still images (HEIC, AVIF).
public struct ImageSummary: Sendable {
  /// The name of the file.
  public let name: String
  /// Its size in bytes; `nil` if it is unknown.
  public let byteCount: Int?
  /// The major brand; `nil` without a file type.
  public let majorBrand: FourCC?
  /// The compatible brands.
  public let brands: [FourCC]
  /// The items, in file order.
  public let items: [Item]
  /// Diagnostics about data loss.
  public let diagnostics: [Diagnostic]

  /// An item: an image, or metadata about one.
  public struct Item: Sendable {
    /// Its number.
    public let id: UInt32
    /// Its type, such as `hvc1`, `grid`, `Exif` or `mime`.
    public let type: FourCC
    /// Whether it is the primary image.
    public let isPrimary: Bool
    /// Whether it is not displayed on its own.
    public let isHidden: Bool
    /// The common name of the codec; `nil` if it is not a coded image.
    public let codecName: String?
    /// Its size in pixels before rotation; `nil` if it has none.
    public let size: PictureSize?
    /// Its clockwise rotation in degrees.
    public let rotation: Int
    /// Whether it is mirrored.
    public let isMirrored: Bool
    /// The number of bits of each channel; empty if unknown.
    public let bitDepths: [Int]
    /// The type of an auxiliary image, such as `urn:mpeg:hevc:2015:auxid:1`; `nil` for other items.
    public let auxiliaryType: String?
    /// The content type, such as `application/rdf+xml`; `nil` for images.
    public let contentType: String?
    /// Its references to other items, such as `thmb` to the image of which it is a thumbnail.
    public let references: [Reference]
    /// The ranges of its data in the file.
    package fileprivate(set) var places: [Range<Int>] = []
  }
  /// A reference to other items.
  public struct Reference: Sendable {
    /// Its type.
    public let type: FourCC
    /// The items that it refers to.
    public let items: [UInt32]
  }

  /// Reads the metadata of a file; `nil` if it has no items. Image data is not read.
  public init?(reading source: any ByteSource) throws(IOError) {
    let boxes = try [Box](reading: source, registry: .standard)
    guard let meta = boxes.first(where: { $0.type == "meta" }), let list = meta.first("iinf") else { return nil }
    func payload<Payload: BoxPayload>(_ box: Box?, _: Payload.Type = Payload.self) throws(IOError) -> Payload? {
      guard let box else { return nil }
      return try? box.payload(as: Payload.self, from: source).get()
    }
    (name, byteCount) = (source.name, source.byteCount)
    let fileType: FileTypeBox? = try payload(boxes.first { $0.type == "ftyp" })
    (majorBrand, brands) = (fileType?.majorBrand, fileType.map { Array($0.compatibleBrands) } ?? [])
    let primary = try meta.first("pitm").flatMap { (box) throws(IOError) in
      try? box.payload(from: source, registry: .standard)?.get()["item_ID"]?.number
    }
    let properties = meta.first("iprp", "ipco")?.boxes ?? []
    var associations: [UInt32: [Box]] = [:]
    for box in meta.first("iprp")?.boxes ?? [] where box.type == "ipma" {
      let entries = try payload(box, ItemPropertyAssociationBox.self)?.entries ?? []
      for entry in entries {
        let own = entry.associations.map { Int($0.propertyIndex) - 1 }.filter(properties.indices.contains)
        associations[entry.itemID, default: []] += own.map { properties[$0] }
      }
    }
    var references: [UInt32: [Reference]] = [:]
    for box in meta.first("iref")?.boxes ?? [] {
      guard let reference = try payload(box, ItemReferenceTypeBox.self) else { continue }
      references[reference.fromItemID, default: []].append(
        Reference(type: box.type, items: reference.toItemIDs))
    }
    var items: [Item] = []
    for box in list.boxes where box.type == "infe" {
      guard let entry = try payload(box, ItemInformationEntry.self) else { continue }
      items.append(
        try Item(
          entry, isPrimary: primary == Int64(entry.itemID), associations[entry.itemID] ?? [],
          references[entry.itemID] ?? [], from: source))
    }
    let places: ItemLocationBox? = try payload(meta.first("iloc"))
    let data = meta.first("idat")?.header?.payload
    let known = Dictionary(places?.items.map { ($0.itemID, $0.ranges(data: data)) } ?? []) { first, _ in first }
    for index in items.indices { items[index].places = known[items[index].id] ?? [] }
    self.items = items
    diagnostics = Self.losses(places, items, source)
  }

  /// A diagnostic about the number of incomplete items.
  private static func losses(_ places: ItemLocationBox?, _ items: [Item], _ source: any ByteSource) -> [Diagnostic] {
    guard let places, let size = source.byteCount else {
      return items.isEmpty ? [] : [Diagnostic(.error, source.name, "it does not declare the location of its items")]
    }
    let end = UInt64(size)
    let lost = places.items.filter { item in
      item.constructionMethod == 0 && item.dataReferenceIndex == 0
        && item.extents.contains { extent in
          let (start, overflow) = item.baseOffset.addingReportingOverflow(extent.offset)
          return overflow || start > end || extent.length > end - start
        }
    }
    guard !lost.isEmpty else { return [] }
    let text = "the data of \(counted(lost.count, "item")) of \(items.count) is missing"
    return [Diagnostic(.error, source.name, text)]
  }
}

extension ItemLocationBox.Item {
  /// Its ranges in the file; `data` is the range of `idat`.
  fileprivate func ranges(data: Range<Int>?) -> [Range<Int>] {
    guard dataReferenceIndex == 0, constructionMethod == 0 || constructionMethod == 1 && data != nil else { return [] }
    let first = constructionMethod == 0 ? 0 : data?.lowerBound ?? 0
    return extents.compactMap { extent in
      let (offset, overflow) = baseOffset.addingReportingOverflow(extent.offset)
      guard !overflow, offset < Int.max / 4, 1...UInt64(Int.max / 4) ~= extent.length else { return nil }
      return (first + Int(offset))..<(first + Int(offset) + Int(extent.length))
    }
  }
}

extension ImageSummary.Item {
  fileprivate init(
    _ entry: ItemInformationEntry, isPrimary: Bool, _ properties: [Box], _ references: [ImageSummary.Reference],
    from source: any ByteSource
  ) throws(IOError) {
    func property(_ type: FourCC) -> (any BoxPayload)? {
      let box = properties.first { $0.type == type }
      return try? box?.payload(from: source, registry: .standard)?.get()
    }
    (id, type, self.isPrimary, isHidden) = (entry.itemID, entry.itemType, isPrimary, entry.flags & 1 != 0)
    self.references = references
    let configurations: Set<FourCC> = ["hvcC", "lhvC", "av1C", "avcC", "vvcC", "jpgC", "j2kH", "evcC", "uncC"]
    let isCoded = properties.contains { configurations.contains($0.type) }
    codecName = isCoded ? try DecoderConfiguration(item: type, properties: properties, from: source).name : nil
    let extent = property("ispe")
    if let width = extent?["image_width"]?.number, let height = extent?["image_height"]?.number {
      size = PictureSize(width: Int(width), height: Int(height))
    } else {
      size = nil
    }
    // Angles are anticlockwise: ISO/IEC 23008-12, 6.5.10.
    rotation = (4 - Int(property("irot")?["angle"]?.number ?? 0)) % 4 * 90
    isMirrored = properties.contains { $0.type == "imir" }
    let depths = property("pixi")
    bitDepths = (1...16).map { depths?["bits_per_channel[\($0)]"]?.number }.prefix { $0 != nil }.compactMap {
      $0.map { Int($0) }
    }
    auxiliaryType = if case .text(let text)? = property("auxC")?["aux_type"] { text.description } else { nil }
    contentType = entry.itemType == "mime" ? entry.contentType.description : nil
  }
}

extension ImageSummary: Record {
  package static let summary = "A file of still images."
  package static let members: [RecordMember<ImageSummary>] = [
    RecordMember("name", "the name of the file") { $0.name },
    RecordMember("bytes", "its size; missing if unknown") { $0.byteCount },
    RecordMember("layout", "`images`") { _ in "images" },
    RecordMember("major_brand", "the major brand; missing if there is no `ftyp`") { $0.majorBrand },
    RecordMember("brands", "the compatible brands") { $0.brands },
    RecordMember("items", "the items: images and their metadata") { $0.items },
  ]
}

extension ImageSummary.Item: Record {
  package static let summary = "An item: an image, or the metadata of an image."
  package static let members: [RecordMember<Self>] = [
    RecordMember("id", "the item ID") { Int($0.id) },
    RecordMember("type", "the item type, such as `hvc1`, `grid`, `Exif` or `mime`") { $0.type },
    RecordMember("primary", "whether it is the primary image") { $0.isPrimary },
    RecordMember("hidden", "whether it is hidden") { $0.isHidden },
    RecordMember("codec_name", "the common name of the codec; missing if it is not a coded image") { $0.codecName },
    RecordMember("width", "its width in pixels before rotation; missing if there is none") { $0.size?.width },
    RecordMember("height", "its height in pixels before rotation; missing if there is none") { $0.size?.height },
    RecordMember("rotation", "its clockwise rotation in degrees") { $0.rotation },
    RecordMember("mirrored", "whether it is mirrored") { $0.isMirrored },
    RecordMember("bit_depths", "the number of bits of each channel") { $0.bitDepths },
    RecordMember("auxiliary_type", "the type of an auxiliary image; missing for others") { $0.auxiliaryType },
    RecordMember("content_type", "the media type of other content; missing for images") { $0.contentType },
    RecordMember("references", "the references to other items") { $0.references },
  ]
}

extension ImageSummary.Reference: Record {
  package static let summary = "A reference to other items."
  package static let members: [RecordMember<Self>] = [
    RecordMember("type", "its type, such as `thmb` for the image of which an item is a thumbnail") { $0.type },
    RecordMember("items", "the IDs of the items that it refers to") { $0.items.map { Int($0) } },
  ]
}

/// Image files as text.
extension ImageSummary {
  /// A line for the file, a line for each image that is more than a tile, and a line for metadata.
  public var text: String {
    var words = [name.printable]
    if let byteCount { words.append(Quantity.text(byteCount, "B")) }
    words.append("images")
    if let majorBrand, majorBrand != "    " { words.append(majorBrand.description) }
    var lines = [words.joined(separator: "  ")]
    if let words = BrandName.words(major: majorBrand, brands) { lines.append("  brands: \(words)") }
    return (lines + itemLines).map { $0 + "\n" }.joined()
  }

  /// A line for each image that is more than a tile, and a line for metadata.
  var itemLines: [String] {
    let tiles = Set(items.flatMap { $0.references.filter { $0.type == "dimg" }.flatMap(\.items) })
    let hidden = items.filter { tiles.contains($0.id) && $0.isHidden && $0.references.isEmpty }.map(\.id)
    let images = items.filter { $0.contentType == nil && !hidden.contains($0.id) }
    return (images + items.filter { $0.contentType != nil }).map { "  \($0.line(of: self))" }
  }
}

extension ImageSummary.Item {
  fileprivate func line(of file: ImageSummary) -> String {
    var words = ["\(id) \(kind)"]
    let tiles = references.first { $0.type == "dimg" }?.items ?? []
    if let codecName {
      words.append(codecName)
    } else if let tile = file.items.first(where: { tiles.contains($0.id) })?.codecName {
      words.append("\(type == "grid" ? "grid of \(counted(tiles.count, "tile"))" : type.description), \(tile)")
    } else if contentType == nil, type != "Exif" {
      words.append(type.description)
    }
    if let contentType, !contentType.isEmpty { words.append(contentType) }
    if let size { words.append("\(size.width)x\(size.height)") }
    if let depth = bitDepths.max() { words.append("\(depth) bits") }
    if rotation != 0 { words.append("rotated by \(rotation) degrees clockwise") }
    if isMirrored { words.append("mirrored") }
    for reference in references where reference.type != "dimg" {
      words.append("\(Self.relations[reference.type] ?? "\(reference.type)") \(list(reference.items))")
    }
    if isHidden, kind == "image" { words.append("hidden") }
    return words.joined(separator: "  ")
  }

  /// The kind of the item, by its references and properties: ISO/IEC 23008-12, 6.4.
  private var kind: String {
    if isPrimary { return "primary image" }
    if type == "Exif" { return "Exif" }
    if contentType == "application/rdf+xml" { return "XMP" }
    if contentType != nil { return "metadata" }
    if references.contains(where: { $0.type == "thmb" }) { return "thumbnail" }
    guard let auxiliaryType else { return "image" }
    let names = [
      "urn:mpeg:hevc:2015:auxid:1": "alpha", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha": "alpha",
      "urn:mpeg:hevc:2015:auxid:2": "depth", "urn:mpeg:mpegB:cicp:systems:auxiliary:depth": "depth",
      "urn:com:apple:photo:2020:aux:hdrgainmap": "HDR gain map",
    ]
    return "auxiliary image (\(names[auxiliaryType] ?? auxiliaryType))"
  }

  private static let relations: [FourCC: String] = [
    "thmb": "of", "auxl": "of", "cdsc": "about", "prem": "premultiplied with", "base": "based on",
  ]

  private func list(_ items: [UInt32]) -> String {
    let shown = items.prefix(4).map { "\($0)" }.joined(separator: ", ")
    return items.count > 4 ? "\(shown) and \(items.count - 4) more" : shown
  }
}
