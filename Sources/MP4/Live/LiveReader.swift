import ISOBMFF
import MP4Bytes

/// Parses fragmented MP4 as it arrives: bytes are appended, and elements are returned as soon as
/// possible. Only the movie box and the incomplete part of the current box are kept.
public struct LiveReader: Sendable {
  /// An element of the stream.
  public enum Event: Sendable {
    /// A movie box, to which the following fragments belong.
    case movie(LiveMovie)
    /// A fragment begins.
    case fragment(LiveFragment)
    /// Bytes of the fragment that follow its `moof`.
    case media(ArraySlice<UInt8>)
    /// Replaces bytes of the fragment at an offset from its start.
    case correction(at: Int, [UInt8])
    /// The fragment is complete.
    case fragmentEnd
    /// The fragment is incomplete; discard its bytes.
    case fragmentLost
    /// A diagnostic.
    case diagnostic(Diagnostic)
  }

  private var stream = IncrementalBoxParser()
  private var events: [Event] = []
  /// The name of the file in messages.
  private var name: String
  private var fileType: [UInt8] = []
  private var movieBytes: [UInt8] = []
  private var fragments: LiveFragmentReader?
  /// Boxes that belong to the next fragment.
  private var boxesBefore: [UInt8] = []
  /// The start of the current fragment, and the end of its samples; `nil` if it is complete.
  private var fragmentOffset = 0
  private var mediaEnd: Int?
  /// The number of bytes received for the current fragment, and the number before the current box.
  private var (size, sizeBefore) = (0, 0)
  /// Whether media data of the fragment has arrived.
  private var hasMedia = false
  /// Whether the bytes of the current box are delivered.
  private var isPassing = false
  /// The other format of the stream, according to its first bytes. It is reported at the end.
  private var otherFormat: ForeignFormat?
  private var isAtStart = true
  /// Whether a fragment of the movie has arrived.
  private var hasFragments = false
  /// Whether the last box is one that ends a complete file: an index of the fragments (`mfra`), or a movie box with all
  /// samples.
  public private(set) var isAtEnd = false
  /// Whether fragments without a movie box have been reported.
  private var hasSaidOrphans = false

  /// The maximum size of events and other boxes before a fragment.
  private static let mostBytesBefore = 1 << 20

  /// A reader of a stream with this name in messages.
  public init(_ name: String) { self.name = name }

  /// Starts the next file; the previous one is complete. Its fragments belong to the same movie box, unless it begins
  /// with its own.
  public mutating func beginFile(_ name: String) {
    stream.beginFile()
    (self.name, boxesBefore) = (name, [])
  }
  /// Appends bytes of the file.
  public mutating func append(_ bytes: ArraySlice<UInt8>) {
    if isAtStart, let format = ForeignFormat(start: Array(bytes.prefix(1024))), format.isCertain {
      otherFormat = format
    }
    if !bytes.isEmpty { isAtStart = false }
    stream.append(bytes)
  }
  /// Ends the file.
  public mutating func endFile() { stream.complete() }

  /// The next element, or `nil` if more bytes are needed.
  ///
  /// - Throws: `MovieError` if the first movie box cannot be used, or the stream has another format.
  public mutating func next() throws(MovieError) -> Event? {
    if let otherFormat { throw .otherFormat(file: name, otherFormat) }
    while events.isEmpty {
      if let event = stream.next() {
        try read(event)
      } else if mediaEnd != nil, stream.nextOffset == nil {
        noteMissing(at: stream.offset)
        loseFragment()
      } else {
        return nil
      }
    }
    return events.removeFirst()
  }

  private mutating func read(_ event: IncrementalBoxParser.Event) throws(MovieError) {
    switch event {
    case .box(let header, let bytes):
      isAtEnd = hasFragments && header.type == "mfra"
      try read(header, bytes)
    case .began(let header):
      isAtEnd = hasFragments && header.type == "mfra"
      isPassing = mediaEnd != nil
      sizeBefore = size
      if header.type == "mdat" {
        if isPassing { hasMedia = true } else if header.payload.count > 0 { noteOrphan(header) }
      }
    case .bytes(let bytes): if isPassing { pass(bytes) }
    case .ended(let header, let problem):
      if let problem {
        events.append(.diagnostic(Diagnostic(.damagedBox(header.type, problem, next: stream.nextOffset), name)))
      }
      endBox(header, isCut: problem != nil)
    case .damaged(let header, let problem):
      events.append(.diagnostic(Diagnostic(.damagedBox(header.type, problem, next: stream.nextOffset), name)))
      loseFragment()
    case .notBoxes(let range):
      let kind = Diagnostic.Kind.remainder(
        range, isOmitted: true, endsFragments: hasFragments && !isAtEnd && stream.nextOffset == nil)
      events.append(.diagnostic(Diagnostic(kind, name)))
      noteMissing(at: range.lowerBound)
      loseFragment()
    }
  }

