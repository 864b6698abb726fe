public import Bytes
public import FileIO
public import Serving

/// Everything that a server gives out: folders and files under names of their own, and a page that plays them.
///
/// ```swift
/// var site = Site(title: "Films")
/// try site.add("film.mp4")  // `/film.mp4`, and `/film/master.m3u8`
/// let server = try Server(address, answering: site.response)
/// ```
public struct Site: Sendable {
  /// One of the things.
  public enum Part: Sendable {
    /// The files of a folder, and of those in it.
    case folder(SourceFolder)
    /// A file as it is.
    case file(Pathname)
    /// A movie as an HLS presentation.
    case movie(PackagedMovie)
  }

  /// What the page calls it.
  public let title: String
  /// The only folder, which needs no name.
  private var root: SourceFolder?
  /// The others, in the order in which they were given.
  public private(set) var parts: [(name: [UInt8], part: Part)] = []

  /// Nothing yet.
  public init(title: String) { self.title = title }

  /// A folder alone, whose files need no name of it before theirs.
  public init(_ folder: SourceFolder, title: String) {
    self.title = title
    root = folder
  }

  /// Adds a part under a name like this one that is free, and returns that.
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

  /// The answer to a request.
  public func response(to request: Server.Request) -> Server.Response {
    guard let names = request.names else { return Server.Response(400, "invalid path") }
    var response = answer(names)
    // After a presentation is made again, the new one is to be seen.
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

  /// What the page lists.
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
