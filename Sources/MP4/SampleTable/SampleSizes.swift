import ISOBMFF
import MP4Bytes

/// The sizes of the samples of a track, from either of the two box types.
enum SampleSizes {
  /// `stsz`.
  case plain(SampleSizeBox)
  /// `stz2`.
  case compact(CompactSampleSizeBox)

  /// The number of samples.
  var count: Int {
    switch self {
    case .plain(let box): Int(box.sampleCount)
    case .compact(let box): Int(box.sampleCount)
    }
  }
}

extension MoviePayloads {
  /// The sizes in a sample table. If it has both boxes, which the standard does not allow, `stsz` is used, as in other
  /// readers.
  func sampleSizes(_ table: Box, prefix: String) throws(MovieError) -> SampleSizes {
    if let box = table.first("stz2"), table.first("stsz") == nil {
      return .compact(try payload(of: box, in: prefix + "stz2", CompactSampleSizeBox.self))
    }
    return .plain(try payload(of: table.first("stsz"), in: prefix + "stsz", SampleSizeBox.self))
  }
}

extension MoviePayloads {
  /// The common size of all samples of a track, if there is one. For audio that is uncompressed or in packets of one
  /// size, QuickTime declares 1; the actual size is then in the sample description.
  func sampleSize(_ table: Box, _ stsz: SampleSizeBox?) throws(MovieError) -> UInt32? {
    guard let size = stsz?.sampleSize, size > 0 else { return nil }
    guard size == 1, let entry = table.first("stsd")?.boxes.first else { return size }
    let sound: AudioSampleEntry
    do throws(MovieError) {
      sound = try payload(of: entry, in: "stsd", AudioSampleEntry.self)
    } catch {
      if case .io = error { throw error }
      return size
    }
    if let more = sound.version1, more.samplesPerPacket > 0, more.bytesPerFrame.isMultiple(of: more.samplesPerPacket) {
      return max(size, more.bytesPerFrame / more.samplesPerPacket)
    }
    if let more = sound.version2, more.constLPCMFramesPerAudioPacket == 1 {
      return max(size, more.constBytesPerAudioPacket)
    }
    guard sound.entryVersion == 0, ["sowt", "twos", "raw ", "NONE"].contains(entry.type) else { return size }
    return max(size, UInt32(sound.channelCount) * UInt32(sound.sampleSize / 8))
  }
}
