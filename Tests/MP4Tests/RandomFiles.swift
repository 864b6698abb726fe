import Support

/// Creates fragmented files with a random structure.
struct RandomFiles {
  var random: SplitMix64
  var file: FragmentedFileBuilder
  /// The current decode time of each track.
  var clocks: [UInt32: UInt64] = [:]

  /// The file for this seed; always the same one.
  static func file(_ seed: UInt64) -> BuiltFile {
    var maker = RandomFiles(seed: seed)
    maker.addFragments()
    return maker.file.build()
  }

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var tracks = [TrackSpec.video(), .audio(), .text(), .video(id: 9)].shuffled(using: &random)
    tracks = Array(tracks.prefix(Int.random(in: 1...4, using: &random)))
    for index in tracks.indices {
      tracks[index].timescale = [1000, 12_800, 24_000, 44_100, 90_000].randomElement(using: &random) ?? 1
      tracks[index].trex = TrackDefaults(
        description: 1, duration: .random(in: 1...3000, using: &random), size: .random(in: 0...40, using: &random),
        flags: [.sync, .depends, .disposable].randomElement(using: &random) ?? 0)
      if tracks[index].kind == .video { tracks[index].sampleEntries = [11, 12, 13].map { EntryBytes.avc1(level: $0) } }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: tracks[index].edits = [.media(from: .random(in: 0...2000, using: &random))]
      case 1: tracks[index].edits = [.empty(.random(in: 1...3000, using: &random)), .media(from: 0)]
      default: break
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        tracks[index].samples = .samples(.random(in: 1...9, using: &random))
      }
    }
    file = FragmentedFileBuilder(tracks, seed: seed)
    file.movieTimescale = [600, 1000, 90_000].randomElement(using: &random) ?? 1
    if Bool.random(using: &random) { file.randomAccess = .init() }
    self.random = random
    for track in tracks where track.samples.isEmpty {
      // A start of up to 4 s. Every timescale can express the distance, since all units are of one of these timescales.
      clocks[track.id] =
        Bool.random(using: &self.random) ? 0 : .random(in: 0...UInt64(track.timescale * 4), using: &self.random)
    }
  }

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private mutating func addFragments() {
    let count = Int.random(in: 1...6, using: &random)
    var started: Set<UInt32> = Set(file.tracks.filter { !$0.samples.isEmpty }.map(\.id))
    for number in 0..<count {
      if chance(4) { file.addBoxes(box("styp", ascii("msdh"), zeros(4)), box("free", zeros(number))) }
      var fragment = FragmentSpec()
      fragment.order = chance(4) ? .mediaDataFirst : .movieFragmentFirst
      fragment.mediaDataHeader =
        number == count - 1 && fragment.order == .movieFragmentFirst && chance(2) ? .toEnd : .compact
      if chance(5) { fragment.mediaDataHeader = .large }
      for track in file.tracks where number == 0 || !chance(5) {
        for _ in 0..<(chance(5) ? 2 : 1) {
          let isFirst = started.insert(track.id).inserted
          fragment.trafs.append(traf(track, isFirst: isFirst, isFirstOfFragment: fragment.trafs.isEmpty))
        }
      }
      file.parts.append(.fragment(fragment))
    }
  }

  mutating func traf(_ track: TrackSpec, isFirst: Bool, isFirstOfFragment: Bool) -> TrackFragmentSpec {
    var traf = TrackFragmentSpec(track.id)
    traf.base = [.moof, .none, .explicit, .explicitData].randomElement(using: &random) ?? .moof
    traf.tfdt = isFirst || chance(2) ? .version1 : .absent
    if isFirst { traf.decodeTime = clocks[track.id] }
    if track.sampleEntries.count > 1, chance(2) { traf.description = .random(in: 1...3, using: &random) }
    if chance(2) { traf.defaultDuration = .random(in: 1...3000, using: &random) }
    if chance(2) { traf.defaultSize = .random(in: 0...40, using: &random) }
    if chance(2) { traf.defaultFlags = [.sync, .depends].randomElement(using: &random) }
    for number in 0..<Int.random(in: 1...3, using: &random) {
      traf.runs.append(run(number, traf.base, isFirstOfFragment: isFirstOfFragment))
    }
    return traf
  }

  private mutating func run(_ number: Int, _ base: TrackFragmentSpec.Base, isFirstOfFragment: Bool) -> RunSpec {
    var samples: [SampleSpec] = .inherited(Int.random(in: 0...12, using: &random))
    let states = (0..<4).map { _ in chance(2) }
    let signed = chance(3)
    let isGrouped = chance(3)
    for index in samples.indices {
      if states[0] { samples[index].duration = .random(in: 1...3000, using: &random) }
      if states[1] { samples[index].size = .random(in: 0...60, using: &random) }
      if states[2] { samples[index].flags = .random(in: 0...UInt32.max, using: &random) & 0x0fff_ffff }
      if isGrouped, !chance(3) { samples[index].groups["roll"] = [0, .random(in: 1...3, using: &random)] }
      if states[3] { samples[index].compositionOffset = .random(in: signed ? -4000...4000 : 0...4000, using: &random) }
    }
    var run = RunSpec(samples)
    if !states[2], chance(2) { run.firstSampleFlags = .sync }
    if chance(4), number == 0 { run.unusedBytesBefore = .random(in: 0...9, using: &random) }
    // The position of the data if none is declared.
    let isNext = number > 0 || { if case .explicitData = base { true } else { false } }()
    let followsTraf = if case .none = base { !isFirstOfFragment && run.unusedBytesBefore == 0 } else { false }
    if isNext || followsTraf, chance(2) { run.dataOffset = .absent }
    return run
  }
}
