import Testing

@testable import mp4tool

@Suite("Help texts")
struct HelpTextTests {
  @Test("Text is wrapped at spaces")
  func wraps() {
    #expect(TextWrapping.lines("aa bb cc", width: 5) == ["aa bb", "cc"])
    #expect(TextWrapping.lines("aa bb cc", width: 8) == ["aa bb cc"])
    #expect(TextWrapping.lines("a verylongword b", width: 5) == ["a", "verylongword", "b"])
    #expect(TextWrapping.lines("  ", width: 5) == [])
    #expect(TextWrapping.paragraph("aa bb", indent: 2, width: 5) == "  aa\n  bb\n")
    #expect(TextWrapping.item("-a", "one two", column: 4, width: 8) == "-a  one\n    two\n")
    #expect(TextWrapping.item("--all", "one", column: 4) == "--all\n    one\n")
  }

  @Test(
    "Every help text has at most 80 columns, and contains usage, some examples and exit codes",
    arguments: Command.all.map(\.name))
  func isComplete(name: String) throws {
    let command = try #require(Command.all.first { $0.name == name })
    let text = HelpText(command).text
    let examples = Set(command.examples.map { "  " + $0.line })
    for line in text.split(separator: "\n") where !examples.contains(String(line)) {
      #expect(line.count <= 80, "\(line)")
    }
    #expect(text.contains("Usage: mp4tool \(name) [OPTION]..."))
    #expect((3...9).contains(command.examples.count), "a command has 3 to 9 examples")
    for example in command.examples { #expect(text.contains("  \(example.line)\n      ")) }
    for option in command.allOptions where option.longNames.count == 1 { #expect(text.contains("--\(option.name)")) }
    #expect(text.contains("Exit status: 0 done, 1 done with errors, 64 wrong usage"))
    #expect(!text.contains("`") && !text.contains("\u{1b}"))
  }

  @Test("The examples are valid command lines", arguments: Command.all.map(\.name))
  func examplesParse(name: String) throws {
    let command = try #require(Command.all.first { $0.name == name })
    var parsed = 0
    for example in command.examples {
      let starts = command.names.lazy.compactMap { example.line.firstRange(of: "mp4tool \($0)") }
      guard let start = starts.first else { continue }
      let words = example.line[start.upperBound...].split(separator: " ")
        .prefix { !["|", ">", "||"].contains($0) }
        .map { Argument(String($0).replacing("\"", with: "").replacing("'", with: "").replacing(")", with: "")) }
      var parser = ArgumentParser(command, commandNames: Command.all.map(\.name))
      _ = try parser.parse(words)
      parsed += 1
    }
    #expect(parsed == command.examples.count)
  }

  @Test("The main help lists tasks, each with an existing command and options")
  func tasksExist() throws {
    #expect(ToolHelp(Command.all).text.split(separator: "\n")[1] == "Which command?")
    for task in ToolHelp.tasks {
      let words = task.command.split(separator: " ").map(String.init)
      let command = try #require(Command.all.first { $0.name == words[0] }, "\(task.command)")
      for word in words where word.hasPrefix("--") {
        #expect(command.allOptions.contains { "--" + $0.name == word }, "\(task.command)")
      }
    }
    #expect(Set(ToolHelp.tasks.map(\.task)).count == ToolHelp.tasks.count)
  }

  @Test("Choices are listed with their meanings")
  func listsChoices() {
    let text = HelpText(JoinCommand.command).text
    #expect(text.contains("Usage: mp4tool join [OPTION]... -o OUT INIT [SEGMENT]...\n"))
    #expect(
      text.contains(
        "      --order ORDER       The order of the segments in the output. The default\n"
      ))
    #expect(text.contains("                          time   by decode time, regardless of the order of the\n"))
    #expect(text.contains("  -o, --output OUT        The file to write;"))
    #expect(text.contains("      --[no-]progress     Show or hide progress"))
  }

  @Test("No two options of a command share a name or a letter", arguments: Command.all.map(\.name))
  func namesAreUnique(name: String) throws {
    let command = try #require(Command.all.first { $0.name == name })
    let names = command.allOptions.flatMap(\.longNames)
    #expect(Set(names).count == names.count)
    let letters = command.allOptions.compactMap(\.short)
    #expect(Set(letters).count == letters.count)
  }
}
