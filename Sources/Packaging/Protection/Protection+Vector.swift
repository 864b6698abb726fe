import Ciphers
import MP4
import MP4Bytes

extension Packager.Protection {
  /// The first initialization vector of a rendition, which is the same whenever the same input is packaged with the
  /// same options; empty if it has to be random.
  ///
  /// With `cenc`, the same key and vector for different samples would reveal both, so the vector also depends on
  /// ``inputIdentity``; without it, it is random. With `cbcs`, all samples of a track have one vector anyway, and it is
  /// enough that it depends on the key, which makes it unpredictable, and on the sizes and times of the samples.
  func vector(_ encryption: Encryption, _ movie: Movie, rendition: Int) -> [UInt8] {
    guard method == .cbcs || !inputIdentity.isEmpty else { return [] }
    var hash = SHA256()
    hash.update("\(encryption.scheme.rawValue) \(rendition)")
    hash.update(inputIdentity)
    for key in encryption.keys { hash.update(key.keyID + key.bytes) }
    for (track, periods) in encryption.periods.sorted(by: { $0.key < $1.key }) {
      hash.update("\n\(track)")
      for period in periods {
        hash.update(" \(period.firstSample) ")
        hash.update(period.key.keyID)
      }
    }
    for track in movie.tracks {
      hash.update("\n\(track.id) \(track.timescale) \(track.samples.count)\n")
      var writer = ByteWriter()
      for sample in track.samples {
        writer.integer(UInt64(sample.size))
        writer.integer(sample.decodeTime.value)
        guard writer.bytes.count >= 1 << 16 else { continue }
        hash.update(writer.bytes)
        writer = ByteWriter()
      }
      hash.update(writer.bytes)
    }
    return Array(hash.digest().prefix(encryption.scheme.givenVectorSize))
  }
}
