import Bytes
import ISOBMFF

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
