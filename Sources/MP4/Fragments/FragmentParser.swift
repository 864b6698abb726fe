import ISOBMFF
import MP4Bytes

/// Reads movie fragments box by box and applies defaults: durations, sizes, flags, offsets.
struct FragmentParser {
  /// The result.
  var table = FragmentTable()
  /// Whether samples are kept; otherwise only their number, duration and data ranges.
  let keepsSamples: Bool
  private var currentBox: BoxHeader?
  /// The number of samples that have no bytes, neither in their run nor as media data.
  private var emptySamples = 0
  /// The tracks of the current movie by their IDs.
  private var currentTracks: [UInt32: ContinuedTrack] = [:]
  /// Tracks of the current movie that are not selected.
  private(set) var ignoredTracks: Set<UInt32> = []
  private(set) var source: any ByteSource
  var window: ByteWindow
  private(set) var sourceIndex = 0
  /// The total size of the previous sources.
  private(set) var sourceStart = 0
  var current = OpenTrackFragment()
  /// The number of samples in each run of the current track fragment.
  var runCounts: [Int] = []
  /// Whether the header of the current track fragment was understood.
  private(set) var isOpen = false
  /// The boxes with further information about the samples of the current track fragment; most have none.
  var boxes: InformationBoxes?
  /// Whether the current track fragment has a header, readable or not.
  private var hasHeader = false
  /// The end of the previous track fragment's data, which can be the base of the next one in the same movie fragment.
  /// For the first one, it is the start of the fragment; after damage, it is `nil`.
  private var dataEnd: Int?
  /// The correction of `dataEnd` if base data offsets are outdated.
  private var dataShift = 0
  /// See `BaseDataOffset`.
  var basePlaces: ClosedRange<Int>?
  /// Properties of the current source that its init segment must match.
  var evidence = SegmentEvidence()
  /// The runs of the current source that are elsewhere if base data offsets are outdated.
  var shiftableRuns: [ShiftableRun] = []
  /// The end of the data of all tracks in the current fragment.
  var mediaEnd = 0

  /// A track fragment whose boxes are being read.
  struct OpenTrackFragment {
    var header = TrackFragmentHeaderBox()
    var fragment = TrackFragment(source: 0, fragment: 0, track: 0, descriptionIndex: 0, firstSample: 0)
    var defaults = TrackExtendsBox()
    /// The base of data offsets; `nil` if it is the end of data whose description is damaged.
    var base: Int?
    /// The start of the next run if it has no data offset; `nil` after a damaged run.
    var position: Int?
    /// The correction of both if base data offsets are outdated: they are then relative to the start of the fragment.
    var shift = 0
    /// Whether the movie declares its track. If not, it only determines where the data of the next track fragment
    /// starts.
    var isKnown = false
  }

  init(source: any ByteSource, keepsSamples: Bool) {
    self.source = source
    self.keepsSamples = keepsSamples
    window = ByteWindow(source)
  }

  /// Starts fragments of these tracks of a movie; its `ignored` tracks are not selected.
  mutating func begin(_ indices: Range<Int>, ignored: [TrackDescription]) {
    begin(indices.map { ContinuedTrack(table.tracks[$0], index: $0) }, ignored: ignored)
  }

  /// Starts fragments of these tracks.
  mutating func begin(_ continued: [ContinuedTrack], ignored: [TrackDescription]) {
    currentTracks = Dictionary(continued.map { ($0.id, $0) }) { first, _ in first }
    ignoredTracks = Set(ignored.map(\.id))
    sourceStart = 0
  }

  /// Starts a new source.
  mutating func begin(_ source: any ByteSource, index: Int) {
    sourceStart += self.source.byteCount ?? 0
    self.source = source
    window = ByteWindow(source)
    sourceIndex = index
    shiftableRuns = []
    evidence = SegmentEvidence()
  }

