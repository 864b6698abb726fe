import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS

/// The operands of a command as sources that can be read at any offset.
struct InputFiles {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func open(_ operands: [Argument]) throws -> [any ByteSource] {
    var sources: [any ByteSource] = []
    for operand in operands { sources.append(try open(operand, spool: true)) }
    return sources
  }

  /// Opens one input; if `spool` is true, a pipe is copied to a temporary file so that it can be read again.
  func open(_ operand: Argument, spool: Bool) throws -> any ByteSource {
    if WebAddress.isMeant(by: operand.text) { return try RemoteFile(context).open(operand) }
    let diagnostics = context.diagnostics
    let source = try FileSource.open(operand.path, spool: spool) {
      let name = operand.isDash ? "standard input" : operand.text
      diagnostics.detail("\(name): pipes cannot seek; copied to a temporary file")
    }
    if let file = source as? FileSource { context.inputs.add(file.identity) }
    return source
  }
  /// Opens the file of an operand that `option` changes in place.
  func openInPlace(_ operand: Argument, option: Option<Bool>) throws -> InPlaceFile {
    do throws(IOError) {
      if operand.isDash { throw IOError(.open, file: "standard input", code: InPlaceFile.notAFile, reason: "") }
      let file = try InPlaceFile(operand.path)
      context.inputs.add(file.source.identity)
      return file
    } catch {
      guard error.code == InPlaceFile.notAFile else { throw error }
      throw UsageError("option '--\(option.declaration.name)' needs a regular file, and '\(operand.text)' is not one")
    }
  }
}
