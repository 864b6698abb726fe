import Testing

@testable import mp4tool

/// Serialized, because the first test writes the pages on request.
@Suite("Man pages", .serialized)
struct ManPageTests {
  static let pages =
    [ManPage.tool(Command.all), ManPage.specification] + Command.all.map { ManPage.command($0, among: Command.all) }

  @Test("The pages in man/ equal those rendered from the command table", arguments: pages.map(\.file))
  func areFresh(file: String) throws {
    let page = try #require(Self.pages.first { $0.file == file })
    let path = Files.repository + "/man/" + file
    if Files.environment("UPDATE_GOLDEN") == "1" { try Files.write(page.text, to: path) }
    #expect(Files.read(path) == page.text, "run UPDATE_GOLDEN=1 swift test --filter ManPageTests")
  }

  @Test("man/ has no page of a removed command")
  func noneIsLeftOver() throws {
    let listing = try #require(Shell.run(["ls", Files.repository + "/man"]))
    let format = ["mp4tool-boxes.5"]
    #expect(Set(listing.output.split(separator: "\n").map(String.init)) == Set(Self.pages.map(\.file) + format))
  }

  @Test(
    "mandoc prints no warnings", .enabled(if: Shell.exists("mandoc"), "mandoc is not installed"),
    arguments: pages.map(\.file))
  func passLint(file: String) throws {
    let lint = try #require(
      Shell.run(["mandoc", "-T", "lint", "-W", "warning", Files.repository + "/man/" + file]))
    #expect(lint.output == "")
    #expect(lint.status == 0)
  }

  @Test(
    "A rendered page shows literal input unchanged",
    .enabled(if: Shell.exists("mandoc"), "mandoc is not installed"))
  func rendersTypedWords() throws {
    let page = try #require(
      Shell.run(["mandoc", "-T", "ascii", "-O", "width=200", Files.repository + "/man/mp4tool-defrag.1"]))
    // A bold letter is printed as the letter, a backspace, and the letter.
    var text = ""
    for scalar in page.output.unicodeScalars {
      if scalar == "\u{8}" { text.unicodeScalars.removeLast() } else { text.unicodeScalars.append(scalar) }
    }
    #expect(text.contains("mp4tool defrag -q \"$f\" -o \"done/$f\" || echo \"$f: $?\"; done"))
    #expect(text.contains("-o OUT, --output=OUT"))
    #expect(text.contains("--progress, --no-progress"))
    #expect(text.contains("forced and sdh as in mp4tool subtitles"))
    #expect(text.contains("mp4tool defrag | remux [OPTION ...] {-o OUT | --in-place} INPUT ..."))
  }

  @Test("Words in text cannot become macros")
  func textIsProtected() {
    #expect(ManText.paragraph(".mp4 files") == "\\&.mp4 files\n")
    #expect(ManText.paragraph("'a' is a name") == "\\&'a' is a name\n")
    #expect(ManText.paragraph("a\\b") == "a\\eb\n")
    #expect(ManText.paragraph("Use `--no-clobber`. It helps.") == "Use \\fB\\-\\-no\\-clobber\\fP.\nIt helps.\n")
    #expect(ManText.literal("a 'b-c' | ~/\"d\"") == "a \\(aqb\\-c\\(aq \\&| \\(ti/\\(dqd\\(dq")
    #expect(ManText.arguments("an MP4 In \"No\"") == "an \\&MP4 \\&In \\(dqNo\\(dq")
  }
}
