import ISOBMFF
import MP4Bytes

/// The contents of a source besides fragments.
struct SourceContents {
  /// The index of its group.
  var group = 0
  /// Whether it was created from the events of the other sources.
  var isGenerated = false
  /// File-level boxes that are kept: all except those for delivery in segments.
  var kept: [BoxHeader] = []
  /// The number of events and producer reference times.
  var events: [FourCC: Int] = [:]
  /// Every `emsg`, and the number of movie fragments of all sources before it.
  var eventMessages: [(header: BoxHeader, fragment: Int)] = []
  /// Every `prft`.
  var producerTimes: [BoxHeader] = []
  /// Repeated movie boxes; some writers put one before every segment.
  var repeatedMovies: [BoxHeader] = []
  var fragmentCount = 0
  /// Whether it has a segment index.
  var hasIndex = false
  /// Whether the source is omitted because it is a segment of another init segment.
  var isOmitted = false
  /// Whether a movie box precedes its first fragment.
  var startsWithMovie = false
  /// The boxes that may contain samples: media data, and boxes of unknown purpose. Empty after samples have been
  /// located.
  var places: [Place] = []
  /// Every `ftyp`.
  var fileTypes: [BoxHeader] = []
  /// The boxes that extend to the end of the file or past it.
  var openEnds: [BoxHeader] = []
  /// The start of the free boxes at the end of the file, if there are any. They can contain the leftovers of an
  /// interrupted change in place, but no samples.
  var trailingFree: Int?
  /// The start of bytes at the end that are not a box, if there are any.
  var remainder: Int?
  /// Every top-level box with absolute file offsets that a join has to correct.
  var randomAccess: [BoxHeader] = []

  /// A box that may contain samples. There can be one for every sample.
  struct Place {
    var range: Range<Int>
    /// The size of the header of media data; 0 for other boxes.
    fileprivate var headerSize: UInt8
    /// Whether it consists of bytes that are not a box.
    fileprivate var isRemainder: Bool
    fileprivate var payload: Range<Int> { (range.lowerBound + Int(headerSize))..<range.upperBound }
  }
  /// The bytes in the media data boxes.
  var mediaData: [Range<Int>] { places.filter { $0.headerSize > 0 }.map(\.payload) }
  /// The ranges that can contain the samples of movie boxes: the boxes, without the headers of media data. Bytes that
  /// are not a box are merged with the previous box.
  var mediaPlaces: [Range<Int>] {
    places.reduce(into: []) { result, place in
      if place.isRemainder, let last = result.last, last.upperBound == place.range.lowerBound {
        result[result.count - 1] = last.lowerBound..<place.range.upperBound
      } else {
        result.append(place.payload)
      }
    }
  }

  /// Adds a box that may contain samples.
  fileprivate mutating func addPlace(_ node: BoxNode) {
    let header = node.header
    let headerSize = node.type == "mdat" && !node.isRemainder ? header.payload.lowerBound - header.offset : 0
    places.append(
      Place(range: header.offset..<header.end, headerSize: UInt8(clamping: headerSize), isRemainder: node.isRemainder))
  }
}

/// Reads the sources of a presentation in order: headers, movie boxes and fragments.
struct MovieInputReader {
  let sources: [any ByteSource]
  /// How the sources belong together; empty, or one element for each source.
  let parts: [SourcePart]
  let keepsSamples: Bool
  let selection: TrackSelection
  let firstFollower: Int
  /// Whether to use segments that do not seem to match the init segment.
  let takesAllSegments: Bool
  /// The result of an earlier reading.
  let corrections: ReadingCorrections
  var groups: [MovieGroup] = []
  var fragments: FragmentParser?
  var contents: [SourceContents] = []
  var diagnostics: [Diagnostic] = []
  /// The first index of the current source.
  private var segmentIndex: (track: UInt32, timescale: UInt32, duration: UInt64)?
  /// Properties of each source that its init segment must match.
  var evidence: [SegmentEvidence] = []
  /// The movie fragments of each source that have outdated base data offsets.
  var staleBases: [Int: Set<Int>] = [:]
  /// The tracks of each series so far.
  var seriesTracks: [Int: [Int]] = [:]
  /// The series that have more than one movie box.
  var continuedSeries: Set<Int> = []
  /// How the times of each track are read, with the source from which each entry applies.
  var trackTimes: [Int: [TrackTimes]] = [:]
  private let onProgress: (Int) -> Bool

