public import Bytes
import Platform

/// The files that a program reads, none of which an output may replace.
///
/// It can grow while an output is written, as a playlist does: outputs look at it when they are opened, and again
/// before they get their names.
public final class InputRegistry: Sendable, ExpressibleByArrayLiteral {
  private let identities: Monitor<Set<FileIdentity>>

  /// A registry of these files.
  public init(_ identities: some Sequence<FileIdentity> = []) {
    self.identities = Monitor(Set(identities))
  }

  /// A registry of these files.
  public convenience init(arrayLiteral identities: FileIdentity...) { self.init(identities) }

  /// Adds a file that was opened.
  public func add(_ identity: FileIdentity) { identities { _ = $0.insert(identity) } }

  /// Adds the file at `path`, links followed, if there is one. It need not be open: a file that a playlist names is an
  /// input, whether its bytes are needed or not.
  public func add(_ path: Pathname) { if let identity = FileIdentity(of: path) { add(identity) } }

  /// Whether it is one of the files.
  public func contains(_ identity: FileIdentity) -> Bool { identities { $0.contains(identity) } }
}

extension InputRegistry {
  /// Fails when the file with this status must stay; `name` is what messages call the output.
  func check(_ status: FileStatus?, name: String) throws(IOError) {
    guard let identity = status?.storedIdentity, contains(identity) else { return }
    throw IOError(.create, file: name, reason: "it is also an input, which would be overwritten")
  }
}
