public import BoxCatalog
import BoxDump
public import ISOBMFF
public import MP4
public import MP4Bytes

extension FileExcerpt {
  /// The payload of the only box that matches `pattern`, or, with `isWhole`, all matching boxes with their headers, in
  /// file order.
  ///
  /// - Throws: `MovieError` if no box matches, or several do, or if the file is cut off in one.
  public static func boxes(
    _ pattern: BoxPattern, of source: any ByteSource, isWhole: Bool = false, registry: BoxRegistry = .standard
  ) throws(MovieError) -> FileExcerpt {
    func refusal(_ obstacle: Obstacle) -> MovieError { .impossible(file: source.name, obstacle) }
    let found = try Self.found(pattern, source, registry)
    guard !found.isEmpty else {
      let wider = pattern.atAnyDepth
      let isMet = try wider.map { (wider) throws(MovieError) in try !Self.found(wider, source, registry).isEmpty }
      let hint = isMet == true ? wider.map { "; '\($0)' matches boxes inside others" } ?? "" : ""
      throw refusal(Obstacle("no_box", "no box matches '\(pattern)'\(hint)"))
    }
    if !isWhole, found.count > 1 {
      let text =
        "\(found.count) boxes match '\(pattern)', but only one payload can be written; select it by its number, such "
        + "as 'trak[2]'"
      throw refusal(Obstacle("several_boxes", text, remedy: .extractAllBoxes))
    }
    if let cut = found.first(where: { $0.form != .toEnd && $0.declaredSize > UInt64($0.size) }) {
      let text = "\(cut.type): the file is cut off; only \(cut.size) bytes of the box are present"
      throw refusal(Obstacle("cut_off_box", text))
    }
    return FileExcerpt(found.map { isWhole ? $0.offset..<$0.end : $0.payload }, of: source)
  }

  private static func found(
    _ pattern: BoxPattern, _ source: any ByteSource, _ registry: BoxRegistry
  ) throws(MovieError) -> [BoxHeader] {
    var selection = BoxSelection()
    selection.pattern = pattern
    return try io(selection.boxes(in: source, registry: registry))
  }

  /// The cover image of a movie, and its format. If there are several, the first one, with a note.
  ///
  /// - Throws: `MovieError` if it has none.
  public static func cover(of movie: Movie) throws(MovieError) -> (excerpt: FileExcerpt, format: PictureFileFormat) {
    let all = movie.movieBoxes.flatMap { box in Metadata(box).covers.map { (cover: $0, source: box.source) } }
    guard let (cover, source) = all.first(where: { $0.cover.byteCount > 0 }) else {
      throw .impossible(file: movie.name, Obstacle("no_cover", "it has no cover"))
    }
    var excerpt = FileExcerpt([cover.range], of: source)
    let others = all.count { $0.cover.byteCount > 0 } - 1
    if others > 0 {
      let text = "the file has \(counted(others, "other cover")), which \(others == 1 ? "is" : "are") not written"
      excerpt.diagnostics = [Diagnostic(.note, movie.name, text)]
    }
    return (excerpt, PictureFileFormat(rawValue: cover.format) ?? .other)
  }

  /// The chapters of a movie as lines that `ChapterList` can parse.
  ///
  /// - Throws: `MovieError` if it has none.
  public static func chapters(of movie: Movie) throws(MovieError) -> FileExcerpt {
    let chapters = try movie.chapters()
    guard !chapters.isEmpty else {
      throw .impossible(file: movie.name, Obstacle("no_chapters", "it has no chapters"))
    }
    return FileExcerpt(Array(ChapterList(chapters).text.utf8))
  }

  /// The ID3 tags of event messages and of metadata tracks, concatenated in time order.
  ///
  /// - Throws: `MovieError` if there are none.
  public static func id3Tags(of movie: Movie) throws(MovieError) -> FileExcerpt {
    let listing = try EventListing(movie)
    // Bytes after the tags are not part of them.
    let bytes = listing.events.flatMap { $0.tags.dropLast(ID3Tag.tags(in: $0.tags[...]).rest.count) }
    guard !bytes.isEmpty else {
      throw .impossible(file: movie.name, Obstacle("no_id3", "it has no timed ID3 tags"))
    }
    var excerpt = FileExcerpt(bytes)
    excerpt.diagnostics = movie.diagnostics.filter { $0.severity != .note } + listing.diagnostics
    return excerpt
  }
}

/// The format of an image file.
public enum PictureFileFormat: String, Sendable, CaseIterable {
  /// A JPEG picture.
  case jpeg = "JPEG"
  /// A PNG picture.
  case png = "PNG"
  /// A Windows bitmap.
  case bmp = "BMP"
  /// Another format.
  case other = "picture"

  /// The usual file name extensions in lower case; none for other formats.
  public var extensions: [String] {
    switch self {
    case .jpeg: ["jpg", "jpeg"]
    case .png: ["png"]
    case .bmp: ["bmp"]
    case .other: []
    }
  }
}
