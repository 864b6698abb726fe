import ISOBMFF
import TimedText

/// The sample entries of text tracks.
enum TextEntry {
  static func box(_ format: TextFormat, _ subtitles: Subtitles) -> Box {
    switch format {
    case .webVTT:
      var configuration = WebVTTConfigurationBox()
      configuration.config = BoxString(header(of: subtitles.document), form: .unterminated)
      return Box(PlainSampleEntry(), boxes: [Box(configuration)])
    case .timedText:
      return Box(timedText(isForced: subtitles.isForced), boxes: [Box(fonts)])
    }
  }

  /// The header before the first cue, without a trailing blank line and without X-TIMESTAMP-MAP, which MP4 does not
  /// need.
  private static func header(of document: WebVTTDocument) -> [UInt8] {
    var header = document.with(cues: [])
    header.timestampMap = nil
    var bytes = header.bytes
    while bytes.last == 0x0a { bytes.removeLast() }
    return bytes
  }

  /// White text at the bottom center, in a box that the player chooses.
  private static func timedText(isForced: Bool) -> TimedTextSampleEntry {
    var entry = TimedTextSampleEntry()
    // Apple's players interpret these flags as forcing all samples.
    entry.style.displayFlags = isForced ? 0xc000_0000 : 0
    entry.style.horizontalJustification = 1
    entry.style.verticalJustification = -1
    entry.style.style = letters
    return entry
  }
  static var letters: StyleRecord {
    var letters = StyleRecord()
    letters.fontID = 1
    letters.fontSize = 16
    letters.textColor = 0xffff_ffff
    return letters
  }
  private static var fonts: FontTableBox {
    var font = FontTableBox.Font()
    font.fontID = 1
    font.fontName = Array("Arial".utf8)
    var table = FontTableBox()
    table.fonts = [font]
    return table
  }
}
