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

  /// The way from a folder to this one, where both are real paths: `../a/b`, or `.` for the same one.
  public func relative(to folder: Path) -> Path {
    let (own, other) = (components, folder.components)
    let common = zip(own, other).prefix { $0 == $1 }.count
    let parts = Array(repeating: ArraySlice("..".utf8), count: other.count - common) + own[common...]
    return Path(parts.isEmpty ? Array(".".utf8) : Array(parts.joined(separator: "/".utf8))) ?? "."
  }
  private var components: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }
}