  mutating func beginFragment(_ node: BoxNode) {
    let header = node.header
    table.headers.append(FragmentHeader(source: sourceIndex, offset: header.offset, end: header.end))
    currentBox = node.header
    dataEnd = node.header.offset
    dataShift = 0
    mediaEnd = 0
  }

  /// Ends the box of the movie fragment at an earlier offset.
  mutating func shortenFragment(to end: Int) {
    noteDamage()
    table.headers[table.headers.count - 1].end = end
    guard let box = currentBox else { return }
    currentBox?.size = end - box.offset
    if let last = table.withBaseOffset.last, last.header == box, last.source == sourceIndex {
      table.withBaseOffset[table.withBaseOffset.count - 1].header.size = end - box.offset
    }
  }

  /// Reads a box inside a movie fragment.
  mutating func read(_ node: BoxNode, _ parser: inout BoxParser) throws(MovieError) {
    do throws(IOError) {
      switch node.type {
      case "mfhd":
        guard let mfhd = check(try parser.movieFragmentHeader(node), parser.path) else { return }
        table.headers[table.headers.count - 1].sequenceNumber = mfhd.sequenceNumber
      case "traf":
        try endTrackFragment()
        hasHeader = false
      case "tfhd":
        try endTrackFragment()
        hasHeader = true
        guard let tfhd = check(try parser.trackFragmentHeader(node), parser.path) else { return dataEnd = nil }
        beginTrackFragment(tfhd, parser.path)
      case "tfdt":
        guard let tfdt = check(try parser.trackFragmentDecodeTime(node), parser.path) else { return }
        current.fragment.declaredTime = tfdt.baseMediaDecodeTime
        current.fragment.isNarrowTime = tfdt.version == 0
      case "trun":
        guard let trun = check(try parser.trackRun(node), parser.path) else { return loseRun() }
        append(trun, at: node.header.offset, parser.path)
      case "sgpd", "sbgp", "csgp", "subs", "saiz", "saio", "senc", "sdtp":
        if keepsSamples { try readInformation(node, &parser) }
      case "pssh": if keepsSamples { try readProtectionHeader(node) }
      case "udta", "meta", "uuid":
        // Items can have absolute offsets.
        if node.type == "meta" { noteOtherOffset() }
        try readUserBox(node, &parser)
      default: break
      }
    } catch {
      throw .io(error)
    }
  }

  /// Completes a fragment after all of its boxes have been read.
  mutating func endFragment() throws(MovieError) {
    try io(endTrackFragment())
  }

  /// The decoded payload; if it is damaged, adds a diagnostic and returns `nil`.
  mutating func check<Payload>(_ result: Result<Payload, BoxError>, _ path: @autoclosure () -> BoxPath) -> Payload? {
    switch result {
    case .success(let payload): return payload
    case .failure(let error):
      noteDamage()
      table.diagnostics.append(
        Diagnostic(.damagedInFragment(path: "\(path())", error, time: currentTime), source.name, currentTrack))
      return nil
    }
  }

  /// Marks the current movie fragment as damaged.
  mutating func noteDamage() { if !table.headers.isEmpty { table.headers[table.headers.count - 1].isWhole = false } }

  /// Records that the current movie fragment refers to bytes before it, or has absolute offsets.
  private mutating func noteOtherOffset() {
    if !table.headers.isEmpty { table.headers[table.headers.count - 1].refersOnlyAhead = false }
  }

  /// Records a run in a track fragment without a readable header.
  private mutating func noteLostHeader(_ path: BoxPath) {
    dataEnd = nil
    noteDamage()
    guard !hasHeader else { return }
    table.diagnostics.append(Diagnostic(.noTrackHeader(path: "\(path)"), source.name))
  }

  /// Records that a run cannot be read. Later runs without a data offset are lost with it.
  private mutating func loseRun() { if isOpen { current.position = nil } else { dataEnd = nil } }

