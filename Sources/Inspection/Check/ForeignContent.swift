import ISOBMFF
import MP4
import MP4Bytes

/// Recognizes files that are not media, but a page or an error message of a server, or empty.
enum ForeignContent {
  /// The number of bytes that are examined.
  static let length = 256

  /// A description of a file that starts with these bytes, or consists of them if they are fewer than `length`, such as
  /// `an HTML page`; `nil` if it may be media or subtitles.
  static func name(start: [UInt8]) -> String? {
    if start.isEmpty { return "empty" }
    if let format = ForeignFormat(start: start) {
      return format.holdsMedia || format == .webVTT ? nil : format.name
    }
    let isText = start.allSatisfy { 0x20..<0x7f ~= $0 || 9...13 ~= $0 }
    return isText && FileBox(startOf: start[...]) == nil ? "a text file" : nil
  }
}

extension Rule {
  /// A file is not media.
  static let foreignContent = file(
    "iso-not-media", .isobmff, .error, "A file contains media; it is not a web page or other text, and not empty."
  ) { file, report in
    guard file.places.allSatisfy(\.isRemainder), file.source.byteCount != nil,
      let start = try? file.source.bytes(in: 0..<min(ForeignContent.length, file.size)),
      let name = ForeignContent.name(start: start)
    else { return }
    report.add("the content is \(name), not media")
  }
}
