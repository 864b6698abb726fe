import Bytes
import ISOBMFF

/// Reads fragmented MP4 while it comes into being: bytes are put in as they come, and what they are comes out as soon as
/// it can be reported. Nothing is kept but the movie box and what of the current box is not complete.
public struct LiveReader: Sendable {
  /// What can be said of the bytes so far.
  public enum Event: Sendable {
    /// A movie box: the fragments that follow belong to it.
    case movie(LiveMovie)
    /// A fragment begins.
    case fragment(LiveFragment)
    /// Bytes of the fragment that follow its `moof`.
    case media(ArraySlice<UInt8>)
    /// Bytes of the fragment, counted from its first one, have to be these instead.
    case correction(at: Int, [UInt8])
    /// The fragment is complete.
    case fragmentEnd
    /// The fragment will not be complete; what came of it is of no use.
    case fragmentLost
    /// Something was met.
    case notice(Notice)
  }

  private var stream = BoxStream()
  private var events: [Event] = []
  /// What messages call the file that is read.
  private var name: String
  private var fileType: [UInt8] = []
  private var movieBytes: [UInt8] = []
  private var fragments: LiveFragmentReader?
  /// Boxes that belong to the next fragment.
  private var boxesBefore: [UInt8] = []
  /// Where the fragment that began is, and where its samples end; `nil` when it is complete.
  private var fragmentOffset = 0
  private var mediaEnd: Int?
  /// How many bytes of it came, and how many before the current box.
  private var (size, sizeBefore) = (0, 0)
  /// Whether media data of it came.
  private var hasMedia = false
  /// Whether the bytes of the current box are wanted.
  private var isPassing = false
  /// What the stream is if not MP4, which its first bytes say; it is reported before the end.
  private var otherFormat: ForeignFormat?
  private var isAtStart = true
  /// Whether a fragment of the movie came.
  private var hasFragments = false
  /// Whether the last box is one with which a complete file ends: an index of the fragments (`mfra`), or a movie box of all
  /// samples.
  public private(set) var isAtEnd = false
  /// Whether it was said that fragments come without a movie box.
  private var hasSaidOrphans = false

  /// Events and the like before a fragment are at most so large.
  private static let mostBytesBefore = 1 << 20

  /// A reader of a stream that messages call `name`.
  public init(_ name: String) { self.name = name }

  /// What comes now is the next file; the one before is complete. Its fragments belong to the same movie box, unless it
  /// begins with one.
  public mutating func beginFile(_ name: String) {
    stream.beginFile()
    (self.name, boxesBefore) = (name, [])
  }
  /// More bytes of the file.
  public mutating func append(_ bytes: ArraySlice<UInt8>) {
    if isAtStart, let format = ForeignFormat(start: Array(bytes.prefix(1024))), format.isCertain {
      otherFormat = format
    }
    if !bytes.isEmpty { isAtStart = false }
    stream.append(bytes)
  }
  /// There are no more bytes of the file.
  public mutating func endFile() { stream.complete() }

  /// The next thing that can be reported, or `nil` until there are more bytes.
  ///
  /// - Throws: `MovieError` when the first movie box cannot be used, or the stream is of another format.
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

  private mutating func read(_ event: BoxStream.Event) throws(MovieError) {
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
        events.append(.notice(Notice(.damagedBox(header.type, problem, next: stream.nextOffset), name)))
      }
      endBox(header, isCut: problem != nil)
    case .damaged(let header, let problem):
      events.append(.notice(Notice(.damagedBox(header.type, problem, next: stream.nextOffset), name)))
      loseFragment()
    case .notBoxes(let range):
      events.append(.notice(Notice(.notABox(range, isLeftOut: true), name)))
      noteMissing(at: range.lowerBound)
      loseFragment()
    }
  }

  /// The current box, if its bytes are those of a fragment, may have been all that was missing.
  private mutating func endBox(_ header: BoxHeader, isCut: Bool) {
    guard isPassing, let end = mediaEnd else { return }
    var right = header
    right.size = stream.offset - header.offset
    if !right.isSizeRight, let bytes = right.withRightSize {
      // Another fragment may follow it.
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

  /// A box that says something.
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
      // Offsets count what is between a fragment and its media.
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
      let movie = try LiveMovie(
        MemorySource(bytes, name: name, baseOffset: header.offset), fileType: fileType, isRepeated: isRepeated)
      if !isRepeated { fragments = LiveFragmentReader(movie.movie) }
      movieBytes = bytes
      (hasSaidOrphans, hasFragments) = (false, false)
      events.append(.movie(movie))
    } catch {
      if hasFragments, LiveMovie.holdsSamples(MemorySource(bytes, name: name, baseOffset: header.offset)) {
        // A recorder has finished its file: what it says is what came already.
        isAtEnd = true
        return
      }
      if fragments == nil, movieBytes.isEmpty { throw error }
      (fragments, movieBytes) = (nil, bytes)
      events.append(.notice(Notice(.loss, name, error.reason + "; what follows is omitted")))
    }
  }

  private mutating func readFragment(_ header: BoxHeader, _ bytes: [UInt8]) throws(MovieError) {
    defer { boxesBefore = [] }
    guard fragments != nil else { return noteOrphan(header) }
    let box = MemorySource(bytes, name: name, baseOffset: header.offset)
    guard let result = try fragments?.read(box, boxesBefore: boxesBefore) else { return }
    events += result.notices.map(Event.notice)
    // A fragment of which samples cannot be found is not given to players.
    guard !result.notices.contains(where: { $0.severity == .loss }) else { return hasSaidOrphans = true }
    (mediaEnd, hasMedia, hasSaidOrphans) = (result.mediaEnd, false, false)
    (stream.expectedEnd, fragmentOffset) = (result.mediaEnd, header.offset)
    hasFragments = true
    size = boxesBefore.count + bytes.count
    events.append(.fragment(result.fragment))
    if result.mediaEnd <= header.end { endFragment() }
  }

  /// The bytes of a fragment end there, before they should.
  private mutating func noteMissing(at offset: Int) {
    guard let end = mediaEnd else { return }
    let missing = counted(end - offset, "byte of its media data is", "bytes of its media data are")
    let text = "moof at byte \(fragmentOffset): \(missing) missing; fragment omitted"
    events.append(.notice(Notice(.loss, name, text)))
  }

  /// Something that belongs to no fragment that can be used.
  private mutating func noteOrphan(_ header: BoxHeader) {
    guard fragments == nil || header.type == "mdat", !hasSaidOrphans else { return }
    hasSaidOrphans = true
    let text =
      fragments == nil
      ? "\(header.type) at byte \(header.offset): no usable moov box yet; data before it "
        + "is omitted"
      : "mdat at byte \(header.offset): no fragment refers to it; omitted"
    events.append(.notice(Notice(.loss, name, text)))
  }
}
