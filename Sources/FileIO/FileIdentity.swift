public import MP4Bytes
internal import MP4Platform

/// The identity of a file, independent of its name: two paths with the same identity are the same file.
public struct FileIdentity: Hashable, Sendable {
  /// The device that holds the file.
  public let device: UInt64
  /// The inode number of the file.
  public let inode: UInt64

  /// The identity with these two numbers.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// The identity of the file at `path`, following links, or `nil` if there is no file that could be overwritten by
  /// mistake: no file, or a terminal, pipe or other stream, whose input and output are separate.
  public init?(of path: Pathname) {
    let status =
      if let number = path.namedDescriptor { try? FileStatus(of: number) } else { try? FileStatus(of: path) }
    guard let identity = status?.storedIdentity else { return nil }
    self = identity
  }
}

/// The state of a file, which changes with its bytes, as far as the system reports it.
public struct FileStamp: Hashable, Sendable {
  /// The file.
  public let identity: FileIdentity
  /// Its size in bytes.
  public let size: Int
  /// Its modification time in nanoseconds since 1970.
  public let modified: Int

  /// The state of the file at `path`, following links, or `nil` if there is none.
  public init?(of path: Pathname) {
    guard let status = try? FileStatus(of: path) else { return nil }
    self.init(status)
  }

  init(_ status: FileStatus) { (identity, size, modified) = (status.identity, status.size, status.modified) }
}

extension FileStatus {
  var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

  /// The identity of a file whose bytes persist, so that writing to one of its names affects the others; `nil` for a
  /// stream.
  var storedIdentity: FileIdentity? { kind == .regular || kind == .block ? identity : nil }
}
