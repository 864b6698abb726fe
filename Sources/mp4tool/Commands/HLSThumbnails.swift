import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Presentations

/// The option of `hls` for pictures that players show while users seek.
enum HLSThumbnails {
  static let thumbnails = Option.repeated(
    "thumbnails", placeholder: "IMAGES", as: ThumbnailValue.self,
    help:
      "Add pictures that players show while users seek (`EXT-X-IMAGE-STREAM-INF`, which is not part of RFC 8216, and "
      + "thumbnails of DASH). IMAGES is a folder of JPEG files in the order of their names, a JPEG file, or a file "
      + "with a video track of JPEG images. It is followed by settings: `,interval=SECONDS`, the time from one "
      + "thumbnail to the next, unless a track has times; `,tiles=COLUMNSxROWS`, if each image is a grid of "
      + "thumbnails. Can be repeated, for other sizes.")

  /// Opens the images.
  static func thumbnails(_ arguments: ParsedArguments, _ context: CommandContext) throws -> [Thumbnails] {
    try arguments[thumbnails].map { value in
      let word = try ThumbnailWord(value.word)
      let path = word.file.path
      if let folder = try? SourceFolder(path) {
        guard let interval = word.interval else { throw word.needsInterval }
        let opener = PresentationOpener()
        var images: [any ByteSource] = []
        for name in try names(in: folder) {
          images.append(try opener.source(at: PlaylistLocation(file: "\(path)/\(name)", allowsOutside: true)))
        }
        guard !images.isEmpty else {
          throw MovieError.impossible(
            file: word.file.text, Obstacle("no_thumbnails", "it has no JPEG files (.jpg or .jpeg)"))
        }
        return try Thumbnails(images, interval: interval, columns: word.columns, rows: word.rows)
      }
      let file = try InputFiles(context).open(word.file, spool: true)
      if try file.bytes(in: 0..<2) == [0xff, 0xd8] {
        guard let interval = word.interval else { throw word.needsInterval }
        return try Thumbnails([file], interval: interval, columns: word.columns, rows: word.rows)
      }
      if word.interval != nil {
        throw UsageError("the images of '\(word.file.text)' have times of their own, so 'interval' cannot be set")
      }
      return try Thumbnails(Movie(reading: [file]), columns: word.columns, rows: word.rows)
    }
  }

  /// The JPEG files of a folder; numbers in names are compared as numbers.
  private static func names(in folder: SourceFolder) throws -> [Pathname] {
    let limit = 1_000_000
    let names = try folder.entries(limit: limit).filter { !$0.isFolder }.map(\.name).filter { name in
      let end = String(decoding: name.bytes.suffix(5).map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
      return end.hasSuffix(".jpg") || end == ".jpeg"
    }
    return names.sorted { NaturalName($0.description) < NaturalName($1.description) }
  }
}

/// A value of `--thumbnails`.
struct ThumbnailValue: OptionValue {
  static let expectation = "a folder or file with settings, such as thumbs,interval=10,tiles=5x4"
  let word: Argument

  init?(_ word: Argument) {
    guard !word.bytes.isEmpty else { return nil }
    self.word = word
  }
}

/// Images with their settings: `thumbs,interval=10,tiles=5x4`.
private struct ThumbnailWord {
  let file: Argument
  private(set) var interval: MediaTime?
  private(set) var columns = 1
  private(set) var rows = 1

  private static let known: [InputWord.Setting] = [
    .init("interval", "a number of seconds greater than 0, such as 10"),
    .init("tiles", "columns and rows, such as 5x4"),
  ]

  init(_ argument: Argument) throws(UsageError) {
    let word = try InputWord(argument, Self.known)
    file = word.file
    try word.forEach { set($0, $1 ?? "") }
  }

  var needsInterval: UsageError {
    UsageError("'\(file.text)' needs the time from one thumbnail to the next: '\(file.text),interval=SECONDS'")
  }

  private mutating func set(_ key: String, _ value: String) -> Bool {
    if key == "interval" {
      guard let time = Seconds(value)?.time, time.value > 0 else { return false }
      interval = time
      return true
    }
    let counts = value.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard key == "tiles", counts.count == 2, counts.allSatisfy({ 1...100 ~= $0 }) else { return false }
    (columns, rows) = (counts[0], counts[1])
    return true
  }
}
