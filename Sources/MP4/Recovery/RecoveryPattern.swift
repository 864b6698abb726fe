import ISOBMFF
import MP4Bytes

/// Properties of an intact file that help to recover another file of the same device: how to recognize the samples of
/// its tracks, how tracks are interleaved, and the durations of samples.
struct RecoveryPattern {
  /// The properties of the samples of a track.
  struct Track {
    var id: UInt32
    var handler: FourCC
    var timescale: UInt32
    var syntax: RecoverySyntax
    /// The sum of the durations of this number of samples.
    var duration: (sum: Int, count: Int)
    /// The largest size of a sample.
    var largestSize = 0
    /// The composition offset of the first sample, and whether offsets differ.
    var firstOffset: Int64 = 0
    var isReordered = false
    /// What the output orders of its pictures say about those of others.
    var orders = RecoveredOrders()
    var isAllSync = true
    /// The usual number of consecutive samples of the track.
    var usualRun = Int.max
    /// Whether all runs have the usual number of samples, except for the last one.
    var isRegular = true
    /// The number of runs.
    var runCount = 0
    /// The tracks that follow its runs, most frequent first.
    var followers: [Int] = []
  }
  /// Adjacent samples of a track; a `nil` track means bytes between samples.
  struct Run: Hashable {
    var track: Int?
    /// The number of samples; 1 for fixed-size samples, whose number follows from the number of bytes.
    var count = 1
    var byteCount: Int
  }
  /// The data between runs of recognizable tracks.
  struct Group {
    var runs: [Run]
    var byteCount: Int
  }
  private(set) var tracks: [Track]
  /// The groups after each recognizable track, most frequent first; `nil` is the start of the file.
  private(set) var groups: [Int?: [Group]] = [:]
  /// The leads of tracks whose samples have a fixed size over the reference track.
  private(set) var leads: [Int: RecoveryLead] = [:]
  /// The recognizable track whose times determine where other tracks are interleaved: pictures, if there are any.
  private(set) var reference: Int?
  /// The size of the largest gap between runs, which may be padding.
  private(set) var largestGap = 0
  /// All runs in file order, up to a limit.
  private(set) var runs: [Run] = []

  private static let runLimit = 1 << 20
  private static let groupLimit = 48
  /// The maximum number of samples of a track that are examined.
  private static let examined = 64
  /// The maximum size of a gap that is considered padding.
  private static let gapLimit = 64 << 10

  init(_ movie: Movie) throws(IOError) {
    tracks = []
    for track in movie.tracks { tracks.append(try Self.track(track)) }
    var found: [(offset: Int, count: Int, run: Run)] = []
    for (index, track) in movie.tracks.enumerated() where found.count < Self.runLimit {
      let columns = track.list.columns
      // Positions in different files cannot be compared.
      guard movie.sources.count == 1 else { continue }
      var packets: PacketSyntax?
      if case .packets(let syntax) = tracks[index].syntax { packets = syntax }
      columns.forEachExtent(in: 0..<columns.count) { extent in
        if packets != nil, extent.samples.count <= 1 << 10 {
          packets?.learn(sizes: extent.samples.map { columns.size($0) })
        }
        guard extent.byteCount > 0, found.count < 2 * Self.runLimit else { return }
        var run = Run(track: index, byteCount: extent.byteCount)
        if case .fixed = tracks[index].syntax {} else { run.count = extent.samples.count }
        found.append((extent.offset, extent.samples.count, run))
      }
      if let packets { tracks[index].syntax = .packets(packets) }
    }
    found.sort { $0.offset < $1.offset }
    let known = tracks.indices.filter { tracks[$0].syntax.isRecognizable }
    reference = known.first { tracks[$0].syntax.isPictures } ?? known.first
    learn(found)
    learnLeads(found)
  }

  /// Whether samples of a track are packets.
  var hasPackets: Bool { tracks.indices.contains(where: isPackets) }

  private func isPackets(_ track: Int) -> Bool {
    if case .packets = tracks[track].syntax { true } else { false }
  }

