import MP4
import MP4Bytes
package import MP4Records

/// The bytes of a track that are decoded in each bin of the time axis.
package struct RateBins: Sendable {
  /// The total size of the samples in each bin.
  package private(set) var bytes: [Int]
  /// The largest number of bytes in a second that ends in each bin.
  package private(set) var peaks: [Int]
  private var window: SampleStatistics.Window

  init(_ count: Int, _ timescale: UInt32) {
    bytes = Array(repeating: 0, count: count)
    peaks = bytes
    window = SampleStatistics.Window(timescale)
  }

  /// Adds a sample that is decoded at `time` in the timescale of the track.
  mutating func add(_ size: Int, at time: Int64, bin: Int) {
    guard bytes.indices.contains(bin) else { return }
    window.add(size, at: time)
    bytes[bin] += size
    peaks[bin] = max(peaks[bin], window.sum)
  }
}

extension RateBins: Record {
  package static let summary = "The bytes of a track that are decoded in each bin of time."
  package static let members: [RecordMember<Self>] = [
    RecordMember("bytes", "the sum of the sizes in each bin") { $0.bytes },
    RecordMember("peak_bytes", "the maximum number of bytes within one second that ends in each bin") { $0.peaks },
  ]
}
