import ISOBMFF
public import MP4Bytes

/// A part of a file that is saved separately: its init segment, a box, its cover or its chapters.
public struct FileExcerpt: Sendable {
  /// Diagnostics of reading the file.
  public package(set) var diagnostics: [Diagnostic] = []
  /// The number of bytes that `write` writes.
  public var byteCount: Int { ranges.reduce(bytes.count) { $0 + $1.bytes.count } }
  private let ranges: [SourceRange]
  private let bytes: [UInt8]

  /// Concatenated ranges of a source.
  package init(_ ranges: [Range<Int>], of source: any ByteSource) {
    self.ranges = ranges.filter { !$0.isEmpty }.map { SourceRange(source: source, bytes: $0) }
    bytes = []
  }

  /// Bytes that were generated from a file.
  package init(_ bytes: [UInt8]) { (self.bytes, ranges) = (bytes, []) }

  /// Writes the excerpt to `sink`.
  public func write(to sink: any ByteSink) throws(IOError) {
    try sink.write(bytes)
    for range in ranges { try sink.copy(range.bytes, of: range.source) }
  }
}

extension FileExcerpt {
  /// The boxes that can precede the `moof` of a fragment or segment.
  private static let segmentTypes: Set<FourCC> = ["styp", "sidx", "ssix", "prft", "emsg", "moof", "mfra"]
  /// Boxes that players of fragments do not need.
  private static let skippedTypes: Set<FourCC> = ["free", "skip", "wide", "mdat"]

  /// The init segment of a fragmented file: all boxes before its fragments, unchanged, except free space and media
  /// data. Nothing after them is read.
  ///
  /// - Throws: `MovieError` if there is no movie box, or if it has samples or no `mvex`.
  public static func initializationSegment(of source: any ByteSource) throws(MovieError) -> FileExcerpt {
    var refusal: MovieError?
    do throws(IOError) {
      let excerpt = try initializationSegment(of: source, &refusal)
      if let excerpt { return excerpt }
    } catch { throw .io(error) }
    throw refusal ?? .noMovie(file: source.name)
  }

  private static func initializationSegment(of source: any ByteSource, _ refusal: inout MovieError?) throws(IOError)
    -> FileExcerpt?
  {
    var (parser, node) = (BoxParser(source, registry: .core), BoxNode())
    var (ranges, moov): ([Range<Int>], BoxHeader?) = ([], nil)
    while try parser.next(into: &node) {
      parser.skipBoxes()
      if node.isRemainder || segmentTypes.contains(node.type) { break }
      if skippedTypes.contains(node.type) { continue }
      if node.type == "moov" {
        if node.problem != nil {
          refusal = .cutOffInMovie(file: source.name)
          return nil
        }
        moov = node.header
      }
      ranges.append(node.header.offset..<node.header.end)
    }
    guard let moov else {
      refusal = segmentTypes.contains(node.type) ? .segmentFirst(file: source.name) : .noMovie(file: source.name)
      return nil
    }
    let trees = try [Box](reading: source, in: moov.offset..<moov.end)
    guard let tree = trees.first, tree.first("mvex") != nil else {
      let text = "it is not fragmented, so it has no init segment"
      refusal = .impossible(file: source.name, Obstacle("not_fragmented", text, remedy: .fragment))
      return nil
    }
    for track in tree.boxes where track.type == "trak" {
      let table = track.first("mdia", "minf", "stbl")
      guard let sizes = (table?.first("stsz") ?? table?.first("stz2"))?.header?.payload else { continue }
      // After the version, flags, and the common size or the width of sizes.
      let count = try source.bytes(in: sizes.prefix(12).dropFirst(8))
      if count.contains(where: { $0 != 0 }) {
        let text = "its moov contains samples, so it is not an init segment"
        refusal = .impossible(file: source.name, Obstacle("samples_in_movie", text))
        return nil
      }
    }
    return FileExcerpt(ranges, of: source)
  }
}
