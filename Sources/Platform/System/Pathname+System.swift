package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Pathname {
  /// Makes a folder of this name.
  package func makeFolder(_ permissions: Permissions = 0o777) throws(Errno) {
    _ = try checked(unsafe mkdir(cString, permissions.mode))
  }

  /// Makes a folder whose name is this one with other letters in place of the last six, which are `XXXXXX`.
  package func makeTemporaryFolder() throws(Errno) -> Pathname {
    var template = cString
    if unsafe mkdtemp(&template) == nil { throw .current }
    return unsafe Pathname(cString: template)
  }

  /// Removes a folder in which there is nothing.
  package func removeFolder() throws(Errno) { _ = try checked(unsafe rmdir(cString)) }

  /// Removes a file; what has it open has it still.
  package func removeFile() throws(Errno) { _ = try checked(unsafe unlink(cString)) }

  /// Fails when this process, as the user it acts for, may not write to what has this name.
  package func checkWritable() throws(Errno) {
    _ = try checked(unsafe faccessat(AT_FDCWD, cString, W_OK, AT_EACCESS))
  }

  /// Where a symbolic link leads, as it is written.
  package func linkTarget() throws(Errno) -> Pathname {
    var text = [CChar](repeating: 0, count: 4096)
    let count = try checked(unsafe readlink(cString, &text, text.count))
    guard count > 0, count < text.count, let target = Pathname(text[..<count].map(UInt8.init(bitPattern:))) else {
      throw .fileNameTooLong
    }
    return target
  }

  /// The path from the root without links, `.` and `..`; `nil` where nothing of that name is there.
  package var resolved: Pathname? {
    guard let text = unsafe realpath(cString, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe Pathname(cString: text)
  }

  /// Whether there is nothing in the folder of this name.
  package func isEmptyFolder() throws(Errno) -> Bool {
    var isEmpty = true
    try Descriptor(opening: self, [.readOnly, .directory]).forEachEntry { _ in
      isEmpty = false
      return false
    }
    return isEmpty
  }

  /// What is in the folder of this name.
  package func entries() throws(Errno) -> [FolderEntry] {
    var entries: [FolderEntry] = []
    try Descriptor(opening: self, [.readOnly, .directory]).forEachEntry { entry in
      entries.append(entry)
      return true
    }
    return entries
  }

  /// The folder that relative paths count from.
  package static func current() throws(Errno) -> Pathname {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let isFound = unsafe buffer.withUnsafeMutableBufferPointer { unsafe getcwd($0.baseAddress, $0.count - 1) != nil }
    guard isFound, let current = Pathname(buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))) else {
      throw .current
    }
    return current
  }

  /// Where the system has temporary files: `$TMPDIR` or `/tmp`.
  package static var temporaryFolder: Pathname {
    guard let variable = unsafe getenv("TMPDIR") else { return "/tmp" }
    let path = unsafe Pathname(cString: variable)
    return path.bytes.isEmpty ? "/tmp" : path
  }
}
