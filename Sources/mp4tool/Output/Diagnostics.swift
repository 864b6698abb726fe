import MP4
import MP4Bytes

/// The messages of a command, and their effect on the exit code.
///
/// A message is one line with the file, the position, the problem, and what was done:
/// `seg3.m4s: moof/traf[1]/trun at byte 420: …`.
final class Diagnostics {
  /// Which messages are printed.
  enum Level: Int, Sendable {
    /// Only errors.
    case quiet
    /// Also warnings and notes.
    case normal
    /// Also details.
    case verbose
  }

  private let stream: ErrorStream
  private let level: Level
  private let isStrict: Bool
  /// The number of warnings.
  private(set) var warnings = 0
  /// The number of messages about lost, unreadable or different data.
  private(set) var findings = 0

  init(stream: ErrorStream, level: Level = .normal, isStrict: Bool = false) {
    self.stream = stream
    self.level = level
    self.isStrict = isStrict
  }

  /// Reports an error after which the command cannot continue; the exit code gives the reason.
  func error(_ message: String) { show(message, label: nil, colour: 31) }

  /// Reports lost, unreadable or different data; the command continues and exits with 1.
  func finding(_ message: String) {
    findings += 1
    show(message, label: nil, colour: 31)
  }

  /// Reports the first of many findings about the input called `name`, and the number of others.
  func findings(_ messages: [some CustomStringConvertible], in name: String) {
    let most = 20
    for message in messages.prefix(most) { finding("\(message)") }
    if messages.count > most { finding("\(name): \(messages.count - most) more cannot be read") }
  }

  /// Reports a repair without data loss.
  func warning(_ message: String) {
    warnings += 1
    // With `--strict`, the warning is the reason why there is no output.
    if level != .quiet || isStrict { show(message, label: "warning", colour: 33) }
  }

  /// Reports information; nothing was changed.
  func note(_ message: String) {
    if level != .quiet { show(message, label: "note", colour: 36) }
  }

  /// Reports the reason for a pause, even with `--quiet`, because silence looks like a hang.
  func waiting(_ message: String) { show(message, label: "note", colour: 36) }

  /// Reports a diagnostic of an operation.
  func say(_ diagnostic: Diagnostic) {
    switch diagnostic.severity {
    case .note: note(diagnostic.description)
    case .warning: warning(diagnostic.description)
    case .error: finding(diagnostic.description)
    }
  }

  /// Prints a message for `--verbose`.
  func detail(_ message: String) {
    if level == .verbose { show(message, label: "note", colour: 36) }
  }

  /// Whether `--strict` was given and there was a warning or error: the command then returns ``outcome`` and writes no
  /// output.
  var forbidsOutput: Bool { isStrict && warnings + findings > 0 }

  /// If `--strict` prevents the output called `name`, reports that it is `not written`; returns whether it does.
  func refuses(_ name: String, _ consequence: String = "not written") -> Bool {
    guard forbidsOutput else { return false }
    var causes: [String] = []
    if findings > 0 { causes.append(counted(findings, "error")) }
    if warnings > 0 { causes.append(counted(warnings, "warning")) }
    error("\(name): \(consequence) because of \(causes.joined(separator: " and ")) (--strict)")
    return true
  }

  /// The exit code of a command that has finished.
  var outcome: ExitCode {
    if forbidsOutput { return .inputNotUsable }
    return findings > 0 ? .findings : .done
  }

  /// Prints a line without a label, such as the hint after a usage error.
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
