import ISOBMFF
import MP4Bytes

/// A byte stream of H.264, H.265 or H.266 with start codes, as samples with the lengths of NAL units: ISO/IEC 14496-10,
/// 23008-2 and 23090-3, Annex B.
///
/// Parameter sets that never change move to the sample entry; otherwise all of them stay in the samples, and the sample
/// entry is of the type for that (`avc3`, `hev1`, `vvi1`). Filler data is omitted, which ISO/IEC 14496-15 does not
/// allow in samples. All other units are kept.
struct AnnexBStream {
  private let source: any ByteSource
  private let codec: NALUnits.Codec
  private var units = Units()
  private var sets = ParameterSets()
  private var lost = LostBytes()

  /// The units of a stream, which can be many.
  private struct Units {
    var offsets: [Int] = []
    var sizes: [UInt32] = []
    var types: [UInt8] = []
  }

  /// The parameter sets of the whole stream.
  private struct ParameterSets {
    private struct Key: Hashable {
      var type: Int
      var id: Int
    }
    private var latest: [Key: [UInt8]] = [:]
    /// The first one with each number, in order.
    private(set) var first: [[UInt8]] = []
    private(set) var haveChanged = false

    mutating func note(_ unit: [UInt8], _ type: Int, _ codec: NALUnits.Codec) {
      guard unit.count <= UInt16.max, latest.count < 1024 else { return haveChanged = true }
      let key = Key(type: type, id: codec.parameterSetID(unit[...]) ?? -1)
      if latest[key] == unit { return }
      if latest.updateValue(unit, forKey: key) == nil { first.append(unit) } else { haveChanged = true }
    }
  }

  /// The codec of a stream that starts with these bytes; `nil` if they have no start code or no known unit.
  static func codec(of start: ArraySlice<UInt8>) -> NALUnits.Codec? {
    guard let first = start.firstIndex(where: { $0 != 0 }), first >= start.startIndex + 2, start[first] == 1 else {
      return nil
    }
    var rest = start
    while rest.count > 8 {
      guard let code = rest.raw.startCode(from: 0) else { break }
      rest = rest.dropFirst(code + 3)
      if rest.first.map({ $0 & 0x9f }) == 7, SequenceParameters(avc: rest.prefix(256)) != nil { return .avc }
      if rest.prefix(2).elementsEqual([0x42, 1]), SequenceParameters(hevc: rest.prefix(256)) != nil { return .hevc }
      if rest.prefix(2).elementsEqual([0, 0x79]), SequenceParameters(vvc: rest.prefix(256)) != nil { return .vvc }
    }
    return nil
  }

  /// Finds the units of the stream.
  init(_ source: any ByteSource, _ codec: NALUnits.Codec, onProgress: (Int) -> Bool) throws(MovieError) {
    (self.source, self.codec) = (source, codec)
    var (window, others) = (ByteWindow(source, readAhead: Self.windowSize), ByteWindow(source, readAhead: 64))
    var (at, start): (Int, Int?) = (0, nil)
    var head: [UInt8] = []
    while true {
      guard onProgress(at) else { throw .stopped(file: source.name) }
      let bytes: RawSpan
      do throws(IOError) { bytes = try window.look(at: at, count: Self.windowSize) } catch { throw .io(error) }
      let size = bytes.byteCount
      let isLast = size < Self.windowSize
      // The header of a unit, of at most two bytes, is in the same window as its start code.
      let limit = isLast ? size : size - 2
      var from = 0
      while let code = bytes.startCode(from: from), code + 3 <= limit {
        if let start {
          // The zeros before a start code are in the same window, or searched again.
          var end = code
          while end > from, bytes.bigEndian(at: end - 1, as: UInt8.self) == 0 { end -= 1 }
          try add(start..<at + end, head, isTrimmed: end > from, &others)
        }
        from = code + 3
        start = at + from
        head.removeAll(keepingCapacity: true)
        for index in from..<min(from + 2, size) { head.append(bytes.bigEndian(at: index) ?? 0) }
      }
      if isLast {
        if let start { try add(start..<(at + size), head, isTrimmed: false, &others) }
        break
      }
      // A start code can extend over the end of the window.
      at += max(from, size - 4)
    }
  }

  private static let windowSize = 1 << 18

