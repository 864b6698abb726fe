import ISOBMFF

/// What there is in a sequence of sources that belong together: a movie and its fragments, or a progressive file.
struct Presentation {
  var sources: [any ByteSource]
  var movie: Movie
  /// Where the movie box is in the first source.
  var movieHeader: BoxHeader
  var fileType: BoxHeader?
  /// What there is in each source besides fragments.
  var contents: [SourceContents]
  var fragments: FragmentReader
  var notices: [Notice]

  /// Fails when fragments are of tracks that the movie does not have: then it is not the init of these segments.
  func checkTracks() throws(MovieError) {
    guard let stranger = fragments.firstUnknown else { return }
    throw .otherTracks(
      file: sources[stranger.source].name, tracks: fragments.unknownTracks.sorted(), movie: sources[0].name,
      movieTracks: movie.tracks.map(\.id))
  }
}

/// What one source holds besides fragments.
struct SourceContents {
  /// File-level boxes that are kept: those that are not part of the delivery in segments.
  var kept: [BoxHeader] = []
  /// How many events and producer reference times there are.
  var events: [FourCC: Int] = [:]
  /// The movie box again, as some writers put it before every segment.
  var repeatedMovies: [BoxHeader] = []
  var fragmentCount = 0
  /// The boxes in which samples can lie: media data, and those of which nobody knows better.
  var places: [Range<Int>] = []
  /// Every `ftyp`.
  var fileTypes: [BoxHeader] = []
  /// The boxes that go on to the end of the file whatever their size is, or say that they go on further than they do.
  var openEnds: [BoxHeader] = []
  /// Where bytes at the end start that are no box, if there are such.
  var remainder: Int?
  /// Every file-level box with absolute file offsets in it that a join has to correct.
  var randomAccess: [BoxHeader] = []
}

/// Reads the sources of a presentation in their order: headers, the movie box, and the fragments.
struct PresentationReader {
  private let sources: [any ByteSource]
  private let keepsSamples: Bool
  private var movie: Movie?
  private var movieHeader: BoxHeader?
  private var fileType: BoxHeader?
  private var fragments: FragmentReader?
  private var contents: [SourceContents] = []
  private var notices: [Notice] = []
  private let onProgress: (Int) -> Void

  /// Reads all of `sources`; `onProgress` is told how many bytes of them are behind.
  static func read(_ sources: [any ByteSource], keepsSamples: Bool, onProgress: @escaping (Int) -> Void = { _ in })
    throws(MovieError) -> Presentation
  {
    var reader = PresentationReader(sources: sources, keepsSamples: keepsSamples, onProgress: onProgress)
    var done = 0
    for index in sources.indices {
      try reader.read(index, after: done)
      done += sources[index].byteCount ?? 0
    }
    guard let movie = reader.movie, let header = reader.movieHeader, let fragments = reader.fragments else {
      throw .noMovie(file: sources.first?.name ?? "")
    }
    return Presentation(
      sources: sources, movie: movie, movieHeader: header, fileType: reader.fileType, contents: reader.contents,
      fragments: fragments, notices: reader.notices + fragments.notices)
  }

  private init(sources: [any ByteSource], keepsSamples: Bool, onProgress: @escaping (Int) -> Void) {
    self.sources = sources
    self.keepsSamples = keepsSamples
    self.onProgress = onProgress
  }

  private mutating func read(_ index: Int, after done: Int) throws(MovieError) {
    let source = sources[index]
    if source.byteCount == nil { try readToEnd(source) }
    contents.append(SourceContents())
    fragments?.begin(source, index: index)
    let firstTrackFragment = fragments?.trackFragments.count ?? 0
    var parser = BoxParser(source)
    var isInFragment = false
    while let node = try next(&parser) {
      if node.depth > 0 {
        try fragments?.read(node, &parser)
        continue
      }
      if isInFragment { try fragments?.endFragment() }
      isInFragment = false
      onProgress(done + node.header.offset)
      noteDamage(node, source)
      if case .remainder = node.content {
        contents[index].remainder = contents[index].remainder ?? node.header.offset
      } else {
        contents[index].remainder = nil
        if !node.header.isSizeRight { contents[index].openEnds.append(node.header) }
      }
      if node.type == "moof" {
        if movieHeader == nil { try findMovie(behind: node, index) }
        fragments?.beginFragment(node)
        contents[index].fragmentCount += 1
        isInFragment = true
      } else {
        try readOther(node, index, &parser)
      }
    }
    if isInFragment { try fragments?.endFragment() }
    if keepsSamples, let end = fragments?.trackFragments.count {
      notices += fragments?.cut(firstTrackFragment..<end, toEndOf: source, places: contents[index].places) ?? []
    }
  }

