import ISOBMFF

/// Reads movie fragments box by box and resolves what they leave to defaults: durations, sizes, flags, offsets.
struct FragmentReader {
  /// The tracks of all movies that there were so far.
  private(set) var tracks: [Track] = []
  /// Whether samples are kept, or only how many there are and how long they last.
  let keepsSamples: Bool
  var store = RunStore()
  private(set) var headers: [FragmentHeader] = []
  var trackFragments: [TrackFragment] = []
  /// How many of the headers, from the first on, stand for the samples of a movie box.
  private(set) var movieCount = 0
  var notices: [Notice] = []
  /// Boxes of track fragments that say more of the samples than what is read.
  var leftOut: [FourCC: Int] = [:]
  /// What decryption systems of the fragments need, each once.
  var protectionHeaders = ProtectionHeaders()
  /// What the fragments of each track say of their samples besides times, sizes and flags.
  var information: [TrackInformation] = []
  /// Tracks that fragments name and the movie does not have, and the first such fragment.
  private(set) var unknownTracks: Set<UInt32> = []
  private(set) var firstUnknown: FragmentHeader?
  /// The movie fragments with an absolute base data offset in them.
  private(set) var withBaseOffset: [(source: Int, header: BoxHeader)] = []
  private var currentBox: BoxHeader?
  /// How many samples took no byte of the file at all; a million of them is more than anything real has.
  private var emptySamples = 0
  /// The positions of the tracks of the current movie by their IDs.
  private var trackIndices: [UInt32: Int] = [:]
  /// Tracks of the current movie that are not wanted.
  private var ignoredTracks: Set<UInt32> = []
  private(set) var source: any ByteSource
  var window: ByteWindow
  private(set) var sourceIndex = 0
  /// The sum of the sizes of the sources before.
  private var sourceStart = 0
  var current: OpenTrackFragment?
  /// Whether the header of the current track fragment came, understood or not.
  private var hasHeader = false
  /// Where the data of the track fragment before ends, from which the next one of the same fragment may count.
  private var dataEnd: Int?
  /// Where the data of the current fragment ends, of all of its tracks.
  private(set) var mediaEnd = 0

  /// A track fragment whose boxes are being read.
  struct OpenTrackFragment {
    var header: TrackFragmentHeaderBox
    var fragment: TrackFragment
    var defaults: TrackExtendsBox
    /// What data offsets count from.
    var base: Int
    /// Where the next run starts when it does not say.
    var position: Int
    var path: BoxPath
    /// Whether the movie has its track. Where not, it only says where the data of the next track fragment starts.
    var isKnown: Bool
    var boxes = InformationBoxes()
  }

  init(source: any ByteSource, keepsSamples: Bool) {
    self.source = source
    self.keepsSamples = keepsSamples
    window = ByteWindow(source)
  }

  /// Adds the tracks of a movie, and returns their positions.
  mutating func add(_ movie: Movie) -> Range<Int> {
    tracks += movie.tracks
    information += movie.tracks.map { track in
      var information = TrackInformation()
      information.groups = SampleGroups(track.groupDescriptions)
      return information
    }
    return (tracks.count - movie.tracks.count)..<tracks.count
  }

