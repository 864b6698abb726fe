public import Bytes
internal import Platform

/// Which file it is, whatever its name: two paths with one identity are one file.
public struct FileIdentity: Hashable, Sendable {
  /// The number of the device that holds the file.
  public let device: UInt64
  /// The number of the file on its device.
  public let inode: UInt64

  /// The identity with these two numbers.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// The identity of the file at `path`, links followed, or `nil` when there is none that could be overwritten by
  /// mistake: no file, or a terminal, pipe or other stream, whose input and output differ.
  public init?(of path: Pathname) {
    let status =
      if let number = path.namedDescriptor { try? FileStatus(of: number) } else { try? FileStatus(of: path) }
    guard let identity = status?.storedIdentity else { return nil }
    self = identity
  }
}

/// What changes when the bytes of a file do, as far as the system says.
package struct FileStamp: Hashable, Sendable {
  /// Which file it is.
  package let identity: FileIdentity
  /// The number of its bytes.
  package let size: Int
  /// When its bytes changed last, in nanoseconds since 1970.
  package let modified: Int

  /// The stamp of the file at `path`, links followed, or `nil` when there is none.
  package init?(of path: Pathname) {
    guard let status = try? FileStatus(of: path) else { return nil }
    self.init(status)
  }

  init(_ status: FileStatus) { (identity, size, modified) = (status.identity, status.size, status.modified) }
}

extension FileStatus {
  var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

  /// The identity of a file whose bytes stay, so that writing one name of it harms the others; `nil` for a stream.
  var storedIdentity: FileIdentity? { kind == .regular || kind == .block ? identity : nil }
}
