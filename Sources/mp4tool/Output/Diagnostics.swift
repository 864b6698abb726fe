import MP4

/// What a command has to say beside its result, and what that means for the exit code.
///
/// A message is one line that names the file first, then the place, then what is wrong and what was possible:
/// `seg3.m4s: moof/traf[1]/trun at byte 420: …`.
final class Diagnostics {
  /// How much is said.
  enum Level: Int, Sendable {
    /// Errors and findings.
    case quiet
    /// Warnings and notes too.
    case normal
    /// Details too.
    case verbose
  }

  private let stream: ErrorStream
  private let level: Level
  private let isStrict: Bool
  /// How many things were repaired without loss.
  private(set) var warnings = 0
  /// How many things were lost, unreadable or different.
  private(set) var findings = 0

  init(stream: ErrorStream, level: Level = .normal, isStrict: Bool = false) {
    self.stream = stream
    self.level = level
    self.isStrict = isStrict
  }

  /// The command cannot go on; its exit code says so.
  func error(_ message: String) { show(message, label: nil, colour: 31) }

  /// Something was lost, unreadable or different; the command goes on and ends with 1.
  func finding(_ message: String) {
    findings += 1
    show(message, label: nil, colour: 31)
  }

  /// Something was repaired and nothing was lost.
  func warning(_ message: String) {
    warnings += 1
    // With `--strict` it is why there is no output.
    if level != .quiet || isStrict { show(message, label: "warning", colour: 33) }
  }

  /// Something worth knowing; nothing was changed.
  func note(_ message: String) {
    if level != .quiet { show(message, label: "note", colour: 36) }
  }

  /// Why nothing happens for a while; also when only errors are wanted, as silence looks like a hang.
  func waiting(_ message: String) { show(message, label: "note", colour: 36) }

  /// What an operation met.
  func say(_ notice: Notice) {
    switch notice.severity {
    case .note: note(notice.description)
    case .warning: warning(notice.description)
    case .loss: finding(notice.description)
    }
  }

  /// Something that only `--verbose` asks for.
  func detail(_ message: String) {
    if level == .verbose { show(message, label: "note", colour: 36) }
  }

  /// Whether `--strict` was given and something was found: a command returns ``outcome`` then, and makes no output.
  var forbidsOutput: Bool { isStrict && warnings + findings > 0 }

  /// Says that the output called `name` is not made when `--strict` forbids it, and returns whether it does.
  func refuses(_ name: String) -> Bool {
    if forbidsOutput { error("\(name): not written, because of the warnings above and --strict") }
    return forbidsOutput
  }

  /// The exit code of a command that went through.
  var outcome: ExitCode {
    if forbidsOutput { return .inputNotUsable }
    return findings > 0 ? .findings : .done
  }

  /// Lines of their own, such as the hint after wrong usage.
  func plain(_ line: String) { stream.writeLine(Printable.escaped(line)) }

  private func show(_ message: String, label: String?, colour: Int) {
    var line = "\(Version.name): "
    if let label {
      line += stream.usesColour ? "\u{1b}[\(colour)m\(label):\u{1b}[0m " : "\(label): "
    } else if stream.usesColour {
      line = "\u{1b}[\(colour)m\(Version.name):\u{1b}[0m "
    }
    stream.writeLine(line + Printable.escaped(message))
  }
}
