extension TrackSpec {
  /// The number of samples of `moov` in a chunk.
  static let samplesPerChunk = 4

  /// `stbl`: empty tables, or those of the samples in `moov`.
  func tableBytes(_ samples: [SampleRecord], _ chunkOffsets: [Int]) -> [UInt8] {
    let entries = fullBox("stsd", big(UInt32(sampleEntries.count)), sampleEntries.flatMap { $0 })
    let sizes = samples.flatMap { big(UInt32($0.payload.count)) }
    return box(
      "stbl", entries, durationBytes(samples), offsetBytes(samples), syncBytes(samples), chunkBytes(samples),
      fullBox("stsz", zeros(4), big(UInt32(samples.count)), sizes),
      fullBox("stco", big(UInt32(chunkOffsets.count)), chunkOffsets.flatMap { big(UInt32($0)) }),
      GroupBytes.descriptions(groupDescriptions), boxes["stbl"] ?? [])
  }

  /// `stts` with one row per sample: long, but certainly correct.
  private func durationBytes(_ samples: [SampleRecord]) -> [UInt8] {
    fullBox("stts", big(UInt32(samples.count)), samples.flatMap { big(UInt32(1)) + big(UInt32($0.duration)) })
  }

  private func offsetBytes(_ samples: [SampleRecord]) -> [UInt8] {
    guard samples.contains(where: { $0.compositionOffset != 0 }) else { return [] }
    let rows = samples.flatMap { big(UInt32(1)) + big(Int32($0.compositionOffset)) }
    let signed = samples.contains { $0.compositionOffset < 0 }
    return fullBox("ctts", version: signed ? 1 : 0, big(UInt32(samples.count)), rows)
  }

  private func syncBytes(_ samples: [SampleRecord]) -> [UInt8] {
    let numbers = samples.indices.filter { samples[$0].isSync }
    if numbers.count == samples.count { return [] }
    return fullBox("stss", big(UInt32(numbers.count)), numbers.flatMap { big(UInt32($0 + 1)) })
  }

  private func chunkBytes(_ samples: [SampleRecord]) -> [UInt8] {
    var rows: [UInt32] = []
    let (full, rest) = samples.count.quotientAndRemainder(dividingBy: Self.samplesPerChunk)
    let description = UInt32(samples.first?.descriptionIndex ?? 1)
    if full > 0 { rows += [1, UInt32(Self.samplesPerChunk), description] }
    if rest > 0 { rows += [UInt32(full + 1), UInt32(rest), description] }
    return fullBox("stsc", big(UInt32(rows.count / 3)), rows.flatMap { big($0) })
  }
}
