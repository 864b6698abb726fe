import ISOBMFF
import MP4Bytes

/// Reads movie fragments one at a time, independently of each other.
struct LiveFragmentReader {
  struct Result {
    var fragment: LiveFragment
    /// The end of its samples.
    var mediaEnd: Int
    var diagnostics: [Diagnostic]

    /// Whether some of its sample information is damaged. If tracks are not declared, the others can be played.
    var isDamaged: Bool {
      diagnostics.contains { diagnostic in
        if case .unknownTrack = diagnostic.kind { false } else { diagnostic.severity == .error }
      }
    }
  }
  private let movie: MovieDescription
  private let delays: DecodeTimeDelays
  /// The end of the latest fragment of each track.
  private var ends: [Int64]
  /// The duration of most samples of the latest fragment of each track; `nil` if it is unknown.
  private var usualDurations: [UInt32?]
  /// Tracks of fragments that the movie does not declare.
  private var unknownTracks: Set<UInt32> = []

  /// `delays` are added to the decode times of the tracks.
  init(_ movie: MovieDescription, delays: [Int64] = []) {
    self.movie = movie
    self.delays = DecodeTimeDelays(movie, delays)
    ends = delays.isEmpty ? Array(repeating: 0, count: movie.tracks.count) : delays
    usualDurations = Array(repeating: nil, count: movie.tracks.count)
  }

  /// Reads a `moof`.
  mutating func read(_ moof: MemorySource, boxesBefore: [UInt8]) throws(MovieError) -> Result {
    let moof = try delays.delayed(moof)
    // A base can be in the box, at its end, or at the end of the media data header.
    let bases = moof.range.lowerBound...(moof.range.upperBound + 16)
    let (table, end, _) = try FragmentTable.reading(moof.range, of: moof, movie, bases: bases)
    let mediaEnd = max(end, moof.range.upperBound)
    let (box, numberPlace) = try relative(moof, bases)
    var fragment = LiveFragment(
      offset: moof.baseOffset, sequenceNumber: table.headers.first?.sequenceNumber ?? 0, parts: parts(of: table),
      boxesBefore: boxesBefore, box: box, numberPlace: numberPlace,
      mediaByteCount: mediaEnd - moof.range.upperBound, fingerprint: box.hashValue)
    fragment.hasUndeclaredTracks = !table.unknownTracks.isEmpty
    return Result(fragment: fragment, mediaEnd: mediaEnd, diagnostics: diagnostics(of: table))
  }

  /// The box with offsets relative to its start, and the offset of its sequence number.
  private func relative(_ moof: MemorySource, _ bases: ClosedRange<Int>) throws(MovieError) -> ([UInt8], Int?) {
    do throws(IOError) {
      var boxes = try [Box](reading: moof, in: moof.range)
      let header = boxes.first?.first("mfhd")?.header
      let number = header.flatMap { $0.payload.count >= 8 ? $0.payload.lowerBound + 4 - moof.baseOffset : nil }
      for index in boxes.indices {
        Relocation.countFromStart(&boxes[index], BaseDataOffset(precedingBytes: 0, places: bases), of: moof)
      }
      // A box that cannot be encoded is kept unchanged.
      guard let serializer = try? BoxSerializer(boxes), serializer.size == moof.bytes.count else {
        return (moof.bytes, number)
      }
      let sink = MemorySink(name: moof.name)
      try serializer.write(to: sink, from: moof)
      return (sink.bytes, number)
    } catch { throw .io(error) }
  }

  /// The samples of each track in the fragment, over all its track fragments.
  private mutating func parts(of table: FragmentTable) -> [LiveFragment.Part] {
    var parts: [LiveFragment.Part] = []
    for fragment in table.trackFragments where fragment.sampleCount > 0 {
      let duration = Int64(min(fragment.duration, UInt64(TrackTimeline.limit)))
      let (own, samples) = (table.samples[fragment.track], fragment.samples)
      let keyIDs = fragment.keyIDs(table.tracks[fragment.track], table.information[fragment.track].groups)
      let common = own.commonDuration(samples)
      if let common, samples.count > 2 { usualDurations[fragment.track] = common }
      let usual = usualDurations[fragment.track]
      if let index = parts.firstIndex(where: { $0.track == fragment.track }) {
        parts[index].syncTimes.append(own.syncTimes(samples, from: parts[index].end))
        let extent = own.extent(samples, from: parts[index].end, to: parts[index].end &+ duration, usual: usual)
        parts[index].extent = parts[index].extent.lowerBound..<max(extent.upperBound, parts[index].extent.lowerBound)
        parts[index].duration = min(parts[index].duration + duration, TrackTimeline.limit)
        parts[index].sampleCount += fragment.sampleCount
        parts[index].keyIDs.formUnion(keyIDs)
      } else {
        let start = fragment.start(after: ends[fragment.track])
        let extent = own.extent(samples, from: start, to: start &+ duration, usual: usual)
        parts.append(
          LiveFragment.Part(
            track: fragment.track, start: start, duration: duration, extent: extent, usualDuration: usual,
            sampleCount: fragment.sampleCount, sampleDuration: common,
            beginsWithSync: own.flags(fragment.firstSample).isSync,
            isIndependent: own.isIndependent(samples),
            syncTimes: own.syncTimes(samples, from: start), keyIDs: keyIDs))
      }
    }
    for part in parts { ends[part.track] = part.end }
    return parts
  }

