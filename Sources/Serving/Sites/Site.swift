import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4FileIO

/// Everything that a server serves: named folders and files, and a player page.
///
/// ```swift
/// var site = Site(title: "Films")
/// try site.add("film.mp4")  // `/film.mp4`, and `/film/master.m3u8`
/// let server = try Server(address, answering: site.response)
/// ```
public struct Site: Sendable {
  /// A part of the site.
  public enum Part: Sendable {
    /// A folder and its subfolders.
    case folder(SourceFolder)
    /// A file.
    case file(Pathname)
    /// A movie as an HLS presentation.
    case movie(PackagedMovie)
  }

  /// The title of the page.
  public let title: String
  /// The only folder, served at the root.
  private var root: SourceFolder?
  /// The other parts, in the order in which they were added.
  public private(set) var parts: [(name: [UInt8], part: Part)] = []

  /// An empty site.
  public init(title: String) { self.title = title }

  /// A site with one folder, served at the root.
  public init(_ folder: SourceFolder, title: String) {
    self.title = title
    root = folder
  }

  /// Adds a part under this name or a similar one that is free, and returns that name.
  @discardableResult
  public mutating func add(_ part: Part, named name: [UInt8]) -> [UInt8] {
    var (free, number) = (name, 2)
    while parts.contains(where: { $0.name == free }) {
      let point = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == 0 ? nil : $0 } ?? name.count
      free = name[..<point] + Array("-\(number)".utf8) + name[point...]
      number += 1
    }
    parts.append((free, part))
    return free
  }

  /// The response to a request.
  public func response(to request: Server.Request) -> Server.Response {
    guard let names = request.names else { return Server.Response(400, "invalid path") }
    var response = answer(names)
    // When a presentation is re-created, clients must see the new one.
    response.fields.append((name: "Cache-Control", value: "no-cache"))
    return response
  }

  private func answer(_ names: [[UInt8]]) -> Server.Response {
    if names == [[]] || names.isEmpty {
      let (items, isCut) = playable
      return PlayerPage(title: title, items: items, isCut: isCut).response
    }
    if let root { return root.response(for: names) }
    guard let part = parts.first(where: { $0.name == names[0] })?.part else { return .notFound }
    switch part {
    case .folder(let folder): return folder.response(for: Array(names.dropFirst()))
    case .movie(let movie): return movie.response(for: Array(names.dropFirst()))
    case .file(let path):
      if names.count > 1 { return .notFound }
      do throws(IOError) {
        return Server.Response(Server.Resource(try FileSource(path)))
      } catch {
        return Server.Response(error)
      }
    }
  }

  /// The items listed on the page.
  private var playable: (items: [PlayableItem], isCut: Bool) {
    if let root { return PlayableItem.all(in: root) }
    var (all, isCut) = ([PlayableItem](), false)
    for (name, part) in parts {
      switch part {
      case .folder(let folder):
        let own = PlayableItem.all(in: folder, under: [name])
        all += own.items
        isCut = isCut || own.isCut
      case .movie: all.append(PlayableItem([name, Array("master.m3u8".utf8)]))
      case .file: all += [PlayableItem([name])].filter(\.isMedia)
      }
    }
    return (all, isCut)
  }
}

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
