import Bytes
import ISOBMFF

/// Finds wrong keys: those that do not decrypt samples to valid syntax of their codec.
struct KeyCheck {
  private let tracks: [Track]
  private let sources: [DecryptedSource]
  /// Keys that cannot be checked.
  private(set) var unknown: [DecryptionObstacle.Key] = []
  /// The maximum number of bytes that are examined of a sample, and of all samples of a key.
  private static let sampleLimit = 1 << 20
  private static let byteLimit = 1 << 25
  /// If there are more samples: the number of samples, and of bytes of each, that are examined.
  private static let (headLimit, headSize) = (1 << 12, 1 << 12)

  init(_ tracks: [Track], _ sources: [DecryptedSource]) { (self.tracks, self.sources) = (tracks, sources) }

  /// The first wrong key, with the track and the first samples that need it.
  mutating func wrongKey(_ keys: [(key: DecryptionObstacle.Key, track: Int, samples: [Int])]) throws(IOError)
    -> DecryptionObstacle.Key?
  {
    for (key, number, samples) in keys {
      let track = tracks[number]
      guard let first = samples.first, let configuration = configuration(of: track.samples[first], track) else {
        continue
      }
      var syntax = SampleSyntax(configuration)
      guard syntax.canJudge else {
        unknown.append(key)
        continue
      }
      var (left, headCount) = (Self.byteLimit, 0)
      for index in samples {
        if index >= samples[0] + 64 && syntax.isConclusive || headCount == Self.headLimit { break }
        let sample = track.samples[index]
        guard sample.descriptionIndex == track.samples[first].descriptionIndex else { continue }
        let source = sources[sample.sourceIndex]
        let range = sample.offset..<sample.offset + min(sample.size, left > 0 ? Self.sampleLimit : Self.headSize)
        left -= range.count
        if left <= 0 { headCount += 1 }
        // The start of a large sample can be checked without the rest.
        syntax.add(
          try source.bytes(in: range), encrypted: try source.base.bytes(in: range), isWhole: range.count == sample.size)
      }
      if syntax.isWrong { return key }
      if !syntax.isConvincing { unknown.append(key) }
    }
    return nil
  }

  private func configuration(of sample: Sample, _ track: Track) -> DecoderConfiguration? {
    let index = sample.descriptionIndex - 1
    return track.decoderConfigurations.indices.contains(index) ? track.decoderConfigurations[index] : nil
  }
}
