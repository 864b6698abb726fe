import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4FileIO

/// Everything that a server serves: named folders and files, MP4 files in them as packages, and a player page.
///
/// ```swift
/// var site = Site(title: "Films")
/// try site.add("film.mp4")  // `/film.mp4`, and `/film.mp4/master.m3u8`
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
  /// The only part, served at the root.
  private var root: Part?
  /// The packages of MP4 files; `nil` if these are served only as files.
  private let packages: PackageCache?
  /// What responses allow other caches.
  private let caching: CachePolicy
  /// The other parts, in the order in which they were added.
  public private(set) var parts: [(name: [UInt8], part: Part)] = []

  /// An empty site, which serves the MP4 files in it also as `packages`.
  public init(title: String, packages: PackageCache? = PackageCache()) {
    (self.title, self.packages, caching) = (title, packages, packages?.options.caching ?? CachePolicy())
  }

  /// A site with one folder, served at the root. Without `packages`, MP4 files in it are served only as files.
  public init(
    _ folder: SourceFolder, title: String, packages: PackageCache? = nil, caching: CachePolicy? = nil
  ) {
    (self.title, self.packages, root) = (title, packages, .folder(folder))
    self.caching = caching ?? packages?.options.caching ?? CachePolicy()
  }

  /// A site with one package, served at the root: `/master.m3u8`.
  public init(_ movie: PackagedMovie, title: String) {
    (self.title, packages, caching, root) = (title, nil, CachePolicy(), .movie(movie))
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
    if !response.fields.contains(where: { $0.name == "Cache-Control" }) {
      // When a presentation is re-created, clients must see the new one.
      let value = response.status == 200 ? caching.field(forFile: names.last ?? []) : "no-cache"
      response.fields.append((name: "Cache-Control", value: value))
    }
    return response
  }

  private func answer(_ names: [[UInt8]]) -> Server.Response {
    if names == [[]] || names.isEmpty {
      let (items, isCut) = playable
      return PlayerPage(title: title, items: items, isCut: isCut).response
    }
    if let root { return answer(names, of: root) }
    guard let part = parts.first(where: { $0.name == names[0] })?.part else { return .notFound }
    return answer(Array(names.dropFirst()), of: part)
  }

  private func answer(_ names: [[UInt8]], of part: Part) -> Server.Response {
    switch part {
    case .folder(let folder):
      return packages.map { folder.response(for: names, packaging: $0) } ?? folder.response(for: names)
    case .movie(let movie): return movie.response(for: names)
    case .file(let path):
      do throws(IOError) {
        if names.isEmpty { return Server.Response(Server.Resource(try FileSource(path))) }
        return try packages?.response(for: names, ofAny: FileSource(path)) ?? .notFound
      } catch {
        return Server.Response(error)
      }
    }
  }

  /// The items listed on the page.
  private var playable: (items: [PlayableItem], isCut: Bool) {
    var (all, isCut) = ([PlayableItem](), false)
    for (name, part) in root.map({ [([], $0)] }) ?? parts.map({ ([$0.name], $0.part) }) {
      switch part {
      case .folder(let folder):
        let own = PlayableItem.all(in: folder, under: name)
        all += own.items
        isCut = isCut || own.isCut
      case .movie: all.append(PlayableItem(name + [Array("master.m3u8".utf8)]))
      case .file: all += [PlayableItem(name)].filter(\.isMedia)
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
  ///   - onRemark: Called with messages.
  /// - Throws: `IOError` if it cannot be opened, or is only a playlist.
  public mutating func add(
    _ path: Pathname, onRemark: (Remark) -> Void = { _ in }
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
    guard let packages, try Self.beginsLikeMovie(source) else { return }
    do throws(MovieError) {
      let movie = try PackagedMovie([path], in: packages)
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
  static func beginsLikeMovie(_ source: FileSource) throws(IOError) -> Bool {
    var window = ByteWindow(source)
    return FileBox(startOf: try window.slice(at: 0, count: 8)) != nil
  }
}
