import Bytes
import ISOBMFF

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
