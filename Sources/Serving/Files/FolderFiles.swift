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