  /// A pipe is read to its end first, so that what is cut off is seen where it is, as in a file.
  private func readToEnd(_ source: any ByteSource) throws(MovieError) {
    var window = ByteWindow(source)
    do throws(IOError) { _ = try window.end(from: 0) } catch { throw .io(error) }
  }

  private func next(_ parser: inout BoxParser) throws(MovieError) -> BoxNode? {
    do throws(IOError) { return try parser.next() } catch { throw .io(error) }
  }

  private mutating func noteDamage(_ node: BoxNode, _ source: any ByteSource) {
    guard let problem = node.problem else { return }
    if case .remainder = node.content {
      let count = node.header.size
      let text =
        "\(count == 1 ? "1 byte" : "\(count) bytes") from byte \(node.header.offset) on are not a box"
      // Fewer than a header can hold nothing.
      notices.append(Notice(count < 8 ? .note : .loss, source.name, text + (keepsSamples ? "; left out" : "")))
    } else {
      let isLast = node.header.end == source.byteCount
      let text = isLast ? "the file is cut off" : "the next fragment was found at byte \(node.header.end)"
      notices.append(Notice(.loss, source.name, "\(node.type): \(problem); \(text)"))
    }
  }

  /// File-level boxes in which no sample can lie.
  private static let structure: Set<FourCC> = ["moov", "ftyp", "mfra", "emsg", "prft", "styp", "sidx", "ssix"]

  /// A file-level box that is no fragment.
  private mutating func readOther(_ node: BoxNode, _ index: Int, _ parser: inout BoxParser) throws(MovieError) {
    if !Self.structure.contains(node.type) { contents[index].places.append(node.header.offset..<node.header.end) }
    if case .remainder = node.content { return }
    switch node.type {
    case "moov": try readMovie(node, index)
    case "ftyp":
      contents[index].fileTypes.append(node.header)
      if fileType == nil, index == 0 { fileType = node.header }
    case "mfra": contents[index].randomAccess.append(node.header)
    case "emsg", "prft": contents[index].events[node.type, default: 0] += 1
    case "styp", "sidx", "ssix", "free", "skip", "wide", "mdat": break
    default: contents[index].kept.append(node.header)
    }
    parser.skipBoxes()
  }

  /// Looks for a movie box behind the first fragment, where writers put it that finish a file at its end.
  private mutating func findMovie(behind node: BoxNode, _ index: Int) throws(MovieError) {
    guard index == 0 else { throw .noMovie(file: sources[0].name) }
    var parser = BoxParser(sources[0], in: node.header.end..<(sources[0].byteCount ?? .max))
    while let box = try next(&parser) {
      if box.type == "moov" { return try readMovie(box, index) }
      parser.skipBoxes()
    }
    throw .segmentFirst(file: sources[0].name)
  }

  private mutating func readMovie(_ node: BoxNode, _ index: Int) throws(MovieError) {
    let source = sources[index]
    let range = node.header.offset..<node.header.end
    guard let first = movieHeader else {
      guard index == 0 else { throw .noMovie(file: sources[0].name) }
      let movie = try Movie(reading: source, in: range)
      guard !movie.tracks.isEmpty else { throw .noTracks(file: source.name) }
      self.movie = movie
      movieHeader = node.header
      fragments = FragmentReader(movie, source: source, keepsSamples: keepsSamples)
      return
    }
    // The movie box that was found ahead is met on the way.
    if index == 0, node.header == first { return }
    guard try sameBytes(first, of: sources[0], node.header, of: source) else {
      throw .otherMovie(file: source.name, movie: sources[0].name)
    }
    contents[index].repeatedMovies.append(node.header)
  }

  private func sameBytes(_ a: BoxHeader, of first: any ByteSource, _ b: BoxHeader, of second: any ByteSource)
    throws(MovieError) -> Bool
  {
    guard a.size == b.size else { return false }
    do throws(IOError) {
      var left = ByteWindow(first)
      var right = ByteWindow(second)
      var done = 0
      while done < a.size {
        let step = min(1 << 16, a.size - done)
        let x = try left.slice(at: a.offset + done, count: step)
        guard x == (try right.slice(at: b.offset + done, count: step)) else { return false }
        done += step
      }
      return true
    } catch { throw .io(error) }
  }
}
