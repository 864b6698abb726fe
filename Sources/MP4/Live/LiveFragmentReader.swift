import Bytes
import ISOBMFF

/// Reads movie fragments one by one, each by itself.
struct LiveFragmentReader {
  struct Result {
    var fragment: LiveFragment
    /// Where its samples end.
    var mediaEnd: Int
    var notices: [Notice]
  }
  private let movie: MovieDescription
  /// Where the latest fragment of each track ended.
  private var ends: [Int64?]
  /// Tracks that fragments name and the movie does not have.
  private var unknownTracks: Set<UInt32> = []

  init(_ movie: MovieDescription) {
    self.movie = movie
    ends = Array(repeating: nil, count: movie.tracks.count)
  }

  /// Reads a `moof`.
  mutating func read(_ moof: MemorySource, boxesBefore: [UInt8]) throws(MovieError) -> Result {
    let places: FragmentPlaces
    do throws(IOError) { places = try FragmentPlaces(moof) } catch { throw .io(error) }
    let box = places.nearBases(moof)
    let reader = try FragmentReader(box.range, of: box, movie)
    let mediaEnd = max(reader.mediaEnd, box.range.upperBound)
    let relative = places.relative(box)
    let fragment = LiveFragment(
      offset: box.baseOffset, sequenceNumber: reader.headers.first?.sequenceNumber ?? 0, parts: parts(of: reader),
      boxesBefore: boxesBefore, box: relative, numberPlace: places.number,
      mediaByteCount: mediaEnd - box.range.upperBound, fingerprint: relative.hashValue)
    return Result(fragment: fragment, mediaEnd: mediaEnd, notices: notices(of: reader))
  }

  /// What the fragment holds of each track, all its track fragments together.
  private mutating func parts(of reader: FragmentReader) -> [LiveFragment.Part] {
    var parts: [LiveFragment.Part] = []
    for fragment in reader.trackFragments where fragment.sampleCount > 0 {
      let duration = Int64(min(fragment.duration, UInt64(TrackTimeline.limit)))
      let keyIDs = fragment.keyIDs(reader.tracks[fragment.track], reader.information[fragment.track].groups)
      if let index = parts.firstIndex(where: { $0.track == fragment.track }) {
        parts[index].syncTimes += reader.store.syncTimes(fragment.runs, from: parts[index].end)
        parts[index].duration = min(parts[index].duration + duration, TrackTimeline.limit)
        parts[index].sampleCount += fragment.sampleCount
        parts[index].keyIDs.formUnion(keyIDs)
      } else {
        let start = start(of: fragment)
        parts.append(
          LiveFragment.Part(
            track: fragment.track, start: start, duration: duration, sampleCount: fragment.sampleCount,
            sampleDuration: reader.store.commonDuration(fragment.runs),
            beginsWithSync: reader.store.beginsWithSync(fragment.runs),
            isIndependent: reader.store.isIndependent(fragment.runs),
            syncTimes: reader.store.syncTimes(fragment.runs, from: start), keyIDs: keyIDs))
      }
    }
    for part in parts { ends[part.track] = part.end }
    return parts
  }

  private func start(of fragment: TrackFragment) -> Int64 {
    let end = ends[fragment.track]
    guard let declared = fragment.declaredTime, declared < UInt64(TrackTimeline.limit) else { return end ?? 0 }
    guard fragment.isNarrowTime, let end else { return Int64(declared) }
    return WrappedTime.unwrapped(Int64(declared), near: end)
  }

  /// What is worth saying; that a track is not there, only once.
  private mutating func notices(of reader: FragmentReader) -> [Notice] {
    var notices: [Notice] = []
    for notice in reader.notices {
      if case .unknownTrack(let path, let id) = notice.kind {
        guard unknownTracks.insert(id).inserted else { continue }
        // The others of its fragments can be played.
        let text = "\(path): track \(id) is not in the movie box; players will not see it"
        notices.append(Notice(.warning, notice.file, text))
      } else {
        notices.append(notice)
      }
    }
    return notices
  }
}

extension FragmentReader {
  /// Reads the movie fragment whose `moof` takes `range` of a source, and belongs to `movie`.
  init(_ range: Range<Int>, of source: any ByteSource, _ movie: MovieDescription) throws(MovieError) {
    self.init(source: source, keepsSamples: true)
    begin(add(movie), ignored: [])
    var parser = BoxParser(source, in: range)
    do throws(IOError) {
      while let node = try parser.next() {
        if node.depth == 0 {
          beginFragment(node)
        } else {
          do throws(MovieError) { try read(node, &parser) } catch { throw error.ofReading }
        }
      }
    } catch { throw .io(error) }
    try endFragment()
  }
}

extension RunStore {
  /// How long the samples of the longest of some runs last, when at most two last otherwise.
  fileprivate func commonDuration(_ indices: Range<Int>) -> UInt32? {
    guard let run = runs[indices].max(by: { $0.count < $1.count }), run.count > 0 else { return nil }
    let common = duration(run, run.count / 2)
    if run.durations.isConstant { return common }
    let others = (0..<run.count).count { duration(run, $0) != common }
    return others <= 2 ? common : nil
  }

  /// Whether decoding can start at the first sample of some runs.
  fileprivate func beginsWithSync(_ indices: Range<Int>) -> Bool {
    guard let run = runs[indices].first(where: { $0.count > 0 }) else { return false }
    return flags(run, 0).isSync
  }

  /// Whether some runs begin with a sync sample, and nothing that is presented before it needs what came before.
  fileprivate func isIndependent(_ indices: Range<Int>) -> Bool {
    var first: Int64?
    var time: Int64 = 0
    for run in runs[indices] {
      for index in 0..<run.count {
        let composition = time &+ Int64(compositionOffset(run, index))
        let flags = flags(run, index)
        if let first {
          // Pictures that lead the first one come before the next sync sample, and before what follows the first one.
          if flags.isSync || time > first { return true }
          if composition < first, !flags.isDecodableLeading { return false }
        } else {
          guard flags.isSync else { return false }
          first = composition
        }
        time = time &+ Int64(duration(run, index))
      }
    }
    return first != nil
  }

  /// The decode times of the sync samples of some runs, the first of which starts at `start`.
  fileprivate func syncTimes(_ indices: Range<Int>, from start: Int64) -> [Int64] {
    var result: [Int64] = []
    var time = start
    for run in runs[indices] {
      for index in 0..<run.count {
        if flags(run, index).isSync { result.append(time) }
        time = time &+ Int64(duration(run, index))
      }
    }
    return result
  }
}

extension MovieError {
  /// Reading from memory fails in no other way.
  fileprivate var ofReading: IOError {
    if case .io(let error) = self { error } else { IOError(.read, file: file, reason: reason) }
  }
}
