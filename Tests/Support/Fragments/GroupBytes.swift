/// The boxes that assign samples to groups.
enum GroupBytes {
  /// One `sgpd` for each group type.
  static func descriptions(_ groups: [String: [[UInt8]]]) -> [UInt8] {
    groups.sorted { $0.key < $1.key }.flatMap { type, descriptions in
      // Each description has its own length, or all have the same.
      let lengths = Set(descriptions.map(\.count))
      let common = lengths.count == 1 ? lengths.first ?? 0 : 0
      let entries = descriptions.flatMap { (common == 0 ? big(UInt32($0.count)) : []) + $0 }
      return fullBox(
        "sgpd", version: 1, ascii(type), big(UInt32(common)), big(UInt32(descriptions.count)), entries)
    }
  }

  /// For each group type in a traf: `sgpd` with the descriptions that are not in `moov`, and `sbgp`.
  static func boxes(_ traf: ResolvedFragment.Traf) -> [UInt8] {
    let samples = traf.samples
    return Set(samples.flatMap(\.groups.keys)).sorted().flatMap { type -> [UInt8] in
      let known = traf.groupDescriptions[type] ?? []
      var own: [[UInt8]] = []
      let rows = samples.map { sample -> UInt32 in
        guard let description = sample.groups[type] else { return 0 }
        if let index = known.firstIndex(of: description) { return UInt32(index + 1) }
        let index = own.firstIndex(of: description) ?? own.count
        if index == own.count { own.append(description) }
        // ISO/IEC 14496-12:2022, 8.9.4: indices above 0x10000 refer to the fragment's own descriptions.
        return UInt32(0x1_0001 + index)
      }
      let entries = rows.flatMap { big(UInt32(1)) + big($0) }
      return (own.isEmpty ? [] : descriptions([type: own]))
        + fullBox("sbgp", ascii(type), big(UInt32(rows.count)), entries)
    }
  }
}

/// The boxes that assign auxiliary information to samples.
enum AuxiliaryBytes {
  /// Empty if no sample has any. The boxes start `offset` bytes after the base of the offsets.
  static func boxes(
    _ traf: ResolvedFragment.Traf, _ place: TrackFragmentSpec.AuxiliaryPlace, at offset: Int
  ) -> [UInt8] {
    let information = traf.samples.map(\.auxiliary)
    guard information.contains(where: { !$0.isEmpty }) else { return [] }
    let bytes = information.flatMap(\.self)
    if case .encryptionBox = place {
      let flags: UInt32 = information.contains { $0.count > 8 } ? 2 : 0
      return fullBox("senc", flags: flags, big(UInt32(information.count)), bytes)
    }
    let sizes = fullBox("saiz", [0], big(UInt32(information.count)), information.map { UInt8($0.count) })
    var counts = [0]
    if case .offsetsOfRuns = place { counts = traf.runs.map { $0.reduce(0) { $0 + $1.auxiliary.count } } }
    // `saio` has 16 bytes before its offsets, and the following box has a header of 8 bytes.
    var position = offset + sizes.count + 16 + counts.count * 4 + 8
    let offsets = counts.flatMap { count -> [UInt8] in
      defer { position += count }
      return big(UInt32(position))
    }
    return sizes + fullBox("saio", big(UInt32(counts.count)), offsets) + box("abcd", bytes)
  }
}