  /// Adds a unit that starts with `head`, without the zeros before the next start code unless they are trimmed.
  private mutating func add(
    _ range: Range<Int>, _ head: [UInt8], isTrimmed: Bool, _ window: inout ByteWindow
  ) throws(MovieError) {
    var end = range.upperBound
    trimming: while !isTrimmed, end > range.lowerBound {
      let from = max(range.lowerBound, end - 16)
      let tail = try io(window.slice(at: from, count: end - from))
      guard let last = tail.lastIndex(where: { $0 != 0 }) else {
        end = from
        continue trimming
      }
      end = from + last - tail.startIndex + 1
      break
    }
    let range = range.lowerBound..<end
    let head = head[..<min(head.count, range.count)]
    guard let first = head.first else { return }
    guard first & 0x80 == 0, let size = UInt32(exactly: range.count), let type = codec.type(head) else {
      return lost.add(range)
    }
    if isParameterSet(type) {
      let isBase = codec.isBase(first, head.last ?? 0)
      if isBase { sets.note(Array(try io(window.slice(at: range.lowerBound, count: range.count))), type, codec) }
    }
    units.offsets.append(range.lowerBound)
    units.sizes.append(size)
    units.types.append(UInt8(type))
  }

  // MARK: The movie

  /// The stream as a movie; `rate` is used if the stream does not declare its frame rate.
  func movie(
    rate given: FrameRate?, isQuickTime: Bool
  ) throws(MovieError) -> (movie: any ByteSource, diagnostics: [Diagnostic]) {
    let parameters = try parameters
    if codec == .vvc, given == nil {
      let text = "the frame rate of H.266 is not read from the stream"
      throw .impossible(file: source.name, Obstacle("no_frame_rate", text, remedy: .setFrameRate))
    }
    let declared = parameters.pictureDuration.map { FrameRate(Int64($0.denominator), Int64($0.numerator)) }
    guard let rate = given ?? declared, rate.numerator > 0 else {
      throw .impossible(
        file: source.name, Obstacle("no_frame_rate", "it does not declare its frame rate", remedy: .setFrameRate))
    }
    let clock = try PictureClock(rate, source.name)
    let track = try track(timescale: clock.timescale, isQuickTime: isQuickTime)
    let (pictures, media, diagnostics) = try pictures(keepTimes: false)
    return (
      try pictures.track(track, clock, reordering: reordering, source.name).movie(media),
      diagnostics
    )
  }

  /// The stream of a transport stream as a track with the times of its packets.
  func track(timedBy table: PacketTable) throws(MovieError) -> TransportedTrack {
    let parameters = try parameters
    let track = try track(timescale: TransportedTrack.timescale, isQuickTime: false)
    let (pictures, media, diagnostics) = try pictures(keepTimes: true)
    let usual = parameters.pictureDuration.map {
      MediaTime(Int64($0.numerator), UInt32(clamping: $0.denominator)).converted(to: TransportedTrack.timescale).value
    }
    return try pictures.track(track, table, usual: usual, media, diagnostics)
  }

  private var parameters: SequenceParameters {
    get throws(MovieError) {
      guard let parameters = sequenceParameters else {
        throw .impossible(file: source.name, Obstacle("no_parameter_sets", "it has no usable parameter sets"))
      }
      return parameters
    }
  }

  private func track(timescale: UInt32, isQuickTime: Bool) throws(MovieError) -> MovieWriter.Track {
    try entry(of: source.name) { () throws(MovieWriterError) -> MovieWriter.Track in
      let (sets, changed) = (sets.first, sets.haveChanged)
      switch codec {
      case .avc:
        return try .avc(
          parameterSets: sets, timescale: timescale, areInSamples: changed, isQuickTime: isQuickTime)
      case .hevc:
        return try .hevc(
          parameterSets: sets, timescale: timescale, areInSamples: changed, isQuickTime: isQuickTime)
      case .vvc: return try .vvc(parameterSets: sets, timescale: timescale, areInSamples: changed)
      }
    }
  }