  private mutating func beginTrackFragment(_ header: TrackFragmentHeaderBox, _ path: @autoclosure () -> BoxPath) {
    guard let fragment = table.headers.last else { return }
    let track = currentTracks[header.trackID]
    if track != nil || ignoredTracks.contains(header.trackID) {
      evidence.hasKnownTracks = true
    } else {
      evidence.unknownTracks.insert(header.trackID)
    }
    if track == nil, !ignoredTracks.contains(header.trackID), table.unknownTracks.insert(header.trackID).inserted {
      table.firstUnknown = table.firstUnknown ?? fragment
      table.diagnostics.append(Diagnostic(.unknownTrack(path: "\(path())", id: header.trackID), source.name))
    }
    // ISO/IEC 14496-12:2022, 8.8.7.1.
    let base: Int?
    var shift = 0
    if let offset = header.baseDataOffset {
      if let box = currentBox,
        table.withBaseOffset.last?.header != box || table.withBaseOffset.last?.source != sourceIndex
      {
        table.withBaseOffset.append((sourceIndex, box))
      }
      let rule = BaseDataOffset(
        precedingBytes: sourceStart, byteCount: source.byteCount, stale: table.staleBases[sourceIndex] ?? [],
        places: basePlaces)
      let position = rule.position(offset, moofOffset: fragment.offset)
      (base, shift) = (position, fragment.offset &- position)
    } else if header.flags & 0x2_0000 != 0 {
      base = fragment.offset
    } else {
      (base, shift) = (dataEnd, dataShift)
    }
    if base != fragment.offset || header.baseDataOffset != nil {
      table.headers[table.headers.count - 1].countsFromStart = false
    }
    // Not all boxes of unknown tracks are read.
    if header.baseDataOffset != nil || track == nil { noteOtherOffset() }
    let defaults = track?.defaults ?? TrackExtendsBox()
    let index = header.sampleDescriptionIndex ?? defaults.defaultSampleDescriptionIndex
    current = OpenTrackFragment(
      header: header,
      fragment: TrackFragment(
        source: sourceIndex, fragment: table.headers.count - 1, track: track?.index ?? 0,
        descriptionIndex: track?.description(index) ?? index,
        firstSample: track.map { table.samples[$0.index].count } ?? 0),
      defaults: defaults, base: base, position: base, shift: shift, isKnown: track != nil)
    runCounts.removeAll(keepingCapacity: true)
    isOpen = true
  }

  private mutating func endTrackFragment() throws(IOError) {
    guard isOpen else { return }
    isOpen = false
    (dataEnd, dataShift) = (current.position, current.shift)
    defer { boxes = nil }
    guard current.isKnown else { return }
    if boxes != nil {
      var fragment = current.fragment
      try resolveInformation(&fragment, base: current.base)
      current.fragment = fragment
    }
    // duration-is-empty: time passes without samples.
    if current.header.flags & 0x1_0000 != 0, current.fragment.sampleCount == 0 {
      let duration = current.header.defaultSampleDuration ?? current.defaults.defaultSampleDuration
      current.fragment.information.emptyDuration = UInt64(duration)
    }
    table.trackFragments.append(current.fragment)
  }
}

/// Diagnostics about fragments that cannot be read completely.
extension FragmentParser {
  /// The track of the current track fragment, if the movie declares it.
  var currentTrack: Diagnostic.Track? {
    guard isOpen, current.isKnown else { return nil }
    return table.tracks.reference(current.fragment.track)
  }
  /// The declared decode time of the current track fragment.
  var currentTime: Int64? { isOpen ? current.fragment.declaredTime.map { Int64(clamping: $0) } : nil }

  /// Reports why the samples of a run at the byte `offset` are omitted.
  mutating func omit(_ path: BoxPath, at offset: Int, _ reason: String) {
    noteDamage()
    let kind = Diagnostic.Kind.impossibleRun(path: "\(path)", offset: offset, reason: reason, time: currentTime)
    table.diagnostics.append(Diagnostic(kind, source.name, currentTrack))
  }
}

