public import Bytes
import ISOBMFF

extension MovieEditor {
  /// The two sample entry names of a codec.
  private struct Family {
    /// All parameter sets are in the sample entry.
    var complete: FourCC
    /// Samples may contain parameter sets.
    var inBand: FourCC
  }
  private static let families = [
    Family(complete: "avc1", inBand: "avc3"), Family(complete: "hvc1", inBand: "hev1"),
    Family(complete: "dva1", inBand: "dvav"), Family(complete: "dvh1", inBand: "dvhe"),
  ]
  /// The possible names of sample entries: those of H.264, H.265, and Dolby Vision based on either.
  public static let sampleEntryNames: [FourCC] = families.flatMap { [$0.complete, $0.inBand] }

  /// An editor that gives the sample entries of a codec the other of its two names, for example `hvc1` instead of
  /// `hev1`.
  ///
  /// For a name that promises all parameter sets in the sample entry (`avc1`, `hvc1`, `dva1`, `dvh1`), the parameter
  /// sets of all sync samples are read; one that is missing from the sample entry is an obstacle. Samples do not
  /// change.
  public func renameSampleEntries(to name: FourCC) throws -> MovieEditor {
    func refusal(_ obstacle: SampleEntryObstacle) -> MovieError { .impossible(file: source.name, obstacle) }
    guard let family = Self.families.first(where: { $0.complete == name || $0.inBand == name }) else {
      throw refusal(.unknown(name))
    }
    let old = name == family.complete ? family.inBand : family.complete
    var names: [FourCC] = []
    var renamed: [UInt32] = []
    let editor = try editingTracks(TrackSelection()) { trak in
      let types = trak.first("mdia", "minf", "stbl", "stsd")?.boxes.filter(\.hasHeader).map(\.type) ?? []
      names += types.filter { !names.contains($0) }
      guard types.contains(old) else { return }
      renamed.append(try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0)
      try trak.editEntries { entry in
        guard entry.type == old else { return }
        entry.type = name
        guard name == family.complete else { return }
        try entry.edit(["hvcC"], HEVCConfigurationBox.self, of: source) { hvcC in
          for array in hvcC.arrays.indices where 32...34 ~= hvcC.arrays[array].nalUnitType {
            hvcC.arrays[array].isComplete = true
          }
        }
      }
    }
    if renamed.isEmpty {
      if names.contains(name) { return self }
      throw refusal(.none(old, to: name, known: names))
    }
    if name == family.complete { try checkParameterSets(of: renamed, old, name) }
    return editor
  }

  /// Throws if samples of a track have parameter sets that its sample entry does not have.
  private func checkParameterSets(of tracks: [UInt32], _ old: FourCC, _ new: FourCC) throws(MovieError) {
    let movie = try Movie(reading: [source])
    let found = try movie.movingParameterSets().tracks
    for id in tracks {
      guard let index = movie.tracks.firstIndex(where: { $0.id == id }), index < found.count,
        case .moved = found[index]
      else { throw .impossible(file: source.name, SampleEntryObstacle.parameterSets(track: id, old, new)) }
    }
  }
}

extension Box {
  /// Changes each sample entry of a track.
  fileprivate mutating func editEntries(_ change: (inout Box) throws -> Void) throws {
    try editBoxes(["mdia", "minf", "stbl", "stsd"]) { stsd in
      for index in stsd.boxes.indices where stsd.boxes[index].hasHeader { try change(&stsd.boxes[index]) }
    }
  }

  /// Changes the box at a path of first boxes of each type, if it exists.
  private mutating func editBoxes(_ path: ArraySlice<FourCC>, _ change: (inout Box) throws -> Void) throws {
    guard let type = path.first else { return try change(&self) }
    guard let index = boxes.firstIndex(where: { $0.type == type }) else { return }
    try boxes[index].editBoxes(path.dropFirst(), change)
  }
}