  private mutating func learn(_ found: [(offset: Int, count: Int, run: Run)]) {
    var counts: [[Int: Int]] = tracks.map { _ in [:] }
    var followers: [[Int: Int]] = tracks.map { _ in [:] }
    var known: [Int?: [[Run]: Int]] = [:]
    var (before, between): (Int?, [Run]) = (nil, [])
    for (number, item) in found.enumerated() {
      guard let track = item.run.track else { continue }
      if number > 0 {
        let last = found[number - 1]
        if let previous = last.run.track { followers[previous][track, default: 0] += 1 }
        let (end, overflow) = last.offset.addingReportingOverflow(last.run.byteCount)
        let gap = item.offset &- end
        if !overflow { largestGap = max(largestGap, gap) }
        if !overflow, 1...Self.gapLimit ~= gap { between.append(Run(track: nil, byteCount: gap)) }
      }
      // The sizes of runs of packets vary too much to be a pattern.
      if isPackets(track) { continue }
      counts[track][item.count, default: 0] += 1
      tracks[track].runCount += 1
      if runs.count < Self.runLimit { runs.append(item.run) }
      if tracks[track].syntax.isRecognizable {
        if !between.isEmpty, between.count <= 64 { known[before, default: [:]][between, default: 0] += 1 }
        (before, between) = (track, [])
      } else if between.count <= 64 {
        between.append(item.run)
      }
    }
    if !between.isEmpty, between.count <= 64 { known[before, default: [:]][between, default: 0] += 1 }
    for index in tracks.indices {
      let order = counts[index].sorted { ($0.value, $1.key) > ($1.value, $0.key) }
      if let most = order.first { tracks[index].usualRun = most.key }
      tracks[index].isRegular = order.count < 2 || order.count == 2 && order[1].value == 1
      tracks[index].followers = followers[index].sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key)
    }
    for (track, lists) in known {
      func size(_ runs: [Run]) -> Int { runs.reduce(0) { $0 + min($1.byteCount, Int.max / 128) } }
      let order = lists.sorted { ($0.value, size($0.key)) > ($1.value, size($1.key)) }
      groups[track] = order.prefix(Self.groupLimit).map { Group(runs: $0.key, byteCount: size($0.key)) }
    }
  }

  /// Records the leads of tracks at the borders between the runs of recognizable tracks.
  private mutating func learnLeads(_ found: [(offset: Int, count: Int, run: Run)]) {
    guard let reference else { return }
    let fixed = interleavedTracks
    for track in fixed { leads[track] = RecoveryLead() }
    var counts = tracks.map { _ in 0 }
    func current(adding count: Int = 0) -> [Int] {
      fixed.map { lead($0, counts[$0], counts[reference] + count) }
    }
    var (before, between): ([Int], Set<Int>) = (current(), [])
    for item in found {
      guard let track = item.run.track else { continue }
      if tracks[track].syntax.isRecognizable {
        for (own, (start, end)) in zip(fixed, zip(before, current())) {
          if between.contains(own) {
            self.leads[own]?.addStart(start)
            self.leads[own]?.addEnd(end)
          } else if counts[reference] > 0 {
            self.leads[own]?.addContinuation(start)
          }
        }
        between = []
        if track == reference, item.count > 1 {
          for count in [1, item.count - 1] {
            for (own, lead) in zip(fixed, current(adding: count)) { self.leads[own]?.addContinuation(lead) }
          }
        }
        counts[track] += item.count
        before = current()
      } else {
        between.insert(track)
        counts[track] += item.count
      }
    }
  }

  // MARK: Tracks

  private static func track(_ track: MP4.Track) throws(IOError) -> Track {
    let (list, columns) = (track.list, track.list.columns)
    var result = Track(
      id: track.id, handler: track.handler, timescale: track.timescale, syntax: .unknown,
      duration: duration(columns, track))
    let all = 0..<columns.count
    columns.sizes.forEachRun(in: all) { size, _ in result.largestSize = max(result.largestSize, Int(size)) }
    result.firstOffset = columns.count > 0 ? columns.compositionOffset(0) : 0
    result.isReordered = list.compositionOffsets.lowerBound != list.compositionOffsets.upperBound
    result.isAllSync = list.isAllSync
    result.syntax = try syntax(track, result)
    if case .pictures(let syntax) = result.syntax {
      result.orders = try orders(syntax, track, result)
    }
    return result
  }

  /// The difference of the output orders of pictures one sample duration apart, unless it varies, and the depth of
  /// reordering.
  private static func orders(
    _ syntax: PictureSyntax, _ track: MP4.Track, _ known: Track
  ) throws(IOError) -> RecoveredOrders {
    var syntax = syntax
    var (step, depth, highest): (Int?, Int, Int) = (nil, 0, .min)
    var first: (order: Int, time: Int64)?
    for sample in track.samples.prefix(examined) {
      var window = ByteWindow(sample.source)
      let (end, overflow) = sample.offset.addingReportingOverflow(sample.size)
      guard !overflow, let picture = try syntax.picture(at: sample.offset, before: end, in: &window),
        let order = picture.order
      else { return RecoveredOrders() }
      let time = sample.decodeTime.value &+ Int64(sample.compositionOffset.value)
      guard let before = first, !picture.startsOrder else {
        (first, highest) = ((order, time), order)
        continue
      }
      highest = max(highest, order)
      depth = max(depth, highest &- order)
      let (change, isTooLarge) = (order &- before.order).multipliedReportingOverflow(by: known.duration.sum)
      let (duration, isTooLong) = Int(time &- before.time).multipliedReportingOverflow(by: known.duration.count)
      let isWhole = !isTooLarge && !isTooLong && duration != 0 && change % duration == 0
      let own = isWhole ? max(0, change / duration) : 0
      step = step.map { $0 == own ? own : 0 } ?? own
    }
    return RecoveredOrders(step: step ?? 0, depth: depth)
  }

  /// The duration that nearly all samples have, or else the average duration.
  private static func duration(_ columns: SampleColumns, _ track: MP4.Track) -> (sum: Int, count: Int) {
    let count = columns.count
    guard count > 0 else { return (Int(max(track.timescale, 1)), 25) }
    var counts: [Int64: Int] = [:]
    columns.durations.forEachRun(in: 0..<count) { value, count in
      if counts.count < 4096 || counts[value] != nil { counts[value, default: 0] += count }
    }
    if let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.key > 0,
      most.value >= (count - 1) - (count - 1) / 10
    {
      return (Int(min(most.key, 1 << 30)), 1)
    }
    let sum = Int(columns.time(count))
    return sum > 0 && sum / count < 1 << 30 ? (sum, count) : (Int(max(track.timescale, 1)), 25)
  }

  private static func syntax(_ track: MP4.Track, _ known: Track) throws(IOError) -> RecoverySyntax {
    guard let configuration = track.decoderConfigurations.first, !track.samples.isEmpty else { return .unknown }
    let count = track.samples.count
    let common = track.list.columns.sizes.constant(in: 0..<count)
    let first = Array(track.samples.prefix(examined))
    let middle = track.samples[(count / 2)..<min(count, count / 2 + examined)]
    if let syntax = PictureSyntax(configuration) {
      return .pictures(try learned(syntax, track, first + middle, largestSize: known.largestSize))
    }
    let candidates = candidates(configuration, track, largestSize: known.largestSize)
    for candidate in candidates where try matches(candidate, first + middle) {
      guard case .aac(var syntax) = candidate else { return candidate }
      for sample in track.samples.prefix(4096) {
        if let byte = try sample.source.bytes(in: sample.offset..<sample.offset + min(1, sample.size)).first {
          syntax.firstBytes.insert(byte & 0xfe)
        }
      }
      return .aac(syntax)
    }
    if let common, common > 0 { return .fixed(Int(common)) }
    if configuration.codedFormat == "Opus", let packets = try packets(track) { return .packets(packets) }
    return .unknown
  }

  private static func candidates(
    _ configuration: DecoderConfiguration, _ track: MP4.Track, largestSize: Int
  ) -> [RecoverySyntax] {
    let descriptor = configuration.box(ESDescriptorBox.self)
    switch configuration.codedFormat {
    case "mp4a":
      switch descriptor?.decoderConfig?.objectTypeIndication {
      case 0x40, 0x66, 0x67, 0x68:
        return descriptor?.decoderSpecificInfo.flatMap { AACSyntax(Array($0)) }.map { [.aac($0)] } ?? []
      case 0x69, 0x6b: return [.frames(.mpeg)]
      case 0xa5: return [.frames(.ac3)]
      case 0xa6: return [.frames(.eac3)]
      default: return []
      }
    case ".mp3", "ms\u{0}U": return [.frames(.mpeg)]
    case "ac-3", "sac3": return [.frames(.ac3)]
    case "ec-3": return [.frames(.eac3)]
    case "samr", "sawb":
      // The number of frames in a sample is derived from its duration.
      let frames = max(
        1, min(64, Int(track.samples.first?.duration.value ?? 1) / (configuration.codedFormat == "samr" ? 160 : 320)))
      return [.frames(.amr(isWide: configuration.codedFormat == "sawb", framesPerSample: frames))]
    case "apco", "apcs", "apcn", "apch", "ap4h", "ap4x": return [.frames(.proRes)]
    case "jpeg", "mjpg": return [.jpeg(limit: max(1 << 20, min(1 << 23, largestSize) * 8))]
    case "tx3g", "text": return [.sized(.text)]
    case "wvtt", "evte": return [.sized(.boxes(arePrintable: true))]
    case "mebx": return [.sized(.boxes(arePrintable: false))]
    case "gpmd": return [.sized(.keys)]
    default: return []
    }
  }

  /// The first bytes of samples, if they are few.
  private static func packets(_ track: MP4.Track) throws(IOError) -> PacketSyntax? {
    var packets = PacketSyntax()
    for sample in track.samples.prefix(4096) {
      if let byte = try sample.source.bytes(in: sample.offset..<sample.offset + min(1, sample.size)).first {
        packets.firstBytes.insert(byte)
      }
      packets.largestSize = max(packets.largestSize, min(sample.size, 1 << 14))
    }
    return packets.firstBytes.count <= 16 ? packets : nil
  }

  /// Whether the syntax determines the correct size of nearly all samples.
  private static func matches(_ syntax: RecoverySyntax, _ samples: [Sample]) throws(IOError) -> Bool {
    var count = 0
    for sample in samples {
      // More bytes than the sample, so that a missed end is detected.
      let range = sample.offset..<sample.offset + min(sample.size, 1 << 20) + 64
      let bytes = try sample.source.bytes(in: range)
      let found: Int? =
        switch syntax {
        case .aac(let syntax): syntax.byteCount(bytes[...])
        case .frames(let syntax): syntax.byteCount(bytes[...])
        case .jpeg: JPEGSyntax.byteCount(bytes[...])
        case .sized(let syntax): syntax.byteCount(bytes[...])
        default: nil
        }
      if found == sample.size { count += 1 }
    }
    return count * 10 >= samples.count * 8
  }

  /// Records the types of NAL units that occur, and which pictures are sync samples.
  private static func learned(
    _ syntax: PictureSyntax, _ track: MP4.Track, _ samples: [Sample], largestSize: Int
  ) throws(IOError) -> PictureSyntax {
    var syntax = syntax
    // A picture can be larger than all examined ones.
    syntax.unitLimit = max(1 << 20, largestSize > Int.max / 8 ? largestSize : largestSize * 8)
    for sample in samples {
      let bytes = try sample.source.bytes(in: sample.offset..<sample.offset + min(sample.size, 1 << 20))
      var hasIDR = false
      for unit in NALUnits(bytes[...], syntax.codec, lengthSize: syntax.lengthSize) {
        syntax.types.insert(unit.type)
        if let first = unit.bytes.first, let second = unit.bytes.dropFirst().first,
          !syntax.codec.isBase(first, second)
        {
          // Marks the presence of layers.
          syntax.types.insert(64)
        }
        if syntax.codec.isRandomAccess(unit.type) { hasIDR = true }
      }
      if sample.isSync, !hasIDR, !track.samples.areAllSync { syntax.recoveryPoints = .all }
    }
    return syntax
  }
}
