import MP4Bytes
import MP4Platform

/// The names of temporary files and folders.
enum TemporaryName {
  /// The first free name `.NAME.XXXXXX` for an output called `target`, and the result of `make` for that name.
  static func first<Result>(
    for target: Pathname, _ make: (Pathname) throws(Errno) -> Result
  ) throws(Errno) -> (name: Pathname, made: Result) {
    var attempts = 100
    while true {
      let name = random(for: target)
      do throws(Errno) { return (name, try make(name)) } catch {
        attempts -= 1
        if error != .fileExists || attempts == 0 { throw error }
      }
    }
  }

  /// A name with random letters, within the maximum length of names.
  private static func random(for target: Pathname) -> Pathname {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let random = (0..<6).map { _ in letters[Int.random(in: 0..<letters.count)] }
    return Pathname(Array(".".utf8) + target.bytes.prefix(200) + Array(".".utf8) + random) ?? target
  }
}
