#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The path of an executable of this package, built beside the tests that are running.
public func product(_ name: String = "mp4tool") -> String {
  var folders = CommandLine.arguments.prefix(1).map { String($0) }
  #if canImport(Glibc)
    if let path = unsafe realpath("/proc/self/exe", nil) {
      unsafe folders.append(String(cString: path))
      unsafe free(path)
    }
  #endif
  // On macOS, the tests are in a bundle: xctest/Contents/MacOS/name.
  folders += CommandLine.arguments.filter { $0.hasSuffix(".xctest") || $0.hasSuffix("PackageTests") }
  for folder in folders {
    var parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    while parts.count > 1 {
      parts.removeLast()
      let candidate = parts.joined(separator: "/") + "/" + name
      if unsafe access(candidate, X_OK) == 0, !isFolder(candidate) { return candidate }
      if parts.last == ".build" { break }
    }
  }
  fatalError("\(name) was not built beside \(folders.joined(separator: ", "))")
}
