import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The number of bytes that can still be written to the file system of `descriptor`, or `nil` when it does not say.
private func freeByteCount(_ descriptor: Descriptor) -> Int? {
  var status = statvfs()
  // A file system that says it has no blocks at all has no fixed size, such as some network ones.
  guard unsafe fstatvfs(descriptor.number, &status) == 0, status.f_blocks > 0 else { return nil }
  let (count, overflows) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
  return overflows ? nil : count
}

extension IOError {
  /// The error of `needed` bytes not fitting on the disk of `descriptor`, or `nil` when they do as far as one can see.
  static func noSpace(for needed: Int, on descriptor: Descriptor, file: String) -> IOError? {
    guard let free = freeByteCount(descriptor), needed > free else { return nil }
    return IOError(
      .create, file: file, code: ENOSPC,
      reason: "\(counted(needed, "byte is", "bytes are")) needed but \(counted(free, "is", "are")) free on the disk")
  }
}
