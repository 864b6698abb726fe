package import MP4Bytes
import MP4Platform

extension Pathname {
  /// The path relative to `folder`, such as `../movie.mp4`, or `.` if they are equal. It is computed from the names, as
  /// readers of playlists do, without resolving symbolic links. Relative paths start at the working directory.
  package func relative(to folder: Pathname) throws(IOError) -> Pathname {
    let (here, there) = (try absoluteParts(), try folder.absoluteParts())
    let common = zip(here, there).prefix { $0 == $1 }.count
    let parts = Array(repeating: Array("..".utf8), count: there.count - common) + here[common...]
    return Pathname(parts.isEmpty ? Array(".".utf8) : Array(parts.joined(separator: "/".utf8))) ?? self
  }

  /// The components from the root on, without `.` and `..`.
  private func absoluteParts() throws(IOError) -> [[UInt8]] {
    let path = isAbsolute ? self : try attempt(.open, description, Pathname.current()).appending(self)
    var parts: [[UInt8]] = []
    for part in path.bytes.split(separator: UInt8(ascii: "/")) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(Array(part)) }
    }
    return parts
  }

  /// The path as a relative reference (RFC 3986, 4.2), percent-encoded.
  package var uriReference: String { PercentEncoding.relativeReference(toPath: bytes) }
}
