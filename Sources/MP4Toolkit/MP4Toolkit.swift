// One import for apps. Modules that use the network are separate.
@_exported public import BoxCatalog
@_exported public import BoxDump
@_exported public import ISOBMFF
@_exported public import MP4
@_exported public import MP4Bytes
@_exported public import MP4DASH
@_exported public import MP4FileIO
@_exported public import MP4HLS
@_exported public import MP4Inspection
@_exported public import MP4Packaging
@_exported public import MP4Presentations
@_exported public import MP4Records
@_exported public import TimedText

extension Movie {
  /// Reads the files at these paths: one movie, or an init segment and its media segments. Every path is a file name,
  /// even `-`.
  ///
  /// - Throws: `MovieError`, as for sources; `io` if a file cannot be opened.
  public init<Path: PathnameConvertible>(
    reading paths: [Path], _ options: ReadingOptions = ReadingOptions(),
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    try self.init(reading: openSources(paths), options, onProgress: onProgress)
  }
}

/// The files at these paths, which are file names, even `-`.
func openSources(_ paths: [some PathnameConvertible]) throws(MovieError) -> [any ByteSource] {
  var sources: [any ByteSource] = []
  do throws(IOError) {
    for path in paths {
      let path = try path.pathname
      sources.append(try FileSource.open(path == "-" ? "./-" : path))
    }
  } catch { throw .io(error) }
  return sources
}
