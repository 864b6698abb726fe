import ISOBMFF
public import MP4Bytes

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
  /// A name such as `hvc1` (`avc1`, `dva1`, `dvh1`) promises that the sample entry has all parameter sets. Those of all
  /// sync samples are read, and the missing ones are added to the sample entry. It is an obstacle if one contradicts
  /// another with the same ID. No sample changes.
  public func renamingSampleEntries(to name: FourCC) throws -> MovieEditor {
    func refusal(_ code: Obstacle.Code, _ text: String) -> MovieError {
      .impossible(file: source.name, Obstacle(code, text))
    }
    guard let family = Self.families.first(where: { $0.complete == name || $0.inBand == name }) else {
      throw refusal("unknown_sample_entry", "sample entries cannot be renamed to \(name)")
    }
    let old = name == family.complete ? family.inBand : family.complete
    var names: [FourCC] = []
    var hasRenamed = false
    var notes: [Diagnostic] = []
    var movie: Movie?
    var editor = try editingTracks(TrackSelection()) { trak in
      let types = trak.first("mdia", "minf", "stbl", "stsd")?.boxes.filter(\.hasHeader).map(\.type) ?? []
      names += types.filter { !names.contains($0) }
      guard types.contains(old) else { return }
      hasRenamed = true
      guard name == family.complete else {
        return try trak.editEntries { entry, _ in if entry.type == old { entry.type = name } }
      }
      let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
      if movie == nil { movie = try Movie(reading: [source]) }
      guard let track = movie?.tracks.first(where: { $0.id == id }), types.allSatisfy({ $0 == old }),
        let sets = try track.parameterSetsOfSamples()
      else {
        throw refusal(
          "contradictory_parameter_sets",
          "track \(id) cannot be renamed to \(name): parameter sets in its samples contradict each other or its \(old) "
            + "entry, or cannot be read")
      }
      let payloads = MoviePayloads(source: source)
      try trak.editEntries { entry, index in
        try entry.complete(as: name, index < sets.missing.count ? sets.missing[index] : [], payloads)
      }
      let added = sets.missing.reduce(0) { $0 + $1.count }
      if added > 0 {
        let text = "track \(id): \(counted(added, "parameter set")) of its samples added to the sample entry"
        notes.append(Diagnostic(.note, source.name, text))
      }
    }
    if !hasRenamed {
      if names.contains(name) { return self }
      let known = names.isEmpty ? "none" : names.map(\.description).joined(separator: ", ")
      throw refusal(
        "no_sample_entry",
        "no track has a sample entry \(old) that can be renamed to \(name); there are \(known)")
    }
    editor.diagnostics += notes
    return editor
  }
}

extension Box {
  /// Changes each sample entry of a track.
  fileprivate mutating func editEntries(_ change: (inout Box, _ index: Int) throws -> Void) throws {
    try editBoxes(["mdia", "minf", "stbl", "stsd"]) { stsd in
      for index in stsd.boxes.indices where stsd.boxes[index].hasHeader { try change(&stsd.boxes[index], index) }
    }
  }
}
