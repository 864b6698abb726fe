/// The man pages: `mp4tool.1`, `mp4tool-COMMAND.1` for each command, and `mp4tool-spec.5`.
enum ManPage {
  /// The page of the tool.
  static func tool(_ commands: [Command]) -> (file: String, text: String) {
    var page = head(title: "MP4TOOL", name: Version.name, summary: ToolHelp.summary)
    page += ".Sh SYNOPSIS\n.Nm\n.Ar COMMAND\n.Op Ar OPTION ...\n.Op Ar OPERAND ...\n.Nm\n.Fl \\-help | Fl \\-version\n"
    page += ".Sh DESCRIPTION\n"
    page += ManText.paragraph("Which command?")
    page += list(
      ToolHelp.tasks.map { ("Cm " + ManText.arguments($0.command), ManText.paragraph(sentence($0.task))) })
    page += ".Pp\n"
    page += ManText.paragraph("The commands are:")
    page += list(commands.map { ("Ic " + $0.names.joined(separator: " , "), ManText.paragraph(sentence($0.summary))) })
    page += ".Pp\n"
    page += ManText.paragraph(
      "Each command has its own man page; `mp4tool help COMMAND` prints a shorter version. Options can precede or "
        + "follow operands; `--` ends the options. Values are given as `--name=value`, `--name value`, `-n value` or "
        + "`-nvalue`. Short flags can be grouped. Long names cannot be abbreviated. An option with a value can be "
        + "repeated only with the same value, unless its description allows repetition. If both `--name` and "
        + "`--no-name` are given, the last one applies. `-` is standard input or standard output.")
    page += options(GeneralOptions.all.map(\.declaration))
    page += ".Sh ENVIRONMENT\n"
    page += list([
      ("Ev NO_COLOR", ManText.paragraph("If set, messages have no color.")),
      ("Ev TERM", ManText.paragraph("If `dumb`, messages have no color and progress is not shown.")),
      ("Ev \(BoxFiles.variable)", ManText.paragraph("Files with box definitions; see mp4tool-boxes(5).")),
    ])
    page += exitStatus() + ".Pp\n"
    page += ManText.paragraph(
      "After SIGINT (Ctrl-C), SIGTERM or SIGHUP, unfinished outputs are removed, and shells report the status 130, 143 "
        + "or 129. `mp4tool live` and `mp4tool serve` first complete what they have started, and exit with 0 if there "
        + "were no errors. While `mp4tool defrag` or `mp4tool join` follows a playlist, Ctrl-C makes the command stop "
        + "following it and complete the output. If several inputs have problems, the exit status is the highest one "
        + "that applies.")
    page += examples(ToolHelp.examples)
    page += ".Sh DIAGNOSTICS\n"
    page += ManText.paragraph(
      "Messages go to standard error, one line each: the file, the position in the file, the problem, and the action "
        + "taken. After `mp4tool:`, the word `warning:` marks a repair, or something that needs attention, such as a "
        + "feature that players may not handle; `note:` marks information. Other messages are errors. Usage errors "
        + "begin with `mp4tool COMMAND:` and are followed by a line that says how to get help. Control characters in "
        + "names are printed as escape sequences.")
    return ("mp4tool.1", page + seeAlso(commands.map { "mp4tool-\($0.name)" }, boxes: true, specifications: true))
  }

  /// The page of one command.
  static func command(_ command: Command, among commands: [Command]) -> (file: String, text: String) {
    var page = head(
      title: "MP4TOOL-\(command.name.uppercased())",
      name: command.names.map { "mp4tool-\($0)" }.joined(separator: " ,\n.Nm "), summary: command.summary)
    page += synopsis(command) + ".Sh DESCRIPTION\n"
    page += command.description.map(ManText.paragraph).joined(separator: ".Pp\n")
    if !command.operands.isEmpty {
      page += ".Pp\n" + ManText.paragraph(command.operands.count == 1 ? "The operand is:" : "The operands are:")
      page += list(command.operands.map { ("Ar \($0.name)", ManText.paragraph($0.help)) })
    }
    page += options(command.allOptions)
    for section in command.manSections {
      page += ".Sh \(ManText.arguments(section.title))\n"
      page += section.paragraphs.map(ManText.paragraph).joined(separator: ".Pp\n")
      page += list(section.items.map { ("Sy " + ManText.arguments($0.name), ManText.paragraph($0.meaning)) })
    }
    page += exitStatus(of: command) + examples(command.examples)
    let ofTool = ["help", "completions"]
    let others = commands.map(\.name).filter {
      $0 != command.name && (ofTool.contains(command.name) || !ofTool.contains($0))
    }
    let takesBoxes = command.allOptions.contains { $0.name == BoxFiles.option.declaration.name }
    let takesSpecification = command.allOptions.contains { $0.name == CheckCommand.specification.declaration.name }
    return (
      "mp4tool-\(command.name).1",
      page
        + seeAlso(["mp4tool"] + others.map { "mp4tool-\($0)" }, boxes: takesBoxes, specifications: takesSpecification)
    )
  }

  // MARK: - Parts

