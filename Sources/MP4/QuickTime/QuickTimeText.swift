import ISOBMFF
import MP4Bytes

/// Converts QuickTime text to 3GPP timed text (`tx3g`), which MP4 files have: 3GPP TS 26.245, 5.16 and 5.17.
enum QuickTimeText {
  /// A description with the colors, the face, the position and the font of a QuickTime description.
  static func description(_ text: QuickTimeTextSampleEntry, boxes: [Box]) -> Box {
    var entry = TimedTextSampleEntry()
    entry.entry = text.entry
    if let style = text.timedText {
      entry.style = style
      return Box(entry, boxes: boxes)
    }
    // Scrolling and its direction have the same bits.
    entry.style.displayFlags = text.displayFlags & 0x1e0
    entry.style.horizontalJustification = Int8(clamping: text.textJustification)
    // Text of the background color of the movie, and keyed text, have no background of their own.
    let isTransparent = text.displayFlags & 0x4008 != 0
    entry.style.backgroundColor = color(text.backgroundColor) & (isTransparent ? 0xffff_ff00 : .max)
    let edges = text.defaultTextBox.map { Int16(truncatingIfNeeded: $0) }
    if edges.count == 4 {
      (entry.style.top, entry.style.left, entry.style.bottom, entry.style.right) = (
        edges[0], edges[1], edges[2], edges[3]
      )
    }
    entry.style.style.fontID = 1
    entry.style.style.fontSize = fontSize
    entry.style.style.faceStyleFlags = UInt8(text.fontFace & 7)
    entry.style.style.textColor = color(text.foregroundColor)
    var font = FontTableBox.Font()
    font.fontID = 1
    let name = text.textName.map(MacRoman.text) ?? ""
    font.fontName = Array((name.isEmpty ? "Sans-Serif" : name).utf8)
    var fonts = FontTableBox()
    fonts.fonts = [font]
    return Box(entry, boxes: [Box(fonts)])
  }

  /// The size of text in QuickTime unless a style declares another.
  private static let fontSize: UInt8 = 12

  /// Red, green and blue with 16 bits each as an opaque color of 8 bits each.
  static func color(_ parts: some Sequence<UInt16>) -> UInt32 {
    parts.prefix(3).reduce(0) { $0 << 8 | UInt32($1 >> 8) } << 8 | 0xff
  }

  /// The samples of a track as timed text, one after the other, and their sizes in runs of the same description.
  struct Samples {
    var bytes: [UInt8] = []
    var runs: [(description: UInt32, sizes: [UInt32])] = []
    /// Whether a sample differs from the original.
    var isChanged = false
  }

  /// Converts samples; `nil` if one is damaged, or if they have more than `limit` bytes.
  static func samples(_ originals: MP4.Samples, limit: Int) throws(MovieError) -> Samples? {
    guard originals.byteCount <= limit else { return nil }
    var result = Samples()
    for original in originals {
      let bytes = try original.bytes()
      guard let converted = sample(bytes), result.bytes.count + converted.count <= limit else { return nil }
      result.isChanged = result.isChanged || converted != bytes
      result.bytes += converted
      let description = UInt32(clamping: original.descriptionIndex)
      if result.runs.last?.description != description { result.runs.append((description, [])) }
      result.runs[result.runs.count - 1].sizes.append(UInt32(clamping: converted.count))
    }
    return result
  }

  /// A sample with UTF-8 or UTF-16 text, and with its styles; the sample itself if it has this form already. `nil` if
  /// it is damaged.
  static func sample(_ bytes: [UInt8]) -> [UInt8]? {
    guard let sample = TextSample(bytes, isQuickTime: true) else { return nil }
    if bytes.isEmpty { return [0, 0] }
    if sample.boxes.isEmpty, sample.encoding != .macRoman { return bytes }
    let count = bytes.count - sample.boxes.count
    let text =
      sample.encoding == .macRoman
      ? Array(ChapterList.shortened(sample.text, to: Int(UInt16.max)).utf8) : Array(bytes[2..<count])
    var writer = ByteWriter()
    writer.integer(UInt16(clamping: text.count))
    for byte in text { writer.integer(byte) }
    var box = TextStyleBox()
    box.styles = BoxTable(sample.styles)
    // A table that is too long to be counted is not written.
    guard !box.styles.isEmpty, let styles = try? box.encoded() else { return writer.bytes }
    writer.integer(UInt32(clamping: 8 + styles.count))
    writer.integer(TextStyleBox.info.type.rawValue)
    return writer.bytes + styles
  }
}
