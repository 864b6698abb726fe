import MP4Bytes
import Testing

@testable import mp4tool

@Suite("Did you mean")
struct SuggestionTests {
  @Test(
    "The distance counts inserted, removed, replaced and swapped letters",
    arguments: [
      ("", "", 0), ("a", "", 1), ("", "ab", 2), ("dump", "dmup", 1), ("abc", "axc", 1), ("kitten", "sitting", 3),
    ])
  func distance(a: String, b: String, expected: Int) {
    #expect(Spelling.distance(Array(a), Array(b)) == expected)
    #expect(Spelling.distance(Array(b), Array(a)) == expected)
  }

  @Test(
    "Only close words are suggested, the closest one first",
    arguments: [
      ("dmup", ["dump"]), ("DUMP", ["dump"]), ("defragment", ["fragment", "defrag"]), ("de", ["defrag", "decrypt"]),
      ("jion", ["join"]),
      ("compeltions", ["completions"]), ("zebra", []), ("", []), ("d", []),
    ])
  func suggests(word: String, expected: [String]) {
    #expect(Spelling.names(like: word, from: Command.all.map(\.name)) == expected)
  }

  @Test("Several words with the same prefix are all suggested")
  func namesSeveral() {
    #expect(Spelling.names(like: "verbos", from: ["verbosity", "verbose", "version"]) == ["verbose", "verbosity"])
    #expect(
      UsageError("unknown option '--verbos'", suggestions: ["--verbose", "--verbosity"]).message
        == "unknown option '--verbos'; did you mean '--verbose' or '--verbosity'?")
    #expect(UsageError.alternatives(["a", "b", "c"]) == "'a', 'b' or 'c'")
  }
}

@Suite("Commands and options of other tools")
struct OtherToolsTests {
  /// The quoted words of a text, such as options.
  private func quoted(_ text: String) -> [String] {
    text.split(separator: "'", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
      String($0.element)
    }
  }

  @Test("Every suggestion is an existing command with valid options and values")
  func answersExist() throws {
    let all = OtherTools.commands + OtherTools.shortWords + OtherTools.options
    for answer in all.flatMap(\.answers) + all.compactMap(\.remark).flatMap(quoted) {
      var words = answer.split(separator: " ").map(String.init)
      var commands = Command.all
      if let first = words.first, !first.hasPrefix("-") {
        commands = commands.filter { $0.name == first }
        words.removeFirst()
      }
      #expect(!commands.isEmpty, "\(answer)")
      guard let name = words.first else { continue }
      let options = commands.flatMap(\.allOptions).filter { "--" + $0.name == name }
      #expect(!options.isEmpty, "\(answer)")
      if words.count > 1 {
        #expect(options.contains { (try? $0.value(of: Argument(words[1]), givenAs: name)) != nil }, "\(answer)")
      }
    }
  }

  @Test("No word has two meanings, and none hides a command or an option")
  func wordsAreOthers() {
    for (table, own) in [
      (OtherTools.commands, Command.all.map(\.name)), (OtherTools.shortWords, []), (OtherTools.options, []),
    ] {
      let words = table.flatMap(\.words)
      #expect(Set(words).count == words.count)
      #expect(Set(words).isDisjoint(with: own))
    }
  }
}