  /// Reads all of `sources`. `onProgress` is called with the number of bytes read and returns whether to continue. If
  /// samples are kept, there can be several movies, of which only the selected tracks are read. `followers` are
  /// sources that were created for these movies.
  static func read(
    _ sources: [any ByteSource], parts: [SourcePart] = [], keepsSamples: Bool,
    _ selection: TrackSelection = TrackSelection(), takesAllSegments: Bool = false, followers: [any ByteSource] = [],
    importsStreams: Bool = true, onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) -> MovieInput {
    // A file that becomes another cannot be changed in place, and segments are joined as they are.
    let imported = keepsSamples && importsStreams ? try ImportedSources(sources, parts, onProgress: onProgress) : nil
    let (given, parts) = (imported?.sources ?? sources, imported?.parts ?? parts)
    let firstFollower = given.count
    var arrangement = SourceArrangement(try parts.isEmpty ? given.withInitFirst() : Array(given.indices))
    var sources = arrangement.order.map { given[$0] } + followers
    var reader = MovieInputReader(
      sources, parts, firstFollower: firstFollower, keepsSamples: keepsSamples, selection,
      takesAllSegments: takesAllSegments, ReadingCorrections(), onProgress)
    let done = try reader.readAll()
    while var corrections = try reader.newCorrections() {
      if reader.corrections.misfits == nil, let misfits = corrections.misfits, arrangement.move(misfits, reader) {
        sources = arrangement.order.map { given[$0] } + followers
        corrections = ReadingCorrections()
      }
      reader = MovieInputReader(
        sources, parts, firstFollower: firstFollower, keepsSamples: keepsSamples, selection,
        takesAllSegments: takesAllSegments, corrections
      ) { _ in onProgress(done) }
      _ = try reader.readAll()
    }
    reader.countLostSamples()
    reader.diagnostics = (imported?.diagnostics ?? []) + arrangement.diagnostics(given) + reader.diagnostics
    guard let fragments = reader.fragments?.table else {
      guard let first = sources.first else { throw .noInputs }
      throw MovieError.noMovie(file: first.name).explained(by: first)
    }
    try selection.check(fragments.tracks, dropped: reader.groups.flatMap(\.movie.droppedTracks), file: sources[0].name)
    for index in reader.groups.indices {
      reader.groups[index].fileType = reader.contents[reader.groups[index].source].fileTypes.first
    }
    var input = MovieInput(
      sources: sources, parts: parts, groups: reader.groups, contents: reader.contents, fragments: fragments,
      trackTimes: reader.trackTimes, diagnostics: reader.diagnostics + fragments.diagnostics,
      firstFollower: firstFollower)
    input.importedByteCount = imported?.byteCount
    return input
  }

  private init(
    _ sources: [any ByteSource], _ parts: [SourcePart], firstFollower: Int, keepsSamples: Bool,
    _ selection: TrackSelection, takesAllSegments: Bool, _ corrections: ReadingCorrections,
    _ onProgress: @escaping (Int) -> Bool
  ) {
    self.takesAllSegments = takesAllSegments
    self.corrections = corrections
    self.sources = sources
    self.parts = parts
    self.firstFollower = firstFollower
    self.keepsSamples = keepsSamples
    self.selection = selection
    self.onProgress = onProgress
  }

