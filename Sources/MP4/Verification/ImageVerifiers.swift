import ISOBMFF
import MP4Bytes

/// Verifies ProRes frames: the sizes of frames, pictures and slices: SMPTE RDD 36, 5.
struct ProResVerifier: SampleVerifier {
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    func problem(_ key: StaticString, _ at: Int, _ text: String) {
      problems.add(.frames, key, sample, at: sample.offset + at, text)
    }
    let raw = bytes.raw
    guard let size = FrameSyntax.proRes.byteCount(bytes), size <= bytes.count, size >= 28 else {
      return problem("frame", 0, "a frame of ProRes has no valid header")
    }
    let headerSize = Int(raw.bigEndian(at: 8, as: UInt16.self) ?? 0)
    let version = raw.bigEndian(at: 10, as: UInt16.self) ?? 0
    guard headerSize >= 20, headerSize + 8 <= size, version <= 1, let flags = raw.bigEndian(at: 20, as: UInt8.self)
    else { return problem("header", 8, "a frame header of ProRes has impossible values") }
    var at = 8 + headerSize
    for _ in 0..<(flags & 0x0c == 0 ? 1 : 2) {
      guard let own = raw.bigEndian(at: at, as: UInt8.self), let picture = raw.bigEndian(at: at + 1, as: UInt32.self),
        let count = raw.bigEndian(at: at + 5, as: UInt16.self), own >> 3 >= 8, count > 0,
        Int(picture) <= size - at, Int(own >> 3) + 2 * Int(count) <= Int(picture)
      else { return problem("picture", at, "a picture header of ProRes has impossible values") }
      var sum = Int(own >> 3) + 2 * Int(count)
      for index in 0..<Int(count) {
        let length = Int(raw.bigEndian(at: at + Int(own >> 3) + 2 * index, as: UInt16.self) ?? 0)
        // The header of a slice has at least 6 bytes.
        if length < 6 { return problem("slice", at, "a slice of ProRes is shorter than its header") }
        sum += length
      }
      guard sum <= Int(picture) else {
        return problem("slices", at, "the sizes of the slices of a picture of ProRes exceed its size")
      }
      at += Int(picture)
    }
  }
}

/// Verifies JPEG images: markers, sizes of segments, and the end: ISO/IEC 10918-1, B.1.
struct JPEGVerifier: SampleVerifier {
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    guard let size = JPEGSyntax.byteCount(bytes) else {
      return problems.add(.frames, "markers", sample, at: sample.offset, "a JPEG image has invalid markers")
    }
    if size == 0 {
      problems.add(.frames, "end", sample, at: sample.offset, "a JPEG image has no end")
    }
  }
}
