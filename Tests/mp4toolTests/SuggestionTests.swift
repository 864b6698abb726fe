import Testing

@testable import mp4tool

@Suite("Did you mean")
struct SuggestionTests {
  @Test(
    "The distance counts letters that are inserted, removed, replaced or swapped",
    arguments: [
      ("", "", 0), ("a", "", 1), ("", "ab", 2), ("dump", "dmup", 1), ("abc", "axc", 1), ("kitten", "sitting", 3),
    ])
  func distance(a: String, b: String, expected: Int) {
    #expect(Suggestion.distance(Array(a), Array(b)) == expected)
    #expect(Suggestion.distance(Array(b), Array(a)) == expected)
  }

  @Test(
    "What is close is suggested, the closest first, and nothing else",
    arguments: [
      ("dmup", ["dump"]), ("DUMP", ["dump"]), ("defragment", ["fragment", "defrag"]), ("de", ["defrag"]),
      ("jion", ["join"]),
      ("compeltions", ["completions"]), ("zebra", []), ("", []), ("d", []),
    ])
  func suggests(word: String, expected: [String]) {
    #expect(Suggestion.names(like: word, from: Command.all.map(\.name)) == expected)
  }

  @Test("Several that begin alike are all named")
  func namesSeveral() {
    #expect(Suggestion.names(like: "verbos", from: ["verbosity", "verbose", "version"]) == ["verbose", "verbosity"])
    #expect(
      UsageError("unknown option '--verbos'", suggestions: ["--verbose", "--verbosity"]).message
        == "unknown option '--verbos'; did you mean '--verbose' or '--verbosity'?")
    #expect(UsageError.alternatives(["a", "b", "c"]) == "'a', 'b' or 'c'")
  }
}
