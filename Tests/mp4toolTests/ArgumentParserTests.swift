import MP4
import Testing

@testable import mp4tool

@Suite("Argument parsing")
struct ArgumentParserTests {
  typealias Sample = SampleCommand

  @Test(
    "A value is accepted in each of its forms",
    arguments: [
      "--output=x f", "--output x f", "-o x f", "-ox f", "f -o x", "f --output=x", "-lo x f", "-lqox f",
      "-o x -o x f", "-o x -- f",
    ])
  func takesValues(line: String) throws {
    let arguments = try Sample.arguments(line)
    #expect(arguments[Sample.output]?.text == "x")
    #expect(arguments.operands.map(\.text) == ["f"])
  }

  @Test("Missing options have their defaults")
  func hasDefaults() throws {
    let arguments = try Sample.arguments("f")
    #expect(arguments[Sample.loud] == false)
    #expect(arguments[Sample.wrap] == nil)
    #expect(arguments[Sample.title] == nil)
    #expect(arguments[Sample.output] == nil)
    #expect(arguments[Sample.level] == 4)
    #expect(arguments[Sample.colour] == .red)
    #expect(arguments.ifDeclared(OutputOptions.strict) == nil)
  }

  @Test("Each kind of option returns a value of its type")
  func givesTypedValues() throws {
    let arguments = try Sample.arguments("-lvv --level -2 --colour green --title=a=b f")
    #expect(arguments[Sample.loud])
    #expect(arguments[GeneralOptions.verbose])
    #expect(arguments[Sample.level] == -2)
    #expect(arguments[Sample.colour] == .green)
    #expect(arguments[Sample.title] == "a=b")
  }

  @Test("If both --wrap and --no-wrap are given, the last one counts")
  func lastOfPairCounts() throws {
    #expect(try Sample.arguments("--wrap --no-wrap f")[Sample.wrap] == false)
    #expect(try Sample.arguments("--no-wrap f --wrap")[Sample.wrap] == true)
  }

  @Test("After -- and as - everything is an operand")
  func endsOptions() throws {
    #expect(try Sample.arguments("- -- -l --loud --").operands.map(\.text) == ["-", "-l", "--loud", "--"])
    #expect(try Sample.arguments("-o - f")[Sample.output]?.isDash == true)
  }

  @Test("Bytes that are not UTF-8 are kept in operands and values")
  func keepsBytes() throws {
    let name: [UInt8] = [0x61, 0xff, 0xc3, 0x28]
    let words = [
      Argument(bytes: name), Argument(bytes: Array("--output=".utf8) + name), Argument(bytes: Array("-o".utf8) + name),
    ]
    guard case .run(let arguments) = try Sample.parse(words) else { throw UsageError("not to be run") }
    #expect(arguments.operands == [Argument(bytes: name)])
    #expect(arguments[Sample.output]?.bytes == name)
    #expect(arguments[Sample.output]?.text == "a\\xff\\xc3(")
  }

  @Test(
    "Wrong usage is reported with a remedy",
    arguments: [
      ("--lud f", "unknown option '--lud'; did you mean '--loud'?"),
      ("--titel=a f", "unknown option '--titel'; did you mean '--title'?"),
      ("--no-wrp f", "unknown option '--no-wrp'; did you mean '--no-wrap'?"),
      ("--lo f", "unknown option '--lo'; did you mean '--loud'?"),
      ("--verb f", "unknown option '--verb'; did you mean '--verbose'?"),
      ("--zebra f", "unknown option '--zebra'"),
      ("-z f", "unknown option '-z'"),
      ("-lz f", "unknown option '-z' in '-lz'"),
      ("-é f", "unknown option '-é'"),
      ("-output x f", "option '-output' has only one dash; did you mean '--output'?"),
      ("--loud=yes f", "option '--loud' takes no value"),
      ("--no-wrap=x f", "option '--no-wrap' takes no value"),
      ("f -o", "option '-o' needs a value: '-o OUT'"),
      ("f --title", "option '--title' needs a value: '--title TEXT'"),
      (
        "f -o --loud",
        "option '-o' needs a value, and '--loud' looks like an option; use '--output=--loud' if that is intended"
      ),
      ("f --output=", "option '--output' needs a value"),
      ("f -o a -o b", "option '--output' is given twice with different values; the second is 'b'"),
      ("f --level 10", "option '--level' takes a number from -2 to 9, not '10'"),
      ("f --level=x", "option '--level' takes a number from -2 to 9, not 'x'"),
      ("f --level=99999999999999999999", "option '--level' takes a number from -2 to 9, not '99999999999999999999'"),
      ("f --colour gren", "option '--colour' can be 'red' or 'green', not 'gren'; did you mean 'green'?"),
      ("f -qv", "options '--quiet' and '--verbose' contradict each other"),
      ("-l", "FILE is missing: 'mp4tool sample [OPTION]... FILE...'"),
    ])
  func namesProblems(line: String, message: String) {
    #expect(Sample.problem(line) == message)
  }

  @Test("Operands are counted and checked")
  func checksOperands() throws {
    let one = [Operand("A", help: ""), Operand("B", .optional, kind: .command, help: "")]
    #expect(Sample.problem("x", operands: one) == nil)
    #expect(Sample.problem("x dump", operands: one) == nil)
    #expect(Sample.problem("x dmup", operands: one) == "unknown command 'dmup'; did you mean 'dump'?")
    #expect(Sample.problem("x dump y", operands: one) == "unexpected operand 'y'")
    #expect(Sample.problem("- x -") == "only one operand can be standard input")
    let two = [Operand("INIT", help: ""), Operand("SEGMENT", .oneOrMore, help: "")]
    #expect(Sample.problem("i", operands: two) == "SEGMENT is missing: 'mp4tool sample [OPTION]... INIT SEGMENT...'")
    #expect(Sample.problem("i a b c", operands: two) == nil)
    #expect(throws: UsageError("FILE is empty; it must be a file name")) { try Sample.parse([Argument("")]) }
  }

  @Test("A missing required option is reported")
  func asksForRequiredOption() throws {
    var parser = ArgumentParser(JoinCommand.command, commandNames: [])
    #expect(throws: UsageError("option '--output' is missing: add '-o OUT'")) {
      try parser.parse([Argument("a"), Argument("b")])
    }
    var second = ArgumentParser(JoinCommand.command, commandNames: [])
    let words = ["a", "-o", "out", "b", "--order=given"].map { Argument($0) }
    guard case .run(let arguments) = try second.parse(words) else { throw UsageError("not to be run") }
    #expect(arguments[OutputOptions.output]?.text == "out")
    #expect(arguments[JoinCommand.order] == .given)
    #expect(arguments[OutputOptions.progress] == nil)
  }

  @Test("Help and version do not require other arguments", arguments: ["-h", "--help", "-lh", "--help --zebra"])
  func helpComesFirst(line: String) throws {
    guard case .help = try Sample.parse(line) else {
      Issue.record("\(line) is not understood as asking for help")
      return
    }
    guard case .version = try Sample.parse("--version") else {
      Issue.record("--version is not understood")
      return
    }
  }
}
