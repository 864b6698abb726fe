#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The names of temporary files and folders.
enum FreshName {
  /// The first name `.NAME.XXXXXX` for an output called `target` under which `make` makes something; `nil` with `errno`
  /// set when it fails for another reason than that the name is taken.
  static func first(for target: Path, _ make: (Path) -> Bool) -> Path? {
    for _ in 0..<100 {
      let name = random(for: target)
      if make(name) { return name }
      if errno != EEXIST { break }
    }
    return nil
  }

  /// A name with random letters, no longer than a name may be.
  private static func random(for target: Path) -> Path {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let random = (0..<6).map { _ in letters[Int.random(in: 0..<letters.count)] }
    return Path(Array(".".utf8) + target.bytes.prefix(200) + Array(".".utf8) + random) ?? target
  }
}
