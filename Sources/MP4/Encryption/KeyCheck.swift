import ISOBMFF
import MP4Bytes

/// Collects the evidence for keys from samples that are decrypted with them.
struct KeyCheck {
  /// The samples that need a key.
  struct Samples {
    var key: NeededKey
    /// The index of the track.
    var track: Int
    /// The first ones, in order.
    var indices: [Int]
  }
  private let tracks: [Track]
  private let sources: [DecryptedSource]
  /// The maximum number of bytes that are examined of a sample, and of all samples of a key.
  private static let sampleLimit = 1 << 22
  private static let byteLimit = 1 << 25
  /// If there are more samples: the number of samples, and of bytes of each, that are examined.
  private static let (headLimit, headSize) = (1 << 12, 1 << 12)

  init(_ tracks: [Track], _ sources: [DecryptedSource]) { (self.tracks, self.sources) = (tracks, sources) }

  /// The same with other keys.
  func with(_ keys: ContentKeys) -> KeyCheck { KeyCheck(tracks, sources.map { $0.with(keys) }) }

  /// The evidence for a key; `nil` if its samples cannot be judged.
  func evidence(for samples: Samples) throws(IOError) -> KeyEvidence? {
    let track = tracks[samples.track]
    guard let first = samples.indices.first, let configuration = configuration(of: track.samples[first], track) else {
      return nil
    }
    var evidence = KeyEvidence(configuration)
    guard evidence.canJudge else { return nil }
    var (left, headCount) = (Self.byteLimit, 0)
    var vectors: Set<[UInt8]> = []
    for index in samples.indices {
      if evidence.isCertain || headCount == Self.headLimit { break }
      let sample = track.samples[index]
      guard sample.descriptionIndex == track.samples[first].descriptionIndex else { continue }
      // If counters repeat, a wrong key changes all of their samples in the same way, which is no independent evidence.
      if let encryption = try? sample.encryption(), encryption.mode == .counter,
        !vectors.insert(encryption.initializationVector).inserted
      {
        continue
      }
      let source = sources[sample.sourceIndex]
      let range = sample.offset..<sample.offset + min(sample.size, left > 0 ? Self.sampleLimit : Self.headSize)
      left -= range.count
      if left <= 0 { headCount += 1 }
      // The start of a large sample can be checked without the rest.
      evidence.add(
        try source.bytes(in: range), encrypted: try source.base.bytes(in: range), isWhole: range.count == sample.size)
    }
    return evidence
  }

  private func configuration(of sample: Sample, _ track: Track) -> DecoderConfiguration? {
    let index = sample.descriptionIndex - 1
    return track.decoderConfigurations.indices.contains(index) ? track.decoderConfigurations[index] : nil
  }
}

extension KeyEvidence {
  /// Why the key is not certain, for a person.
  func doubt(about key: NeededKey) -> String {
    let odds = UInt64(min(power(abs(bits)), 1e9))
    if bits < 0 {
      return "the key for \(key.text) is probably wrong: its samples are \(odds) times more probable with a wrong key"
    }
    return "the key for \(key.text) could not be verified from the samples: "
      + (odds < 2 ? "they give no hint" : "one in \(odds) wrong keys would pass")
  }
}
