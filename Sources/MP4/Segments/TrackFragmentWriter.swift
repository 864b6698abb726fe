import ISOBMFF
import MP4Bytes

/// Creates the `traf` of some samples of one track.
struct TrackFragmentWriter: Sendable {
  let trackID: UInt32
  let list: SampleList
  let details: SampleAuxiliaryInfo
  let placement: TrackTimeMapping
  /// The encryption of samples, by sample description; `nil` for samples in the clear.
  let encryption: [TrackEncryption?]
  /// The sample description of fragments that do not declare one.
  var defaultDescription: UInt32 = 1

  /// One `traf`, with values that depend on its position.
  struct Fragment {
    var header: TrackFragmentHeaderBox
    var decodeTime: TrackFragmentDecodeTimeBox
    /// The runs of its samples. Data of other tracks can be between them.
    var runs: [TrackRunBox] = []
    var encryption: SampleEncryptionBox?
    var auxiliary: (sizes: SampleAuxiliaryInformationSizesBox, offsets: SampleAuxiliaryInformationOffsetsBox)?
    var details: [Box]
    /// Auxiliary information that is not in a box; it is written before the media data.
    var auxiliaryBytes: [UInt8] = []

    /// The box; its offsets are relative to the start of the `moof`.
    var box: Box {
      var boxes = boxesBeforeEncryption
      // `senc`, to which `saio` refers, is the last of the boxes whose sizes affect its offset.
      if let encryption { boxes.append(Box(encryption)) }
      return Box("traf", boxes: boxes + details)
    }

    private var boxesBeforeEncryption: [Box] {
      let boxes = [Box(header), Box(decodeTime)] + runs.map { Box($0) }
      return boxes + (auxiliary.map { [Box($0.sizes), Box($0.offsets)] } ?? [])
    }

    /// The offset of the first entry of `senc` from the start of the `traf`.
    var encryptionOffset: Int {
      // The headers of `traf` and `senc`, its version and flags, and the number of samples.
      8 + BoxSerializer.size(of: boxesBeforeEncryption) + 16
    }
  }

  /// The fragment of the samples between the first and the last of `positions`, which have the same description. Each
  /// position except the last starts a run.
  func fragment(_ positions: [SampleCursor], description: UInt32) -> Fragment {
    let start = positions[0]
    let samples = start.sample..<positions[positions.count - 1].sample
    var header = TrackFragmentHeaderBox()
    header.trackID = trackID
    header.header.flags = 0x2_0000
    if description != defaultDescription { header.sampleDescriptionIndex = description }
    var time = TrackFragmentDecodeTimeBox()
    time.header.version = 1
    time.baseMediaDecodeTime = UInt64(clamping: start.time &+ placement.start)
    var fragment = Fragment(header: header, decodeTime: time, details: details.boxes(of: samples))
    addRuns(positions.map(\.sample), to: &fragment)
    addAuxiliary(samples, description, to: &fragment)
    return fragment
  }

  private func addRuns(_ starts: [Int], to fragment: inout Fragment) {
    let samples = starts[0]..<starts[starts.count - 1]
    var shape: UInt32 = 0
    let columns = list.columns
    if let duration = columns.durations.constant(in: samples) {
      fragment.header.defaultSampleDuration = UInt32(truncatingIfNeeded: duration)
    } else {
      shape |= 0x100
    }
    if let size = columns.sizes.constant(in: samples) {
      fragment.header.defaultSampleSize = UInt32(truncatingIfNeeded: size)
    } else {
      shape |= 0x200
    }
    var first: UInt32?
    if let rest = commonFlags(of: samples.dropFirst()) ?? commonFlags(of: samples) {
      fragment.header.defaultSampleFlags = rest
      let own = list.flags(samples.lowerBound).withDependency.rawValue
      if own != rest { first = own }
    } else {
      shape |= 0x400
    }
    // If all offsets equal the value that is subtracted from them, none remain.
    if columns.compositionOffsets.constant(in: samples) != placement.offsetShift { shape |= 0x800 }
    // Readers can reject a number of samples that have no bytes at all.
    if shape == 0, samples.count > 1, fragment.header.defaultSampleSize == 0 {
      fragment.header.defaultSampleSize = nil
      shape |= 0x200
    }
    var walk = SampleWalk(list, from: SampleCursor(samples.lowerBound, in: list))
    for (start, end) in zip(starts, starts.dropFirst()) {
      var run = TrackRunBox()
      run.header = FullBoxHeader(version: 1, flags: shape)
      // The data offset is set when all sizes are known.
      run.dataOffset = 0
      if let first, start == samples.lowerBound { run.firstSampleFlags = first }
      run.samples = BoxTable(encoded: rows(to: end, shape, &walk), count: end - start, shape: shape)
      fragment.runs.append(run)
    }
  }

