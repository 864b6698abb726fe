import ISOBMFF

/// Verifies VP9: superframes and uncompressed headers: VP9 bitstream specification, 6.2 and annex B.
struct VP9Verifier: SampleVerifier {
  /// The width of the latest frame that declared it.
  private var width = 0
  /// Whether a key frame was verified; the width of other frames is unknown before it.
  private var isStarted = false

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    guard let frames = Self.frames(bytes) else {
      return problems.add(
        .units, "superframe", sample, at: sample.offset, "the sizes of the frames do not fit their superframe")
    }
    for (number, frame) in frames.enumerated() {
      let offset = sample.offset + frame.startIndex - bytes.startIndex
      guard let header = VP9Header(frame) else {
        return problems.add(.headers, "marker", sample, at: offset, "a frame has no frame marker")
      }
      // A frame that is shown again has no data.
      if header.isRepeated { continue }
      let isKey = header.isKey
      if number == 0, isKey != sample.isSync {
        problems.add(
          .sync, "sync", sample, at: offset,
          isKey ? "a key frame is not marked as a sync sample" : "a sync sample starts with a frame that is predicted")
      }
      isStarted = isStarted || isKey
      guard isStarted else { continue }
      guard let start = header.compressedStart(width: &width), start < frame.count,
        frame[frame.startIndex + start] & 0x80 == 0
      else {
        isStarted = false
        return problems.add(.headers, "frame", sample, at: offset, "a frame header has impossible values or ends early")
      }
    }
  }

  /// The frames of a sample; `nil` if the index of the superframe is invalid.
  private static func frames(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    guard let marker = bytes.last, marker & 0xe0 == 0xc0 else { return [bytes] }
    let (count, width) = (Int(marker & 7) + 1, Int(marker >> 3 & 3) + 1)
    let size = 2 + count * width
    guard bytes.count >= size, bytes[bytes.endIndex - size] == marker else { return [bytes] }
    var frames: [ArraySlice<UInt8>] = []
    var (at, index) = (bytes.startIndex, bytes.endIndex - size + 1)
    for _ in 0..<count {
      var length = 0
      for byte in 0..<width { length |= Int(bytes[index + byte]) << (8 * byte) }
      index += width
      guard length <= bytes.endIndex - size - at else { return nil }
      if length > 0 { frames.append(bytes[at..<at + length]) }
      at += length
    }
    return at == bytes.endIndex - size ? frames : nil
  }
}
