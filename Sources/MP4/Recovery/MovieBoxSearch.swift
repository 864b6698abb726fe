import ISOBMFF
import MP4Bytes

/// Locates the parts of a damaged file: movie boxes at any offset, and the media data.
struct MovieBoxSearch {
  /// The ranges of complete `moov` boxes, in the order in which to try them.
  private(set) var movies: [Range<Int>] = []
  /// The start of a truncated movie box.
  private(set) var cutMovie: Int?
  /// The start of the file, after extra bytes before the file type box.
  private(set) var start = 0
  /// The offset of the first media data header.
  private(set) var mediaHeader: Int?
  /// The start of the media data.
  private(set) var mediaStart = 0
  /// The end of the file.
  private(set) var end: Int
  /// Whether there are movie fragments.
  private(set) var hasFragments = false
  /// The complete file type box, if the file starts with one.
  private(set) var fileType: Range<Int>?

  private static let movieLimit = 16
  private static let startLimit = 1 << 20
  private static let known: Set<FourCC> = [
    "ftyp", "mdat", "free", "skip", "wide", "uuid", "moov", "moof", "mfra", "sidx", "styp", "meta", "udta", "pnot",
    "PICT", "emsg", "prft", "ssix", "pdin",
  ]

  /// Searches a source. `onProgress` is called with the number of bytes searched, and returns whether to continue.
  init?(_ source: any ByteSource, onProgress: (Int) -> Bool) throws(IOError) {
    var window = ByteWindow(source)
    if let count = source.byteCount { end = count } else { end = try window.end(from: 0) }
    start = try Self.start(of: source)
    mediaStart = start
    try readBoxes(&window)
    guard try search(source, onProgress) else { return nil }
  }

  /// The offset of a file type box that is followed by a known box; 0 if the source starts with a known box.
  static func start(of source: any ByteSource) throws(IOError) -> Int {
    var window = ByteWindow(source)
    guard let end = source.byteCount else { return 0 }
    func header(_ at: Int, _ window: inout ByteWindow) throws(IOError) -> (size: Int, type: FourCC)? {
      guard at >= 0, at + 8 <= end else { return nil }
      let bytes = try window.slice(at: at, count: 8)
      guard bytes.count == 8 else { return nil }
      let values = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return (Int(values >> 32), FourCC(rawValue: UInt32(truncatingIfNeeded: values)))
    }
    guard let first = try header(0, &window), !known.contains(first.type) else { return 0 }
    for at in 1..<max(2, min(end - 16, startLimit)) {
      guard let box = try header(at, &window), box.type == "ftyp", 16..<4096 ~= box.size else { continue }
      // A box that ends where this one starts is part of the file.
      if first.size == at { return 0 }
      if let next = try header(at + box.size, &window), known.contains(next.type) { return at }
    }
    return 0
  }

  private mutating func readBoxes(_ window: inout ByteWindow) throws(IOError) {
    var at = start
    while at + 8 <= end {
      let bytes = try window.slice(at: at, count: min(16, end - at))
      let size = number(bytes, 0..<4)
      let type = FourCC(rawValue: UInt32(truncatingIfNeeded: number(bytes, 4..<8)))
      guard Self.known.contains(type) else { break }
      var (declared, headerSize) = (size, 8)
      if size == 1, bytes.count == 16 { (declared, headerSize) = (number(bytes, 8..<16), 16) }
      let isWhole = declared >= UInt64(headerSize) && declared <= UInt64(end - at)
      if type == "moof" { hasFragments = true }
      if type == "ftyp", isWhole, at == start, declared < 4096 { fileType = at..<at + Int(declared) }
      if type == "mdat" {
        if mediaHeader == nil { (mediaHeader, mediaStart) = (at, at + headerSize) }
        // The rest is found by scanning the media data.
        guard isWhole else { break }
      } else if mediaHeader == nil, isWhole {
        mediaStart = at + Int(declared)
      }
      guard isWhole else { break }
      at += Int(declared)
    }
  }

  private func number(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> UInt64 {
    range.reduce(0) { $0 << 8 | ($1 < bytes.count ? UInt64(bytes[bytes.startIndex + $1]) : 0) }
  }

  /// Searches all bytes for the type of movie boxes.
  private mutating func search(_ source: any ByteSource, _ onProgress: (Int) -> Bool) throws(IOError) -> Bool {
    let buffer = ByteBuffer(count: 1 << 18)
    var at = 4
    while at + 4 <= end {
      let count = try buffer.fill(0..<min(buffer.count, end - at), from: source, at: at)
      guard count >= 4 else { break }
      var index = 0
      while let next = unsafe buffer[0..<count].bytes.movieType(from: index, upTo: count - 3) {
        if unsafe buffer.bytes[next + 3] == 0x76 { try consider(at + next - 4, source) }
        index = next + 4
      }
      at += count - 3
      guard onProgress(at) else { return false }
    }
    // The last one written is the most complete.
    movies.reverse()
    return true
  }

  /// Records the box at `offset` if it starts like a movie box.
  private mutating func consider(_ offset: Int, _ source: any ByteSource) throws(IOError) {
    let bytes = try source.bytes(in: offset..<min(end, offset + 32))[...]
    var (size, headerSize) = (number(bytes, 0..<4), 8)
    if size == 1 { (size, headerSize) = (number(bytes, 8..<16), 16) }
    let first = FourCC(rawValue: UInt32(truncatingIfNeeded: number(bytes, headerSize + 4..<headerSize + 8)))
    guard ["mvhd", "iods", "udta", "trak", "meta", "cmov"].contains(first) else { return }
    if size == 0 { size = UInt64(end - offset) }
    guard size >= 16, size <= UInt64(end - offset) else {
      if cutMovie == nil, first == "mvhd", size >= 16 { cutMovie = offset }
      return
    }
    if movies.count < Self.movieLimit { movies.append(offset..<offset + Int(size)) }
  }

  /// The file with one of the movie boxes at its end, and a single media data box before it. Bytes keep their file
  /// offsets.
  func source(_ source: any ByteSource, movie: Range<Int>) throws(IOError) -> any ByteSource {
    let sink = PlannedSink(name: source.name)
    var at = mediaHeader ?? start
    if at < start + 8 { at = start }
    let size = end - at
    try sink.copy(start..<at, of: source)
    let header = FileLayout.mediaHeader(size > Int(UInt32.max) ? size - 16 : size - 8)
    let count = min(header.count, size)
    try sink.write(Array(header.prefix(count)))
    try sink.copy(at + count..<end, of: source)
    try sink.copy(movie, of: source)
    return PlannedSource(sink.file, name: source.name)
  }
}
