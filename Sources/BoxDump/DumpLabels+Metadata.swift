import Bytes
import ISOBMFF

/// How mp4dump prints metadata.
extension DumpLabels {
  /// Boxes whose types mean something else outside an item with a name.
  static let namedItems: [FourCC: DumpLabels] = ["mean": plain(.field("value")), "name": plain(.field("value"))]

  /// Of the values, mp4dump shows only text and signed numbers; other values have fields with other names.
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