  /// Ends the current box, which may complete the fragment.
  private mutating func endBox(_ header: BoxHeader, isCut: Bool) {
    guard isPassing, let end = mediaEnd else { return }
    var right = header
    right.size = stream.offset - header.offset
    // Of a header that the next box overlaps, nothing was delivered.
    if !right.isSizeRight, let bytes = right.withRightSize, size - sizeBefore >= bytes.count {
      // Another fragment may follow the box.
      events.append(.correction(at: sizeBefore, bytes))
    }
    if hasMedia, stream.offset >= end { endFragment() } else if isCut { loseFragment() }
  }
  private mutating func pass(_ bytes: ArraySlice<UInt8>) {
    size += bytes.count
    events.append(.media(bytes))
  }
  private mutating func endFragment() {
    mediaEnd = nil
    stream.expectedEnd = nil
    events.append(.fragmentEnd)
  }
  private mutating func loseFragment() {
    isPassing = false
    stream.expectedEnd = nil
    guard mediaEnd != nil else { return }
    mediaEnd = nil
    events.append(.fragmentLost)
  }

  /// Reads a box that was delivered as a whole.
  private mutating func read(_ header: BoxHeader, _ bytes: [UInt8]) throws(MovieError) {
    switch header.type {
    case "moof":
      noteMissing(at: header.offset)
      loseFragment()
      try readFragment(header, bytes)
    case "moov":
      noteMissing(at: header.offset)
      loseFragment()
      try readMovie(header, bytes)
    case "ftyp":
      noteMissing(at: header.offset)
      loseFragment()
      (fileType, boxesBefore) = (bytes, [])
    default:
      // Offsets include the bytes between a fragment and its media data.
      if mediaEnd != nil {
        pass(bytes[...])
      } else if boxesBefore.count + bytes.count <= Self.mostBytesBefore {
        boxesBefore += bytes
      }
    }
  }

  private mutating func readMovie(_ header: BoxHeader, _ bytes: [UInt8]) throws(MovieError) {
    let isRepeated = bytes == movieBytes
    do throws(MovieError) {
      var movie = try LiveMovie(
        MemorySource(bytes, name: name, baseOffset: header.offset), fileType: fileType, isRepeated: isRepeated)
      var delays: [Int64] = []
      if let changed = try movie.withoutDelays() { (movie, delays) = changed }
      if !isRepeated { fragments = LiveFragmentReader(movie.movie, delays: delays) }
      movieBytes = bytes
      (hasSaidOrphans, hasFragments) = (false, false)
      events.append(.movie(movie))
    } catch {
      if hasFragments, LiveMovie.holdsSamples(MemorySource(bytes, name: name, baseOffset: header.offset)) {
        // The recorder has finished its file: the movie box describes samples that were already delivered.
        isAtEnd = true
        return
      }
      if fragments == nil, movieBytes.isEmpty { throw error }
      (fragments, movieBytes) = (nil, bytes)
      events.append(.diagnostic(Diagnostic(.error, name, error.reason + "; the rest is omitted")))
    }
  }

  private mutating func readFragment(_ header: BoxHeader, _ bytes: [UInt8]) throws(MovieError) {
    defer { boxesBefore = [] }
    guard fragments != nil else { return noteOrphan(header) }
    let box = MemorySource(bytes, name: name, baseOffset: header.offset)
    guard let result = try fragments?.read(box, boxesBefore: boxesBefore) else { return }
    events += result.diagnostics.map(Event.diagnostic)
    // A fragment with damaged sample information is not delivered.
    guard !result.isDamaged else { return hasSaidOrphans = true }
    (mediaEnd, hasMedia, hasSaidOrphans) = (result.mediaEnd, false, false)
    (stream.expectedEnd, fragmentOffset) = (result.mediaEnd, header.offset)
    hasFragments = true
    size = boxesBefore.count + bytes.count
    events.append(.fragment(result.fragment))
    if result.mediaEnd <= header.end { endFragment() }
  }

  /// Reports that the bytes of a fragment end too early.
  private mutating func noteMissing(at offset: Int) {
    guard let end = mediaEnd else { return }
    let missing = counted(end - offset, "byte of its media data is", "bytes of its media data are")
    let text = "moof at byte \(fragmentOffset): \(missing) missing; fragment omitted"
    events.append(.diagnostic(Diagnostic(.error, name, text)))
  }

  /// Reports data that does not belong to a usable fragment.
  private mutating func noteOrphan(_ header: BoxHeader) {
    guard fragments == nil || header.type == "mdat", !hasSaidOrphans else { return }
    hasSaidOrphans = true
    let text =
      fragments == nil
      ? "\(header.type) at byte \(header.offset): no usable moov box yet; data before it "
        + "is omitted"
      : "mdat at byte \(header.offset): no fragment refers to it; omitted"
    events.append(.diagnostic(Diagnostic(.error, name, text)))
  }
}
