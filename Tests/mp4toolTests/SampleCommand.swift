@testable import mp4tool

/// A command with options of every kind, for parser tests.
enum SampleCommand {
  enum Colour {
    case red
    case green
  }

  static let loud = Option.flag("loud", short: "l", help: "Be loud.")
  static let wrap = Option.pairedFlag("wrap", help: "Wrap.")
  static let title = Option.text("title", short: "t", placeholder: "TEXT", help: "A title.")
  static let output = Option.path("output", short: "o", placeholder: "OUT", help: "An output.")
  static let level = Option.integer("level", placeholder: "N", in: -2...9, default: 4, help: "A level.")
  static let colour = Option<Colour>.choice(
    "colour", placeholder: "COLOUR", default: .red, help: "A colour.",
    [NamedValue(.red, "red", "red things"), NamedValue(.green, "green", "green things")])

  static func command(_ operands: [Operand] = [Operand("FILE", .oneOrMore, help: "A file.")]) -> Command {
    Command(
      name: "sample", summary: "try things", operands: operands, description: ["A sample."],
      options: [loud, wrap, title, output, level, colour], examples: [], run: { _, _ in .done })
  }

  /// The arguments parsed from the words of `line`.
  static func parse(_ line: String, operands: [Operand]? = nil) throws(UsageError) -> ArgumentParser.Outcome {
    try parse(line.split(separator: " ").map { Argument(String($0)) }, operands: operands)
  }

  static func parse(_ words: [Argument], operands: [Operand]? = nil) throws(UsageError) -> ArgumentParser.Outcome {
    var parser = ArgumentParser(operands.map(command) ?? command(), commandNames: ["dump", "join"])
    return try parser.parse(words)
  }

  /// The arguments of a valid line.
  static func arguments(_ line: String) throws -> ParsedArguments {
    guard case .run(let arguments) = try parse(line) else { throw UsageError("not to be run") }
    return arguments
  }

  /// The message for an invalid line.
  static func problem(_ line: String, operands: [Operand]? = nil) -> String? {
    do throws(UsageError) {
      _ = try parse(line, operands: operands)
      return nil
    } catch {
      return error.message
    }
  }
}
