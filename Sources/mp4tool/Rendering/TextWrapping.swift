/// Breaks text into lines at spaces.
enum TextWrapping {
  /// `text` in lines of at most `width` characters; a longer word is on a separate line.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var length = 0
    for word in text.split(separator: " ") {
      let count = word.count
      if length > 0, length + 1 + count > width {
        lines.append(line)
        (line, length) = ("", 0)
      }
      if length > 0 {
        line += " "
        length += 1
      }
      line += word
      length += count
    }
    if length > 0 { lines.append(line) }
    return lines
  }

  /// The lines of `text`, each indented by `indent` spaces and with a line feed.
  static func paragraph(_ text: String, indent: Int = 0, width: Int = 80) -> String {
    let spaces = String(repeating: " ", count: indent)
    return lines(text, width: width - indent).map { spaces + $0 + "\n" }.joined()
  }

  /// `text` beside `term`, or below it if the term is too long.
  static func item(_ term: String, _ text: String, column: Int, width: Int = 80) -> String {
    let body = paragraph(text, indent: column, width: width)
    guard term.count + 2 <= column else { return term + "\n" + body }
    return body.isEmpty ? term + "\n" : term + body.dropFirst(term.count)
  }
}
