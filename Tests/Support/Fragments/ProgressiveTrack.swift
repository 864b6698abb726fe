/// A track of a progressive file whose samples are one chunk.
public struct ProgressiveTrack: Sendable {
  /// Its ID.
  public var id: UInt32 = 9
  /// The type of its media.
  public var handler = "text"
  /// What QuickTime has before the handler type.
  public var component = "\0\0\0\0"
  /// Its sample description.
  public var entry: [UInt8] = []
  /// The box of `minf` before `dinf`.
  public var mediaHeader: [UInt8] = fullBox("nmhd")
  /// The reference to the file itself.
  public var reference = "url "
  /// Its samples, of half a second each; all are sync samples.
  public var samples: [[UInt8]] = []
  /// No samples.
  public init() {}

  /// The contents of `trak`, for a file of `size` bytes in which it makes `moov` larger, and to which an `mdat` with
  /// the samples is appended.
  public func boxes(addedToBytes size: Int) -> [UInt8] {
    boxes(at: size + 8 + 8 + boxes(at: 0).count)
  }

  private func boxes(at offset: Int) -> [UInt8] {
    let count = UInt32(samples.count)
    let table = box(
      "stbl", fullBox("stsd", big(UInt32(1)), entry), fullBox("stts", big(UInt32(1)), big(count), big(UInt32(500))),
      fullBox("stsc", big(UInt32(1)), big(UInt32(1)), big(count), big(UInt32(1))),
      fullBox("stsz", zeros(4), big(count), samples.flatMap { big(UInt32($0.count)) }),
      fullBox("stco", big(UInt32(1)), big(UInt32(offset))))
    let header = fullBox(
      "tkhd", flags: 3, zeros(8), big(id), zeros(4), big(count * 500), zeros(16), unityMatrix, zeros(8))
    let media = box(
      "mdia", fullBox("mdhd", zeros(8), big(UInt32(1000)), big(count * 500), zeros(4)),
      fullBox("hdlr", ascii(component), ascii(handler), zeros(12), [0]),
      box("minf", mediaHeader, box("dinf", fullBox("dref", big(UInt32(1)), fullBox(reference, flags: 1))), table))
    return header + media
  }
}
