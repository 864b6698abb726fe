/// The samples of a fragment, with inherited values filled in.
struct ResolvedFragment {
  struct Traf {
    var track: UInt32 = 0
    var decodeTime: UInt64 = 0
    var runs: [[SampleRecord]] = []
    /// The group descriptions in `moov`.
    var groupDescriptions: [String: [[UInt8]]] = [:]

    /// The samples of all runs.
    var samples: [SampleRecord] { runs.flatMap(\.self) }
  }

  var sequenceNumber: UInt32 = 0
  var trafs: [Traf] = []
}

/// Resolves declared samples: times accumulate, fields are inherited, and payloads are generated.
struct SampleResolver {
  let tracks: [TrackSpec]
  let seed: UInt64
  private var clocks: [UInt32: UInt64] = [:]
  private var counts: [UInt32: UInt64] = [:]
  private var sequenceNumber: UInt32 = 0

  init(tracks: [TrackSpec], seed: UInt64) {
    self.tracks = tracks
    self.seed = seed
  }

  /// The samples in the tables of `moov`; `trex` supplies missing fields. Of the flags, only sync is written.
  mutating func tableSamples(of track: TrackSpec) -> [SampleRecord] {
    records(track.samples, TrackFragmentSpec(track.id), firstSampleFlags: nil).withSyncOnly()
  }

  mutating func resolve(_ fragment: FragmentSpec) -> ResolvedFragment {
    sequenceNumber = fragment.sequenceNumber ?? sequenceNumber + 1
    return ResolvedFragment(sequenceNumber: sequenceNumber, trafs: fragment.trafs.map { resolve($0) })
  }

  private mutating func resolve(_ traf: TrackFragmentSpec) -> ResolvedFragment.Traf {
    let now = clocks[traf.track] ?? 0
    if case .absent = traf.tfdt {
      precondition(traf.decodeTime.map { $0 == now } ?? true, "without tfdt, no reader can know the decode time")
    }
    clocks[traf.track] = traf.decodeTime ?? now
    let decodeTime = traf.decodeTime ?? now
    if traf.isDurationEmpty {
      precondition(traf.runs.isEmpty, "duration-is-empty has no runs")
      clocks[traf.track] = decodeTime + UInt64(traf.defaultDuration ?? trex(of: traf.track).duration)
    }
    let runs = traf.runs.map { records($0.samples, traf, firstSampleFlags: $0.firstSampleFlags) }
    let descriptions = tracks.first { $0.id == traf.track }?.groupDescriptions ?? [:]
    return ResolvedFragment.Traf(
      track: traf.track, decodeTime: decodeTime, runs: runs, groupDescriptions: descriptions)
  }

  private func trex(of track: UInt32) -> TrackDefaults {
    tracks.first { $0.id == track }?.trex ?? TrackDefaults()
  }

  private mutating func records(
    _ samples: [SampleSpec], _ traf: TrackFragmentSpec, firstSampleFlags: UInt32?
  ) -> [SampleRecord] {
    let trex = trex(of: traf.track)
    var clock = clocks[traf.track] ?? 0
    var count = counts[traf.track] ?? 0
    let records = samples.enumerated().map { index, sample in
      let duration = sample.duration ?? traf.defaultDuration ?? trex.duration
      let first = index == 0 ? firstSampleFlags : nil
      let record = SampleRecord(
        decodeTime: Int(clock), compositionOffset: Int(sample.compositionOffset ?? 0), duration: Int(duration),
        flags: sample.flags ?? first ?? traf.defaultFlags ?? trex.flags,
        descriptionIndex: Int(traf.description ?? trex.description),
        payload: payload(traf.track, count, Int(sample.size ?? traf.defaultSize ?? trex.size)),
        groups: sample.groups, auxiliary: sample.auxiliary)
      clock += UInt64(duration)
      count += 1
      return record
    }
    clocks[traf.track] = clock
    counts[traf.track] = count
    return records
  }

  /// Bytes that are unique to a sample.
  private func payload(_ track: UInt32, _ index: UInt64, _ size: Int) -> [UInt8] {
    var seeds = SplitMix64(seed: seed ^ UInt64(track) << 40 ^ index)
    return seeds.bytes(size)
  }
}
