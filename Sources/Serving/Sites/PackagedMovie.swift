public import MP4
public import MP4Bytes
public import MP4FileIO
public import MP4Packaging

/// An MP4 file, or several whose tracks belong together, served as an HLS presentation without writing one to disk.
/// Every response is computed from the packager's plan, and media is copied from the files. If a file changes, it is
/// planned again.
///
/// ```swift
/// let movie = try PackagedMovie("movie.mp4")
/// let server = try Server(address) { request in request.names.map { movie.response(for: $0) } ?? .notFound }
/// ```
public struct PackagedMovie: Sendable {
  /// The messages of the packager when it was first planned.
  public let diagnostics: [Diagnostic]
  private let paths: [Pathname]
  private let packages: PackageCache
  private let arrangement: PackageCache.Arrangement?

  /// Plans the file at `path`.
  ///
  /// - Parameters:
  ///   - path: A progressive or fragmented MP4 file.
  ///   - packager: How to package it.
  /// - Throws: `MovieError` if it cannot be packaged; `io` if it cannot be read.
  public init(_ path: Pathname, _ packager: Packager = Packager()) throws(MovieError) {
    try self.init([path], in: PackageCache(packager))
  }

  /// Plans the files at `paths`, such as the variants of a ladder and audio in several languages; the plan is kept in
  /// `packages`.
  ///
  /// - Parameters:
  ///   - paths: Files whose tracks belong together.
  ///   - packages: Where the plan is kept.
  ///   - planning: Plans the opened files, for instance with settings for each of them; by default, they have none.
  /// - Throws: `MovieError` if they cannot be packaged; `io` if one cannot be read.
  public init(
    _ paths: [Pathname], in packages: PackageCache,
    planning: (@Sendable (Packager, [FileSource]) throws(MovieError) -> PackagePlan)? = nil
  ) throws(MovieError) {
    (self.paths, self.packages) = (paths, packages)
    // `map` would need typed throws at run time, which older systems do not have.
    if let planning { arrangement = PackageCache.Arrangement(planning) } else { arrangement = nil }
    let files: [FileSource]
    do throws(IOError) { files = try Self.open(paths) } catch { throw .io(error) }
    diagnostics = try packages.diagnostics(of: files, arrangement)
  }

  private static func open(_ paths: [Pathname]) throws(IOError) -> [FileSource] {
    var files: [FileSource] = []
    for path in paths { files.append(try FileSource(path)) }
    return files
  }

  /// The response to a request for the file at this path of the presentation.
  public func response(for names: some Collection<[UInt8]>) -> Server.Response {
    do throws(IOError) {
      return packages.response(for: names, of: try Self.open(paths), arrangement)
    } catch {
      return Server.Response(error)
    }
  }
}