/// The runs of samples of a track fragment.
extension FragmentParser {
  /// Adds the run at `offset` of the file, whose box path is `path`.
  mutating func append(_ run: TrackRunBox, at offset: Int, _ path: @autoclosure () -> BoxPath) {
    guard isOpen else { return noteLostHeader(path()) }
    if let offset = run.dataOffset {
      current.position = current.base?.addingReportingOverflow(Int(offset)).partialValue
    }
    guard let position = current.position else {
      return omit(path(), at: offset, "its data follows data with a damaged description")
    }
    let kept = values(of: run)
    let byteCount = kept.sizes.sum(kept.count)
    if let fragment = table.headers.last, position < fragment.offset { noteOtherOffset() }
    guard position >= 0, byteCount <= Int.max / 4, position <= Int.max / 4 else {
      current.position = nil
      return omit(path(), at: offset, "its data is outside the file")
    }
    if isEndlessNothing(run, at: offset) {
      return omit(path(), at: offset, "sample_count is \(run.sampleCount), but the samples have no bytes")
    }
    add(kept, at: position..<(position + byteCount))
  }

  private mutating func add(_ run: SampleColumns.Run, at range: Range<Int>) {
    current.position = range.upperBound
    mediaEnd = max(mediaEnd, range.upperBound)
    noteEvidence(run, at: range)
    noteShift(range)
    current.fragment.sampleCount += run.count
    current.fragment.duration &+= UInt64(run.durations.sum(run.count))
    if !current.isKnown, ignoredTracks.contains(current.header.trackID) {
      table.ignoredSamples[sourceIndex, default: [:]][current.header.trackID, default: 0] += run.count
    }
    guard current.isKnown else { return }
    guard keepsSamples else { return noteData(range) }
    runCounts.append(run.count)
    table.samples[current.fragment.track].append(run, at: range)
  }

  private mutating func noteData(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    // The track fragment that is being read.
    let fragment = table.trackFragments.count
    if let last = table.dataRanges.last, last.trackFragment == fragment, last.range.upperBound == range.lowerBound {
      table.dataRanges[table.dataRanges.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      table.dataRanges.append((fragment, range))
    }
  }

  /// The values of a run, or the defaults for missing values.
  private mutating func values(of run: TrackRunBox) -> SampleColumns.Run {
    let (header, defaults) = (current.header, current.defaults)
    let flags = run.flags
    let duration = header.defaultSampleDuration ?? defaults.defaultSampleDuration
    let size = header.defaultSampleSize ?? defaults.defaultSampleSize
    let sampleFlags = header.defaultSampleFlags ?? defaults.defaultSampleFlags
    let result = SampleColumns.Run(
      count: Int(run.sampleCount), durations: .init(common: duration, own: run.column(0x100)),
      sizes: .init(common: size, own: run.column(0x200)), flags: .init(common: sampleFlags, own: run.column(0x400)),
      firstFlags: run.firstSampleFlags, compositionOffsets: .init(common: 0, own: run.column(0x800)))
    if flags & 0x200 == 0, header.flags & 0x10 == 0, current.isKnown, result.count > 0 {
      evidence.usesDefaultSizes = true
    }
    return result
  }

  /// Whether the samples of a run at `offset` have no bytes, and there are more of these samples than in any real file:
  /// each could become a segment. A fragment of one such sample takes more than 64 bytes.
  private mutating func isEndlessNothing(_ run: TrackRunBox, at offset: Int) -> Bool {
    let size = current.header.defaultSampleSize ?? current.defaults.defaultSampleSize
    guard run.flags & 0xf00 == 0, size == 0 else { return false }
    emptySamples += Int(run.sampleCount)
    return emptySamples > (1 << 16) + (sourceStart + offset) / 64
  }
}
