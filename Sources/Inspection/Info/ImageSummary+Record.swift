import Bytes
import ISOBMFF

extension ImageSummary: Record {
  package static let summary = "A file of still images."
  package static let members: [RecordMember<ImageSummary>] = [
    RecordMember("name", "the name of the file") { $0.name },
    RecordMember("bytes", "its size; missing if it is unknown") { $0.byteCount },
    RecordMember("layout", "`images`") { _ in "images" },
    RecordMember("major_brand", "the major brand; missing without a file type") { $0.majorBrand },
    RecordMember("brands", "the compatible brands") { $0.brands },
    RecordMember("items", "the items, which are images and metadata about them") { $0.items },
  ]
}

extension ImageSummary.Item: Record {
  package static let summary = "An item: an image, or metadata about one."
  package static let members: [RecordMember<Self>] = [
    RecordMember("id", "its number") { Int($0.id) },
    RecordMember("type", "what it is, such as `hvc1`, `grid`, `Exif` or `mime`") { $0.type },
    RecordMember("primary", "whether it is the image that is shown") { $0.isPrimary },
    RecordMember("hidden", "whether it is not shown by itself") { $0.isHidden },
    RecordMember("codec_name", "the codec as people call it; missing if it is no coded image") { $0.codecName },
    RecordMember("width", "its width in pixels, before it is rotated; missing without one") { $0.size?.width },
    RecordMember("height", "its height in pixels, before it is rotated; missing without one") { $0.size?.height },
    RecordMember("rotation", "its clockwise rotation in degrees") { $0.rotation },
    RecordMember("mirrored", "whether it is mirrored") { $0.isMirrored },
    RecordMember("bit_depths", "the bits of each channel") { $0.bitDepths },
    RecordMember("auxiliary_type", "the type of an auxiliary image; missing for others") { $0.auxiliaryType },
    RecordMember("content_type", "the media type of other content; missing for images") { $0.contentType },
    RecordMember("references", "the references to other items") { $0.references },
  ]
}

extension ImageSummary.Reference: Record {
  package static let summary = "A reference to other items."
  package static let members: [RecordMember<Self>] = [
    RecordMember("type", "its type, such as `thmb` for the image of which an item is a thumbnail") { $0.type },
    RecordMember("items", "the numbers of the items that it refers to") { $0.items.map { Int($0) } },
  ]
}
