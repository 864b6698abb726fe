import MP4Bytes

/// Processes several inputs; if one cannot be used, the others are still processed.
struct InputAttempts {
  /// The exit status for the inputs that cannot be used.
  private(set) var failure = ExitCode.done
  /// The exit status for the results of the inputs that can be used, including those of an earlier run.
  private(set) var outcome = ExitCode.done
  private let command: String
  private let diagnostics: Diagnostics

  /// Attempts for the command with this name.
  init(_ command: String, _ context: CommandContext) {
    (self.command, diagnostics) = (command, context.diagnostics)
  }

  /// The result of `body`; `nil` if it failed, which is reported. The output must be for all inputs.
  @discardableResult
  mutating func attempt<Result>(_ body: () throws -> Result) throws -> Result? {
    do { return try body() } catch let error as IOError where error.operation == .write { throw error } catch {
      fail(error)
      return nil
    }
  }

  /// Counts the exit status for a result.
  mutating func add(_ status: ExitCode) { outcome = max(outcome, status) }

  /// Reports an error.
  mutating func fail(_ error: any Error) {
    failure = max(failure, Failure.report(error, in: command, to: diagnostics))
  }
}