  static func head(title: String, section: Int = 1, name: String, summary: String) -> String {
    """
    .\\" Generated from declarations in Sources by UPDATE_GOLDEN=1 swift test --filter ManPageTests; edit those instead.
    .Dd \(Version.date)
    .Dt \(title) \(section)
    .Os \(Version.name) \(Version.number)
    .Sh NAME
    .Nm \(name)
    .Nd \(ManText.arguments(summary))

    """
  }

  private static func synopsis(_ command: Command) -> String {
    var lines = [".Sh SYNOPSIS", ".Nm mp4tool", ".Cm \(command.names.joined(separator: " | "))", ".Op Ar OPTION ..."]
    func oneOf(_ ways: [String]) -> String {
      "." + (ways.count == 1 ? ways[0] : "Brq " + ways.joined(separator: " | "))
    }
    func use(_ option: OptionDeclaration) -> String {
      "Fl " + (option.short.map { "\($0)" } ?? "\\-\(ManText.literal(option.name))")
        + (option.takesValue ? " Ar \(option.placeholder)" : "")
    }
    for option in command.options.map(\.declaration) where option.isRequired {
      lines.append(oneOf(option.alternatives(in: command.allOptions).map(use)))
    }
    for operand in command.operands {
      let own =
        switch operand.count {
        case .one: "Ar \(operand.name)"
        case .optional: "Op Ar \(operand.name)"
        case .oneOrMore: "Ar \(operand.name) ..."
        case .anyNumber: "Op Ar \(operand.name) ..."
        }
      lines.append(oneOf([own] + operand.alternatives(in: command.allOptions).map(use)))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func options(_ options: [OptionDeclaration]) -> String {
    ".Sh OPTIONS\n" + list(options.map { (term($0), ManText.paragraph(body($0)) + choices($0)) })
  }

  private static func term(_ option: OptionDeclaration) -> String {
    let attached = "Ns = Ns Ar \(option.placeholder)"
    let value = !option.takesValue ? "" : option.impliedValue == nil ? " \(attached)" : " Ns Oo \(attached) Oc"
    let long = option.longNames.map { "Fl \\-\(ManText.literal($0))\(value)" }
    let short = option.short.map { ["Fl \($0)" + (option.takesValue ? " Ar \(option.placeholder)" : "")] } ?? []
    return (short + long).joined(separator: " , ")
  }

  private static func body(_ option: OptionDeclaration) -> String {
    option.help + (option.defaultText.map { " The default is `\($0)`." } ?? "")
  }

  private static func choices(_ option: OptionDeclaration) -> String {
    guard case .choice(let choices, _) = option.kind else { return "" }
    return list(choices.map { ("Cm \(ManText.arguments($0.name))", ManText.paragraph(sentence($0.meaning))) })
  }

  private static func exitStatus(of command: Command? = nil) -> String {
    func has(_ option: any DeclaredOption) -> Bool {
      command?.allOptions.contains { $0.name == option.declaration.name } ?? true
    }
    let hasOutput = has(OutputOptions.output)
    let rows = ExitCode.allCases.compactMap { code -> (term: String, text: String)? in
      let own = (command?.exitNotes ?? []).filter { $0.code == code }.map(\.meaning)
      // Without an output, nothing general can be said about it.
      if code == .outputNotMade, !hasOutput {
        return own.isEmpty ? nil : ("\(code.rawValue)", ManText.paragraph(own.joined(separator: " ")))
      }
      var sentences = [code.meaning]
      if hasOutput { sentences += [code.outputMeaning(hasReport: has(ReportFile.option))].compactMap(\.self) }
      if has(OutputOptions.strict) { sentences += [code.strictMeaning].compactMap(\.self) }
      if has(OutputOptions.noClobber) { sentences += [code.noClobberMeaning].compactMap(\.self) }
      if !own.isEmpty { sentences += ["For this command:"] + own }
      return ("\(code.rawValue)", ManText.paragraph(sentences.joined(separator: " ")))
    }
    return ".Sh EXIT STATUS\n" + list(rows)
  }

  static func examples(_ examples: [Command.Example]) -> String {
    guard !examples.isEmpty else { return "" }
    return ".Sh EXAMPLES\n"
      + examples.map {
        // Not `.Dl`, which breaks long lines: copied text must be a single command.
        ManText.paragraph($0.meaning) + ".Bd -literal -offset indent\n\(ManText.literal($0.line))\n.Ed\n"
      }
      .joined(separator: ".Pp\n")
  }

  private static func seeAlso(_ pages: [String], boxes: Bool, specifications: Bool) -> String {
    let formats = (boxes ? ["mp4tool-boxes"] : []) + (specifications ? ["mp4tool-spec"] : [])
    let pages = pages.sorted().map { ".Xr \($0) 1" } + formats.map { ".Xr \($0) 5" }
    return ".Sh SEE ALSO\n" + pages.joined(separator: " ,\n") + "\n"
  }

  /// A list of terms, each the arguments of `.It`, with their texts.
  static func list(_ items: [(term: String, text: String)]) -> String {
    guard !items.isEmpty else { return "" }
    let rows = items.map { ".It " + $0.term + "\n" + $0.text }
    return ".Bl -tag -width Ds\n" + rows.joined() + ".El\n"
  }

  /// A phrase as a sentence.
  static func sentence(_ phrase: String) -> String {
    (phrase.first.map { $0.uppercased() } ?? "") + phrase.dropFirst() + "."
  }
}
