extension WebVTTDocument {
  /// The cues as a SubRip file: UTF-8, in time order, with tags for bold, italic and underline. Settings, other tags
  /// and cues that are never shown are omitted.
  public var subRip: [UInt8] {
    var (result, number) = ("", 0)
    let shown = cues.enumerated().filter {
      max(0, $0.element.startMilliseconds) < min($0.element.endMilliseconds, CueTime.latest)
    }
    let ordered = shown.sorted { ($0.element.startMilliseconds, $0.offset) < ($1.element.startMilliseconds, $1.offset) }
    for (_, cue) in ordered {
      let text = Self.subRip(CueText(cue.text))
      guard !text.isEmpty else { continue }
      number += 1
      result += "\(number)\n\(Self.time(cue.startMilliseconds)) --> \(Self.time(cue.endMilliseconds))\n\(text)\n\n"
    }
    return Array(result.utf8)
  }

  private static func time(_ milliseconds: Int64) -> String {
    var bytes = Array(CueTime.text(milliseconds).utf8)
    if let point = bytes.lastIndex(of: UInt8(ascii: ".")) { bytes[point] = UInt8(ascii: ",") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A text with the tags of its runs, without blank lines, which would end the cue.
  private static func subRip(_ text: CueText) -> String {
    var (result, open, runs) = ("", CueText.Style(), text.runs[...])
    func tags(_ style: CueText.Style, isEnd: Bool) -> String {
      let names = [(CueText.Style.bold, "b"), (.italic, "i"), (.underlined, "u")].filter { style.contains($0.0) }
      return (isEnd ? names.reversed() : names).map { isEnd ? "</\($0.1)>" : "<\($0.1)>" }.joined()
    }
    for (index, scalar) in text.text.unicodeScalars.enumerated() {
      while let run = runs.first, run.scalars.upperBound <= index { runs.removeFirst() }
      let style = runs.first.map { $0.scalars.contains(index) ? $0.style : [] } ?? []
      if style != open {
        result += tags(open, isEnd: true) + tags(style, isEnd: false)
        open = style
      }
      result.unicodeScalars.append(scalar)
    }
    result += tags(open, isEnd: true)
    let lines = result.utf8.split { $0 == 0x0a || $0 == 0x0d }.map { String(Substring($0)) }
    return lines.filter { !$0.withoutBlanks.isEmpty }.joined(separator: "\n")
  }
}