  /// The fragments that follow are of these tracks, which are those of one movie but for the ignored ones.
  mutating func begin(_ indices: Range<Int>, ignored: [Track]) {
    trackIndices = Dictionary(indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    ignoredTracks = Set(ignored.map(\.id))
    sourceStart = 0
  }

  /// The boxes that follow are of this source.
  mutating func begin(_ source: any ByteSource, index: Int) {
    sourceStart += self.source.byteCount ?? 0
    self.source = source
    window = ByteWindow(source)
    sourceIndex = index
  }

  mutating func insert(_ movies: [FragmentHeader]) {
    headers.insert(contentsOf: movies, at: 0)
    movieCount = movies.count
  }

  mutating func beginFragment(_ node: BoxNode) {
    let header = node.header
    headers.append(
      FragmentHeader(source: sourceIndex, offset: header.offset, sequenceNumber: 0, end: header.end))
    currentBox = node.header
    dataEnd = nil
    mediaEnd = 0
  }

  /// One of the boxes inside a movie fragment.
  mutating func read(_ node: BoxNode, _ parser: inout BoxParser) throws(MovieError) {
    do throws(IOError) {
      switch node.type {
      case "mfhd":
        guard let mfhd = try decode(node, &parser, MovieFragmentHeaderBox.self) else { return }
        headers[headers.count - 1].sequenceNumber = mfhd.sequenceNumber
      case "traf":
        try endTrackFragment()
        hasHeader = false
      case "tfhd":
        try endTrackFragment()
        hasHeader = true
        if let tfhd = try decode(node, &parser, TrackFragmentHeaderBox.self) { beginTrackFragment(tfhd, parser.path) }
      case "tfdt":
        guard let tfdt = try decode(node, &parser, TrackFragmentDecodeTimeBox.self) else { return }
        current?.fragment.declaredTime = tfdt.baseMediaDecodeTime
        current?.fragment.isNarrowTime = tfdt.version == 0
      case "trun":
        guard let trun = try decode(node, &parser, TrackRunBox.self) else { return }
        if !hasHeader {
          notices.append(Notice(.noTrackHeader(path: "\(parser.path)"), source.name))
        }
        append(trun, at: node.header.offset)
      case "sgpd", "sbgp", "csgp", "subs", "saiz", "saio", "senc", "sdtp":
        if keepsSamples { try readInformation(node, &parser) }
      case "pssh": if keepsSamples { try readProtectionHeader(node) }
      case "udta", "meta", "uuid": try readUserBox(node, &parser)
      default: break
      }
    } catch {
      throw .io(error)
    }
  }

  /// All boxes of the fragment were read.
  mutating func endFragment() throws(MovieError) {
    do throws(IOError) { try endTrackFragment() } catch { throw .io(error) }
  }

  mutating func decode<Payload: BoxPayload>(_ node: BoxNode, _ parser: inout BoxParser, _: Payload.Type)
    throws(IOError) -> Payload?
  {
    switch try parser.decode(node, as: Payload.self) {
    case .success(let payload): return payload
    case .failure(let error):
      let kind = Notice.Kind.damagedInFragment(path: "\(parser.path)", error, time: currentTime)
      notices.append(Notice(kind, source.name, currentTrack))
      return nil
    }
  }

  private mutating func beginTrackFragment(_ header: TrackFragmentHeaderBox, _ path: BoxPath) {
    guard let fragment = headers.last else { return }
    let track = trackIndices[header.trackID]
    if track == nil, !ignoredTracks.contains(header.trackID), unknownTracks.insert(header.trackID).inserted {
      firstUnknown = firstUnknown ?? fragment
      notices.append(Notice(.unknownTrack(path: "\(path)", id: header.trackID), source.name))
    }
    // ISO/IEC 14496-12:2022, 8.8.7.1
    let base: Int
    if header.flags & 0x01 != 0 {
      if let box = currentBox, withBaseOffset.last?.header != box || withBaseOffset.last?.source != sourceIndex {
        withBaseOffset.append((sourceIndex, box))
      }
      let rule = BaseDataOffset(precedingBytes: sourceStart, byteCount: source.byteCount)
      base = rule.position(header.baseDataOffset, moofOffset: fragment.offset)
    } else if header.flags & 0x2_0000 != 0 {
      base = fragment.offset
    } else {
      base = dataEnd ?? fragment.offset
    }
    let defaults = track.map { tracks[$0].defaults } ?? TrackExtendsBox()
    let index = header.flags & 0x02 != 0 ? header.sampleDescriptionIndex : defaults.defaultSampleDescriptionIndex
    current = OpenTrackFragment(
      header: header,
      fragment: TrackFragment(
        source: sourceIndex, fragment: headers.count - 1, track: track ?? 0, descriptionIndex: index,
        runs: store.runs.count..<store.runs.count),
      defaults: defaults, base: base, position: base, path: path, isKnown: track != nil)
  }

  private mutating func endTrackFragment() throws(IOError) {
    guard let open = current else { return }
    current = nil
    dataEnd = open.position
    guard open.isKnown else { return }
    var fragment = open.fragment
    fragment.runs = fragment.runs.lowerBound..<store.runs.count
    if let dependencies = open.boxes.dependencies {
      // A box for fewer samples could be for any of them.
      if dependencies.count >= fragment.sampleCount {
        store.setFlags(0xff0_0000, of: fragment.runs) { UInt32(dependencies[$0]) << 20 }
      } else {
        leftOut["sdtp", default: 0] += 1
      }
    }
    let resolved = try open.boxes.resolve(
      into: &information[fragment.track], base: open.base, runs: store.runs[fragment.runs].map(\.count),
      sampleCount: fragment.sampleCount, precedingBytes: sourceStart, &window)
    fragment.information = resolved.information
    for type in resolved.notUnderstood { leftOut[type, default: 0] += 1 }
    // duration-is-empty: time passes without samples.
    if open.header.flags & 0x1_0000 != 0, fragment.sampleCount == 0 {
      let own = open.header.flags & 0x08 != 0 ? open.header.defaultSampleDuration : nil
      fragment.information.emptyDuration = UInt64(own ?? open.defaults.defaultSampleDuration)
    }
    trackFragments.append(fragment)
  }

  // MARK: Runs

  private mutating func append(_ run: TrackRunBox, at offset: Int) {
    guard var open = current else { return }
    if run.flags & 0x1 != 0 { open.position = open.base.addingReportingOverflow(Int(run.dataOffset)).partialValue }
    let samples = values(of: run, open)
    let byteCount = samples.byteCount
    defer { current = open }
    guard open.position >= 0, byteCount <= Int.max / 4, open.position <= Int.max / 4 else {
      return leaveOut(open.path, at: offset, "its data lies outside of the file")
    }
    if samples.isEndlessNothing {
      return leaveOut(open.path, at: offset, "sample_count is \(run.sampleCount) for samples of no bytes")
    }
    var kept = samples.run
    kept.offset = open.position
    open.position += byteCount
    mediaEnd = max(mediaEnd, open.position)
    open.fragment.sampleCount += kept.count
    open.fragment.duration &+= store.duration(of: kept, first: kept.count)
    if !keepsSamples { store.forget() } else if open.isKnown { store.runs.append(kept) }
  }

  /// What a run says of its samples, with the defaults where it says nothing.
  private mutating func values(of run: TrackRunBox, _ open: OpenTrackFragment) -> (
    run: SampleRun, byteCount: Int, isEndlessNothing: Bool
  ) {
    let (header, defaults, flags) = (open.header, open.defaults, run.flags)
    let duration = header.flags & 0x08 != 0 ? header.defaultSampleDuration : defaults.defaultSampleDuration
    let size = header.flags & 0x10 != 0 ? header.defaultSampleSize : defaults.defaultSampleSize
    let sampleFlags = header.flags & 0x20 != 0 ? header.defaultSampleFlags : defaults.defaultSampleFlags
    var result = SampleRun(
      offset: 0, byteCount: 0, count: Int(run.sampleCount), durations: .same(duration), sizes: .same(size),
      flags: .same(sampleFlags), compositionOffsets: .same(0))
    if flags & 0x4 != 0 { result.firstFlags = run.firstSampleFlags }
    if flags & 0x100 != 0 { result.durations.start = store.durations.count }
    if flags & 0x200 != 0 { result.sizes.start = store.sizes.count }
    if flags & 0x400 != 0 { result.flags.start = store.flags.count }
    if flags & 0x800 != 0 { result.compositionOffsets.start = store.compositionOffsets.count }
    store.append(run)
    result.byteCount = store.byteCount(of: result, first: result.count)
    if flags & 0xf00 == 0, size == 0 { emptySamples += result.count }
    return (result, result.byteCount, flags & 0xf00 == 0 && size == 0 && emptySamples > 1 << 20)
  }
}
