public import Bytes
import FileIO
import ISOBMFF
public import MP4

extension Site {
  /// What was met when something was added.
  public enum Remark: Sendable {
    /// Its name was taken, and it has this one.
    case renamed([UInt8])
    /// What the packager has to say about it.
    case packaged(Notice)
    /// It is served as it is, since it cannot be packaged.
    case notPackaged(MovieError)
  }

  /// Adds what is at `path` under its name: a folder; or a file, and where it is an MP4 the presentation of it too, under
  /// the name without its ending.
  ///
  /// - Parameters:
  ///   - path: A folder or a file.
  ///   - edition: As of ``PackagedMovie``.
  ///   - onRemark: Called with what was met.
  /// - Throws: `IOError` when it cannot be opened, or is a playlist alone.
  public mutating func add(
    _ path: Pathname, edition: String = "0", onRemark: (Remark) -> Void = { _ in }
  ) throws(IOError) {
    let name = Self.name(of: path)
    if Self.isFolder(path) { return add(.folder(try SourceFolder(path)), name, onRemark) }
    let source = try FileSource(path)
    if PlayableItem([name]).isPlaylist {
      throw IOError(
        .open, file: source.name, reason: "a playlist needs the files that it names; serve its folder"
      )
    }
    add(.file(path), name, onRemark)
    guard try Self.beginsLikeMovie(source) else { return }
    do throws(MovieError) {
      let movie = try PackagedMovie(path, edition: edition)
      for notice in movie.notices { onRemark(.packaged(notice)) }
      add(.movie(movie), Self.stem(name), onRemark)
    } catch { onRemark(.notPackaged(error)) }
  }

  private mutating func add(_ part: Part, _ name: [UInt8], _ onRemark: (Remark) -> Void) {
    let free = add(part, named: name)
    if free != name { onRemark(.renamed(free)) }
  }

  /// The last name of the path; `.` and such have none that can be in an address, and become `input`.
  package static func name(of path: Pathname) -> [UInt8] {
    let name = path.lastComponent.bytes
    return name.isEmpty || name.first == UInt8(ascii: ".") ? Array("input".utf8) + name.drop { $0 == 0x2e } : name
  }

  /// The name without its ending.
  private static func stem(_ name: [UInt8]) -> [UInt8] {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return name + Array("-hls".utf8) }
    return Array(name[..<point])
  }

  package static func isFolder(_ path: Pathname) -> Bool { (try? SourceFolder(path)) != nil }

  /// Whether the first box is one that movies begin with; in other files a movie would be looked for up to their end.
  private static func beginsLikeMovie(_ source: FileSource) throws(IOError) -> Bool {
    var window = ByteWindow(source)
    return FileBox(startOf: try window.slice(at: 0, count: 8)) != nil
  }
}
