import Bytes
import FileIO
import MP4
import Platform

/// Common code of the commands that change a file in place.
enum InPlaceChange {
  /// Opens the file of an operand to be changed.
  static func open(_ operand: Argument, option: String, _ context: CommandContext) throws -> InPlaceFile {
    guard let path = Pathname(operand.bytes) else { throw UsageError("the name of an input contains a NUL byte") }
    do throws(IOError) {
      if operand.isDash { throw notAFile }
      let file = try InPlaceFile(path)
      context.inputs.add(file.source.identity)
      return file
    } catch {
      guard error.code == InPlaceFile.notAFile else { throw error }
      throw UsageError("option '--\(option)' needs a regular file, and '\(operand.text)' is not one")
    }
  }

  private static let notAFile = IOError(.open, file: "standard input", code: InPlaceFile.notAFile, reason: "")

  /// Changes the file. Signals are blocked until it is finished or restored.
  static func write(_ plan: InPlacePlan, to file: InPlaceFile, _ context: CommandContext) throws(IOError) {
    try Signals.holdingStops { (isWaiting) throws(IOError) in
      file.onProgress = { _ in !isWaiting() }
      do throws(IOError) { try plan.write(to: file) } catch {
        do throws(IOError) { try file.revert() } catch {
          context.diagnostics.error("\(file.name): the appended bytes could not be removed: \(error.reason)")
        }
        throw error
      }
    }
  }
}