  /// The pictures, and their units with sizes. `keepTimes` tells whether pictures after missing ones keep their times.
  private func pictures(
    keepTimes: Bool
  ) throws(MovieError) -> (pictures: Pictures, media: AssembledMedia, diagnostics: [Diagnostic]) {
    var parts = AssembledMedia.Parts(hasSizes: true)
    for index in units.offsets.indices where isKept(Int(units.types[index])) {
      parts.append(units.offsets[index]..<units.offsets[index] + Int(units.sizes[index]))
    }
    let media = AssembledMedia(parts, of: source)
    var pictures = Pictures()
    var diagnostics = lost.diagnostics("NAL units", of: source.name)
    try pictures.read(media, PictureSyntax(codec, parameterSets: sets.first), keepTimes: keepTimes, &diagnostics)
    pictures.findStarts(in: parts)
    let lost = pictures.lost
    if lost.isEmpty { return (pictures, media, diagnostics) }
    // The units are left out of the media as well.
    var kept = AssembledMedia.Parts(hasSizes: true)
    var next = 0
    for index in parts.offsets.indices {
      while next < lost.count, lost[next].upperBound <= parts.starts[index] { next += 1 }
      if next < lost.count, lost[next].contains(parts.starts[index]) { continue }
      kept.append(parts.offsets[index]..<(parts.offsets[index] + parts.end(index) - parts.starts[index] - 4))
    }
    return (pictures, AssembledMedia(kept, of: source), diagnostics)
  }

  private func isKept(_ type: Int) -> Bool {
    // Filler data.
    if type == (codec == .avc ? 12 : codec == .hevc ? 38 : 25) { return false }
    return sets.haveChanged || !isParameterSet(type)
  }

  /// Whether a unit can move to the sample entry: also SPS extensions of H.264, but no adaptation parameter sets of
  /// H.266, which change from picture to picture.
  private func isParameterSet(_ type: Int) -> Bool {
    codec == .vvc ? 12...16 ~= type : codec.isParameterSet(type) || codec == .avc && type == 13
  }

  private var sequenceParameters: SequenceParameters? {
    sets.first.lazy.filter { codec.type($0[...]) == codec.sequenceParameterSet }.compactMap {
      switch codec {
      case .avc: SequenceParameters(avc: $0[...])
      case .hevc: SequenceParameters(hevc: $0[...])
      case .vvc: SequenceParameters(vvc: $0[...])
      }
    }.first
  }

  /// The declared number of pictures that precede another in decoding order and follow it in output order.
  private var reordering: Int { sequenceParameters?.reorderCount ?? 0 }

  // MARK: Pictures

  /// The pictures of a stream in decoding order.
  private struct Pictures {
    private var sizes: [UInt32] = []
    private var syncs: [Bool] = []
    /// The number of pictures before each one in output order.
    private var ranks: [Int] = []
    /// The first of the pictures before which others are missing, and their number.
    private var gaps: (first: Int, count: Int)?
    /// Ranges of the media that are no pictures.
    private(set) var lost: [Range<Int>] = []
    /// Where the start code of each picture is in the stream.
    private var starts: [Int] = []

    mutating func read(
      _ media: AssembledMedia, _ syntax: PictureSyntax, keepTimes: Bool, _ diagnostics: inout [Diagnostic]
    ) throws(MovieError) {
      var (syntax, window) = (syntax, ByteWindow(media))
      let end = media.byteCount ?? 0
      var (at, start) = (0, 0)
      var orders: [Int] = []
      var expected: Int?
      while at < end {
        guard let picture = try io(syntax.picture(at: at, before: end, in: &window)), picture.byteCount <= UInt32.max
        else {
          let head = try io(window.slice(at: at, count: 4))
          let size = 4 + head.reduce(0) { $0 << 8 | Int($1) }
          if let last = lost.last, last.upperBound == at {
            lost[lost.count - 1] = last.lowerBound..<at + size
          } else {
            lost.append(at..<at + size)
          }
          at += size
          continue
        }
        if picture.startsOrder {
          rank(orders, from: start, syntax.codec)
          start += orders.count
          orders = []
        }
        if let expected, !picture.startsOrder, let own = picture.frameNumbers?.own, own != expected {
          gaps = (gaps?.first ?? sizes.count, (gaps?.count ?? 0) + 1)
        }
        expected = picture.frameNumbers?.next
        orders.append(picture.order ?? orders.count)
        sizes.append(UInt32(picture.byteCount))
        syncs.append(picture.isSync)
        at += picture.byteCount
      }
      rank(orders, from: start, syntax.codec)
      let count = lost.reduce(0) { $0 + $1.count }
      if count > 0 {
        let text = "\(counted(count, "byte")) of NAL units belong to no picture that can be read; they are omitted"
        diagnostics.append(Diagnostic(.error, media.name, text))
      }
      if let gaps {
        let text =
          "pictures are missing at \(counted(gaps.count, "place")), the first before picture \(gaps.first + 1)"
          + (keepTimes ? "; those around them keep their times" : "; those after them are presented earlier")
        diagnostics.append(Diagnostic(.error, media.name, text))
      }
      if let first = syncs.firstIndex(of: true) ?? (syncs.isEmpty ? nil : syncs.count), first > 0 {
        let text = "decoding cannot start at the first \(counted(first, "picture"))"
        diagnostics.append(Diagnostic(.warning, media.name, text))
      }
    }

