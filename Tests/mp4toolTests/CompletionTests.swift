import Testing

@testable import mp4tool

@Suite("Completions")
struct CompletionTests {
  /// The completions of bash for the words before the cursor; the last word is incomplete or empty.
  private func bash(_ words: [String]) throws -> [String] {
    let script = BashCompletion(commands: Command.all).text
    let body =
      script + "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _mp4tool; echo \"${COMPREPLY[@]}\""
    let result = try #require(Shell.run(["bash", "-c", body, "bash"] + words))
    #expect(result.status == 0)
    return result.output.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// The names of commands that begin with `start`.
  private static func names(_ start: String) -> [String] {
    Command.all.flatMap(\.names).filter { $0.hasPrefix(start) }
  }

  @Test(
    "bash offers commands, options and values, and leaves files to readline",
    .enabled(if: Shell.exists("bash"), "bash is not installed"),
    arguments: [
      (["mp4tool", ""], names("")),
      (["mp4tool", "d"], names("d")),
      (["mp4tool", "remu"], ["remux"]),
      (["mp4tool", "--ver"], ["--verbose", "--version"]),
      (["mp4tool", "-q", "jo"], ["join"]),
      (["mp4tool", "join", "--or"], ["--order"]),
      (["mp4tool", "join", "--no-"], ["--no-follow", "--no-clobber", "--no-progress"]),
      (["mp4tool", "join", "--order", ""], ["time", "given"]),
      (["mp4tool", "join", "--order", "="], ["time", "given"]),
      (["mp4tool", "join", "--order", "=", "g"], ["given"]),
      (["mp4tool", "join", "--order=g"], ["--order=given"]),
      (["mp4tool", "dump", "--verbosity", ""], ["0", "1", "2", "3"]),
      (["mp4tool", "completions", ""], ["bash", "zsh", "fish"]),
      (["mp4tool", "help", "de"], names("de")),
      (["mp4tool", "remux", "--keep-s"], ["--keep-start"]),
      (["mp4tool", "explain", "tfh"], ["tfhd"]),
      (["mp4tool", "check", "--explain", "iso-stts-c"], ["iso-stts-count"]),
      (["mp4tool", "check", "--ignore", "=", "iso-stts-c"], ["iso-stts-count"]),
      (["mp4tool", "check", "--for", "c"], ["cmaf"]),
      (["mp4tool", "join", "-o", ""], []),
      (["mp4tool", "fragment", "--segments", ""], []),
      (["mp4tool", "dump", "mov"], []),
      (["mp4tool", "dump", "--", "-"], []),
    ])
  func bashCompletes(words: [String], expected: [String]) throws {
    #expect(try bash(words) == expected)
  }

  @Test("fish offers the same with descriptions", .enabled(if: Shell.exists("fish"), "fish is not installed"))
  func fishCompletes() throws {
    let script = FishCompletion(commands: Command.all).text
    func offers(_ line: String) throws -> [String] {
      let result = try #require(
        Shell.run(["fish", "--no-config", "-c", script + "\ncomplete -C '\(line)'"]))
      return result.output.split(separator: "\n").map(String.init)
    }
    #expect(try offers("mp4tool du") == ["dump\tshow the boxes of MP4 files"])
    #expect(try offers("mp4tool join --order ").sorted().first == "given\tin the order of the operands")
    #expect(try offers("mp4tool join --no-").map { $0.prefix { $0 != "\t" } } == ["--no-clobber", "--no-progress"])
    #expect(try offers("mp4tool completions ").count == 3)
    let places = "\(Files.repository)/man"
    let folders = try offers("mp4tool fragment --segments \(places)").map { $0.prefix { $0 != "\t" } }
    #expect(folders == ["\(places)/"])
    #expect(try offers("mp4tool fragment --segments \(places)/mp4tool-d") == [])
  }

  @Test("zsh reads its script", .enabled(if: Shell.exists("zsh"), "zsh is not installed"))
  func zshReads() throws {
    let script = ZshCompletion(commands: Command.all).text
    let check = try #require(Shell.run(["zsh", "-f", "-n", "-c", script]))
    #expect(check.output == "" && check.status == 0)
    // Loading it for real defines the functions and registers them.
    let load = "autoload -U compinit; compinit -u -D; " + script + "\nprint $_comps[mp4tool] $+functions[_mp4tool]"
    let loaded = try #require(Shell.run(["zsh", "-f", "-c", load]))
    #expect(loaded.output == "_mp4tool 1\n")
    #expect(script.contains("'--order=[The order of the segments in the output]:ORDER:((time\\:\"by decode time"))
    #expect(script.contains(":DIR:_files -/'"))
  }
}
