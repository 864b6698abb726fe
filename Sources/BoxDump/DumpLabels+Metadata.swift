import Bytes
import ISOBMFF

/// What mp4dump prints of metadata.
extension DumpLabels {
  /// Boxes that are others outside of an item with a name.
  static let namedItems: [FourCC: DumpLabels] = ["mean": plain(.field("value")), "name": plain(.field("value"))]

  /// Of values it shows texts and signed numbers alone; the fields of others have other names.
  static let metadata: [FourCC: DumpLabels] = [
    "data": plain(
      .derived("type") { fields in
        let set = UInt64(bitPattern: fields.number("type_set"))
        return .value(
          fields["type"].flatMap { set == 0 ? $0 : nil }
            ?? .unsigned(set << 24 | UInt64(bitPattern: fields.number("type"))))
      },
      .derived("lang") { .number($0.number("country") << 16 | $0.number("language")) }, .field("value")),
    "titl": assetText, "dscp": assetText, "perf": assetText, "auth": assetText, "gnre": assetText,
    "icnu": uri, "infu": uri, "cvru": uri, "lrcu": uri,
  ]
  private static let assetText = full(.field("language"), .field("value"))
  private static let uri = full(.field("uri", "value"))
}
