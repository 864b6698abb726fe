#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A new folder that is removed with its contents when the last reference is gone.
public final class TemporaryFolder: Sendable {
  /// The folder, without a trailing slash.
  public let path: String

  /// Creates the folder in `TMPDIR` or `/tmp`.
  public init() throws {
    var template = Array(((environment("TMPDIR") ?? "/tmp") + "/mp4tool-test-XXXXXX").utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
      guard let start = buffer.baseAddress, let made = unsafe mkdtemp(start) else { return nil }
      return unsafe String(cString: made)
    }
    guard let made else { throw DiskError("mkdtemp") }
    path = made
  }

  deinit { Self.remove(path) }

  /// The path of a name in the folder.
  public func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes a file into the folder, or into the subfolder that its name contains, and returns its path.
  @discardableResult
  public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    for end in name.indices where name[end] == "/" { unsafe mkdir(self(String(name[..<end])), 0o755) }
    try writeFile(self(name), bytes)
    return self(name)
  }

  /// The current contents of the folder, sorted.
  public var names: [String] { namesInFolder(path) }

  /// Removes a file, a link (not its target), or a folder with its contents.
  private static func remove(_ path: String) {
    if unsafe unlink(path) == 0 { return }
    for name in namesInFolder(path) { remove(path + "/" + name) }
    unsafe rmdir(path)
  }
}