  /// The flags that fragments declare for these samples, if all are equal; otherwise, or without samples, `nil`.
  private func commonFlags(of samples: Range<Int>) -> UInt32? {
    guard let first = samples.first else { return nil }
    let common = list.flags(first).withDependency
    var index = first
    while index < samples.upperBound {
      let run = list.columns.flags.run(at: index)
      guard SampleFlags(rawValue: UInt32(truncatingIfNeeded: run.value)).withDependency == common else { return nil }
      index = run.end
    }
    return common.rawValue
  }

  /// The rows of the samples from `walk` on.
  private func rows(to end: Int, _ shape: UInt32, _ walk: inout SampleWalk) -> [UInt8] {
    guard shape != 0 else { return [] }
    var values: [UInt32] = []
    values.reserveCapacity((end - walk.sample) * shape.nonzeroBitCount)
    while walk.sample < end {
      if shape & 0x100 != 0 { values.append(UInt32(truncatingIfNeeded: walk.duration)) }
      if shape & 0x200 != 0 { values.append(UInt32(truncatingIfNeeded: walk.size)) }
      if shape & 0x400 != 0 { values.append(walk.flags.withDependency.rawValue) }
      if shape & 0x800 != 0 {
        values.append(UInt32(bitPattern: Int32(clamping: walk.compositionOffset - placement.offsetShift)))
      }
      walk.advance()
    }
    var writer = ByteWriter()
    writer.numbers(values.count) { values[$0] }
    return writer.bytes
  }

  private func addAuxiliary(_ samples: Range<Int>, _ description: UInt32, to fragment: inout Fragment) {
    let index = Int(description) - 1
    let own = encryption.indices.contains(index) ? encryption[index] : nil
    let (sizes, bytes) = details.auxiliary(of: samples)
    guard !bytes.isEmpty, let saiz = details.auxiliarySizes(of: samples) else {
      // Some decrypters need `senc` even if it has no entries: those of all samples are empty.
      let isInGroups = details.hasEncryptionGroups && details.writesEncryptionGroups
      guard let own, own.hasConstantVector, !isInGroups else { return }
      var senc = SampleEncryptionBox()
      (senc.perSampleIVSize, senc.emptySampleCount) = (0, UInt32(clamping: samples.count))
      fragment.encryption = senc
      return
    }
    var saio = SampleAuxiliaryInformationOffsetsBox()
    saio.header = FullBoxHeader(version: 0, flags: saiz.flags)
    saio.auxInfoType = saiz.auxInfoType
    saio.auxInfoTypeParameter = saiz.auxInfoTypeParameter
    saio.offsets = [0]
    fragment.auxiliary = (saiz, saio)
    fragment.encryption = SampleEncryptionBox(auxiliary: sizes, bytes, ivSize: own?.ivSize)
    if fragment.encryption == nil { fragment.auxiliaryBytes = Array(bytes) }
  }
}

extension SampleEncryptionBox {
  /// The auxiliary information of samples as `senc`; `nil` if the box would contain different bytes.
  fileprivate init?(auxiliary sizes: [UInt8], _ bytes: ArraySlice<UInt8>, ivSize: UInt8?) {
    guard let ivSize else { return nil }
    self.init()
    let hasSubsamples = sizes.contains { $0 > ivSize }
    header.flags = hasSubsamples ? 2 : 0
    perSampleIVSize = ivSize
    var start = bytes.startIndex
    for size in sizes {
      let entry = bytes[start..<(start + Int(size))]
      start += Int(size)
      var sample = Sample()
      sample.initializationVector = Array(entry.prefix(Int(ivSize)))
      let rest = entry.dropFirst(Int(ivSize))
      if hasSubsamples {
        // A 16-bit count, and six bytes per subsample.
        guard rest.count >= 2, (rest.count - 2) % 6 == 0 else { return nil }
        let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
        guard count == (rest.count - 2) / 6 else { return nil }
        sample.subsamples = BoxTable(encoded: Array(rest.dropFirst(2)), count: count)
      }
      guard sample.initializationVector.count == Int(ivSize) else { return nil }
      samples.append(sample)
    }
  }
}
