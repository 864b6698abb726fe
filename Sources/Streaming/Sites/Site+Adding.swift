public import Bytes
import FileIO
import ISOBMFF
public import MP4

extension Site {
  /// A message about an added item.
  public enum Remark: Sendable {
    /// Its name was taken; it was added under this name.
    case renamed([UInt8])
    /// A message of the packager.
    case packaged(Diagnostic)
    /// It is served only as a file, because it cannot be packaged.
    case notPackaged(MovieError)
  }

  /// Adds the folder or file at `path` under its name; an MP4 file is also added as a presentation, under
  /// its name without extension.
  ///
  /// - Parameters:
  ///   - path: A folder or a file.
  ///   - edition: See ``PackagedMovie``.
  ///   - onRemark: Called with messages.
  /// - Throws: `IOError` if it cannot be opened, or is only a playlist.
  public mutating func add(
    _ path: Pathname, edition: String = "0", onRemark: (Remark) -> Void = { _ in }
  ) throws(IOError) {
    let name = Self.name(of: path)
    if Self.isFolder(path) { return add(.folder(try SourceFolder(path)), name, onRemark) }
    let source = try FileSource(path)
    if PlayableItem([name]).isPlaylist {
      throw IOError(
        .open, file: source.name, reason: "a playlist needs the files that it refers to; serve its folder"
      )
    }
    add(.file(path), name, onRemark)
    guard try Self.beginsLikeMovie(source) else { return }
    do throws(MovieError) {
      let movie = try PackagedMovie(path, edition: edition)
      for diagnostic in movie.diagnostics { onRemark(.packaged(diagnostic)) }
      add(.movie(movie), Self.stem(name), onRemark)
    } catch { onRemark(.notPackaged(error)) }
  }

  private mutating func add(_ part: Part, _ name: [UInt8], _ onRemark: (Remark) -> Void) {
    let free = add(part, named: name)
    if free != name { onRemark(.renamed(free)) }
  }

  /// The last component of the path; `.` and the like, which cannot be in a URL, become `input`.
  package static func name(of path: Pathname) -> [UInt8] {
    let name = path.lastComponent.bytes
    return name.isEmpty || name.first == UInt8(ascii: ".") ? Array("input".utf8) + name.drop { $0 == 0x2e } : name
  }

  /// The name without its extension.
  private static func stem(_ name: [UInt8]) -> [UInt8] {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return name + Array("-hls".utf8) }
    return Array(name[..<point])
  }

  package static func isFolder(_ path: Pathname) -> Bool { (try? SourceFolder(path)) != nil }

  /// Whether the first box is one that movies begin with. In other files, the search for a movie would read to the end.
  private static func beginsLikeMovie(_ source: FileSource) throws(IOError) -> Bool {
    var window = ByteWindow(source)
    return FileBox(startOf: try window.slice(at: 0, count: 8)) != nil
  }
}
