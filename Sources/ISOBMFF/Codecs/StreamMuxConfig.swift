/// The configuration of a LATM stream with one program and one layer: ISO/IEC 14496-3, 1.7.3.
package struct StreamMuxConfig: Hashable, Sendable {
  /// The AudioSpecificConfig, which ends with zeros up to a whole byte.
  package let audioSpecificConfig: [UInt8]
  /// The number of payloads of an element.
  private let subframeCount: Int
  /// The size of payloads that do not declare it.
  private let payloadByteCount: Int?

  /// The duration of a payload in units of the output sampling rate; `nil` if it is no whole number.
  package var duration: Int64? {
    guard let sound = AudioSpecificConfig(audioSpecificConfig), sound.coreFrequency > 0 else { return nil }
    let (duration, rest) = (sound.frameLength * sound.samplingFrequency).quotientAndRemainder(
      dividingBy: sound.coreFrequency)
    return rest == 0 && duration > 0 ? Int64(duration) : nil
  }

  /// An AudioMuxElement that contains no usable payload.
  package enum Problem: Error {
    case damaged
    /// The configuration precedes it, and is not known.
    case noConfiguration
    /// It has several programs or layers, or a codec other than AAC.
    case unsupported
  }

  /// The payloads of an AudioMuxElement, as ranges of bits. `configuration` is the latest one, which it can replace.
  package static func payloads(
    of element: ArraySlice<UInt8>, _ configuration: inout StreamMuxConfig?
  ) throws(Problem) -> [Range<Int>] {
    var r = BitReader(element)
    if !r.flag() { configuration = try StreamMuxConfig(&r, element) }
    guard let own = configuration else { throw .noConfiguration }
    var result: [Range<Int>] = []
    for _ in 0..<own.subframeCount {
      var size = own.payloadByteCount ?? 0
      var isOpen = own.payloadByteCount == nil
      while isOpen, !r.isBroken {
        let byte = r.bits(8)
        size += byte
        isOpen = byte == 255
      }
      let start = r.position
      r.skip(size * 8)
      if r.isBroken || size == 0 { throw .damaged }
      result.append(start..<start + size * 8)
    }
    return result
  }

  private init(_ r: inout BitReader, _ element: ArraySlice<UInt8>) throws(Problem) {
    let hasSizes = r.flag()
    if hasSizes {
      if r.flag() { throw .unsupported }
      _ = r.latmValue()
    }
    // One time for all streams, which are one program with one layer.
    let isSimple = r.flag()
    subframeCount = r.bits(6) + 1
    let (programs, layers) = (r.bits(4), r.bits(3))
    if r.isBroken { throw .damaged }
    if !isSimple || programs > 0 || layers > 0 { throw .unsupported }
    let declared = hasSizes ? r.latmValue() : r.bitsLeft
    let bytes = r.copy(bits: min(declared, r.bitsLeft))
    var count = 0
    guard !r.isBroken, declared <= r.bitsLeft, let sound = AudioSpecificConfig(bytes, bitCount: &count) else {
      throw .damaged
    }
    guard 1...4 ~= sound.audioObjectType, sound.coreFrequency > 0 else { throw .unsupported }
    if hasSizes { count = declared }
    audioSpecificConfig = r.copy(bits: count)
    r.skip(count)
    switch r.bits(3) {
    case 0:
      r.skip(8)
      payloadByteCount = nil
    case 1: payloadByteCount = r.bits(9) + 20
    default: throw .unsupported
    }
    if r.flag() {
      // Other data follows the payloads.
      if hasSizes {
        _ = r.latmValue()
      } else {
        while r.flag() { r.skip(8) }
        r.skip(8)
      }
    }
    if r.flag() { r.skip(8) }
    if r.isBroken { throw .damaged }
  }
}

extension BitReader {
  /// LatmGetValue: 1.7.3.1.
  fileprivate mutating func latmValue() -> Int {
    let count = bits(2) + 1
    return (0..<count).reduce(0) { value, _ in value << 8 | bits(8) }
  }

  /// The next bits, without skipping them; the last byte ends with zeros.
  fileprivate func copy(bits count: Int) -> [UInt8] {
    var (r, left, result) = (self, count, [UInt8]())
    while left > 0 {
      let part = min(8, left)
      result.append(UInt8(r.bits(part) << (8 - part)))
      left -= part
    }
    return result
  }
}
