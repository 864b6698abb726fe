public import MP4
public import MP4Bytes

/// Pictures that players show while users seek: JPEG images, each with one thumbnail or a grid of them.
///
/// Playlists (`EXT-X-IMAGE-STREAM-INF`, which RFC 8216 does not have) and DASH manifests refer to them, if they are in
/// `Packager.Options.thumbnails`.
public struct Thumbnails: Sendable {
  /// One of the images.
  struct Image: Sendable {
    let source: any ByteSource
    let bytes: Range<Int>
    /// Its time: that of its first thumbnail.
    var start: MediaTime
    var duration: MediaTime
  }
  private(set) var images: [Image] = []
  /// Whether times count from the first picture of the presentation, and not from the start of the inputs.
  let areRelative: Bool
  /// The size of an image in pixels.
  public let width: Int
  /// The size of an image in pixels.
  public let height: Int
  /// The number of thumbnails beside each other in an image.
  public let columns: Int
  /// The number of rows of thumbnails in an image.
  public let rows: Int

  /// The largest image, in bytes.
  private static let largest = 16 << 20

  /// Images at equal intervals.
  ///
  /// - Parameters:
  ///   - files: JPEG files, in the order of their times.
  ///   - interval: The time from one thumbnail to the next. The first one is for the start of the presentation.
  ///   - columns: The number of thumbnails beside each other in an image.
  ///   - rows: The number of rows of thumbnails in an image.
  /// - Throws: `MovieError` if a file is not a JPEG image, or its size differs from that of the first one.
  public init(
    _ files: [any ByteSource], interval: MediaTime, columns: Int = 1, rows: Int = 1
  ) throws(MovieError) {
    let duration = MediaTime(interval.value &* Int64(columns * rows), interval.timescale)
    let images = files.enumerated().map { index, file in
      Image(
        source: file, bytes: 0..<(file.byteCount ?? 0),
        start: MediaTime(duration.value &* Int64(index), duration.timescale), duration: duration)
    }
    try self.init(images, columns, rows, areRelative: true)
  }

  /// The samples of the first track with JPEG images, at their presentation times.
  ///
  /// - Parameters:
  ///   - movie: A movie, such as one with the same content as the presentation.
  ///   - columns: The number of thumbnails beside each other in an image.
  ///   - rows: The number of rows of thumbnails in an image.
  /// - Throws: `MovieError` if there is no such track, or its images have different sizes.
  public init(_ movie: Movie, columns: Int = 1, rows: Int = 1) throws(MovieError) {
    for track in movie.tracks where track.handler == "vide" {
      guard let first = track.samples.first, try JPEGSyntax.isStart(first.bytes(3)[...]) else { continue }
      var images: [Image] = []
      for sample in track.samples {
        guard let start = sample.presentationTime else { continue }
        let bytes = sample.offset..<sample.offset + sample.size
        images.append(Image(source: sample.source, bytes: bytes, start: start, duration: sample.duration))
      }
      images.sort { $0.start < $1.start }
      for index in images.indices.dropLast() { images[index].duration = images[index + 1].start - images[index].start }
      try self.init(images, columns, rows, areRelative: false)
      return
    }
    throw .impossible(file: movie.name, Obstacle("no_jpeg", "it has no video track with JPEG images"))
  }

  private init(_ images: [Image], _ columns: Int, _ rows: Int, areRelative: Bool) throws(MovieError) {
    precondition(columns > 0 && rows > 0, "an image has at least one thumbnail")
    var size: (width: Int, height: Int)?
    for image in images {
      let own = try Self.size(of: image)
      if let size, size != own {
        let text =
          "it has \(own.width)x\(own.height) pixels, and the images before it have \(size.width)x\(size.height); all "
          + "thumbnails need the same size"
        throw .impossible(file: image.source.name, Obstacle("different_sizes", text))
      }
      size = own
      guard own.width % columns == 0, own.height % rows == 0 else {
        let text = "\(own.width)x\(own.height) pixels cannot be divided into \(columns)x\(rows) thumbnails"
        throw .impossible(file: image.source.name, Obstacle("invalid_tiles", text))
      }
    }
    guard let size else { throw .impossible(file: "", Obstacle("no_thumbnails", "there are no thumbnails")) }
    (self.images, self.columns, self.rows, self.areRelative) = (images, columns, rows, areRelative)
    (width, height) = size
  }

  private static func size(of image: Image) throws(MovieError) -> (width: Int, height: Int) {
    // Metadata before the size, such as a preview, has at most 64 KB in each part.
    let bytes = try io(
      image.source.bytes(in: image.bytes.lowerBound..<image.bytes.lowerBound + min(image.bytes.count, 1 << 20)))
    guard image.bytes.count <= largest, let size = JPEGSyntax.size(bytes[...]) else {
      throw .impossible(file: image.source.name, Obstacle("not_jpeg", "it is not a JPEG image with a known size"))
    }
    return size
  }
}