  /// Diagnostics; a missing track is reported only once.
  private mutating func diagnostics(of table: FragmentTable) -> [Diagnostic] {
    table.diagnostics.filter { diagnostic in
      guard case .unknownTrack(_, let id) = diagnostic.kind else { return true }
      return unknownTracks.insert(id).inserted
    }
  }
}

extension FragmentTable {
  /// Reads the movie fragment of `movie` whose `moof` is `range` of a source. Also returns the end of its data, and
  /// whether the box fills the range and all nested boxes are in valid places.
  static func reading(
    _ range: Range<Int>, of source: any ByteSource, _ movie: MovieDescription, bases: ClosedRange<Int>? = nil
  ) throws(MovieError) -> (table: FragmentTable, mediaEnd: Int, isWhole: Bool) {
    var reader = FragmentParser(source: source, keepsSamples: true)
    reader.basePlaces = bases
    reader.begin(reader.table.add(movie), ignored: [])
    var parser = BoxParser(source, in: range)
    var (node, isWhole) = (BoxNode(), true)
    do throws(IOError) {
      while try parser.next(into: &node) {
        if node.problem != nil || node.isRemainder { isWhole = false }
        if node.depth == 0 {
          isWhole = isWhole && node.header.isSizeRight && node.header.end == range.upperBound
          reader.beginFragment(node)
        } else {
          do throws(MovieError) { try reader.read(node, &parser) } catch { throw error.ofReading }
        }
      }
    } catch { throw .io(error) }
    try reader.endFragment()
    return (reader.table, reader.mediaEnd, isWhole)
  }
}

extension SampleColumns {
  /// The duration of most of these samples, if at most two have another one.
  fileprivate func commonDuration(_ samples: Range<Int>) -> UInt32? {
    guard let extent = extents(in: samples).max(by: { $0.samples.count < $1.samples.count })?.samples else {
      return nil
    }
    let common = duration((extent.lowerBound + extent.upperBound) / 2)
    var others = 0
    durations.forEachRun(in: extent) { duration, count in others += duration == Int64(common) ? 0 : count }
    return others <= 2 ? common : nil
  }

  /// The times between which these samples are, if the first and the last one last at most as long as `usual`.
  func extent(_ samples: Range<Int>, from start: Int64, to end: Int64, usual: UInt32?) -> Range<Int64> {
    guard !samples.isEmpty, let usual else { return start..<max(start, end) }
    func excess(_ index: Int) -> Int64 { max(0, Int64(duration(index)) - Int64(usual)) }
    // If it is one sample, it was extended to the next one.
    let first = samples.count > 1 ? start &+ excess(samples.lowerBound) : start
    return first..<max(first, end &- excess(samples.upperBound - 1))
  }

  /// Whether these samples start with a sync sample, and nothing that is presented before it depends on previous
  /// samples.
  fileprivate func isIndependent(_ samples: Range<Int>) -> Bool {
    guard let start = samples.first, flags(start).isSync else { return false }
    let first = compositionOffset(start)
    var (index, time) = (start + 1, Int64(duration(start)))
    while index < samples.upperBound {
      let run = run(at: index, before: samples.upperBound)
      // Leading pictures are decoded before the next sync sample, and before the pictures that follow the first one.
      if run.flags.isSync || time > first { return true }
      // In a run, only its first sample can be the earliest one.
      if time &+ run.compositionOffset < first, !run.flags.isDecodableLeading { return false }
      let (length, overflow) = Int64(run.duration).multipliedReportingOverflow(by: Int64(run.end - index))
      if overflow || time &+ length &- Int64(run.duration) > first { return true }
      (index, time) = (run.end, time &+ length)
    }
    return true
  }

  /// Adjacent samples with equal values.
  private struct EqualSamples {
    var end: Int
    var duration: UInt32
    var flags: SampleFlags
    var compositionOffset: Int64
  }
  /// Samples that are known to be equal to the one at `index`.
  private func run(at index: Int, before limit: Int) -> EqualSamples {
    let (duration, flag) = (durations.run(at: index), flags.run(at: index))
    let offset = compositionOffsets.run(at: index)
    return EqualSamples(
      end: min(duration.end, flag.end, offset.end, limit), duration: UInt32(truncatingIfNeeded: duration.value),
      flags: SampleFlags(rawValue: UInt32(truncatingIfNeeded: flag.value)), compositionOffset: offset.value)
  }

  /// The decode times of the sync samples among some samples, the first of which starts at `start`.
  fileprivate func syncTimes(_ samples: Range<Int>, from start: Int64) -> LiveFragment.SyncTimes {
    var result = LiveFragment.SyncTimes()
    var (index, time) = (samples.lowerBound, start)
    while index < samples.upperBound {
      let run = run(at: index, before: samples.upperBound)
      if run.flags.isSync { result.append(from: time, every: Int64(run.duration), count: run.end - index) }
      time = time &+ Int64(run.duration) &* Int64(run.end - index)
      index = run.end
    }
    return result
  }
}

extension MovieError {
  /// Reading from memory can only fail with this kind of error.
  fileprivate var ofReading: IOError {
    if case .io(let error) = self { error } else { IOError(.read, file: file, reason: reason) }
  }
}
