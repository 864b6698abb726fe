public import MP4Bytes
import MP4Platform

/// The inputs of a program, which no output may replace.
///
/// It can grow while an output is written, for example by a playlist: outputs check it when they are opened, and again
/// before they get their final names.
public final class InputRegistry: Sendable, ExpressibleByArrayLiteral {
  private let identities: Monitor<Set<FileIdentity>>

  /// A registry of these files.
  public init(_ identities: some Sequence<FileIdentity> = []) {
    self.identities = Monitor(Set(identities))
  }

  /// A registry of these files.
  public convenience init(arrayLiteral identities: FileIdentity...) { self.init(identities) }

  /// Adds an open file.
  public func add(_ identity: FileIdentity) { identities { _ = $0.insert(identity) } }

  /// Adds the file at `path`, following links, if it exists. It need not be open: a file that a playlist names is an
  /// input even if its bytes are not needed.
  public func add(_ path: Pathname) { if let identity = FileIdentity(of: path) { add(identity) } }

  /// Whether it contains the file.
  public func contains(_ identity: FileIdentity) -> Bool { identities { $0.contains(identity) } }
}

extension InputRegistry {
  /// Fails if the file with this status is an input; `name` is the name of the output in messages.
  func check(_ status: FileStatus?, name: String) throws(IOError) {
    guard let identity = status?.storedIdentity, contains(identity) else { return }
    throw IOError(overwritingInput: name)
  }
}

extension IOError {
  /// The error of an output that is an input.
  init(overwritingInput name: String) {
    self.init(.create, file: name, reason: "it is also an input, which would be overwritten")
  }
}
