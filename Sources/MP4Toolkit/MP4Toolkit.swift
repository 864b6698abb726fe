// One import for apps. Modules that use the network are separate.
@_exported public import BoxCatalog
@_exported public import BoxDump
@_exported public import Bytes
@_exported public import FileIO
@_exported public import HLS
@_exported public import ISOBMFF
@_exported public import Inspection
@_exported public import MP4
@_exported public import Packaging
@_exported public import Presentations
@_exported public import Records
@_exported public import TimedText

extension Movie {
  /// Reads the files at these paths: one movie, or an init segment and its media segments. Every path is a file name,
  /// even `-`.
  ///
  /// - Throws: `MovieError`, as for sources; `io` if a file cannot be opened.
  public init(
    reading paths: [String], _ options: ReadingOptions = ReadingOptions(),
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    var sources: [any ByteSource] = []
    do throws(IOError) {
      for path in paths { sources.append(try openSource(path == "-" ? "./-" : path)) }
    } catch { throw .io(error) }
    try self.init(reading: sources, options, onProgress: onProgress)
  }
}
