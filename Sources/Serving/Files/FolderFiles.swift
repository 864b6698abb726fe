public import MP4Bytes
public import MP4FileIO
import MP4Platform

extension SourceFolder {
  /// The response to a request for the file with this path: the file, or an error. Names that begin with a dot are
  /// not served, such as those of files that are still being written.
  public func response(for names: [[UInt8]]) -> Server.Response {
    var paths: [Pathname] = []
    for name in names {
      guard name.first != UInt8(ascii: "."), let path = Pathname(name) else { return .notFound }
      paths.append(path)
    }
    if paths.isEmpty { return .notFound }
    do throws(IOError) {
      return Server.Response(Server.Resource(try open(paths)))
    } catch {
      return Server.Response(error)
    }
  }

  /// The same, and a file of the package of an MP4 file for a path such as `film.mp4/video-1080/segment1.m4s`. A file
  /// or folder with such a path takes precedence.
  public func response(for names: [[UInt8]], packaging packages: PackageCache) -> Server.Response {
    let response = response(for: names)
    guard response.status == 404, !names.contains(where: { $0.first == UInt8(ascii: ".") }) else { return response }
    // The files of a package are in its folder, or in a folder in it.
    for count in [1, 2] where names.count > count {
      let movie = names.dropLast(count).compactMap { Pathname($0) }
      guard movie.count == names.count - count, let file = try? open(movie) else { continue }
      do throws(IOError) { return try packages.response(for: names.suffix(count), ofAny: file) } catch {
        return Server.Response(error)
      }
    }
    return response
  }
}

extension Server.Response {
  /// There is no such file.
  public static var notFound: Server.Response { Server.Response(404, "no such file") }

  /// Why a file cannot be served, without revealing its path.
  public init(_ error: IOError) {
    switch error.errno {
    case .permissionDenied, .notPermitted: self.init(403, "permission denied")
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory: self.init(503, "too many files are open")
    case .ioError: self.init(500, "it cannot be read")
    default: self = .notFound
    }
  }
}
