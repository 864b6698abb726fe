import ISOBMFF
import MP4Bytes

/// Frames of AV1, VP8 or VP9 in an IVF file, or AV1 as a stream of open bitstream units (OBUs).
struct VideoFrames: Sendable, Equatable {
  /// `AV01`, `VP80` or `VP90`.
  let codec: FourCC
  private let width: UInt16
  private let height: UInt16
  /// Whether frames have IVF headers.
  let isIVF: Bool

  /// The frames of samples; `nil` for other codecs.
  init?(_ configuration: DecoderConfiguration, isIVF: Bool) {
    let codecs: [FourCC: FourCC] = ["av01": "AV01", "vp08": "VP80", "vp09": "VP90"]
    guard let codec = codecs[configuration.codedFormat], isIVF || codec == "AV01" else { return nil }
    let pictures = configuration.pictures
    (self.codec, self.isIVF) = (codec, isIVF)
    width = UInt16(clamping: pictures?.width ?? 0)
    height = UInt16(clamping: pictures?.height ?? 0)
  }

  /// Whether both can be in one file: the picture size can change.
  func isCompatible(with other: VideoFrames) -> Bool { codec == other.codec && isIVF == other.isIVF }

  /// The header of an IVF file.
  func header(timescale: UInt32, frameCount: Int) -> [UInt8] {
    guard isIVF else { return [] }
    let codecBytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: codec.rawValue >> $0) }
    let start = Array("DKIF".utf8) + [0, 0, 32, 0] + codecBytes + Self.little(width) + Self.little(height)
    return start + Self.little(timescale) + Self.little(UInt32(1)) + Self.little(UInt32(clamping: frameCount))
      + [0, 0, 0, 0]
  }

  private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Calls `body` for each part of a frame with its time; returns whether its units are valid.
  func forEachPart(
    of sample: Range<Int>, in window: inout ByteWindow, time: Int64,
    _ body: (SampleFraming.Part) throws(IOError) -> Void
  ) throws(IOError) -> Bool {
    guard let parts = codec == "AV01" ? try units(of: sample, in: &window) : [.range(sample)] else { return false }
    let count = parts.reduce(0) { $0 + $1.count }
    if isIVF {
      guard let size = UInt32(exactly: count) else { return false }
      try body(.bytes(Self.little(size) + Self.little(UInt64(max(0, time)))))
    }
    for part in parts { try body(part) }
    return true
  }

  /// The units of a temporal unit (AV1, 5.3), with the temporal delimiter and the size of the last unit, which MP4
  /// omits. `nil` if they are not valid.
  private func units(of sample: Range<Int>, in window: inout ByteWindow) throws(IOError) -> [SampleFraming.Part]? {
    var parts: [SampleFraming.Part] = []
    var at = sample.lowerBound
    while at < sample.upperBound {
      let head = Array(try window.slice(at: at, count: min(10, sample.upperBound - at)))
      guard let first = head.first, first & 0x80 == 0 else { return nil }
      if at == sample.lowerBound, first >> 3 & 15 != 2 { parts.append(.bytes([0x12, 0])) }
      let headerSize = first & 4 == 0 ? 1 : 2
      guard head.count >= headerSize else { return nil }
      if first & 2 == 0 {
        // A unit without a size extends to the end.
        if sample.lowerBound < at { parts.append(.range(sample.lowerBound..<at)) }
        let rest = at + headerSize..<sample.upperBound
        var size: [UInt8] = []
        var number = rest.count
        repeat {
          size.append(UInt8(number & 127) | (number > 127 ? 128 : 0))
          number >>= 7
        } while number > 0
        parts.append(.bytes([first | 2] + head[1..<headerSize] + size))
        if !rest.isEmpty { parts.append(.range(rest)) }
        return parts
      }
      var (size, shift, sizeBytes, isComplete) = (0, 0, 0, false)
      for byte in head[headerSize...].prefix(8) {
        size |= Int(byte & 127) << shift
        (shift, sizeBytes) = (shift + 7, sizeBytes + 1)
        if byte & 128 == 0 {
          isComplete = true
          break
        }
      }
      let payload = at + headerSize + sizeBytes
      guard isComplete, size <= sample.upperBound - payload else { return nil }
      at = payload + size
    }
    parts.append(.range(sample))
    return parts
  }
}