  /// Reads all sources and returns the number of their bytes.
  private mutating func readAll() throws(MovieError) -> Int {
    var done = 0
    for index in sources.indices {
      try read(index, after: done)
      done += sources[index].byteCount ?? 0
    }
    return done
  }

  private mutating func read(_ index: Int, after done: Int) throws(MovieError) {
    let source = sources[index]
    if source.byteCount == nil { try readToEnd(source) }
    contents.append(SourceContents(group: contents.last?.group ?? 0, isGenerated: index >= firstFollower))
    fragments?.begin(source, index: index)
    if let misfit = corrections.misfits?[index] {
      contents[index].isOmitted = true
      evidence.append(SegmentEvidence())
      let movie = sources[groups[contents[index].group].source].name
      return diagnostics.append(Diagnostic(.misfit(of: movie, misfit), source.name))
    }
    let firstTrackFragment = fragments?.table.trackFragments.count ?? 0
    var parser = BoxParser(source)
    // The movie fragment that is being read.
    var fragment: BoxNode?
    var node = BoxNode()
    while try next(&parser, &node) {
      if node.depth > 0 {
        let kind = FileBox(node.type)
        if node.depth == 1, kind == .media || kind?.holdsNoMedia == true, var whole = fragment {
          shorten(&whole, to: node.header.offset, index)
          parser.resume(after: whole)
          fragment = whole
        } else {
          try fragments?.read(node, &parser)
        }
        continue
      }
      if let end = fragment?.header.end {
        try fragments?.endFragment()
        // A box in it can extend past its end and be a box of the file.
        if node.header.offset < end, var whole = fragment { shorten(&whole, to: node.header.offset, index) }
        if node.type == "mdat" { try shorten(&node, &parser) }
      }
      fragment = nil
      guard onProgress(done + node.header.offset) else { throw .stopped(file: source.name) }
      noteDamage(node, index)
      if case .remainder = node.content {
        contents[index].remainder = contents[index].remainder ?? node.header.offset
      } else {
        contents[index].remainder = nil
        if !node.header.isSizeRight { contents[index].openEnds.append(node.header) }
        let isFree = node.type == "free" || node.type == "skip"
        contents[index].trailingFree = isFree ? contents[index].trailingFree ?? node.header.offset : nil
      }
      if node.type == "moof" {
        if groups.isEmpty { try findMovie(after: node, index) }
        fragments?.beginFragment(node)
        contents[index].fragmentCount += 1
        fragment = node
      } else {
        try readOther(node, index, &parser)
      }
    }
    if fragment != nil { try fragments?.endFragment() }
    noteStaleBases(index)
    evidence.append(fragments?.evidence ?? SegmentEvidence())
    evidence[index].index = segmentIndex
    segmentIndex = nil
    if keepsSamples, let end = fragments?.table.trackFragments.count {
      diagnostics += fragments?.table.cut(firstTrackFragment..<end, toEndOf: source, contents[index]) ?? []
    }
  }

  /// Reads a pipe to its end first, so that truncation is detected at its position, as in a file.
  private func readToEnd(_ source: any ByteSource) throws(MovieError) {
    var window = ByteWindow(source)
    _ = try io(window.end(from: 0))
  }

  func next(_ parser: inout BoxParser, _ node: inout BoxNode) throws(MovieError) -> Bool {
    try io(parser.next(into: &node))
  }

  /// Ends media data at the next fragment if its declared size extends past the data of its own fragment.
  private func shorten(_ node: inout BoxNode, _ parser: inout BoxParser) throws(MovieError) {
    guard let end = fragments?.mediaEnd, node.header.payload.contains(end) else { return }
    do throws(IOError) {
      if try parser.isFragment(at: end) { parser.endBox(&node, at: end) }
    } catch { throw .io(error) }
  }

