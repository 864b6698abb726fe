extension Rule {
  /// All rules, in the order of their sources.
  public static let all: [Rule] =
    structure + files + movieBoxes + sampleTables + fragments + samples + codecs + cmaf + players + playlistLines
    + playlistMedia + reloads + apple

  private static let codecs: [Rule] = sampleEntries + videoCodecs + audioCodecs + encryption

  /// The rule with this name.
  public static func named(_ id: String) -> Rule? { all.first { $0.id == id } }
}
