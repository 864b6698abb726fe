import Support

/// Creates fragmented files with a random structure in which fragments declare times again, in random positions of the
/// file.
struct RandomOverlaps {
  private var maker: RandomFiles
  /// The start of each track, and its number of fragments.
  private var starts: [UInt32: UInt64] = [:]
  private var counts: [UInt32: Int] = [:]

  /// The file for this seed; always the same one.
  static func file(_ seed: UInt64) -> (built: BuiltFile, declared: [UInt32: [[SampleRecord]]]) {
    var maker = RandomOverlaps(seed: seed)
    maker.addFragments()
    maker.addOverlaps()
    let file = maker.maker.file
    let built = file.build()
    return (built, Self.declared(built, file))
  }

  private init(seed: UInt64) {
    maker = RandomFiles(seed: seed)
    for index in maker.file.tracks.indices {
      maker.file.tracks[index].samples = []
      let id = maker.file.tracks[index].id
      starts[id] = maker.clocks[id] ?? 0
      maker.clocks[id] = starts[id]
    }
  }

  /// Adjacent fragments.
  private mutating func addFragments() {
    for number in 0..<Int.random(in: 6...10, using: &maker.random) {
      var fragment = FragmentSpec()
      fragment.order = maker.chance(4) ? .mediaDataFirst : .movieFragmentFirst
      for track in maker.file.tracks where number == 0 || !maker.chance(5) {
        var traf = self.traf(track, isFirst: number == 0, isFirstOfFragment: fragment.trafs.isEmpty)
        traf.decodeTime = maker.clocks[track.id]
        maker.clocks[track.id, default: 0] += Self.duration(traf, track)
        fragment.trafs.append(traf)
        counts[track.id, default: 0] += 1
      }
      maker.file.parts.append(.fragment(fragment))
    }
  }

  /// Overlapping fragments, too few for their durations to be taken for wrong.
  private mutating func addOverlaps() {
    for track in maker.file.tracks {
      let (start, end) = (starts[track.id] ?? 0, maker.clocks[track.id] ?? 0)
      for _ in 0..<max(0, ((counts[track.id] ?? 0) - 2) / 3) where !maker.chance(4) {
        var fragment = FragmentSpec()
        var traf = self.traf(track, isFirst: true, isFirstOfFragment: true)
        traf.decodeTime = .random(in: start..<end, using: &maker.random)
        if maker.chance(2) { traf.runs = [traf.runs[0]] }
        fragment.trafs = [traf]
        let place =
          maker.chance(2) ? maker.file.parts.count : .random(in: 1...maker.file.parts.count, using: &maker.random)
        maker.file.parts.insert(.fragment(fragment), at: place)
      }
    }
  }

  /// A track fragment with a decode time and with samples in its first run.
  private mutating func traf(_ track: TrackSpec, isFirst: Bool, isFirstOfFragment: Bool) -> TrackFragmentSpec {
    var traf = maker.traf(track, isFirst: isFirst, isFirstOfFragment: isFirstOfFragment)
    traf.tfdt = .version1
    if traf.runs[0].samples.isEmpty {
      traf.runs[0].samples = .samples(.random(in: 1...8, using: &maker.random), duration: 700)
    }
    return traf
  }

  private static func duration(_ traf: TrackFragmentSpec, _ track: TrackSpec) -> UInt64 {
    traf.runs.flatMap(\.samples).reduce(0) { sum, sample in
      sum + UInt64(sample.duration ?? traf.defaultDuration ?? track.trex?.duration ?? 0)
    }
  }

  /// The samples of each fragment, in file order.
  private static func declared(_ built: BuiltFile, _ file: FragmentedFileBuilder) -> [UInt32: [[SampleRecord]]] {
    var left = built.samples.mapValues { $0[...] }
    var result: [UInt32: [[SampleRecord]]] = [:]
    for case .fragment(let fragment) in file.parts {
      for traf in fragment.trafs {
        let count = traf.runs.reduce(0) { $0 + $1.samples.count }
        result[traf.track, default: []].append(Array(left[traf.track]?.prefix(count) ?? []))
        left[traf.track]?.removeFirst(count)
      }
    }
    return result
  }
}
