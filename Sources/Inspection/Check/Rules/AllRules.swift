extension Rule {
  /// All rules, grouped by their sources.
  public static let all: [Rule] =
    structure + files + movieBoxes + sampleTables + durations + fragments + mediaPlaces + samples + codecs + media
    + splices
    + cmaf + players
    + playlistLines
    + playlistMedia + subtitleSegments + timelines + sharedSegments + manifests + reloads + apple

  private static let codecs: [Rule] = sampleEntries + videoCodecs + nalSamples + audioCodecs + encryption

  /// The rule with this name.
  public static func named(_ id: String) -> Rule? { all.first { $0.id == id } }
}
