import ISOBMFF
public import MP4Bytes
import MP4DASH
import MP4FileIO
public import MP4HLS

/// The contents of a folder to inspect: its presentation, or else its MP4 files.
public enum OpenedFolder: Sendable {
  /// The multivariant playlist, if there is exactly one; else all media playlists; else the DASH manifest.
  case presentation(OpenedPresentation)
  /// The MP4 files of a folder without playlists, by name.
  case files([any ByteSource])

  /// The maximum number of files of a folder.
  private static let maxFiles = 100_000

  /// Scans the folder `path` without its subfolders. Names that are not UTF-8 are ignored.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - allowsOutside: Whether its playlists may refer to files outside the folder and to servers.
  ///   - transport: How remote resources are fetched.
  /// - Throws: `PresentationError` if there is nothing to inspect, or it cannot be read.
  public init(
    reading path: Pathname, allowsOutside: Bool = false, _ transport: (any Transport)? = nil
  ) throws(PresentationError) {
    if let list = MoviePackage.file(in: path) {
      let location = PlaylistLocation(file: list.description, allowsOutside: allowsOutside)
      self = .presentation(try OpenedPresentation(reading: location, transport))
      return
    }
    let entries: [SourceFolder.Entry]
    do throws(IOError) {
      entries = try SourceFolder(path).entries(limit: Self.maxFiles)
    } catch { throw .io(error) }
    let locations = entries.filter { !$0.isFolder }.map { path.appending($0.name) }
      .filter { $0.description.utf8.elementsEqual($0.bytes) }
      .map { PlaylistLocation(file: $0.description, allowsOutside: allowsOutside) }
    let opener = PresentationOpener(transport)
    var (main, media, files) = ([PlaylistLocation](), [PlaylistLocation](), [any ByteSource]())
    var manifests: [PlaylistLocation] = []
    for location in locations {
      guard let source = try? opener.source(at: location), let start = try? source.bytes(in: 0..<16) else { continue }
      if ForeignFormat(start: start) == .playlist {
        // An unreadable playlist is a problem of the presentation.
        let playlist = try? opener.playlist(at: location, isTolerant: true).playlist
        if case .multivariant = playlist { main.append(location) } else { media.append(location) }
      } else if FileBox(startOf: start[...]) != nil {
        files.append(source)
      } else if start.first == UInt8(ascii: "<"), let more = try? source.bytes(in: 0..<4096),
        MPD.isStart(more)
      {
        manifests.append(location)
      }
    }
    // A manifest beside playlists is the same presentation.
    if main.isEmpty, media.isEmpty { main = manifests }
    if main.count == 1 || main.isEmpty && media.count == 1 {
      self = .presentation(try OpenedPresentation(reading: (main + media)[0], transport))
    } else if !media.isEmpty {
      self = .presentation(try OpenedPresentation(name: path.description, media, PresentationOpener(transport)))
    } else if !main.isEmpty {
      throw .severalPresentations(folder: path.description, count: main.count)
    } else if !files.isEmpty {
      self = .files(files)
    } else {
      throw .noMedia(folder: path.description)
    }
  }

  /// The MP4 files in the folder `path` and its subfolders, sorted by folder. They are recognized by their first bytes
  /// or by their names, such as `.mp4`; media segments, and what links outside the folder lead to, are omitted.
  ///
  /// - Returns: The paths of the files, and errors of subfolders and files that cannot be read.
  /// - Throws: `PresentationError` if the folder cannot be read, or has no MP4 file.
  public static func movies(
    below path: Pathname
  ) throws(PresentationError) -> (paths: [Pathname], failures: [IOError]) {
    var (paths, failures): ([Pathname], [IOError]) = ([], [])
    let folder: SourceFolder
    do throws(IOError) { folder = try SourceFolder(path) } catch { throw .io(error) }
    var (pending, visited): ([[Pathname]], Set<FileIdentity>) = ([[]], [])
    func sayTooMany(_ names: [Pathname]) {
      let text = "there are more than \(Self.maxFiles) files; examine subfolders separately"
      failures.append(IOError(.read, file: names.reduce(path) { $0.appending($1) }.description, reason: text))
    }
    while let names = pending.popLast() {
      if paths.count >= Self.maxFiles {
        sayTooMany([])
        break
      }
      // A link can lead to a folder that contains it.
      if let identity = folder.identity(of: names), !visited.insert(identity).inserted { continue }
      do throws(IOError) {
        let entries = try folder.entries(of: names, limit: Self.maxFiles)
        if entries.count >= Self.maxFiles { sayTooMany(names) }
        pending += entries.filter(\.isFolder).reversed().map { names + [$0.name] }
        for name in entries.filter({ !$0.isFolder }).map({ names + [$0.name] }) {
          do throws(IOError) {
            let isMovie = Self.isNamedMovie(name) ? true : Self.isMovie(try folder.open(name).bytes(in: 0..<16))
            if isMovie {
              paths.append(name.reduce(path) { $0.appending($1) })
            }
          } catch { failures.append(error) }
        }
      } catch { failures.append(error) }
    }
    if paths.isEmpty, failures.isEmpty { throw .noMedia(folder: path.description) }
    return (paths, failures)
  }

  /// Whether the name of a file says that it is a movie: it can be empty or damaged.
  private static func isNamedMovie(_ path: [Pathname]) -> Bool {
    let name = path.last?.bytes.map { $0 | 0x20 } ?? []
    return ["mp4", "m4v", "m4a", "m4b", "mov", "qt", "3gp", "3g2", "cmfv", "cmfa", "heic", "avif"].contains {
      name.count > $0.utf8.count + 1 && name.suffix($0.utf8.count + 1).elementsEqual(".\($0)".utf8)
    }
  }

  /// Whether a file with these first bytes is an MP4 file, and not a media segment.
  private static func isMovie(_ start: [UInt8]) -> Bool {
    switch FileBox(startOf: start[...]) {
    case nil, .fragment, .segmentType, .index, .event: false
    default: true
    }
  }
}
