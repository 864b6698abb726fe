/// Text in the language of man pages, mdoc(7).
enum ManText {
  /// Running text; words between backticks become bold.
  static func paragraph(_ text: String) -> String {
    // Each sentence begins on a new line, so that the formatter recognizes sentence ends.
    sentences(text).flatMap { TextWrapping.lines($0, width: 76) }.map { line in
      line.isEmpty ? "" : protectedStart(line) + "\n"
    }.joined().replacingTypedWords()
  }

  /// The arguments of a macro; words that could be read as another macro are escaped.
  static func arguments(_ text: String) -> String {
    text.split(separator: " ").map { word in
      let escaped = escape(String(word)).replacing(["\"": "\\(dq"])
      return isMacroLike(word) ? "\\&" + escaped : escaped
    }.joined(separator: " ")
  }

  /// Literal text as macro arguments: hyphens and quotes must be preserved when copied.
  static func literal(_ text: String) -> String {
    arguments(text).replacing(["-": "\\-", "'": "\\(aq", "`": "\\(ga", "~": "\\(ti", "^": "\\(ha"])
  }

  private static func escape(_ text: String) -> String { text.replacing(["\\": "\\e"]) }

  private static func isMacroLike(_ word: Substring) -> Bool {
    // Macros have two or three letters, starting with a capital; single punctuation marks are delimiters.
    (word.count <= 3 && word.first?.isUppercase == true)
      || (word.count == 1 && word.first.map { $0.isLetter || $0.isNumber } == false)
  }

  private static func protectedStart(_ line: String) -> String {
    let text = escape(line)
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  /// The words of a text without the phrase by which help texts refer to the page itself.
  private static func wordsOfPage(_ text: String) -> [String] {
    let phrase = ["in", "the", "man", "page"]
    var words: [String] = []
    for word in text.split(separator: " ") {
      words.append(String(word))
      guard word.hasPrefix("page"), words.count > 4, words.suffix(4).dropLast().elementsEqual(phrase.dropLast()) else {
        continue
      }
      words.removeLast(4)
      words[words.count - 1] += word.dropFirst(4)
    }
    return words
  }

  private static func sentences(_ text: String) -> [String] {
    var sentences: [String] = []
    var sentence = ""
    for word in wordsOfPage(text) {
      sentence += sentence.isEmpty ? word : " " + word
      if word.hasSuffix(".") || word.hasSuffix(":") && word.count > 1 {
        sentences.append(sentence)
        sentence = ""
      }
    }
    if !sentence.isEmpty { sentences.append(sentence) }
    return sentences
  }
}

extension String {
  /// The text with these characters replaced. The standard library's function would link its regular
  /// expression engine, which is larger than all commands together.
  func replacing(_ replacements: [Character: String]) -> String {
    reduce(into: "") { $0 += replacements[$1] ?? String($1) }
  }

  /// Pairs of backticks as bold, with literal hyphens in between.
  fileprivate func replacingTypedWords() -> String {
    var result = ""
    for (index, part) in split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      result += index.isMultiple(of: 2) ? String(part) : "\\fB\(String(part).replacing(["-": "\\-"]))\\fP"
    }
    return result
  }
}
