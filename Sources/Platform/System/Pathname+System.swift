package import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Pathname {
  /// Creates a folder at this path.
  package func makeFolder(_ permissions: Permissions = 0o777) throws(Errno) {
    _ = try checked(unsafe mkdir(cString, permissions.mode))
  }

  /// Creates a folder at this path, whose last six characters (`XXXXXX`) are replaced by random ones.
  package func makeTemporaryFolder() throws(Errno) -> Pathname {
    var template = cString
    if unsafe mkdtemp(&template) == nil { throw .current }
    return unsafe Pathname(cString: template)
  }

  /// Removes an empty folder.
  package func removeFolder() throws(Errno) { _ = try checked(unsafe rmdir(cString)) }

  /// Removes a file; processes that have it open keep access to it.
  package func removeFile() throws(Errno) { _ = try checked(unsafe unlink(cString)) }

  /// Fails if the effective user of this process may not write to the file.
  package func checkWritable() throws(Errno) {
    _ = try checked(unsafe faccessat(AT_FDCWD, cString, W_OK, AT_EACCESS))
  }

  /// The target of a symbolic link, as it is stored.
  package func linkTarget() throws(Errno) -> Pathname {
    var text = [CChar](repeating: 0, count: 4096)
    let count = try checked(unsafe readlink(cString, &text, text.count))
    guard count > 0, count < text.count, let target = Pathname(text[..<count].map(UInt8.init(bitPattern:))) else {
      throw .fileNameTooLong
    }
    return target
  }

  /// The absolute path without links, `.` and `..`; `nil` if the file does not exist.
  package var resolved: Pathname? {
    guard let text = unsafe realpath(cString, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe Pathname(cString: text)
  }

  /// Whether the folder is empty.
  package func isEmptyFolder() throws(Errno) -> Bool {
    var isEmpty = true
    try Descriptor(opening: self, [.readOnly, .directory]).forEachEntry { _ in
      isEmpty = false
      return false
    }
    return isEmpty
  }

  /// The entries of the folder.
  package func entries() throws(Errno) -> [FolderEntry] {
    var entries: [FolderEntry] = []
    try Descriptor(opening: self, [.readOnly, .directory]).forEachEntry { entry in
      entries.append(entry)
      return true
    }
    return entries
  }

  /// The working directory, which relative paths start from.
  package static func current() throws(Errno) -> Pathname {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let isFound = unsafe buffer.withUnsafeMutableBufferPointer { unsafe getcwd($0.baseAddress, $0.count - 1) != nil }
    guard isFound, let current = Pathname(buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))) else {
      throw .current
    }
    return current
  }

  /// The folder for temporary files: `$TMPDIR` or `/tmp`.
  package static var temporaryFolder: Pathname {
    guard let variable = unsafe getenv("TMPDIR") else { return "/tmp" }
    let path = unsafe Pathname(cString: variable)
    return path.bytes.isEmpty ? "/tmp" : path
  }
}
