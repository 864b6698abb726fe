#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Path {
  /// The path from the root without `.`, `..` and symbolic links; `nil` where nothing of that name is there.
  public var real: Path? {
    guard let text = unsafe realpath(cString, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe Path(cString: text)
  }
}