  /// Ends a movie fragment before the first box that it cannot contain, if its declared size extends over that box.
  private mutating func shorten(_ fragment: inout BoxNode, to end: Int, _ index: Int) {
    if fragment.problem != nil { diagnostics.removeLast() }
    if !fragment.header.isSizeRight { contents[index].openEnds.removeLast() }
    fragment.end(at: end)
    fragments?.shortenFragment(to: end)
    noteDamage(fragment, index)
    contents[index].openEnds.append(fragment.header)
  }

  private mutating func noteDamage(_ node: BoxNode, _ index: Int) {
    guard let problem = node.problem else { return }
    let source = sources[index]
    let isLast = node.header.end == source.byteCount
    if case .remainder = node.content {
      // A file is complete after its index.
      if isLast, node.header.size >= 8 || contents[index].fragmentCount > 0, isZero(node.header, in: source) {
        return diagnostics.append(Diagnostic(.zeros(node.header.offset..<node.header.end), source.name))
      }
      let isAfterIndex = contents[index].randomAccess.last?.end == node.header.offset
      let kind = Diagnostic.Kind.remainder(
        node.header.offset..<node.header.end, isOmitted: keepsSamples,
        endsFragments: isLast && contents[index].fragmentCount > 0 && !isAfterIndex)
      diagnostics.append(Diagnostic(kind, source.name))
    } else if isLast, node.type == "mdat", case .sizeTooLarge = problem.problem, let end = fragments?.mediaEnd,
      node.header.payload.lowerBound <= end, end <= node.header.end
    {
      diagnostics.append(Diagnostic(.excessiveSize(node.type, problem), source.name))
    } else {
      let next = isLast ? nil : node.header.end
      diagnostics.append(Diagnostic(.damagedBox(node.type, problem, next: next), source.name))
    }
  }

  /// Whether a part of a source consists of zeros. Errors of reading appear when it is read for other purposes.
  private func isZero(_ part: BoxHeader, in source: any ByteSource) -> Bool {
    (try? source.isZero(in: part.offset..<part.end)) ?? false
  }

  /// The first index of a source, which declares the timescale of its times.
  private mutating func readIndex(_ node: BoxNode, _ parser: inout BoxParser) throws(MovieError) {
    guard segmentIndex == nil, node.header.size < 1 << 16 else { return }
    do throws(IOError) {
      guard case .success(let box) = try parser.decode(node, as: SegmentIndexBox.self), box.timescale > 0 else {
        return
      }
      segmentIndex = (box.referenceID, box.timescale, box.duration)
    } catch { throw .io(error) }
  }

  /// Reads a file-level box that is not part of a fragment.
  private mutating func readOther(_ node: BoxNode, _ index: Int, _ parser: inout BoxParser) throws(MovieError) {
    let kind = FileBox(node.type)
    if kind?.holdsNoMedia != true { contents[index].addPlace(node) }
    if case .remainder = node.content { return }
    switch kind {
    case .movie: try readMovie(node, index)
    case .fileType: contents[index].fileTypes.append(node.header)
    case .randomAccess: contents[index].randomAccess.append(node.header)
    case .event:
      contents[index].events[node.type, default: 0] += 1
      if node.type == "emsg" {
        contents[index].eventMessages.append((node.header, fragments?.table.headers.count ?? 0))
      } else if node.type == "prft" {
        contents[index].producerTimes.append(node.header)
      }
    case .index:
      if node.type == "sidx" {
        contents[index].hasIndex = true
        try readIndex(node, &parser)
      }
    case .fragment, .segmentType, .space, .media: break
    // A damaged box could be of any kind.
    case .preview, nil:
      if node.problem == nil, node.type.isText {
        contents[index].kept.append(node.header)
      } else if node.problem == nil {
        // A reader doubts the size of a box before a type that cannot be one, and searches it for other boxes.
        let kind = Diagnostic.Kind.notABox(node.header.offset..<node.header.end, isOmitted: keepsSamples)
        diagnostics.append(Diagnostic(kind, sources[index].name))
      }
    }
    parser.skipBoxes()
  }
}