    /// Finds where each picture starts in the stream whose units are these parts of the media.
    mutating func findStarts(in parts: AssembledMedia.Parts) {
      var (part, place, next) = (0, 0, 0)
      starts.reserveCapacity(sizes.count)
      for size in sizes {
        while next < lost.count, lost[next].lowerBound == place {
          place = lost[next].upperBound
          next += 1
        }
        while part < parts.starts.count, parts.starts[part] < place { part += 1 }
        starts.append(parts.offsets[part] - 3)
        place += Int(size)
      }
    }

    /// All pictures up to a restart of the order are output before those after it.
    private mutating func rank(_ orders: [Int], from start: Int, _ codec: NALUnits.Codec) {
      let base = ranks.count
      ranks += Array(repeating: 0, count: orders.count)
      let sorted = orders.indices.sorted { (orders[$0], $0) < (orders[$1], $1) }
      for (rank, index) in sorted.enumerated() { ranks[base + index] = start + rank }
      // Pictures of H.264 have numbers. Those of the other codecs have only their order, which increases regularly.
      if codec != .avc { findGaps(sorted.map { orders[$0] }, from: start) }
    }

    /// Records where orders increase by a multiple of the usual step, which almost all of them have.
    private mutating func findGaps(_ orders: [Int], from start: Int) {
      let steps = zip(orders, orders.dropFirst()).map { $1 - $0 }
      let usual = Dictionary(grouping: steps) { $0 }.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
      guard let usual, usual.key > 0, usual.value.count * 10 >= steps.count * 9 else { return }
      for (index, step) in steps.enumerated() where step > usual.key && step % usual.key == 0 {
        gaps = (gaps?.first ?? start + index + 1, (gaps?.count ?? 0) + 1)
      }
    }

    /// The track with these pictures, of which each lasts equally long. Decoding starts so early that no picture is
    /// decoded after its presentation.
    func track(
      _ track: MovieWriter.Track, _ clock: PictureClock, reordering: Int, _ file: String
    ) throws(MovieError) -> ImportedTrack {
      let delay = max(reordering, ranks.enumerated().reduce(0) { max($0, $1.offset - $1.element) })
      var track = track
      track.trim = MediaTime(Int64(delay) * clock.duration, clock.timescale)
      var result = try ImportedTrack(track, of: file)
      for (index, size) in sizes.enumerated() {
        try result.append(
          byteCount: Int(size), duration: clock.duration,
          compositionOffset: Int64(ranks[index] + delay - index) * clock.duration, isSync: syncs[index])
      }
      return result
    }

    /// The track with these pictures, which have the times of their packets.
    func track(
      _ track: MovieWriter.Track, _ table: PacketTable, usual: Int64?, _ media: any ByteSource,
      _ diagnostics: [Diagnostic]
    ) throws(MovieError) -> TransportedTrack {
      guard !sizes.isEmpty, let times = TimedSamples(table.times(ofSamplesAt: starts), ranks: ranks, usual: usual)
      else { throw .impossible(file: media.name, .noSamples) }
      let first = times.presentation.min() ?? 0
      var track = track
      track.trim = MediaTime(max(0, first - times.decode[0]), track.timescale)
      var result = try ImportedTrack(track, of: media.name)
      for (index, size) in sizes.enumerated() {
        let own = times.decode[index]
        let duration = index + 1 < sizes.count ? times.decode[index + 1] - own : times.lastDuration
        try result.append(
          byteCount: Int(size), duration: duration, compositionOffset: times.presentation[index] - own,
          isSync: syncs[index])
      }
      return TransportedTrack(track: result, media: media, start: first, diagnostics: diagnostics)
    }
  }
}
